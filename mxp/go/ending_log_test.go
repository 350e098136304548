package mxp_test

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
)

// The log has no line of a client that has had its answer and is gone, as each `sdp-mesh status` is.
func TestOrdinaryEndsAreNotLogged(t *testing.T) {
	var log strings.Builder
	var events atomic.Int64
	server, at := open(t, places.Plain, mxp.ServerOptions{Services: echoServices(&events), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		client := dialled(t, at, mxp.ClientOptions{})
		if _, err := client.Call(within(t, patience*10e9), "demo.Echo", 1, nil); err != nil {
			t.Fatal(err)
		}
		client.Close()
	}
	server.Close()
	if strings.Contains(log.String(), "connection ended") {
		t.Errorf("the log has %s", log.String())
	}
}
