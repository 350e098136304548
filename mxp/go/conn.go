package mxp

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/link"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// conn is a connection of a client or a server, with the services and requests on it.
type conn struct {
	link.Conn
	options connOptions
	asker   *endpoint // of the client that asks the peer on this connection; nil until there is one
}

// connOptions are what a client's and a server's connections have in common.
type connOptions struct {
	link.Options
	services *Services
	workers  *workers
	drains   func(why *Failure) // no new requests are taken
	agents   *agents
	// directory answers agent requests, where there is no agents.
	directory Directory
	meters    *meters
	owner     uint64
	keep      bool  // requests go to it though it is an outlier
	crash     bool  // a handler's panic ends the program
	who       *Peer // the other side

	telemetry *telemetry
}

// check refuses options that no connection can have.
func (o *connOptions) check(window, memory int) error {
	err := o.Config.Check()
	switch {
	case err != nil:
	case window < 0:
		err = fmt.Errorf("StreamWindow is %d, and can be no less than 0", window)
	case memory < 0:
		err = fmt.Errorf("MemoryBytes is %d, and can be no less than 0", memory)
	}
	if err != nil {
		return fmt.Errorf("mxp: %w", err)
	}
	return nil
}

// helloTime is how long a handshake may take, and how long a Hello [MXP-6.4].
func (o *connOptions) helloTime() time.Duration {
	limit := o.Config.Limits.Hello
	if limit == 0 {
		limit = session.HelloUs
	}
	return link.Micros(limit)
}

func newConn(network net.Conn, options connOptions) *conn {
	tune(network)
	options.Config.Agents = options.agents != nil || options.directory != nil
	if options.services != nil {
		options.Config.Services = options.services.names
	}
	options.Rest = func() { options.workers.dismiss(false) }
	c := &conn{options: options}
	c.Init(network, options.Options, c)
	return c
}

// warn logs what went wrong with a request of the peer's.
func (c *conn) warn(event string, target engine.Target, f *Failure) {
	c.options.Logger.LogAttrs(context.Background(), slog.LevelWarn, event,
		slog.String("method", target.String()), slog.String("peer", c.options.Peer), slog.String("status", f.Status.String()),
		slog.String("name", f.Name), slog.String("text", f.Text), slog.Bool("acted", f.Acted))
}
