// Command sdp-mcp offers the methods of a service to agents as tools, by the Model Context
// Protocol on its standard input and output.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/manual"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/mcp"
)

// The exit codes are the same as sdp's.
const (
	exitRefused = 1
	exitUsage   = 2
)

// exits are what `sdp-mcp --help` says of them.
var exits = []manual.Exit{
	{Code: "0", Meaning: "the agent has ended the conversation, or a signal has"},
	{Code: strconv.Itoa(exitRefused), Meaning: "a schema, a file or the server is at fault"},
	{Code: strconv.Itoa(exitUsage), Meaning: "the command line is at fault"},
}

func main() {
	// The standard output is the protocol's alone: this program and its libraries write all other
	// texts elsewhere.
	out := os.Stdout
	os.Stdout = os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := newRoot(ctx, os.Stdin, out).Execute()
	var usage *driver.UsageError
	switch {
	case err == nil:
	case errors.Is(err, driver.ErrRefused): // the user has been told
		os.Exit(exitRefused)
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "sdp-mcp:", usage.Message)
		if usage.Help != "" {
			fmt.Fprintln(os.Stderr, "help:", usage.Help)
		}
		os.Exit(exitUsage)
	default:
		fmt.Fprintln(os.Stderr, "sdp-mcp:", err)
		os.Exit(exitRefused)
	}
}

func newRoot(ctx context.Context, scope io.ReadCloser, output io.WriteCloser) *cobra.Command {
	tool := &driver.Tool{In: scope, Out: os.Stderr, Err: os.Stderr}
	options := mcp.Options{Version: driver.Version}
	var call driver.CallOptions
	var quiet bool
	command := &cobra.Command{
		Use:   "sdp-mcp ADDRESS",
		Short: "Offer a service's methods to agents as tools",
		Long: manual.Long(`Offer the methods of the schema's services, as a server at an address has them, to agents
as tools, by the Model Context Protocol on the standard input and output. The address is one
that 'sdp call' takes.

Each method is a tool, Service-method. Its input is the request as JSON; where requests
stream, {"requests": [...]}. Its result is the response; where responses stream, the list
{"responses": [...]}, and "cut" if there may be more. A failure is a result that
says its status and name, and whether somebody may have acted on the request.

An agent may call every method that is offered: name its methods with --only.
@x.mcp(hidden) before a method of the schema hides it, (readonly) and (additive) tell agents
that it changes or destroys nothing.`, exits),
		Example: `  sdp-mcp ADDRESS --schema host.sdp --only PluginHost/list,PluginHost/watch
  sdp-mcp ADDRESS --ca ca.pem --metadata key=sesame --except PluginHost/remove`,
		Args: func(command *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return &driver.UsageError{Message: "it needs one ADDRESS, and got " + strconv.Itoa(len(args)) + " arguments", Help: "usage: " + command.UseLine()}
		},
		Version: driver.Version,
		RunE: func(_ *cobra.Command, args []string) error {
			if options.Deadline <= 0 || options.Responses <= 0 || options.ResultBytes <= 0 {
				return &driver.UsageError{Message: "--deadline, --responses and --result-bytes are above 0"}
			}
			call.Address = args[0]
			level := slog.LevelInfo
			if quiet {
				level = slog.LevelError
			}
			options.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
			return serve(ctx, tool, call, options, scope, output)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	command.SetOut(output) // of help, before the protocol begins
	command.SetErr(os.Stderr)
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &driver.UsageError{Message: err.Error(), Help: "`sdp-mcp --help` lists the flags"}
	})
	flags := command.Flags()
	flags.StringArrayVarP(&call.Schemas, "schema", "s", nil, "a schema, or a folder of schemas (may be repeated; default: the schemas of "+driver.ConfigName+")")
	flags.StringArrayVarP(&tool.Include, "include", "I", nil, "look up imports in this folder too (may be repeated)")
	flags.StringVar(&tool.ConfigPath, "config", "", "read this config file (default: "+driver.ConfigName+" here or above)")
	flags.StringSliceVar(&options.Only, "only", nil, "offer these methods alone: Service/method, or Service for all of its methods")
	flags.StringSliceVar(&options.Except, "except", nil, "offer all but these")
	flags.DurationVar(&options.Deadline, "deadline", 30*time.Second, "how long a call may take, and how long responses are collected")
	flags.IntVar(&options.Responses, "responses", 100, "how many responses of a stream are collected")
	flags.IntVar(&options.ResultBytes, "result-bytes", 1<<20, "how many bytes of JSON a result may have")
	flags.StringArrayVarP(&call.Metadata, "metadata", "m", nil, "send key=value beside each request (may be repeated)")
	flags.BoolVar(&call.Defaults, "defaults", false, "give fields that arguments leave out zero, or their default")
	flags.StringVar(&call.CA, "ca", "", "trust the certificates of this PEM file, for "+driver.EncryptingSchemes()+" (default: the system's certificates)")
	flags.StringVar(&call.Cert, "cert", "", "show this certificate to the server, a PEM file, with the certificates between it and its authority; with --key")
	flags.StringVar(&call.Key, "key", "", "the certificate's key, a PEM file")
	flags.BoolVarP(&quiet, "quiet", "q", false, "log errors alone")
	return command
}

func serve(ctx context.Context, tool *driver.Tool, call driver.CallOptions, options mcp.Options, scope io.ReadCloser, output io.WriteCloser) error {
	var err error
	if options.Peer, err = tool.Callable(call); err != nil {
		return err
	}
	server, end, err := mcp.New(options)
	var name *talk.NameError
	if errors.As(err, &name) {
		usage := &driver.UsageError{Message: name.Message, Help: "`sdp call --list` lists the methods"}
		if name.Near != "" {
			usage.Help = fmt.Sprintf("did you mean `%s`?", name.Near)
		}
		return usage
	}
	if err != nil {
		return err
	}
	defer end()
	err = mcp.Serve(ctx, server, scope, output)
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
