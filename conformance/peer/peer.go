package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
)

const (
	// patience is how long a case waits for an event that no clause gives a time.
	patience = 20 * time.Second
	// parting is how long a connection may stay that has to end: `linger_us`, and some more.
	parting = 8 * time.Second
)

// fault is the fault that a case found; a case that finds one panics with it.
type fault struct{ text string }

func fail(format string, args ...any) { panic(fault{fmt.Sprintf(format, args...)}) }

// Peer is a side of a connection that a case plays. It looks at the bytes of each frame that comes; a
// frame that no side may send is a fault in every case.
type Peer struct {
	conn      net.Conn
	transport string
	opener    bool

	next     uint64 // id of this side's next request
	last     uint64 // of the other side's last request
	theirs   Hello
	ready    bool // the other side's Hello has come
	unhashed bool // both sides offer that trailers are 0
	buffer   []byte
	piece    [32 << 10]byte // what one read gives
	gone     error
}

func newPeer(conn net.Conn, transport string, opener bool) *Peer {
	p := &Peer{conn: conn, transport: transport, opener: opener, next: 2}
	if opener {
		p.next = 1
	}
	return p
}

// id is the next one of this side's.
func (p *Peer) id() uint64 {
	made := p.next
	p.next += 2
	return made
}

// write sends bytes. It is no fault that a side which has closed takes none: its last frames come first.
func (p *Peer) write(data []byte) {
	p.conn.SetWriteDeadline(time.Now().Add(patience))
	_, err := p.conn.Write(data)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		fail("it takes nothing of %d bytes", len(data))
	}
}

// send sends frames, in one piece.
func (p *Peer) send(frames ...Frame) {
	var data []byte
	for _, f := range frames {
		data = append(data, f.bytes()...)
	}
	p.write(data)
}

// halfClose ends this side's direction.
func (p *Peer) halfClose() {
	if half, is := p.conn.(interface{ CloseWrite() error }); is {
		half.CloseWrite()
		return
	}
	fail("%T has no end of one direction", p.conn)
}

// fill reads until so many bytes are there, or reports that they don't come in time.
func (p *Peer) fill(n int, within time.Duration) bool {
	end := time.Now().Add(within)
	p.buffer = slices.Grow(p.buffer, max(0, n-len(p.buffer)))
	for len(p.buffer) < n && p.gone == nil {
		p.conn.SetReadDeadline(end)
		got, err := p.conn.Read(p.piece[:])
		p.buffer = append(p.buffer, p.piece[:got]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return false
		}
		p.gone = err
	}
	return len(p.buffer) >= n
}

// take is the next frame that comes within a time; nil where none does, or the end has come.
func (p *Peer) take(within time.Duration) *Frame {
	if !p.fill(headerBytes, within) {
		if p.gone != nil && len(p.buffer) > 0 {
			fail("it ends inside a header, after %d bytes", len(p.buffer))
		}
		return nil
	}
	b := p.buffer
	f := &Frame{Type: b[4], Flags: b[5], ID: binary.LittleEndian.Uint64(b[8:]), Trace: binary.LittleEndian.Uint64(b[16:])}
	length := binary.LittleEndian.Uint64(b[24:])
	switch {
	case binary.LittleEndian.Uint32(b) != magic:
		fail("it sends a frame with the magic %x", b[:4])
	case typeNames[f.Type] == "":
		fail("it sends a frame of the type %02x", f.Type)
	case binary.LittleEndian.Uint16(b[6:]) != 0:
		fail("it sends a frame with reserved bytes %x", b[6:8])
	case length > payloadMost:
		fail("it sends a payload of %d bytes", length)
	}
	all := headerBytes + int(length) + trailerBytes
	if !p.fill(all, patience) {
		fail("it ends, or stops, inside a frame: %d of %d bytes", len(p.buffer), all)
	}
	f.Payload = slices.Clone(p.buffer[headerBytes : all-trailerBytes])
	trailer := binary.LittleEndian.Uint64(p.buffer[all-trailerBytes:])
	hash := xxh3.Hash(p.buffer[:all-trailerBytes])
	p.buffer = p.buffer[all:]
	p.observe(f)
	if f.Type == hello || !p.unhashed {
		if trailer != hash {
			fail("the trailer of its %s is %x, not %x", f, trailer, hash)
		}
	} else if trailer != 0 {
		fail("the trailer of its %s is %x, though both sides offer 0", f, trailer)
	}
	return f
}

// observe looks at what holds for each frame [MXP-5.2, 5.3, 6.2].
func (p *Peer) observe(f *Frame) {
	if !p.ready && f.Type != hello && f.Type != failed {
		fail("its first frame is %s", f)
	}
	mine := f.ID%2 == 1 == p.opener
	switch f.Type {
	case call, event, events, streamOpen, ping, 0x01, 0x02, 0x03:
		if f.ID == 0 || mine || f.ID <= p.last {
			fail("its %s has an id of this side's or an old one: the last was %d", f, p.last)
		}
		p.last = f.ID
	case hello, drain:
		if f.ID != 0 {
			fail("its %s has an id", f)
		}
	case response, pong, ack, failed:
		if f.ID != 0 && f.Type != ack && (!mine || f.ID >= p.next) || f.ID == 0 && f.Type != failed {
			fail("its %s answers what was never asked", f)
		}
	}
}

