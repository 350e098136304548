//go:build unix

package mxp_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// pathMost is the longest path that a unix socket can have here.
const pathMost = len(syscall.RawSockaddrUnix{}.Path) - 1

// ofLength is a path of so many bytes, in a folder of its own.
func ofLength(t *testing.T, bytes int) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "m") // that of the test has a long name itself
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder + "/" + strings.Repeat("s", bytes-len(folder)-1)
}

// listenAt is a server at a path.
func listenAt(t *testing.T, path string) (*mxp.Server, net.Listener) {
	t.Helper()
	var events atomic.Int64
	server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
	listener, err := server.Listen("mxp+unix://" + path)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return server, listener
}

func TestEveryPathThatASocketCanHaveIsServed(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	for bytes := pathMost - 5; bytes <= pathMost; bytes++ {
		path := ofLength(t, bytes)
		listenAt(t, path)
		client, err := mxp.Dial("mxp+unix://"+path, mxp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		if _, err := client.Call(within(t, 10*time.Second), "demo.Echo", 1, nil); err != nil {
			t.Errorf("%d bytes: %v", bytes, err)
		}
		if file, err := os.Stat(path); err != nil || file.Mode() != fs.ModeSocket|0o600 {
			t.Errorf("%d bytes: the file is %v, %v", bytes, file.Mode(), err)
		}
		if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
			t.Errorf("%d bytes: the folder has %v, %v", bytes, all, err)
		}
	}
}

func TestLongerPathsAreRefused(t *testing.T) {
	for _, bytes := range []int{pathMost + 1, pathMost + 2, 200} {
		path := ofLength(t, bytes)
		_, dialled := mxp.Dial("mxp+unix://"+path, mxp.ClientOptions{})
		_, listened := mxp.NewServer(mxp.ServerOptions{}).Listen("mxp+unix://" + path)
		for _, err := range []error{dialled, listened} {
			if !errors.Is(err, session.ErrAddressInvalid) || !strings.Contains(err.Error(), "the path is too long") {
				t.Errorf("%d bytes: %v", bytes, err)
			}
		}
		if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 0 {
			t.Errorf("%d bytes: the folder has %v, %v", bytes, all, err)
		}
	}
}

// The file at a path is replaced only if it is a socket on which nobody listens.
func TestOnlyStaleSocketsAreReplaced(t *testing.T) {
	folder := t.TempDir()
	stale, plain, datagrams := filepath.Join(folder, "stale"), filepath.Join(folder, "plain"), filepath.Join(folder, "datagrams")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	other, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: datagrams, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	listenAt(t, stale)
	for _, path := range []string{stale, plain, datagrams} {
		if _, err := mxp.NewServer(mxp.ServerOptions{}).Listen("mxp+unix://" + path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s was taken: %v", path, err)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// A listener that is closed leaves the file alone that the next one has put there.
func TestClosingLeavesTheNextServersSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	_, old := listenAt(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	listenAt(t, path)
	old.Close()
	old.Close()
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "linux" {
		if peer, err := net.Dial("unix", path); err != nil {
			t.Error(err)
		} else {
			peer.Close()
		}
	}
}
