package mxp_test

import (
	"context"
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

// owned is a server that takes a user for its own, and the address of its socket, which all
// users may connect to.
func owned(t *testing.T, user int, options mxp.ServerOptions) string {
	t.Helper()
	options.Services, _ = asked()
	server := mxp.NewServer(options)
	server.RunAs(user)
	folder := t.TempDir()
	at := filepath.Join(folder, "s.sock")
	listener, err := server.Listen("mxp+unix://" + at)
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

// A unix socket without Admit is for programs of the server's own user, also where its mode
// lets others connect; AnyUser lets them in.
func TestProgramsOfAnotherUserAreRefused(t *testing.T) {
	type meeting struct {
		server  int // the user that it takes for its own
		connect func(at string) (net.Conn, error)
	}
	own := os.Geteuid()
	others := map[string]meeting{
		"a client of this user": {own + 1, func(at string) (net.Conn, error) { return net.Dial("unix", at) }},
	}
	if own == 0 {
		others["a client of nobody"] = meeting{own, func(at string) (net.Conn, error) { return connectAs(nobody, at) }}
	}
	for name, other := range others {
		for _, anyUser := range []bool{false, true} {
			at := owned(t, other.server, mxp.ServerOptions{AnyUser: anyUser})
			client, err := mxp.Dial("mxp+unix://"+at, mxp.ClientOptions{
				Dial: func(context.Context, string, string) (net.Conn, error) { return other.connect(at) },
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Call(within(t, patience*10*time.Second), "demo.Who", 1, nil)
			client.Close()
			if anyUser {
				if err != nil {
					t.Errorf("%s is refused by a server for all: %v", name, err)
				}
				continue
			}
			f := fails(t, err, session.StatusPermissionDenied, "not_admitted", false)
			if !strings.HasPrefix(f.Text, "the peer runs as user ") {
				t.Errorf("%s is told %q", name, f.Text)
			}
		}
	}
}
