// Package places has addresses for tests that need any server of this machine: of a unix socket, or of
// TCP where the system has none.
package places

import (
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Plain is the scheme of the addresses.
var Plain = plain()

func plain() string {
	if runtime.GOOS == "windows" {
		return "tcp"
	}
	return "unix"
}

// Absent is a part of the message for an address without a listener.
var Absent = map[string]string{"unix": "no such file", "tcp": "refused"}[Plain]

// Peer is how a server calls its client: of unix sockets by its own address, else by the client's,
// of which this is the beginning.
func Peer(address string) string {
	if Plain == "unix" {
		return address
	}
	return "mxp+tcp://127.0.0.1:"
}

// Free is an address without a listener.
func Free(t testing.TB) string { return Named(t, t.TempDir(), "s.sock") }

// Named is one for a name in a folder, which the paths of sockets have.
func Named(t testing.TB, folder, name string) string {
	t.Helper()
	if Plain == "unix" {
		return "mxp+unix://" + filepath.Join(folder, name)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "mxp+tcp://" + listener.Addr().String()
}

// Dial connects to the socket that an address of any transport has, without MXP.
func Dial(address string) (net.Conn, error) {
	scheme, place, _ := strings.Cut(strings.TrimPrefix(address, "mxp+"), "://")
	network := "tcp"
	if scheme == "unix" || scheme == "shm" {
		network = "unix"
	}
	return net.Dial(network, place)
}
