package mxp

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A system that refuses this user refuses it next time, too; one that knows of
// nobody now may know later. [MXP-14.2]
func TestSystemErrorsHaveTheStatusOfTheSpecification(t *testing.T) {
	e, path := &endpoint{}, filepath.Join(t.TempDir(), "x")
	failed := func(number syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "unix", Err: &os.SyscallError{Syscall: "connect", Err: number}}
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
	for err, want := range map[error]session.Status{
		failed(syscall.EACCES):                           session.StatusFailedPrecondition,
		failed(syscall.ECONNREFUSED):                     session.StatusUnavailable,
		failed(syscall.EHOSTUNREACH):                     session.StatusUnavailable,
		&net.DNSError{IsNotFound: true}:                  session.StatusFailedPrecondition,
		&net.DNSError{IsTemporary: true}:                 session.StatusUnavailable,
		&net.DNSError{IsTimeout: true}:                   session.StatusUnavailable,
		&net.DNSError{IsNotFound: true, IsTimeout: true}: session.StatusUnavailable,
	} {
		if got := reachable(err); got != want {
			t.Errorf("%v of TCP is %v", err, got)
		}
	}
}
