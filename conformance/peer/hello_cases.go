package peer

import (
	"slices"
	"time"
)

// helloCases are about the first frame of each side [MXP-6].
var helloCases = slices.Concat(
	only("Hello: its own comes without waiting for this side's", "MXP-6.1", func(s *Server) {
		p := s.dial()
		if p.take(patience) == nil {
			fail("no Hello comes: %s", p.state())
		}
	}),
	each("Hello: %k comes first", "MXP-6.2", []byte{
		call, response, event, streamOpen, streamChunk, streamClose, cancel, credit, drain, ping, pong, ack,
	}, func(s *Server, kind byte) {
		p := s.dial()
		p.send(Frame{Type: kind, ID: 1})
		p.expect(hello)
		p.ready = true
		p.ends("session_hello")
	}),
	only("Hello: it comes twice", "MXP-6.2", func(s *Server) {
		p := s.ready()
		p.send(greeting(0))
		p.ends("session_hello")
	}),
	only("Hello: it comes twice, in one piece", "MXP-6.2", func(s *Server) {
		p := s.dial()
		p.send(greeting(0), greeting(0))
		p.expect(hello)
		p.ready = true
		p.ends("session_hello")
	}),
	only("Hello: version 0", "MXP-6.3", func(s *Server) {
		p := s.dial()
		p.send(versioned(0))
		p.expect(hello)
		p.ready = true
		p.ends("session_version")
	}),
	each("Hello: version %d, which is later than 1", "MXP-6.3", []uint16{2, 65535}, func(s *Server, version uint16) {
		s.dial().greet(versioned(version)).works()
	}),
	only("Hello: it has a segment that nobody knows yet", "MXP-6.3", func(s *Server) {
		mine := greeting(0)
		mine.Payload = append(mine.Payload, "later"...)
		p := s.dial()
		p.send(mine)
		p.greeted(greeting(0)).works()
	}),
	only("Hello: it offers what nobody knows yet", "MXP-6.7", func(s *Server) {
		p := s.dial().greet(greeting(0xfffffffc))
		p.works()
	}),
	each("Hello: its payload ends after %d bytes", "MXP-5.6", []int{0, 1, 5, 9}, func(s *Server, at int) {
		p := s.dial()
		mine := greeting(0)
		mine.Payload = mine.Payload[:at]
		p.send(mine)
		p.expect(hello)
		p.ready = true
		p.ends("session_payload")
	}),
	only("Hello: it has the id 1", "MXP-5.6", func(s *Server) {
		p := s.dial()
		mine := greeting(0)
		mine.ID = 1
		p.send(mine)
		p.expect(hello)
		p.ready = true
		p.ends("session_id")
	}),
	each("Hello: it has the flag %d", "MXP-5.6", []byte{compressed, encrypted, requiresAck, final}, func(s *Server, flag byte) {
		p := s.dial()
		mine := greeting(0)
		mine.Flags = flag
		p.send(mine)
		p.expect(hello)
		p.ready = true
		p.ends("session_flags")
	}),
	only("Hello: its payload has more than 1 MiB", "MXP-5.6", func(s *Server) {
		p := s.dial()
		p.write(greeting(0).promising(controlMost + 1)[:headerBytes])
		p.write(make([]byte, controlMost+1+trailerBytes)) // whose hash is wrong as well
		p.lost(parting)
	}),
	only("Hello: it comes in three pieces", "MXP-4.1", func(s *Server) {
		p := s.dial()
		mine := greeting(0)
		all := mine.bytes()
		for _, piece := range [][]byte{all[:10], all[10:40], all[40:]} {
			p.write(piece)
			time.Sleep(20 * time.Millisecond)
		}
		p.greeted(mine).works()
	}),
	only("Hello: this side lists 200 services that the other has not", "MXP-6.5", func(s *Server) {
		names := make([]string, 200)
		for i := range names {
			names[i] = repeated("s", i+1)
		}
		s.dial().greet(greeting(0, names...)).works()
	}),
	only("Hello: this side lists a service twice", "MXP-6.8", func(s *Server) {
		s.dial().greet(greeting(0, demoService, demoService)).works()
	}),
	only("Hello: this side lists a type that the other has not", "MXP-6.5", func(s *Server) {
		mine := Frame{Type: hello, Payload: encode("Hello", object{
			"version": 1, "payload_bytes": payloadMost, "offers": 0, "services": []object{},
			"types": []object{{"name": "other.Type", "fingerprints": []string{"1", "2"}, "layout": "3"}},
		})}
		s.dial().greet(mine).works()
	}),
	only("Hello: this side takes 4 KiB at most, and asks for more", "MXP-9.2", func(s *Server) {
		p := s.dial().greet(greetingOf(4096, 0))
		id := p.call(echoMethod, repeated("x", 5000))
		p.failed(p.expect(failed), id, "payload_too_large")
		p.works()
	}),
	only("Hello: an Error with id 0 comes before it", "MXP-5.6", func(s *Server) {
		p := s.dial()
		p.send(Frame{Type: failed, Payload: failure("Internal", "tired", "", false)})
		p.expect(hello)
		p.ready = true
		p.ends("session_hello")
	}),
)

func versioned(version uint16) Frame {
	return Frame{Type: hello, Payload: encode("Hello", object{"version": version, "payload_bytes": payloadMost, "offers": 0, "services": []object{}, "types": []object{}})}
}
