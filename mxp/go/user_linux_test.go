package mxp_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// nobody is a user that no test runs as.
const nobody = 65534

// owned is a server that takes a user for its own, and the path of its socket, which all users
// may connect to.
func owned(t *testing.T, scheme string, user int, options mxp.ServerOptions) string {
	t.Helper()
	options.Services, _ = asked()
	server := mxp.NewServer(options)
	server.RunAs(user)
	folder := t.TempDir()
	at := filepath.Join(folder, "s.sock")
	listener, err := server.Listen("mxp+" + scheme + "://" + at)
	if err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{at: 0o666, folder: 0o755, filepath.Dir(folder): 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return at
}

// connectAs connects as a user that only root can become: on a thread of its own, which
// ends with its goroutine.
func connectAs(user int, at string) (network net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uintptr(user), uintptr(user), uintptr(user)); errno != 0 {
			err = errno
			return
		}
		network, err = net.Dial("unix", at)
	}()
	<-done
	return network, err
}

// A socket without Admit is for programs of the server's own user, also where its mode lets
// others connect, and also of shared memory; AnyUser lets them in. [MXP-16.4] [MXP-18.11]
func TestProgramsOfAnotherUserAreRefused(t *testing.T) {
	own := os.Geteuid()
	for _, scheme := range []string{"unix", "shm"} {
		for _, anyUser := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s of this user, AnyUser %t", scheme, anyUser), func(t *testing.T) {
				meets(t, scheme, anyUser, own+1, func(at string) (net.Conn, error) { return net.Dial("unix", at) })
			})
			t.Run(fmt.Sprintf("%s of nobody, AnyUser %t", scheme, anyUser), func(t *testing.T) {
				if own != 0 {
					t.Log("only root can be somebody else")
					return
				}
				meets(t, scheme, anyUser, own, func(at string) (net.Conn, error) { return connectAs(nobody, at) })
			})
		}
	}
}

// meets lets a client of another user call a server that takes a user for its own.
func meets(t *testing.T, scheme string, anyUser bool, user int, connect func(at string) (net.Conn, error)) {
	at := owned(t, scheme, user, mxp.ServerOptions{AnyUser: anyUser})
	client, err := mxp.Dial("mxp+"+scheme+"://"+at, mxp.ClientOptions{
		Dial: func(context.Context, string, string) (net.Conn, error) { return connect(at) },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Call(within(t, patience*10*time.Second), "demo.Who", 1, nil)
	stats := client.Stats()
	client.Close()
	if stats.ShmFallbacks != 0 {
		t.Errorf("%d connections went over the socket", stats.ShmFallbacks)
	}
	if anyUser {
		if err != nil {
			t.Errorf("it is refused by a server for all: %v", err)
		}
		return
	}
	f := fails(t, err, session.StatusPermissionDenied, "not_admitted", false)
	if !strings.HasPrefix(f.Text, "the peer runs as user ") {
		t.Errorf("it is told %q", f.Text)
	}
}
