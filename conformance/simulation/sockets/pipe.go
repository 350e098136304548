package main

import (
	"encoding/hex"
	"fmt"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// Buffers of a connection that lie in the network: on the side of the sender, where its rate is
// limited and where not, and the receiver's unread bytes.
const (
	slowBytes   = 32 << 10
	fastBytes   = 256 << 10
	windowBytes = 256 << 10
)

// pipe is a connection between two ends.
type pipe struct {
	world *world
	ends  [2]*end
}

// end is one end of a connection: a runner's, or a peer's of the simulation.
type end struct {
	world  *world
	pipe   *pipe
	other  *end
	runner *runner
	number int
	peer   *peer

	waits     [][]byte // was given to the network, and not sent
	bytes     int      // of that
	sending   bool
	fin       bool // nothing more is given
	finSent   bool
	closed    bool // nobody reads here
	unread    int  // bytes that were sent to this end and not taken
	cut       bool
	held      bool // nothing goes from here for the moment
	silent    bool // what comes from here is lost, as behind a cable that was pulled
	rate      int  // bytes in a second that go from here; 0: no limit
	delivered int  // to this end
	reader    *frame.Reader
	frames    []frame.Header // that were given
	texts     [][]byte       // payloads of control frames
}

func (w *world) join(a, b *end) *pipe {
	p := &pipe{w, [2]*end{a, b}}
	w.pipes = append(w.pipes, p)
	a.other, b.other = b, a
	for _, e := range p.ends {
		e.world, e.pipe, e.rate, e.silent = w, p, w.rate, w.silent
		e.reader = frame.NewReader(frame.Options{Checksum: frame.ChecksumOff})
		if e.runner != nil {
			e.runner.ends[e.number] = e
			if e.runner == w.server {
				e.runner.send("connect %d %d", e.number, w.serving)
			}
			room := fastBytes
			if w.rate > 0 {
				room = slowBytes
			}
			e.runner.send("room %d %d", e.number, room)
		}
	}
	return p
}

// gave takes bytes that an end has to send.
func (e *end) gave(data []byte) {
	e.look(data)
	if e.cut || e.other == nil {
		return
	}
	e.waits = append(e.waits, data)
	e.bytes += len(data)
	e.pump()
}

// look notes the frames that are given.
func (e *end) look(data []byte) {
	for e.reader != nil {
		f, ok, err := e.reader.Next(&data)
		if err != nil {
			e.reader = nil
		}
		if !ok || err != nil {
			return
		}
		e.frames = append(e.frames, f.Header)
		var text []byte
		if len(f.Payload) < 300 {
			text = append(text, f.Payload...)
		}
		e.texts = append(e.texts, text)
		if e.world.out == nil {
			continue
		}
		e.world.trace(e.world.now, "        ", e.String(), fmt.Sprintf("%v id=%d flags=%d %d bytes", f.Type, f.MessageID, f.Flags, len(f.Payload)))
	}
}

// count is how many frames of a type were given.
func (e *end) count(t frame.Type) (n int) {
	for _, one := range e.frames {
		if one.Type == t {
			n++
		}
	}
	return n
}

// pump sends the bytes that the other end has a window for.
func (e *end) pump() {
	if e.sending || e.cut || e.silent || e.held {
		return
	}
	n := min(e.bytes, windowBytes-e.other.unread) // of the receiver's window
	if e.bytes == 0 {
		if e.fin && !e.finSent {
			e.finSent = true
			e.world.after(e.world.latency, func() { e.other.eof() })
		}
		return
	}
	if n <= 0 {
		return
	}
	took := 0
	if e.rate > 0 {
		n = min(n, max(1448, e.rate/1000*e.world.latency/1000))
		took = n * 1_000_000 / e.rate
	}
	data := e.take(n)
	e.other.unread += n
	e.sending = true
	sent := func() {
		e.sending = false
		if e.runner != nil {
			e.runner.send("room %d %d", e.number, n)
		}
		e.pump()
	}
	e.world.after(took+e.world.latency, func() { e.other.arrive(data) })
	if took == 0 {
		sent()
	} else {
		e.world.after(took, sent)
	}
}

// take takes the first bytes that wait.
func (e *end) take(n int) []byte {
	e.bytes -= n
	var all []byte
	for n > 0 {
		some := min(n, len(e.waits[0]))
		all = append(all, e.waits[0][:some]...)
		n -= some
		if e.waits[0] = e.waits[0][some:]; len(e.waits[0]) == 0 {
			e.waits = e.waits[1:]
		}
	}
	return all
}

// arrive gives an end what has come for it. A closed end answers with a reset.
func (e *end) arrive(data []byte) {
	switch {
	case e.cut || e.silent:
	case e.closed:
		e.reset()
	case e.runner != nil:
		e.delivered += len(data)
		e.runner.send("deliver %d %s", e.number, hex.EncodeToString(data))
	default:
		e.delivered += len(data)
		e.peer.come(data)
	}
}

// took notes that an end has read something.
func (e *end) took(n int) {
	e.unread -= n
	e.other.pump()
}

func (e *end) eof() {
	switch {
	case e.cut || e.closed || e.silent:
	case e.runner != nil:
		e.runner.send("eof %d", e.number)
	default:
		e.peer.ended = true
	}
}

// finished notes that an end sends no more.
func (e *end) finished() {
	e.fin = true
	e.pump()
}

// wasClosed notes that nobody reads at an end any more. If bytes were left unread, the other end
// learns of it by a reset, and unsent bytes are lost.
func (e *end) wasClosed(unread int) {
	e.closed, e.fin = true, true
	if unread > 0 {
		e.reset()
	} else {
		e.pump()
	}
}

// reset cuts the connection off, after what is on its way.
func (e *end) reset() {
	if e.cut {
		return
	}
	e.cut = true
	e.waits, e.bytes = nil, 0
	if !e.silent && !e.other.silent {
		e.world.after(e.world.latency, e.other.wasReset)
	}
}

func (e *end) wasReset() {
	if e.cut {
		return
	}
	e.cut = true
	e.waits, e.bytes = nil, 0
	if e.runner != nil {
		e.runner.send("cut %d", e.number)
	} else {
		e.peer.ended = true
	}
}

// lose cuts a connection off at both ends.
func (p *pipe) lose() {
	for _, e := range p.ends {
		e.wasReset()
	}
}

// pull lets nothing through any more, in both directions, and nobody learns of it.
func (p *pipe) pull() {
	for _, e := range p.ends {
		e.silent = true
	}
}

// hold lets nothing through for the moment, in either direction.
func (p *pipe) hold(is bool) {
	for _, e := range p.ends {
		e.held = is
		e.pump()
	}
}

// rated sets how many bytes in a second go through, in both directions.
func (p *pipe) rated(rate int) {
	for _, e := range p.ends {
		e.rate = rate
	}
}

func (e *end) String() string {
	if e.runner != nil {
		return fmt.Sprintf("%s conn %d", e.runner.name, e.number)
	}
	return "peer"
}

func unhexed(text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(broken{fmt.Sprintf("%.50q are no bytes", text)})
	}
	return data
}
