package session_test

import (
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A peer that answers no Drain, as releases up to 0.3.0, may ping as often as it likes.
// [MXP-11.1]
func TestPingsHoldNoDrain(t *testing.T) {
	config := echo
	config.Limits = session.Limits{Linger: 500, Ping: session.Never}
	p := readyPair(t, echo, config)
	if err := p.b.Drain("restart", p.now); err != nil {
		t.Fatal(err)
	}
	p.silent = true // neither Drain nor Pongs come to the peer
	p.run()
	for id, until := uint64(1), p.now+500; p.now < until; p.now, id = p.now+100, id+2 {
		if p.b.Tick(p.now); p.b.Finished() {
			t.Fatalf("finished %d µs before its time", until-p.now)
		}
		ping, err := (&frame.Frame{Header: frame.Header{Type: frame.Ping, MessageID: id}}).Append(nil, frame.ChecksumOn)
		if err != nil {
			t.Fatal(err)
		}
		p.b.Receive(&ping, p.now)
		p.run()
	}
	if at, ok := p.b.NextTimeout(); !ok || at != p.now {
		t.Errorf("the next timeout is %d, want %d", at, p.now)
	}
	if p.b.Tick(p.now); !p.b.Finished() {
		t.Error("it is not finished")
	}
}

// A Pong that can't be given out holds no drain either. [MXP-11.1]
func TestPongThatWaitsHoldsNoDrain(t *testing.T) {
	config := echo
	config.Limits = session.Limits{Linger: 500, Ping: session.Never}
	p := readyPair(t, echo, config)
	if err := p.b.Drain("restart", p.now); err != nil {
		t.Fatal(err)
	}
	p.silent = true
	p.run()
	ping, err := (&frame.Frame{Header: frame.Header{Type: frame.Ping, MessageID: 1}}).Append(nil, frame.ChecksumOn)
	if err != nil {
		t.Fatal(err)
	}
	p.b.Receive(&ping, p.now)
	if p.b.Tick(p.now + 499); p.b.Finished() {
		t.Error("finished too early")
	}
	if p.b.Tick(p.now + 500); !p.b.Finished() {
		t.Error("it is not finished")
	}
	p.b.PollFrame(p.now + 500)
	if n := p.b.Stats().Out.Of(frame.Pong).Frames; n != 1 {
		t.Errorf("%d Pongs were given out", n)
	}
}

// A side that does not read says that it lives, and awaits nothing. [MXP-10.8]
func TestSideThatDoesNotReadPings(t *testing.T) {
	config := echo
	config.Limits = session.Limits{Ping: 1_000, Pong: 100}
	p := readyPair(t, config, echo)
	began := p.now
	p.a.Pause(p.now + 200)
	pings := func() uint64 { return p.a.Stats().Out.Of(frame.Ping).Frames }
	for n := uint64(1); n <= 5; n++ {
		if at, ok := p.a.NextTimeout(); !ok || at != began+n*1_000 {
			t.Fatalf("the next timeout is %d, want %d", at, began+n*1_000)
		}
		p.a.Tick(began + n*1_000)
		for _, ok := p.a.PollFrame(began + n*1_000); ok; _, ok = p.a.PollFrame(began + n*1_000) {
		}
		if pings() != n {
			t.Fatalf("%d pings, want %d", pings(), n)
		}
	}
	p.a.Resume(began + 5_500)
	if at, _ := p.a.NextTimeout(); at != began+6_500 {
		t.Errorf("when it reads again, the next timeout is %d, want %d", at, began+6_500)
	}
}

// Without pings there are none. [MXP-10.8]
func TestSideThatDoesNotReadIsSilentWithoutPings(t *testing.T) {
	config := echo
	config.Limits = session.Limits{Ping: session.Never}
	p := readyPair(t, config, echo)
	p.a.Pause(p.now)
	if at, ok := p.a.NextTimeout(); ok {
		t.Errorf("the next timeout is %d", at)
	}
}
