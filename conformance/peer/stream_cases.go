package peer

import (
	"fmt"
	"slices"
	"time"
)

// streamCases are about streams [MXP-8.1, 8.2, 8.5, 8.6].
var streamCases = slices.Concat(
	only("streams: chunks come back, and both directions end", "MXP-8.1", func(s *Server) { s.ready().streams() }),
	only("streams: StreamOpen is final", "MXP-8.1", func(s *Server) {
		p := s.ready()
		f := p.opening(wide, wide)
		f.Flags = final
		p.send(f)
		p.finished(f.ID)
		p.alive()
	}),
	only("streams: a chunk is final", "MXP-8.1", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.chunk(id, final, "abc")
		if p.values(id, "ABC").Flags&final == 0 {
			p.finished(id)
		}
		p.alive(credit)
	}),
	only("streams: an empty chunk is final", "MXP-8.1", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.chunk(id, final, "")
		if p.values(id, "").Flags&final == 0 {
			p.finished(id)
		}
		p.alive(credit)
	}),
	only("streams: StreamOpen and StreamClose come in one piece", "MXP-8.1", func(s *Server) {
		p := s.ready()
		f := p.opening(wide, wide)
		p.send(f, Frame{Type: streamClose, ID: f.ID})
		p.finished(f.ID)
		p.alive()
	}),
	only("streams: two chunks and StreamClose come in one piece", "MXP-8.1", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: streamChunk, ID: id, Payload: []byte("a")}, Frame{Type: streamChunk, ID: id, Payload: []byte("b")}, Frame{Type: streamClose, ID: id})
		p.values(id, "A", "B")
		p.finished(id)
	}),
	only("streams: a chunk asks for an Ack", "MXP-8.5", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.chunk(id, requiresAck, "abc")
		p.ackedBeside(id, 1, "ABC")
		p.send(Frame{Type: streamClose, ID: id})
		p.finished(id)
		p.alive()
	}),
	only("streams: the third of three chunks asks for an Ack", "MXP-8.5", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.chunk(id, 0, "a")
		p.chunk(id, 0, "b")
		p.chunk(id, requiresAck, "c")
		p.ackedBeside(id, 3, "A", "B", "C")
		p.send(Frame{Type: streamClose, ID: id})
		p.finished(id)
	}),
	only("streams: a chunk is final, and asks for an Ack", "MXP-8.1", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.chunk(id, final|requiresAck, "abc")
		p.ackedBeside(id, 1, "ABC")
		p.alive(streamClose, streamChunk)
	}),
	only("streams: chunks come behind a final one", "MXP-5.7", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: streamChunk, Flags: final, ID: id, Payload: []byte("a")}, Frame{Type: streamChunk, ID: id, Payload: []byte("late")}, Frame{Type: streamClose, ID: id})
		if p.values(id, "A").Flags&final == 0 {
			p.finished(id)
		}
		p.works()
	}),
	only("streams: Cancel ends one", "MXP-8.2", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.chunk(id, 0, "a")
		p.values(id, "A")
		p.send(Frame{Type: cancel, ID: id})
		p.alive()
		p.chunk(id, 0, "late")
		p.alive(credit)
	}),
	only("streams: the deadline passes", "MXP-7.7", func(s *Server) {
		p := s.ready()
		id := p.id()
		p.send(Frame{Type: streamOpen, ID: id, Payload: streamStart(p.service(), upperMethod, 9, 999, object{"deadline": "150000"})})
		began := time.Now()
		p.failed(p.among(failed, credit), id, "deadline_exceeded")
		if took := time.Since(began); took < 100*time.Millisecond || took > 3*time.Second {
			fail("a deadline of 150 ms has passed after %s", took)
		}
		p.works()
	}),
	only("streams: of a service that nobody serves", "MXP-7.3", func(s *Server) {
		p := s.ready()
		id := p.id()
		p.send(Frame{Type: streamOpen, ID: id, Payload: streamStart(999, upperMethod, 1, 1, nil)})
		p.refused(id, "service_unknown")
		p.chunk(id, 0, "late")
		p.alive()
	}),
	each("streams: of the method %d, which is no stream", "MXP-7.3", []uint16{99, echoMethod, tickMethod}, func(s *Server, method uint16) {
		p := s.ready()
		id := p.id()
		p.send(Frame{Type: streamOpen, ID: id, Payload: streamStart(p.service(), method, 1, 1, nil)})
		f := p.among(failed, credit)
		if why := p.failure(f); f.ID != id || why.Name != "method_unknown" || !why.Refused {
			fail("the Error of id %d says %s, refused %t", f.ID, why.Name, why.Refused)
		}
		p.alive()
	}),
	only("streams: 200 at once", "MXP-8.1", func(s *Server) {
		p := s.ready()
		var ids []uint64
		for range 200 {
			ids = append(ids, p.open())
		}
		left := map[uint64]string{}
		for i, id := range ids {
			p.chunk(id, 0, fmt.Sprintf("c%d", i))
			left[id] = fmt.Sprintf("C%d", i)
		}
		for len(left) > 0 {
			f := p.among(streamChunk, credit)
			if left[f.ID] != string(f.Payload) {
				fail("the stream %d has %q, and not %q", f.ID, f.Payload, left[f.ID])
			}
			delete(left, f.ID)
		}
	}),
	only("streams: an Ack of the other direction that nobody asked for", "MXP-5.7", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.chunk(id, 0, "a")
		p.values(id, "A")
		p.send(Frame{Type: ack, ID: id, Payload: taken(1)}, Frame{Type: ack, ID: id, Payload: taken(99)})
		p.chunk(id, 0, "b")
		p.values(id, "B")
	}),
)

