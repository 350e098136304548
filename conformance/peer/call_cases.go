package peer

import (
	"encoding/binary"
	"slices"
)

// callCases are about calls [MXP-7].
var callCases = slices.Concat(
	only("calls: one is answered", "MXP-7.1", func(s *Server) { s.ready().works() }),
	each("calls: a value of %d bytes", "MXP-7.1", []int{0, 1, 4095, 4096, 16384, 65536, 1 << 20, 5 << 20}, func(s *Server, n int) {
		p := s.ready()
		value := repeated("v", n)
		p.answered(p.call(echoMethod, value), value)
	}),
	only("calls: 1,000 at once, each is answered once", "MXP-7.1", func(s *Server) {
		p := s.ready()
		var all []Frame
		for range 1000 {
			all = append(all, p.calling(echoMethod, "x"))
		}
		p.send(all...)
		had := map[uint64]bool{}
		for range all {
			if f := p.expect(response); had[f.ID] {
				fail("the call %d is answered twice", f.ID)
			} else {
				had[f.ID] = true
			}
		}
		p.alive()
	}),
	only("calls: the handler fails", "MXP-7.2", func(s *Server) {
		p := s.ready()
		why := p.failed(p.expectAfter(p.call(refuseMethod, "no, thanks")), p.next-2, "demo_refused")
		if why.Status != "FailedPrecondition" || why.Text != "no, thanks" {
			fail("the failure has the status %s and the text %q", why.Status, why.Text)
		}
	}),
	only("calls: the handler fails with a text of 10,000 bytes, which is cut at 4 KiB", "failure_text_bytes", func(s *Server) {
		p := s.ready()
		why := p.failed(p.expectAfter(p.call(refuseMethod, repeated("t", 10_000))), p.next-2, "demo_refused")
		if n := len(why.Text); n > 4096 || n < 4000 {
			fail("the text has %d bytes", n)
		}
	}),
	each("calls: the service number %d, which nobody serves", "MXP-7.3", []uint16{999, 65535}, func(s *Server, number uint16) {
		p := s.ready()
		id := p.id()
		p.send(Frame{Type: call, ID: id, Payload: callStart(number, echoMethod, nil)})
		p.refused(id, "service_unknown")
		p.works()
	}),
	each("calls: the method number %d, which is none", "MXP-7.3", []uint16{0, 99, 65535}, func(s *Server, number uint16) {
		p := s.ready()
		p.refused(p.call(number, "x"), "method_unknown")
		p.works()
	}),
	each("calls: the method %d, which is no call", "MXP-7.3", []uint16{upperMethod, tickMethod}, func(s *Server, number uint16) {
		p := s.ready()
		p.refused(p.call(number, "x"), "method_unknown")
		p.works()
	}),
	only("calls: metadata and a trace come along", "MXP-5.5", func(s *Server) {
		p := s.ready()
		trace := make([]int, 16)
		var want [8]byte
		for i := range trace {
			trace[i] = i + 1
		}
		for i := range want {
			want[i] = byte(trace[8+i])
		}
		more := object{
			"trace":    object{"id": trace, "parent": "7", "flags": 1},
			"metadata": []object{{"key": "one", "value": "AQI="}, {"key": "one", "value": ""}},
		}
		f := Frame{Type: call, ID: p.id(), Trace: binary.BigEndian.Uint64(want[:])}
		f.Payload = append(callStart(p.service(), echoMethod, more), "traced"...)
		p.send(f)
		got := p.expect(response)
		if got.Trace != f.Trace {
			fail("the trace id of the Response is %x, and not %x", got.Trace, f.Trace)
		}
	}),
	only("calls: the trace id of the header is not that of the request", "MXP-5.5", func(s *Server) {
		p := s.ready()
		f := p.calling(echoMethod, "x")
		f.Trace = 12345
		p.send(f)
		if got := p.expect(response); got.Trace != 0 {
			fail("the trace id of the Response is %x, and the request has none", got.Trace)
		}
	}),
	only("calls: 255 metadata", "MXP-5.6", func(s *Server) {
		p := s.ready()
		all := make([]object, 255)
		for i := range all {
			all[i] = object{"key": repeated("k", i), "value": ""}
		}
		id := p.id()
		p.send(Frame{Type: call, ID: id, Payload: append(callStart(p.service(), echoMethod, object{"metadata": all}), "x"...)})
		p.answered(id, "x")
	}),
	each("calls: the deadline is %s microseconds, which is never", "MXP-7.7", []string{"0", "18446744073709551615", "9223372036854775808"}, func(s *Server, us string) {
		p := s.ready()
		id := p.id()
		p.send(Frame{Type: call, ID: id, Payload: append(callStart(p.service(), echoMethod, object{"deadline": us}), "x"...)})
		p.answered(id, "x")
	}),
	only("calls: Cancel comes right behind a call, in one piece", "MXP-7.6", func(s *Server) {
		p := s.ready()
		f := p.calling(echoMethod, "x")
		p.send(f, Frame{Type: cancel, ID: f.ID})
		id := p.id()
		p.send(Frame{Type: ping, ID: id})
		for got := p.any(); got == nil || got.Type != pong; got = p.any() {
			if got == nil || got.Type != response || got.ID != f.ID {
				fail("no Pong comes: %s", p.state())
			}
		}
		p.works()
	}),
	only("calls: Cancel comes twice", "MXP-7.6", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: cancel, ID: id}, Frame{Type: cancel, ID: id})
		p.alive()
		p.works()
	}),
	only("agents: a server that takes none is asked", "MXP-12.2", func(s *Server) {
		p := s.ready()
		id := p.id()
		p.send(Frame{Type: 0x02, ID: id, Payload: encode("Query", object{"capability": "", "name": "", "service": ""})})
		p.refused(id, "agents_off")
		p.works()
	}),
)

