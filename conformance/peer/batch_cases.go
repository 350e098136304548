package peer

import (
	"encoding/binary"
	"slices"
)

// batchCases are about batches [MXP-17].
var batchCases = slices.Concat(
	each("batches: %k comes where this side has not offered them", "MXP-17.2", []byte{streamChunks, events}, func(s *Server, kind byte) {
		p := s.ready()
		id := p.open()
		if kind == events {
			id = p.id()
		}
		p.send(Frame{Type: kind, ID: id, Payload: p.batch(kind, "a")})
		p.ends("session_batch")
	}),
	only("batches: three chunks", "MXP-17.1", func(s *Server) {
		p := s.batching()
		id := p.open()
		p.send(Frame{Type: streamChunks, ID: id, Payload: records("a", "", "c")})
		p.values(id, "A", "", "C")
		p.works()
	}),
	only("batches: the last chunk is final", "MXP-17.4", func(s *Server) {
		p := s.batching()
		id := p.open()
		p.send(Frame{Type: streamChunks, Flags: final, ID: id, Payload: records("a", "b")})
		if p.values(id, "A", "B").Flags&final == 0 {
			p.finished(id)
		}
		p.alive(credit)
	}),
	only("batches: the last chunk asks for an Ack", "MXP-17.4", func(s *Server) {
		p := s.batching()
		id := p.open()
		p.send(Frame{Type: streamChunks, Flags: requiresAck, ID: id, Payload: records("a", "b", "c")})
		p.ackedBeside(id, 3, "A", "B", "C")
	}),
	only("batches: 200 events, and a call behind them that sees all", "MXP-17.1", func(s *Server) {
		p := s.batching()
		before := p.count()
		values := make([]string, 200)
		p.send(Frame{Type: events, ID: p.id(), Payload: p.batch(events, values...)})
		if now := p.count(); now < before+200 {
			fail("of 200 events %d have been handled when the call behind them is", now-before)
		}
	}),
	only("batches: events of a service that nobody serves", "MXP-17.5", func(s *Server) {
		p := s.batching()
		p.send(Frame{Type: events, ID: p.id(), Payload: append(callStart(999, tickMethod, nil), records("a", "b")...)})
		p.works()
	}),
	each("batches: no record is in %k", "MXP-17.3", []byte{streamChunks, events}, func(s *Server, kind byte) {
		p, id := s.batchOf(kind)
		p.send(Frame{Type: kind, ID: id, Payload: p.batch(kind)})
		if why := p.ends("session_payload"); why.Text != "truncated" {
			fail("the text is %q, and not truncated", why.Text)
		}
	}),
	each("batches: the number of a record is cut in %k", "MXP-17.3", []byte{streamChunks, events}, func(s *Server, kind byte) {
		p, id := s.batchOf(kind)
		p.send(Frame{Type: kind, ID: id, Payload: append(p.batch(kind, "a"), 7)})
		if why := p.ends("session_payload"); why.Text != "truncated" {
			fail("the text is %q, and not truncated", why.Text)
		}
	}),
	each("batches: a record has fewer bytes than it says in %k", "MXP-17.3", []byte{streamChunks, events}, func(s *Server, kind byte) {
		p, id := s.batchOf(kind)
		p.send(Frame{Type: kind, ID: id, Payload: append(p.batch(kind, "a"), 2, 0, 'b')})
		if why := p.ends("session_payload"); why.Text != "length_exceeds_input" {
			fail("the text is %q, and not length_exceeds_input", why.Text)
		}
	}),
	each("batches: the payload of %k has more than 64 KiB", "MXP-17.3", []byte{streamChunks, events}, func(s *Server, kind byte) {
		p, id := s.batchOf(kind)
		p.send(Frame{Type: kind, ID: id, Payload: append(p.batch(kind), records(repeated("x", batchMost-100), repeated("x", 200))...)})
		p.ends("limit_batch_bytes")
	}),
	only("batches: Events ask for an Ack", "MXP-17.5", func(s *Server) {
		p := s.batching()
		p.send(Frame{Type: events, Flags: requiresAck, ID: p.id(), Payload: p.batch(events, "a")})
		p.ends("session_flags")
	}),
	only("batches: one has more than was granted, and none of it is taken", "MXP-17.4", func(s *Server) {
		p := s.batching()
		id := p.open()
		const more = 20_000 // where 16,384 messages are granted at most
		p.send(Frame{Type: streamChunks, ID: id, Payload: records(make([]string, more)...)})
		p.failed(p.among(failed, credit), id, "stream_credit")
		p.works()
	}),
	only("batches: 1,000 empty chunks", "MXP-17.1", func(s *Server) {
		p := s.batching()
		id := p.open()
		values := make([]string, 1000)
		p.send(Frame{Type: streamChunks, ID: id, Payload: records(values...)})
		p.values(id, values...)
		p.works()
	}),
	only("batches: one of a stream that has ended", "MXP-17.5", func(s *Server) {
		p := s.batching()
		id := p.open()
		p.send(Frame{Type: streamClose, ID: id})
		p.finished(id)
		p.send(Frame{Type: streamChunks, ID: id, Payload: records("late", "late")})
		p.works()
	}),
	only("batches: none comes to a side that takes none", "MXP-17.2", func(s *Server) {
		p := s.ready()
		id := p.open()
		for range 50 {
			p.chunk(id, 0, "a")
		}
		for left := 50; left > 0; left-- {
			p.among(streamChunk, credit)
		}
	}),
)