// ackedBeside fails unless chunks come back, and an Ack, in either order.
func (p *Peer) ackedBeside(id, chunk uint64, values ...string) {
	isAcked := false
	for len(values) > 0 || !isAcked {
		f := p.any()
		switch {
		case f == nil:
			fail("of an Ack (%t) and %d chunks something does not come: %s", isAcked, len(values), p.state())
		case f.Type == credit, f.Type == streamClose:
		case f.Type == ack:
			var came struct {
				Chunk uint64 `json:"chunk,string"`
			}
			whole("Taken", f.Payload, &came)
			if came.Chunk > chunk {
				fail("the Ack has the number %d of %d", came.Chunk, chunk)
			}
			isAcked = isAcked || came.Chunk == chunk
		case (f.Type == streamChunk || f.Type == streamChunks) && len(values) > 0:
			for _, value := range valuesOf(*f) {
				if value == "" && f.Flags&final != 0 {
					continue
				}
				if len(values) == 0 || value != values[0] {
					fail("the stream has %q, and awaits %q", value, values)
				}
				values = values[1:]
			}
		default:
			fail("%s comes%s", f, p.why(f))
		}
	}
}

// creditCases are about credit [MXP-8.3, 8.4, 8.7].
var creditCases = slices.Concat(
	only("credit: no message is granted, and none comes", "MXP-8.3", func(s *Server) {
		p := s.ready()
		id := p.openFor(0, 6)
		p.chunk(id, 0, "abc")
		p.noChunk(id)
		p.send(Frame{Type: credit, ID: id, Payload: grant(1, 0)})
		p.values(id, "ABC")
	}),
	only("credit: of three chunks the messages of one are granted", "MXP-8.3", func(s *Server) {
		p := s.ready()
		id := p.openFor(1, wide)
		for _, value := range []string{"a", "b", "c"} {
			p.chunk(id, 0, value)
		}
		p.values(id, "A")
		p.noChunk(id)
		for _, value := range []string{"B", "C"} {
			p.send(Frame{Type: credit, ID: id, Payload: grant(1, 0)})
			p.values(id, value)
			p.noChunk(id)
		}
	}),
	only("credit: of three chunks the bytes of two are granted", "MXP-8.3", func(s *Server) {
		p := s.ready()
		id := p.openFor(wide, 6)
		for _, value := range []string{"abc", "de", "fg", "h"} {
			p.chunk(id, 0, value)
		}
		p.values(id, "ABC", "DE")
		p.noChunk(id)
		p.send(Frame{Type: credit, ID: id, Payload: grant(0, 1)})
		p.values(id, "FG")
		p.noChunk(id)
		p.send(Frame{Type: credit, ID: id, Payload: grant(0, 1)})
		p.values(id, "H")
	}),
	only("credit: sums that 64 bits can't hold", "MXP-8.3", func(s *Server) {
		p := s.ready()
		id := p.open()
		for range 3 {
			p.send(Frame{Type: credit, ID: id, Payload: grant(1<<32-1, 1<<64-1)})
		}
		p.chunk(id, 0, "abc")
		p.values(id, "ABC")
	}),
	only("credit: an end takes none", "MXP-8.4", func(s *Server) {
		p := s.ready()
		f := p.opening(0, 0)
		p.send(f, Frame{Type: streamClose, ID: f.ID})
		p.finished(f.ID)
	}),
	only("credit: a chunk has more than half of this side's window, and might wait for ever", "MXP-8.7", func(s *Server) {
		p := s.ready()
		id := p.openFor(9, 5)
		p.chunk(id, 0, "abc")
		p.failed(p.among(failed, credit), id, "stream_window")
		p.works()
	}),
	only("credit: more bytes come than were granted", "MXP-8.3", func(s *Server) {
		p := s.ready()
		id := p.open()
		for range 8 {
			p.chunk(id, 0, repeated("x", 4<<20))
		}
		p.failed(p.among(failed, credit, streamChunk), id, "stream_credit")
		p.works()
	}),
	only("credit: it goes on for a stream of 8 MiB", "MXP-8.7", func(s *Server) {
		p := s.ready()
		const size = 256 << 10
		value := repeated("y", size)
		f := p.opening(wide, wide)
		p.send(f)
		id := f.ID
		left, messages := uint64(0), uint64(0)
		for range 32 {
			for left < size || messages < 1 {
				f := p.among(credit, streamChunk)
				if f.ID != id {
					fail("%s is of another stream than %d", f, id)
				}
				var came struct {
					Messages uint64 `json:"messages"`
					Bytes    uint64 `json:"bytes,string"`
				}
				whole("Grant", f.Payload, &came)
				left, messages = left+came.Bytes, messages+came.Messages
			}
			p.chunk(id, 0, value)
			left, messages = left-size, messages-1
		}
		p.send(Frame{Type: streamClose, ID: id})
		for f := p.any(); f == nil || f.Type != streamClose; f = p.any() {
			if f == nil || f.Type != streamChunk && f.Type != credit {
				fail("the end does not come: %s", p.state())
			}
		}
	}),
	only("credit: Credit of a call is passed over", "MXP-5.7", func(s *Server) {
		p := s.ready()
		f := p.calling(echoMethod, "x")
		p.send(f, Frame{Type: credit, ID: f.ID, Payload: grant(1, 1)})
		p.answered(f.ID, "x")
	}),
)

// noChunk fails where a chunk comes soon.
func (p *Peer) noChunk(id uint64) {
	for f := p.take(100 * time.Millisecond); f != nil; f = p.take(100 * time.Millisecond) {
		if f.Type != credit && f.Type != ack {
			fail("%s comes, which nobody granted%s", f, p.why(f))
		}
	}
}