// expectAfter is the Error of a request.
func (p *Peer) expectAfter(id uint64) *Frame {
	f := p.expect(failed)
	if f.ID != id {
		fail("%s answers the request %d", f, id)
	}
	return f
}

// eventCases are about events [MXP-7.9, 7.10].
var eventCases = slices.Concat(
	only("events: one with an Ack", "MXP-7.9", func(s *Server) {
		p := s.ready()
		id := p.event(requiresAck, p.service(), tickMethod)
		p.acked(id, 0)
	}),
	only("events: 100 without an Ack, and a call behind them that sees all", "MXP-7.10", func(s *Server) {
		p := s.ready()
		before := p.count()
		for range 100 {
			p.event(0, p.service(), tickMethod)
		}
		if now := p.count(); now < before+100 {
			fail("of 100 events %d have been handled when the call behind them is", now-before)
		}
	}),
	only("events: of a service that nobody serves, with an Ack", "MXP-7.3", func(s *Server) {
		p := s.ready()
		p.refused(p.event(requiresAck, 999, tickMethod), "service_unknown")
		p.works()
	}),
	only("events: of a service that nobody serves, without", "MXP-7.3", func(s *Server) {
		p := s.ready()
		p.event(0, 999, tickMethod)
		p.works()
	}),
	each("events: of the method %d, which is no event, with an Ack", "MXP-7.3", []uint16{99, echoMethod, upperMethod}, func(s *Server, method uint16) {
		p := s.ready()
		p.refused(p.event(requiresAck, p.service(), method), "method_unknown")
		p.works()
	}),
	each("events: of the method %d, which is no event, without", "MXP-7.3", []uint16{99, echoMethod, upperMethod}, func(s *Server, method uint16) {
		p := s.ready()
		p.event(0, p.service(), method)
		p.works()
	}),
	only("events: the deadline of one is passed over", "MXP-7.9", func(s *Server) {
		p := s.ready()
		id := p.id()
		p.send(Frame{Type: event, Flags: requiresAck, ID: id, Payload: callStart(p.service(), tickMethod, object{"deadline": "1"})})
		p.acked(id, 0)
	}),
	only("events: an answer names one that asks for no Ack", "MXP-5.7", func(s *Server) {
		p := s.ready()
		id := p.event(0, p.service(), tickMethod)
		p.send(Frame{Type: cancel, ID: id})
		p.works()
	}),
)

// event sends an Event.
func (p *Peer) event(flags byte, service, method uint16) uint64 {
	id := p.id()
	p.send(Frame{Type: event, Flags: flags, ID: id, Payload: append(callStart(service, method, nil), "tick"...)})
	return id
}

// acked fails unless the next frame is an Ack, but Credit.
func (p *Peer) acked(id, chunk uint64) {
	f := p.among(ack, credit)
	var came struct {
		Chunk uint64 `json:"chunk,string"`
	}
	whole("Taken", f.Payload, &came)
	if f.ID != id || came.Chunk != chunk {
		fail("the Ack of id %d has the number %d, and not %d of id %d", f.ID, came.Chunk, chunk, id)
	}
}
