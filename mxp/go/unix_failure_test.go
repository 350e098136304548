//go:build unix

package mxp

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// [MXP-14.2]
func TestSystemErrorsOfSocketsHaveTheStatusOfTheSpecification(t *testing.T) {
	e, path := &endpoint{}, filepath.Join(t.TempDir(), "x")
	failed := func(number syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: unixNetwork, Err: &os.SyscallError{Syscall: "connect", Err: number}}
	}
	for number, want := range map[syscall.Errno]session.Status{
		syscall.EACCES: session.StatusFailedPrecondition, syscall.EPERM: session.StatusFailedPrecondition,
		syscall.ENOENT:       session.StatusUnavailable,
		syscall.ECONNREFUSED: session.StatusUnavailable, syscall.EAGAIN: session.StatusUnavailable, syscall.EMFILE: session.StatusUnavailable,
	} {
		if f := e.unreachable(unixFailure(path, failed(number))); f.Status != want {
			t.Errorf("%v of a unix socket is %v", number, f)
		}
	}
}
