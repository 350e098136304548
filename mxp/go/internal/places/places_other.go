//go:build !windows

package places

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// Plain is the scheme of the addresses.
const Plain = "unix"

// Absent is a part of the message for an address without a listener.
const Absent = "no such file"

// Named is an address for a name in a folder.
func Named(_ testing.TB, folder, name string) string {
	return "mxp+unix://" + filepath.Join(folder, name)
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
