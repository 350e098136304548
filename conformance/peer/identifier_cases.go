package peer

import "slices"

// identifierCases are about ids, flags and payloads of each frame [MXP-5.3, 5.6, 5.7].
var identifierCases = slices.Concat(
	each("ids: a Call has the id %d", "MXP-5.2", []uint64{0, 2, 1 << 62}, func(s *Server, id uint64) {
		p := s.ready()
		f := p.calling(echoMethod, "x")
		f.ID = id
		p.send(f)
		p.ends("session_id")
	}),
	only("ids: a Call repeats the id of another", "MXP-5.6", func(s *Server) {
		p := s.ready()
		f := p.calling(echoMethod, "x")
		p.send(f)
		p.answered(f.ID, "x")
		p.send(f)
		p.ends("session_id")
	}),
	only("ids: a Call has an id less than an earlier one", "MXP-5.6", func(s *Server) {
		p := s.ready()
		f := p.calling(echoMethod, "x")
		p.next = 100001
		p.works()
		p.send(f)
		p.ends("session_id")
	}),
	only("ids: some are left out", "MXP-5.6", func(s *Server) {
		p := s.ready()
		for _, id := range []uint64{7, 9, 1001, 1<<63 + 1, 1<<64 - 3} {
			f := p.calling(echoMethod, "x")
			p.next = id + 2
			f.ID = id
			p.send(f)
			got := p.expectAny(response)
			if got.ID != id {
				fail("%s answers the call %d", got, id)
			}
		}
	}),
	each("ids: %k has an id that it can't have", "MXP-5.6", []byte{event, streamOpen, ping}, func(s *Server, kind byte) {
		p := s.ready()
		p.send(Frame{Type: kind, ID: 4, Payload: startOf(p, kind)})
		p.ends("session_id")
	}),
	only("ids: a Drain has the id 1", "MXP-5.6", func(s *Server) {
		p := s.ready()
		p.send(Frame{Type: drain, ID: 1, Payload: farewell("x")})
		p.ends("session_id")
	}),
	each("ids: %k names a request that was never made", "MXP-5.6", []byte{response, cancel, streamChunk, streamClose, credit, ack, failed, pong}, func(s *Server, kind byte) {
		p := s.ready()
		id := uint64(99)
		if kind == response || kind == failed || kind == pong {
			id = 1000
		}
		p.send(Frame{Type: kind, ID: id, Payload: ownPayload(kind)})
		p.ends("session_id")
	}),
	each("ids: %k has the id 0", "MXP-5.6", []byte{response, cancel, streamChunk, streamClose, credit, ack, pong}, func(s *Server, kind byte) {
		p := s.ready()
		p.send(Frame{Type: kind, Payload: ownPayload(kind)})
		p.ends("session_id")
	}),
	each("ids: %k answers a request of this side's own", "MXP-5.6", []byte{response, failed, pong}, func(s *Server, kind byte) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: kind, ID: id, Payload: ownPayload(kind)})
		p.ends("session_id")
	}),
	each("ids: %k names a call that is answered", "MXP-5.7", []byte{cancel, streamChunk, streamClose, credit, ack}, func(s *Server, kind byte) {
		p := s.ready()
		id := p.call(echoMethod, "x")
		p.answered(id, "x")
		p.send(Frame{Type: kind, ID: id, Payload: ownPayload(kind)})
		p.works()
	}),
	each("ids: %k names a stream that has ended", "MXP-5.7", []byte{cancel, streamChunk, streamClose, credit, ack}, func(s *Server, kind byte) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: streamClose, ID: id})
		p.finished(id)
		p.send(Frame{Type: kind, ID: id, Payload: ownPayload(kind)})
		p.works()
	}),
	each("flags: %k has one that it can't have", "MXP-5.6", []byte{call, response, streamClose, cancel, credit, drain, ping, pong, ack, failed}, func(s *Server, kind byte) {
		p := s.ready()
		p.send(Frame{Type: kind, Flags: final, ID: 1, Payload: ownPayload(kind)})
		p.ends("session_flags")
	}),
	each("flags: a Call is compressed, encrypted, or asks for an Ack: %d", "MXP-5.6", []byte{compressed, encrypted, requiresAck}, func(s *Server, flag byte) {
		p := s.ready()
		f := p.calling(echoMethod, "x")
		f.Flags = flag
		p.send(f)
		p.ends("session_flags")
	}),
	each("flags: a StreamOpen has %d", "MXP-5.6", []byte{compressed, encrypted, requiresAck}, func(s *Server, flag byte) {
		p := s.ready()
		f := p.opening(1, 1)
		f.Flags = flag
		p.send(f)
		p.ends("session_flags")
	}),
	only("flags: an Event is final", "MXP-5.6", func(s *Server) {
		p := s.ready()
		p.send(Frame{Type: event, Flags: final, ID: 1, Payload: startOf(p, event)})
		p.ends("session_flags")
	}),
	only("flags: flags, id and payload are wrong: the flags count", "MXP-5.6", func(s *Server) {
		p := s.ready()
		p.send(Frame{Type: call, Flags: final, ID: 2})
		p.ends("session_flags")
	}),
	only("flags: id and payload are wrong: the id counts", "MXP-5.6", func(s *Server) {
		p := s.ready()
		p.send(Frame{Type: call, ID: 2})
		p.ends("session_id")
	}),
	each("payloads: that of %k is empty", "MXP-5.6", []byte{call, event, streamOpen, drain, credit, ack, failed}, func(s *Server, kind byte) {
		p := s.ready()
		id := p.id()
		switch kind {
		case drain, failed:
			id = 0
		case credit, ack:
			p.next = id
			id = p.open()
		}
		p.send(Frame{Type: kind, ID: id})
		p.ends("session_payload")
	}),
	each("payloads: that of a Call ends after %d bytes", "MXP-5.6", []int{1, 3, 11, 12}, func(s *Server, at int) {
		p := s.ready()
		f := p.calling(echoMethod, "")
		f.Payload = f.Payload[:at]
		p.send(f)
		p.ends("session_payload")
	}),
	each("payloads: that of %k has more than 1 MiB", "MXP-5.6", []byte{ping, cancel, streamClose}, func(s *Server, kind byte) {
		p := s.ready()
		id := p.id()
		if kind != ping {
			p.next = id
			id = p.open()
		}
		p.send(Frame{Type: kind, ID: id, Payload: make([]byte, controlMost+1)})
		p.ends("limit_control_bytes")
	}),
	only("payloads: a Ping of 1 MiB", "MXP-5.6", func(s *Server) {
		p := s.ready()
		id := p.id()
		p.send(Frame{Type: ping, ID: id, Payload: make([]byte, controlMost)})
		if f := p.expect(pong); f.ID != id {
			fail("%s answers a Ping of id %d", f, id)
		}
	}),
	only("payloads: Cancel, StreamClose and Pong may have any", "MXP-5.3", func(s *Server) {
		p := s.ready()
		id := p.open()
		p.send(Frame{Type: streamClose, ID: id, Payload: []byte("whatever")})
		p.finished(id)
		id = p.open()
		p.send(Frame{Type: cancel, ID: id, Payload: []byte("whatever")})
		p.alive()
	}),
)

// expectAny is the next frame of a type, with any id.
func (p *Peer) expectAny(kind byte) *Frame {
	f := p.any()
	if f == nil || f.Type != kind {
		fail("%s does not come: %s", typeNames[kind], p.state())
	}
	return f
}

// startOf is a whole payload of what begins something.
func startOf(p *Peer, kind byte) []byte {
	switch kind {
	case event:
		return callStart(p.service(), tickMethod, nil)
	case call:
		return callStart(p.service(), echoMethod, nil)
	case streamOpen:
		return streamStart(p.service(), upperMethod, 1, 1, nil)
	}
	return nil
}

// ownPayload is a whole payload of what answers, or says something of an exchange.
func ownPayload(kind byte) []byte {
	switch kind {
	case response:
		return responseStart()
	case credit:
		return grant(1, 1)
	case ack:
		return taken(1)
	case failed:
		return failure("Internal", "x", "", false)
	case drain:
		return farewell("x")
	}
	return nil
}
