//go:build unix

package main

import (
	"io"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/tools/reference/page"
)

// The help names the transports of its system. Windows has a transport more than the page.
func TestPageOfCommandsIsThatOfTheHelp(t *testing.T) {
	root := newRoot(&driver.Tool{Out: io.Discard, Err: io.Discard})
	page.Compare(t, "../../docs/cli.md", root.manual())
}
