package peer

import (
	"crypto/x509"
	"slices"
	"strings"
	"time"
)

// The methods of demo.Echo.
const (
	echoMethod   = 1 // a call: gives the value back
	refuseMethod = 2 // a call: fails with the value as text
	upperMethod  = 3 // a stream: gives each chunk back in upper case
	tickMethod   = 4 // an event: is counted
	countMethod  = 5 // a call: how many events there were, 8 bytes
	demoService  = "demo.Echo"
)

// wide is the grant of a stream's opener that never needs more.
const wide = 1 << 30

// Server is a server that a case plays a client against.
type Server struct {
	at    Address
	roots *x509.CertPool
	peers []*Peer
}

func (s *Server) close() {
	for _, p := range s.peers {
		p.conn.Close()
	}
}

// dial opens a connection, on which nothing is sent.
func (s *Server) dial() *Peer {
	conn, err := s.at.dial(s.roots)
	if err != nil {
		fail("it can't be connected to: %v", err)
	}
	p := newPeer(conn, s.at.Scheme, true)
	s.peers = append(s.peers, p)
	return p
}

// greeting is a Hello of this side's.
func greeting(offers uint32, services ...string) Frame {
	return greetingOf(payloadMost, offers, services...)
}

func greetingOf(payload, offers uint32, services ...string) Frame {
	list := []object{}
	for _, name := range services {
		list = append(list, object{"name": name})
	}
	return Frame{Type: hello, Payload: encode("Hello", object{"version": 1, "payload_bytes": payload, "offers": offers, "services": list, "types": []object{}})}
}

// greet exchanges Hellos.
func (p *Peer) greet(mine Frame) *Peer {
	p.send(mine)
	return p.greeted(mine)
}

// greeted takes the other side's Hello.
func (p *Peer) greeted(mine Frame) *Peer {
	f := p.expect(hello)
	whole("Hello", f.Payload, &p.theirs)
	if p.theirs.Version != 1 {
		fail("the version of its Hello is %d", p.theirs.Version)
	}
	var sent Hello
	whole("Hello", mine.Payload, &sent)
	p.ready = true
	p.unhashed = sent.Offers&p.theirs.Offers&1 != 0
	return p
}

// ready is a connection whose Hellos have been exchanged.
func (s *Server) ready() *Peer { return s.dial().greet(greeting(0)) }

// batching is a ready connection on which both sides take batches.
func (s *Server) batching() *Peer {
	p := s.dial().greet(greeting(2))
	if p.theirs.Offers&2 == 0 {
		fail("it offers to take no batches")
	}
	return p
}

// service is the number of the service that is tested.
func (p *Peer) service() uint16 {
	for i, s := range p.theirs.Services {
		if s.Name == demoService {
			return uint16(i)
		}
	}
	fail("it serves no %s", demoService)
	return 0
}

// calling is a Call, which is not sent.
func (p *Peer) calling(method uint16, value string) Frame {
	return Frame{Type: call, ID: p.id(), Payload: append(callStart(p.service(), method, nil), value...)}
}

// call sends a Call.
func (p *Peer) call(method uint16, value string) uint64 {
	f := p.calling(method, value)
	p.send(f)
	return f.ID
}

// answered fails unless a Call of this side's is answered with a value.
func (p *Peer) answered(id uint64, value string) {
	f := p.expect(response)
	var started object
	rest := decode("ResponseStart", f.Payload, &started)
	if f.ID != id || string(rest) != value {
		fail("the Response of id %d has %d bytes %.40q, and is not %.40q of id %d", f.ID, len(rest), rest, value, id)
	}
}

// works fails unless a call is answered.
func (p *Peer) works() { p.answered(p.call(echoMethod, "works"), "works") }

// opening is a StreamOpen whose sender grants so much, which is not sent.
func (p *Peer) opening(messages uint32, bytes uint64) Frame {
	return Frame{Type: streamOpen, ID: p.id(), Payload: streamStart(p.service(), upperMethod, messages, bytes, nil)}
}

// open opens a stream that never waits for credit, and awaits what is granted for it.
func (p *Peer) open() uint64 { return p.openFor(wide, wide) }

// openFor opens a stream whose opener grants so much.
func (p *Peer) openFor(messages uint32, bytes uint64) uint64 {
	f := p.opening(messages, bytes)
	p.send(f)
	if got := p.expect(credit); got.ID != f.ID {
		fail("%s comes, and not Credit of the stream %d", got, f.ID)
	}
	return f.ID
}

// chunk sends a chunk of a stream.
func (p *Peer) chunk(id uint64, flags byte, value string) {
	p.send(Frame{Type: streamChunk, Flags: flags, ID: id, Payload: []byte(value)})
}

// values fails unless a stream's next chunks have these values; Credit and Acks may come between.
func (p *Peer) values(id uint64, values ...string) (last *Frame) {
	for len(values) > 0 {
		f := p.any()
		switch {
		case f == nil:
			fail("the chunk %.40q does not come: %s", values[0], p.state())
		case f.Type == credit || f.Type == ack:
			continue
		case f.Type != streamChunk && f.Type != streamChunks:
			fail("%s comes, and not the chunk %.40q%s", f, values[0], p.why(f))
		}
		came := valuesOf(*f)
		if f.ID != id || len(came) > len(values) || !slices.Equal(came, values[:len(came)]) {
			fail("the stream %d has %.80q, and %d awaits %.80q", f.ID, came, id, values)
		}
		values, last = values[len(came):], f
	}
	return last
}

// finished fails unless the other direction of a stream ends.
func (p *Peer) finished(id uint64) {
	for {
		f := p.any()
		switch {
		case f == nil:
			fail("the end of stream %d does not come: %s", id, p.state())
		case f.Type == credit || f.Type == ack:
			continue
		case f.ID == id && (f.Type == streamClose || f.Type == streamChunk && f.Flags&final != 0 && len(f.Payload) == 0):
			return
		}
		fail("%s comes, and not the end of stream %d%s", f, id, p.why(f))
	}
}

// streams fails unless a stream works from its beginning to its end.
func (p *Peer) streams() {
	id := p.open()
	p.chunk(id, 0, "abc")
	p.values(id, "ABC")
	p.send(Frame{Type: streamClose, ID: id})
	p.finished(id)
}

// count is how many events the server has had.
func (p *Peer) count() uint64 {
	id := p.call(countMethod, "")
	f := p.among(response, credit)
	var started object
	rest := decode("ResponseStart", f.Payload, &started)
	if f.ID != id || len(rest) != 8 {
		fail("the Response of id %d has %d bytes, and is no count of id %d", f.ID, len(rest), id)
	}
	var n uint64
	for i := 7; i >= 0; i-- {
		n = n<<8 | uint64(rest[i])
	}
	return n
}

// handles fails unless the server has had n events since a count, on all its sessions. Order among sessions
// is nobody's promise, so the count may come late.
func (p *Peer) handles(since, n uint64) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		had := p.count() - since
		if had >= n {
			return
		}
		if time.Now().After(end) {
			fail("%d of %d events are handled", had, n)
		}
	}
}

func repeated(text string, n int) string { return strings.Repeat(text, n) }
