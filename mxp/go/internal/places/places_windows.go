package places

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/pipe"
)

// Plain is the scheme of the addresses.
const Plain = "pipe"

// Absent is a part of the message for an address without a listener.
const Absent = "nobody serves a pipe"

// Named is an address for a name in a folder, each of which has another name of all pipes.
func Named(_ testing.TB, folder, name string) string {
	path := sha256.Sum256([]byte(filepath.Join(folder, name)))
	return "mxp+pipe://test." + hex.EncodeToString(path[:])
}

// Dial connects to the socket or pipe that an address of any transport has, without MXP.
func Dial(address string) (net.Conn, error) {
	scheme, place, _ := strings.Cut(strings.TrimPrefix(address, "mxp+"), "://")
	if scheme != "pipe" {
		return net.Dial("tcp", place)
	}
	// While a server drains, its name is there, and nobody listens.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return pipe.Dial(ctx, place)
}
