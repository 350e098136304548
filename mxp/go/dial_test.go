package mxp

import (
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A system that refuses this user refuses it next time, too; one that knows of
// nobody now may know later. [MXP-14.2]
func TestSystemErrorsOfTCPHaveTheStatusOfTheSpecification(t *testing.T) {
	failed := func(number syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: &os.SyscallError{Syscall: "connect", Err: number}}
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
