package mcp

import (
	"context"
	"io"
	"log/slog"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/serial-data-protocol/sdp/compiler/talk"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// Options say what is offered.
type Options struct {
	// Peer has the address of the services, their methods, metadata, and trusted certificates.
	Peer *talk.Request
	// Only are the methods that are tools, and Except the methods that are none: Service/method, or
	// Service for all of its methods. Without Only all are.
	Only, Except []string
	// Deadline is how long a call may take, and how long responses are collected.
	Deadline time.Duration
	// Responses is how many of a stream are collected, and ResultBytes how many bytes of JSON a
	// result may have.
	Responses, ResultBytes int
	// Version is that of the program.
	Version string
	Logger  *slog.Logger
}

// instructions tell agents what all tools have in common.
const instructions = "Each tool is a method of a service. Integers of 64 bits are strings in results. " +
	"A call that has failed says whether somebody may have acted on it: only if nobody has, it is safe to repeat any call."

// New makes a server of the methods of a peer. Its second result is a function that ends its
// connection.
func New(options Options) (server *sdk.Server, end func(), err error) {
	methods, err := chosen(options.Peer.Catalog, options.Only, options.Except)
	if err != nil {
		return nil, nil, err
	}
	client, err := talk.Dial(options.Peer.Catalog, options.Peer.Address, mxp.ClientOptions{TLS: options.Peer.TLS, Logger: options.Logger})
	if err != nil {
		return nil, nil, err
	}
	server = sdk.NewServer(&sdk.Implementation{Name: "sdp", Title: "SDP", Version: options.Version}, &sdk.ServerOptions{
		Instructions: instructions, Logger: options.Logger, Capabilities: &sdk.ServerCapabilities{},
	})
	called := names(methods)
	for _, m := range methods {
		server.AddTool(toolOf(m, called[m]), (&method{options, m, client}).call)
	}
	return server, client.Close, nil
}

// lineMax is the longest message of a client: a request of 16 MiB, as MXP has at most, is larger as
// JSON, in base64 or with escapes.
const lineMax = 64 << 20

// Serve serves the protocol on two streams, until the first ends and all its requests are answered, or until the context
// ends. Nothing else is written to output.
func Serve(ctx context.Context, server *sdk.Server, scope io.ReadCloser, output io.WriteCloser) error {
	return server.Run(ctx, wholeTransport{&sdk.IOTransport{Reader: scope, Writer: output, MaxLineLength: lineMax}})
}
