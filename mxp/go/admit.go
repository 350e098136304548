package mxp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// finish lets the transport of a connection do what it does before anything is read. It gives
// the connection that goes on, or is to be closed, and whether it goes on.
func (s *Server) finish(ctx context.Context, network net.Conn) (net.Conn, bool) {
	transport, _ := transportOf(network)
	rest := network
	var err error
	switch {
	case transport == nil:
	case transport.finish != nil:
		rest, err = transport.finish(ctx, network)
	case transport.Accept != nil:
		err = transport.Accept(ctx, network)
	}
	if err != nil {
		level := slog.LevelWarn
		if err == io.EOF { // it has only looked whether somebody is there
			level = slog.LevelInfo
		}
		s.common.Logger.Log(ctx, level, "mxp: "+strings.ToUpper(transport.Scheme)+" handshake", "peer", addressAt(network), "error", err)
		return network, false
	}
	return rest, true
}

// begin lets a connection run, or tells its peer why it is not let in. It reports whether
// there is a connection.
func (s *Server) begin(ctx context.Context, network net.Conn) bool {
	options := s.common
	if transport, _ := transportOf(network); transport != nil {
		options.Config.OfferChecksumOff = transport.Protects.bytes()
	}
	var refused error
	options.who, refused = s.admit(ctx, network)
	options.Peer = options.who.Address
	c := s.add(network, options)
	if c == nil {
		return false
	}
	if refused != nil {
		c.Reject(refusalOf(refused))
	}
	c.Start(func() { s.left(c) })
	return true
}

// admit finds out who connects, and whether it may.
func (s *Server) admit(ctx context.Context, network net.Conn) (*Peer, error) {
	peer, unknown := peerAt(network)
	switch {
	case s.options.Admit != nil:
		return peer, s.options.Admit(ctx, peer)
	case s.options.AnyUser:
		return peer, nil
	case unknown != nil:
		return peer, unknown
	case peer.Process != nil && peer.Process.account() != s.user():
		return peer, fmt.Errorf("the peer runs as user %v", peer.Process.account())
	}
	return peer, nil
}

// refusalOf is the failure that a refused peer is told. It has been refused before it could ask for
// anything.
func refusalOf(err error) Failure {
	var f *Failure
	failure := Failure{Status: session.StatusPermissionDenied, Name: "not_admitted", Text: err.Error()}
	if errors.As(err, &f) {
		failure = *f
	}
	return engine.Sendable(failure)
}
