package mxp

import (
	"context"
	"net"
	"syscall"
)

// bindPrivate makes a socket whose file has the mode 0600. Linux gives the file the
// mode that the socket has.
func bindPrivate(path string) (*net.UnixListener, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(fd uintptr) { failed = syscall.Fchmod(int(fd), 0o600) })
		if err == nil {
			err = failed
		}
		return err
	}}
	listener, err := config.Listen(context.Background(), unixNetwork, path)
	if err != nil {
		return nil, err
	}
	return listener.(*net.UnixListener), nil
}
