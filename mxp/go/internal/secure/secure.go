// Package secure makes TLS of a client's connection, for all transports that have it, and says which
// failures no later attempt can mend.
package secure

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
)

// Client shakes hands with the server of a host and port. A connection of which nothing becomes is closed.
func Client(ctx context.Context, network net.Conn, place string, config *tls.Config) (*tls.Conn, error) {
	config = config.Clone()
	if config == nil {
		config = &tls.Config{}
	}
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(place)
	}
	made := tls.Client(network, config)
	if err := made.HandshakeContext(ctx); err != nil {
		network.Close()
		return nil, err
	}
	return made, nil
}

// IsFinal reports whether an error that has kept TLS from being spoken is final: all errors are, except errors of the
// network.
func IsFinal(err error) bool {
	var system *os.SyscallError
	var slow net.Error
	return !errors.As(err, &system) && !(errors.As(err, &slow) && slow.Timeout()) &&
		!errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, context.Canceled)
}
