package main

import (
	"encoding/binary"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// peer is the other side of a runner where that is none: it speaks MXP by a session, or
// gives the bytes that it is told to. It knows no time, so that it never asks why nothing comes.
type peer struct {
	world   *world
	end     *end
	session *session.Session
	stopped bool   // it reads nothing
	mute    bool   // it says nothing
	unread  []byte // came while it was stopped
	got     int    // bytes that it has read
	ended   bool   // the other side sends no more, or is gone
	happens func(session.Incoming)
}

const loadService = "sim.Load"

// headBytes is the length of what all values begin with.
const headBytes = 32

// meet makes a connection between a runner's end and a peer.
func (w *world) meet(here *end, role session.Role) *peer {
	config := session.Config{Role: role, Limits: w.limits}
	if role == session.Acceptor {
		config.Services = []string{loadService}
	}
	p := &peer{world: w, session: session.New(config, uint64(w.clock))}
	p.end = &end{peer: p}
	w.join(p.end, here)
	return p
}

// greet sends the peer's Hello, which its session has in the queue.
func (p *peer) greet() *peer {
	p.flush()
	return p
}

// stranger makes a connection to the server that knows nothing of MXP.
func (w *world) stranger() *peer {
	w.server.accepted++
	p := w.meet(&end{runner: w.server, number: w.server.accepted}, session.Opener)
	p.session = nil
	return p
}

// visitor makes a connection to the server that speaks MXP.
func (w *world) visitor() *peer {
	w.server.accepted++
	return w.meet(&end{runner: w.server, number: w.server.accepted}, session.Opener).greet()
}

// come takes bytes.
func (p *peer) come(data []byte) {
	if p.stopped {
		p.unread = append(p.unread, data...)
		return
	}
	p.read(data)
}

func (p *peer) read(data []byte) {
	p.got += len(data)
	p.end.took(len(data))
	if p.session == nil {
		return
	}
	now := uint64(p.world.clock)
	for {
		in, ok := p.session.Receive(&data, now)
		if !ok {
			break
		}
		if p.happens != nil {
			p.happens(in)
		}
	}
	p.flush()
}

// goOn reads what has come while it was stopped.
func (p *peer) goOn() {
	p.stopped = false
	data := p.unread
	p.unread = nil
	p.read(data)
}

// flush sends the frames of the session's queue.
func (p *peer) flush() {
	for p.session != nil && !p.mute {
		out, ok := p.session.PollFrame(uint64(p.world.clock))
		if !ok {
			return
		}
		var all []byte
		for _, piece := range [][]byte{out.Head, out.Value, out.Trailer} {
			all = append(all, piece...)
		}
		p.end.gave(all)
	}
}

// say gives bytes as they are.
func (p *peer) say(data []byte) { p.end.gave(data) }

// call makes a call, as the programs know it.
func (p *peer) call(id, work, bytes, reply int) error {
	_, err := p.session.Call(session.Request{Method: 1}, value(id, work, bytes, reply), uint64(p.world.clock))
	p.flush()
	return err
}

// value is the value of a call as the programs expect it.
func value(id, work, bytes, reply int) []byte {
	value := make([]byte, headBytes+bytes)
	for i, n := range []int{id, work, reply, 0} {
		binary.LittleEndian.PutUint64(value[8*i:], uint64(n))
	}
	return value
}

// answer answers all calls.
func (p *peer) answer(in session.Incoming) {
	if call, ok := in.(*session.Call); ok {
		reply := binary.LittleEndian.Uint64(call.Value[16:])
		value := append(call.Value[:headBytes:headBytes], make([]byte, reply)...)
		p.world.must(p.session.Respond(call.ID, nil, value, uint64(p.world.clock)))
	}
}

// sent is how many frames of a type the runner has sent to the peer.
func (p *peer) sent(t frame.Type) int { return p.end.other.count(t) }

// gone reports whether the runner has closed the connection, or will send no more.
func (p *peer) gone() bool { return p.end.other.closed || p.ended }