// expect is the next frame, which is of a type. Pings are answered on the way.
func (p *Peer) expect(kind byte) *Frame {
	f := p.any()
	if f == nil {
		fail("%s does not come: %s", typeNames[kind], p.state())
	}
	if f.Type != kind {
		fail("%s comes, and not %s%s", f, typeNames[kind], p.why(f))
	}
	return f
}

// any is the next frame but a Ping, which it answers; nil where none comes.
func (p *Peer) any() *Frame { return p.anyWithin(patience) }

func (p *Peer) anyWithin(most time.Duration) *Frame {
	for {
		f := p.take(most)
		if f == nil || f.Type != ping {
			return f
		}
		p.send(Frame{Type: pong, ID: f.ID})
	}
}

// among is the next frame of a type; frames of the types that are named before may come first.
func (p *Peer) among(kind byte, before ...byte) *Frame {
	for {
		f := p.any()
		if f == nil {
			fail("%s does not come: %s", typeNames[kind], p.state())
		}
		if f.Type == kind {
			return f
		}
		if !slices.Contains(before, f.Type) {
			fail("%s comes, and not %s%s", f, typeNames[kind], p.why(f))
		}
	}
}

// state says why nothing comes.
func (p *Peer) state() string {
	if p.gone != nil {
		return fmt.Sprintf("the connection has ended (%v)", p.gone)
	}
	return fmt.Sprintf("nothing comes for %s", patience)
}

// why is what an Error says, for a fault.
func (p *Peer) why(f *Frame) string {
	if f.Type != failed {
		return ""
	}
	why := p.failure(f)
	return fmt.Sprintf(": %s (%s) %s", why.Name, why.Status, why.Text)
}

func (p *Peer) failure(f *Frame) (why Failure) {
	whole("Failure", f.Payload, &why)
	return why
}

// quiet fails where a frame comes, or the connection ends, within a time.
func (p *Peer) quiet(within time.Duration) {
	if f := p.take(within); f != nil {
		fail("%s comes, where nothing should%s", f, p.why(f))
	}
	if p.gone != nil {
		fail("the connection ends (%v)", p.gone)
	}
}

// alive fails unless the other side answers a Ping. Frames of the types that are named may come first.
func (p *Peer) alive(before ...byte) {
	id := p.id()
	p.send(Frame{Type: ping, ID: id, Payload: []byte("alive")})
	if f := p.among(pong, before...); f.ID != id {
		fail("%s answers a Ping of id %d", f, id)
	}
}

// refused fails unless the next frame is an Error of a request that nobody has acted on.
func (p *Peer) refused(id uint64, name string) Failure {
	f := p.expect(failed)
	why := p.failure(f)
	if f.ID != id || why.Name != name || !why.Refused {
		fail("the Error of id %d says %s, refused %t, and not %s of id %d, refused", f.ID, why.Name, why.Refused, name, id)
	}
	return why
}

// failed fails unless a frame is the Error of a request that somebody may have acted on.
func (p *Peer) failed(f *Frame, id uint64, name string) Failure {
	why := p.failure(f)
	if f.ID != id || why.Name != name || why.Refused {
		fail("the Error of id %d says %s, refused %t, and not %s of id %d", f.ID, why.Name, why.Refused, name, id)
	}
	return why
}

// ends fails unless the session ends with a refusal [MXP-11.2], and the connection then.
func (p *Peer) ends(name string) Failure {
	var why Failure
	for f := p.any(); ; f = p.any() {
		if f == nil {
			fail("no Error %s comes: %s", name, p.state())
		}
		if f.Type == failed && f.ID == 0 {
			if why = p.failure(f); why.Name != name {
				fail("the session ends with %s (%s), and not with %s", why.Name, why.Text, name)
			}
			break
		}
	}
	if why.Refused {
		fail("the Error of the session says that it is refused")
	}
	p.over()
	return why
}

// over fails unless the connection ends, without another frame.
func (p *Peer) over() {
	if f := p.anyWithin(parting); f != nil {
		fail("%s comes, where the connection should end%s", f, p.why(f))
	}
	if p.gone == nil {
		fail("the connection stays, %s after its end", parting)
	}
}

// lost fails unless the connection ends within a time, after any frames.
func (p *Peer) lost(within time.Duration) {
	for end := time.Now().Add(within); p.gone == nil; {
		if p.take(time.Until(end)) == nil && time.Now().After(end) {
			fail("the connection is there after %s", within)
		}
	}
}
