package mxp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"regexp"

	"golang.org/x/sys/windows"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/pipe"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// systemTransports are transports of this system alone.
var systemTransports = []*Transport{{
	Scheme: pipeScheme, Form: "name", Protects: Protection{PeerCredentials: true},
	Check: checkPipe, Dial: dialPipe, Listen: listenPipe, Identify: identifyPipe,
}}

var pipeName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,200}$`)

func checkPipe(name string) error {
	if !pipeName.MatchString(name) {
		return errors.New("has no name of 1 to 200 letters, digits, dots, underscores and dashes, as in " + addressOf(pipeScheme, "mixer"))
	}
	return nil
}

func dialPipe(ctx context.Context, name string, options ClientOptions) (net.Conn, error) {
	if options.Dial != nil {
		return options.Dial(ctx, pipeScheme, name)
	}
	network, err := pipe.Dial(ctx, name)
	var owner *pipe.OwnerError
	switch {
	case errors.As(err, &owner) || errors.Is(err, fs.ErrPermission):
		return nil, unreached(session.StatusFailedPrecondition, cause(err), err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, unreached(session.StatusUnavailable, "nobody serves a pipe of this name", err)
	case err != nil:
		return nil, err
	}
	return network, nil
}

func listenPipe(name string, options ServerOptions) (net.Listener, error) {
	listener, err := pipe.Listen(name, options.AnyUser)
	switch {
	case errors.Is(err, windows.ERROR_ACCESS_DENIED), errors.Is(err, windows.ERROR_PIPE_BUSY):
		return nil, fmt.Errorf("mxp: somebody listens on %s already: %w", pipe.Path(name), err)
	case err != nil:
		return nil, fmt.Errorf("mxp: %s: %w", pipe.Path(name), err)
	}
	return listener, nil
}

// identifyPipe fills in the process at the other end. A peer that has connected to a pipe has no
// address but the pipe's.
func identifyPipe(network net.Conn, peer *Peer) error {
	peer.Address = addressOf(pipeScheme, network.LocalAddr().String())
	end, is := network.(*pipe.Conn)
	if !is {
		return nil // a listener of the user's has wrapped it
	}
	id, sid, err := end.Client()
	if err != nil {
		return err
	}
	peer.Process = &Process{User: -1, Group: -1, ID: id, SID: sid}
	return nil
}

// ownAccount is the user that this program runs as.
func ownAccount() account {
	sid, err := pipe.OwnUser()
	if err != nil {
		return account{number: -1} // which no peer is: theirs have a SID
	}
	return account{number: -1, sid: sid.String()}
}
