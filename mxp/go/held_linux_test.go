package mxp_test

import (
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// That the peer of a connection that is not read has hung up is found out without a ping. Bytes in
// the socket are read, and then all ends. [MXP-15.3]
func TestHangUpEndsWhatIsNotRead(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{Limits: session.Limits{Ping: session.Never, ConnectionBytes: 10_000}})
	p := greet(t, r)
	if _, err := p.s.Call(session.Request{Method: 3}, make([]byte, 20_000), 0); err != nil { // its handler counts when it is cancelled
		t.Fatal(err)
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return r.server.Stats().HeldBytes > 20_000 })
	if _, err := p.s.Event(session.Request{Method: 4}, nil, false, session.Refuse, 0); err != nil {
		t.Fatal(err)
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond)
	if r.events.Load() != 0 {
		t.Fatal("the connection is read")
	}
	p.socket.Close()
	eventually(t, func() bool { return r.server.Stats().HeldBytes == 0 && r.events.Load() == 2 })
}