// batch is the payload of a batch.
func (p *Peer) batch(kind byte, values ...string) []byte {
	if kind == events {
		return append(callStart(p.service(), tickMethod, nil), records(values...)...)
	}
	return records(values...)
}

// batchOf is a connection that takes batches, and the id for one of a type.
func (s *Server) batchOf(kind byte) (*Peer, uint64) {
	p := s.batching()
	if kind == events {
		return p, p.id()
	}
	return p, p.open()
}

// endCases are about the end of sessions and connections [MXP-11, 16.3].
var endCases = slices.Concat(
	only("end: a Ping is answered", "MXP-10.3", func(s *Server) {
		p := s.ready()
		for range 3 {
			p.alive()
		}
	}),
	only("end: a Pong answers a Ping that never was", "MXP-5.6", func(s *Server) {
		p := s.ready()
		p.send(Frame{Type: pong, ID: 2})
		p.ends("session_id")
	}),
	only("end: Drain is answered, with its reason", "MXP-11.1", func(s *Server) {
		p := s.ready()
		p.works()
		p.send(Frame{Type: drain, Payload: farewell("going home")})
		p.drained("going home", 1)
		p.over()
	}),
	only("end: Drain comes before any request", "MXP-11.1", func(s *Server) {
		p := s.ready()
		p.send(Frame{Type: drain, Payload: farewell("bye")})
		p.drained("bye", 0)
		p.over()
	}),
	only("end: Drain comes right behind Hello, in one piece", "MXP-11.1", func(s *Server) {
		p := s.dial()
		mine := greeting(0)
		p.send(mine, Frame{Type: drain, Payload: farewell("bye")})
		p.greeted(mine).drained("bye", 0)
		p.over()
	}),
	only("end: Drain comes twice", "MXP-11.1", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: drain, Payload: farewell("one")}, Frame{Type: drain, Payload: farewell("two")})
		p.drained("one", id)
		p.send(Frame{Type: streamClose, ID: id})
		p.finished(id)
		p.over()
	}),
	only("end: a stream goes on after Drain", "MXP-11.1", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: drain, Payload: farewell("bye")})
		p.drained("bye", id)
		p.chunk(id, 0, "still")
		p.values(id, "STILL")
		p.send(Frame{Type: streamClose, ID: id})
		p.finished(id)
		p.over()
	}),
	only("end: what is asked after Drain is refused", "MXP-11.1", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: drain, Payload: farewell("bye")})
		p.drained("bye", id)
		p.refused(p.call(echoMethod, "x"), "session_draining")
		p.refused(p.event(requiresAck, p.service(), tickMethod), "session_draining")
		f := p.opening(1, 1)
		p.send(f)
		p.refused(f.ID, "session_draining")
		p.alive()
		p.send(Frame{Type: streamClose, ID: id})
		p.finished(id)
		p.over()
	}),
	only("end: an Event without an Ack is taken after Drain", "MXP-11.1", func(s *Server) {
		p := s.ready()
		other := s.ready()
		before := other.count()
		id := p.open()
		p.send(Frame{Type: drain, Payload: farewell("bye")})
		p.drained("bye", id)
		p.event(0, p.service(), tickMethod)
		p.alive()
		other.handles(before, 1)
	}),
	only("end: an Error with id 0 ends the session", "MXP-11.3", func(s *Server) {
		p := s.ready()
		p.open()
		p.send(Frame{Type: failed, Payload: failure("Internal", "tired", "of it", false)})
		p.over()
	}),
	only("end: a call, an Event and a stream are in flight when the session ends", "MXP-11.2", func(s *Server) {
		p := s.ready()
		p.open()
		p.write(Frame{Type: 0x7f, ID: 1}.bytes())
		if why := p.ends("frame_type"); why.Status != "DataLoss" {
			fail("the status is %s, and not DataLoss", why.Status)
		}
	}),
	only("end: a length that is too great has a status of its own", "MXP-11.2", func(s *Server) {
		p := s.ready()
		p.write(Frame{Type: ping, ID: 1}.promising(1 << 40)[:headerBytes])
		if why := p.ends("frame_too_large"); why.Status != "ResourceExhausted" {
			fail("the status is %s, and not ResourceExhausted", why.Status)
		}
	}),
	only("end: frames that come after the end are passed over", "MXP-5.8", func(s *Server) {
		p := s.ready()
		p.write(append(Frame{Type: 0x7f, ID: 1}.bytes(), p.calling(echoMethod, "late").bytes()...))
		p.ends("frame_type")
	}),
	only("end: the connection is closed without a word", "MXP-11.3", func(s *Server) {
		p := s.ready()
		p.open()
		p.conn.Close()
		s.ready().works()
	}),
	over(half, only("end: this side ends its direction, and the other ends its own", "MXP-16.3", func(s *Server) {
		p := s.ready()
		p.halfClose()
		p.over()
	})),
	over([]string{"unix", "tcp", "ws", "wss"}, only("end: a call, and the end of this side's direction, in one piece", "MXP-16.3", func(s *Server) {
		p := s.ready()
		id := p.call(echoMethod, "before the end")
		p.halfClose()
		p.answered(id, "before the end")
		p.lost(parting)
	})),
	over(half, only("end: the direction ends before Hello", "MXP-11.3", func(s *Server) {
		p := s.dial()
		p.halfClose()
		p.lost(parting)
	})),
)

