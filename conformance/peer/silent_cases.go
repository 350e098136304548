package peer

import (
	"slices"
	"time"
)

// silentCases are about peers that say nothing, or stop. They take as long as the limits of the
// protocol, and nothing of the processor.
var silentCases = slices.Concat(
	only("silence: no byte comes, not even of Hello", "MXP-6.4", func(s *Server) {
		p := s.dial()
		p.silent(10*time.Second, "session_silent")
	}),
	only("silence: half of Hello comes, and nothing more", "MXP-6.4", func(s *Server) {
		p := s.dial()
		p.write(greeting(0).bytes()[:20])
		p.silent(10*time.Second, "session_silent")
	}),
	only("silence: a ready peer is asked by a Ping after 15 s, and its Pong keeps it", "MXP-10.3", func(s *Server) {
		p := s.ready()
		p.works()
		f := p.take(20 * time.Second)
		if f == nil || f.Type != ping {
			fail("no Ping comes: %s", p.state())
		}
		p.send(Frame{Type: pong, ID: f.ID})
		p.quiet(11 * time.Second)
		p.works()
	}),
	only("silence: a ready peer that answers no Ping is given up after 25 s", "MXP-10.3", func(s *Server) {
		p := s.ready()
		p.works()
		if f := p.take(20 * time.Second); f == nil || f.Type != ping {
			fail("no Ping comes: %s", p.state())
		}
		p.silent(10*time.Second, "session_silent")
	}),
	only("silence: half a frame comes, and Pings can't be answered", "MXP-10.3", func(s *Server) {
		p := s.ready()
		p.write(p.calling(echoMethod, "half").bytes()[:35])
		if f := p.take(20 * time.Second); f == nil || f.Type != ping {
			fail("no Ping comes: %s", p.state())
		}
		p.silent(10*time.Second, "session_silent")
	}),
	only("silence: a frame comes by a byte a second, and is given up after 30 s", "MXP-10.4", func(s *Server) {
		p := s.ready()
		all := p.calling(echoMethod, repeated("slow", 20)).bytes()
		began := time.Now()
		for _, b := range all {
			p.write([]byte{b})
			f := p.take(time.Second)
			if f == nil && p.gone == nil {
				continue
			}
			if f == nil || f.Type != failed || p.failure(f).Name != "session_slow" {
				fail("session_slow does not come: %s", p.state())
			}
			if took := time.Since(began); took < 28*time.Second || took > 34*time.Second {
				fail("session_slow comes after %s", took)
			}
			return
		}
	}),
)

// silent fails unless the session ends with a refusal after a time, give or take 2 s.
func (p *Peer) silent(after time.Duration, name string) {
	began := time.Now()
	for {
		f := p.take(time.Until(began.Add(after + 3*time.Second)))
		switch {
		case f == nil:
			fail("after %s no %s has come: %s", time.Since(began), name, p.state())
		case f.Type != failed:
			continue
		}
		if why := p.failure(f); f.ID != 0 || why.Name != name {
			fail("the session ends with %s (%s), and not with %s", why.Name, why.Text, name)
		}
		break
	}
	if took := time.Since(began); took < after-2*time.Second {
		fail("%s comes after %s, and not after %s", name, took, after)
	}
	p.over()
}

// pause reads nothing for a while.
func (p *Peer) pause() { time.Sleep(500 * time.Millisecond) }
