// Package places has places for the servers of tests: of a unix socket, or of TCP where the system has none.
package places

import (
	"net"
	"path/filepath"
	"runtime"
	"testing"
)

// Conn is a connection between them, whose directions end one by one.
type Conn interface {
	net.Conn
	CloseWrite() error
}

// Network is the scheme of the addresses, and the name that package net has for it.
var Network = network()

func network() string {
	if runtime.GOOS == "windows" {
		return "tcp"
	}
	return "unix"
}

// Free is a place at which nobody listens yet.
func Free(t testing.TB) string {
	t.Helper()
	if Network == "unix" {
		return filepath.Join(t.TempDir(), "s.sock")
	}
	listener, err := net.Listen(Network, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// Address is that of a place.
func Address(place string) string { return "mxp+" + Network + "://" + place }
