package main

import (
	"bytes"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// Times and rates that the specification promises.
const (
	helloUs  = 10 * second
	frameUs  = 30 * second
	stallUs  = 30 * second
	silentUs = 25 * second // ping_us and pong_us
	idleUs   = 300 * second
	lingerUs = second

	connectionBytes = 64 << 20
	memoryBytes     = 2*connectionBytes + 48<<20 // of a process with such a connection, collectors and all
	slack           = second                     // for pauses between attempts, and time that passes on the way
)

// goneWithin expects the runner to close a connection within a time, and not before another.
func (p *peer) goneWithin(least, most int) {
	begun := p.world.now
	switch {
	case !p.world.until(most, p.gone):
		p.world.problem("the connection is still there after %d s", most/second)
	case p.world.now < begun+least:
		p.world.problem("the connection is gone after %d ms", (p.world.now-begun)/ms)
	}
}

// told expects the runner to have said why it ended the session.
func (p *peer) told(name string) {
	other := p.end.other
	for i, one := range other.frames {
		if (one.Type == frame.Error || one.Type == frame.Drain) && bytes.Contains(other.texts[i], []byte(name)) {
			return
		}
	}
	p.world.problem("the peer was not told of %s", name)
}

// calm expects a runner not to be woken while nothing happens on its connections, but by pings.
func (w *world) calm(r *runner, connections int) {
	w.pass(5 * second)
	before := r.wakeups
	w.pass(60 * second)
	w.note("%d wakeups in 60 s", r.wakeups-before)
	if r.wakeups-before > 60*connections {
		w.problem("it is woken %d times in 60 s in which nothing happens", r.wakeups-before)
	}
}

// still expects a runner whose writes are blocked not to be woken all the same.
func (w *world) still(r *runner) {
	before := r.wakeups
	w.pass(5 * second)
	if r.wakeups-before > 30 {
		w.problem("it is woken %d times in 5 s in which nothing can be written", r.wakeups-before)
	}
}

// small expects a runner's memory not to have grown by more than some bytes.
func (w *world) small(r *runner, before, most int) {
	grown := r.memory() - before
	w.note("%d MiB more memory", grown>>20)
	if grown > most {
		w.problem("its memory has grown by %d MiB; %d are allowed", grown>>20, most>>20)
	}
}

func serverHello(w *world) {
	w.stranger().goneWithin(helloUs-slack, helloUs+2*slack)
}

func serverHalfHello(w *world) {
	p := w.stranger()
	for i, one := range []byte("1PXM") {
		w.at(i*4*second, func() { p.say([]byte{one}) })
	}
	p.goneWithin(helloUs-slack, helloUs+2*slack)
}

func serverGarbage(w *world) {
	p := w.stranger()
	p.say(bytes.Repeat([]byte("GET / HTTP/1.1\r\n"), 50))
	p.goneWithin(0, 2*slack)
}

// trickle lets a peer send a frame that has many bytes, at one byte in a second.
func (p *peer) trickle() {
	f := frame.Frame{Payload: make([]byte, 1000)}
	f.Type, f.MessageID = frame.Call, 1
	data, err := f.Append(nil, frame.ChecksumOn)
	p.world.must(err)
	for i, one := range data {
		p.world.after(i*second, func() {
			if !p.gone() {
				p.say([]byte{one})
			}
		})
	}
}

func serverLoris(w *world) {
	p := w.visitor()
	w.pass(second)
	p.trickle()
	p.goneWithin(frameUs-slack, frameUs+5*slack)
	p.told("session_slow")
}

func serverIdle(w *world) {
	p := w.visitor()
	w.pass(100 * second)
	w.must(p.call(w.load.expect(w, "call"), 0, 10, 10))
	p.goneWithin(idleUs-slack, idleUs+2*lingerUs+slack)
	p.told("idle")
}

func serverBusyIsNotIdle(w *world) {
	p := w.visitor()
	w.pass(second)
	w.must(p.call(w.load.expect(w, "call"), 2*idleUs, 10, 10))
	w.pass(idleUs + 60*second)
	if p.gone() || p.sent(frame.Drain) > 0 {
		w.problem("a connection ends on which a call is not answered")
	}
}

func serverCalm(w *world) {
	w.visitor()
	w.calm(w.server, 1)
}

func serverSilent(w *world) {
	p := w.visitor()
	w.pass(second)
	w.must(p.call(w.load.expect(w, "call"), 0, 10, 10))
	w.pass(second)
	p.end.pipe.pull()
	if !w.until(silentUs+2*slack, func() bool { return p.end.other.closed }) {
		w.problem("a peer that is silent is still served after %d s", silentUs/second+2)
	}
}

// serverStopped has a peer that asks for much and reads nothing.
func serverStopped(w *world) {
	p := w.visitor()
	w.pass(second)
	before := w.server.memory()
	p.stopped = true
	for i := range 400 {
		w.after(i*10*ms, func() {
			if !p.gone() {
				w.must(p.call(w.load.expect(w, "call"), 0, 10, 1<<20))
			}
		})
	}
	w.pass(10 * second)
	w.small(w.server, before, memoryBytes)
	w.still(w.server)
	p.goneWithin(0, stallUs-9*second) // since 11 s nothing has moved [MXP-10.5]
}

func serverSlowValue(w *world) {
	w.latency = 50 * ms
	p := w.visitor()
	w.pass(second)
	p.end.pipe.rated(200_000)
	w.must(p.call(w.load.expect(w, "call"), 0, 10, 8<<20))
	if !w.until(60*second, func() bool { return p.sent(frame.Response) > 0 }) || p.gone() {
		w.problem("8 MiB at 200 KB/s don't arrive")
	}
}

func serverDrain(w *world) {
	p := w.visitor()
	w.pass(second)
	w.must(p.call(w.load.expect(w, "call"), 2*second, 10, 10))
	w.pass(second)
	w.shutdown(10 * second)
	w.drained(2*second+slack, "1 ok 1")
	if p.sent(frame.Drain) != 1 || p.sent(frame.Response) != 1 {
		w.problem("it sends %d Drain and %d Response", p.sent(frame.Drain), p.sent(frame.Response))
	}
}

// drained expects a server to have shut down within a time, and to say so.
func (w *world) drained(most int, verdict string) {
	if !w.until(most, func() bool { return len(w.load.shut) > 0 }) {
		w.problem("the server has not shut down after %d ms", most/ms)
	} else if w.load.shut[0] != verdict {
		w.problem("the server says %s at its end", w.load.shut[0])
	}
}

// serverDrainLatecomer has a peer that goes on sending while the server drains, and after: the
// answer that it waits for arrives all the same.
func serverDrainLatecomer(w *world) {
	p := w.visitor()
	w.pass(second)
	w.must(p.call(w.load.expect(w, "call"), 200*ms, 10, 1_000_000))
	w.pass(second / 10)
	p.mute = true // it does not answer Drain
	w.shutdown(10 * second)
	late := frame.Frame{}
	for i := range 60 {
		w.after(i*10*ms, func() {
			late.Type, late.MessageID = frame.Ping, uint64(101+2*i)
			data, err := late.Append(nil, frame.ChecksumOn)
			w.must(err)
			p.say(data)
		})
	}
	w.drained(600*ms+2*lingerUs+slack, "1 ok 1")
	w.pass(second)
	if n := p.sent(frame.Response); n != 1 {
		w.problem("%d answers have arrived", n)
	}
}

// serverDrainSilent has a peer that answers no Drain, and does not close.
func serverDrainSilent(w *world) {
	p := w.visitor()
	w.pass(second)
	p.mute = true
	w.shutdown(20 * second)
	w.drained(2*lingerUs+slack, "1 ok 1")
}
