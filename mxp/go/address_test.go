package mxp

import (
	"errors"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// The same texts are no addresses in every language.
func TestWhatIsNoAddressIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "mxp+unix://", "mxp+unix:///", "mxp+unix://run/x", "mxp+unix:/run/x", "mxp+tcp://", "mxp+tcp://x",
		"mxp+tcp://x:", "mxp+tcp://:1", "mxp+tcp://x:1/y", "mxp+tcp://a/b:7", "mxp+tcp://::1:2", "mxp+tcp://[]:1",
		"mxp+tcp:x:1", "mxp+tcp://x:65536", "mxp+tcp://x:+1", "mxp+udp://x:1", "tcp://x:1",
	} {
		if at, err := ParseAddress(text); err == nil {
			t.Errorf("%q is %+v", text, at)
		}
	}
}

// [MXP-21.1]
func TestPipesAreOfWindows(t *testing.T) {
	_, err := ParseAddress("mxp+pipe://x")
	if places.Plain != "pipe" && (!errors.Is(err, session.ErrAddressInvalid) || !strings.Contains(err.Error(), "named pipes belong to Windows")) {
		t.Error(err)
	}
}

func TestPathIsTakenAsItIs(t *testing.T) {
	const path = "/run/a%20b?c#d.sock"
	if at, err := ParseAddress("mxp+unix://" + path); places.Plain == "unix" && (err != nil || at.Place != path) {
		t.Errorf("%+v, %v", at, err)
	}
	if at, err := ParseAddress("mxp+tls://[::1]:9000"); err != nil || at.Place != "[::1]:9000" || at.Transport != &tlsTransport {
		t.Errorf("%+v, %v", at, err)
	}
}
