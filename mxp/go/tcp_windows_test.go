package mxp

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Windows has numbers of its own for the errors of sockets.
func TestForbiddenConnectionsAreFinal(t *testing.T) {
	forbidden := &net.OpError{Op: "dial", Net: "tcp", Err: &os.SyscallError{Syscall: "connectex", Err: syscall.WSAEACCES}}
	if got := reachable(forbidden); got != session.StatusFailedPrecondition {
		t.Errorf("%v is %v", forbidden, got)
	}
}

func TestSocketsAreRefusedByName(t *testing.T) {
	for _, at := range []string{"mxp+unix:///run/x.sock", "mxp+unix://C:/x.sock", "mxp+shm:///run/x.sock"} {
		_, err := Dial(at, ClientOptions{})
		if want := `"` + at + `" is not available on Windows`; !errors.Is(err, session.ErrAddressInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", at, err)
		}
		if _, err := NewServer(ServerOptions{}).Listen(at); err == nil || !strings.Contains(err.Error(), "is not available on Windows") {
			t.Errorf("a server at %s: %v", at, err)
		}
	}
}