// drained fails unless Drain comes, with a reason and the last id of this side's that it has had.
func (p *Peer) drained(reason string, last uint64) {
	f := p.among(drain, credit)
	var came struct {
		Reason string  `json:"reason"`
		Last   *uint64 `json:"last,string"`
	}
	whole("Farewell", f.Payload, &came)
	if came.Reason != reason || came.Last == nil || *came.Last != last {
		fail("its Drain says %q, and not %q with the last id %d", f.Payload, reason, last)
	}
}

// limitCases are about limits [MXP-9].
var limitCases = slices.Concat(
	only("limits: the 4,097th stream in flight is refused, and works once another has ended", "MXP-9.3", func(s *Server) {
		p := s.ready()
		var ids []uint64
		for range 4096 {
			ids = append(ids, p.id())
		}
		start := streamStart(p.service(), upperMethod, 1, 1, nil)
		var all []byte
		for _, id := range ids {
			all = append(all, Frame{Type: streamOpen, ID: id, Payload: start}.bytes()...)
		}
		go p.conn.Write(all) // what it does not take, it does not answer
		for range ids {
			p.expect(credit)
		}
		f := p.opening(1, 1)
		p.send(f)
		p.refused(f.ID, "limit_in_flight")
		p.refused(p.call(echoMethod, "x"), "limit_in_flight")
		p.send(Frame{Type: streamClose, ID: ids[0]})
		p.finished(ids[0])
		p.works()
	}),
	only("limits: 500 values of 64 KiB come back to a side that reads late", "MXP-9.1", func(s *Server) {
		p := s.ready()
		value := repeated("z", 64<<10)
		var all []byte
		ids := map[uint64]bool{}
		for range 500 {
			f := p.calling(echoMethod, value)
			ids[f.ID] = true
			all = append(all, f.bytes()...)
		}
		go p.conn.Write(all) // what it does not take, it does not answer
		p.pause()
		for len(ids) > 0 {
			f := p.expect(response)
			if !ids[f.ID] {
				fail("%s answers nothing that is in flight", f)
			}
			delete(ids, f.ID)
		}
		p.alive()
	}),
	only("limits: 3,000 Pings come back to a side that reads late", "MXP-9.4", func(s *Server) {
		p := s.ready()
		var all []byte
		for range 3000 {
			all = append(all, Frame{Type: ping, ID: p.id(), Payload: make([]byte, 100)}.bytes()...)
		}
		go p.conn.Write(all) // what it does not take, it does not answer
		p.pause()
		for want := uint64(1); want < p.next; want += 2 {
			if f := p.expect(pong); f.ID != want {
				fail("%s comes, and not the Pong %d", f, want)
			}
		}
		p.works()
	}),
	only("limits: 2,000 requests are refused, and the next is answered", "MXP-9.7", func(s *Server) {
		p := s.ready()
		start := callStart(999, 1, nil)
		var all []byte
		for range 2000 {
			all = append(all, Frame{Type: call, ID: p.id(), Payload: start}.bytes()...)
		}
		go p.conn.Write(all) // what it does not take, it does not answer
		for want := uint64(1); want < p.next; want += 2 {
			p.refused(want, "service_unknown")
		}
		p.works()
	}),
	only("limits: a batch of events is whole at 64 KiB", "MXP-17.3", func(s *Server) {
		p := s.batching()
		begin := callStart(p.service(), tickMethod, nil)
		payload := append(begin, records(repeated("x", batchMost-len(begin)-4), "")...)
		if len(payload) != batchMost || binary.LittleEndian.Uint16(payload[len(begin):]) == 0 {
			fail("the case itself is wrong")
		}
		p.send(Frame{Type: events, ID: p.id(), Payload: payload})
		p.works()
	}),
)
