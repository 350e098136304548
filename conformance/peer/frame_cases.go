package peer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
)

// half are the transports whose directions end one by one.
var half = []string{"unix", "tcp", "shm"}

// hashing are the transports whose frames always have a hash.
var hashing = []string{"tcp", "ws"}

// unhashing are the transports whose frames need none.
var unhashing = []string{"unix", "tls", "shm", "wss"}

// frameCases are about frames themselves [MXP-1 to 4].
var frameCases = slices.Concat(
	each("frames: byte %d of the magic is wrong, and nothing follows", "MXP-4.2", []int{0, 1, 2, 3}, func(s *Server, at int) {
		p := s.dial()
		bad := greeting(0).bytes()[:at+1]
		bad[at] ^= 0x80
		p.write(bad)
		p.ends("frame_magic")
	}),
	each("frames: the type is %02x, which is none", "MXP-3.1", []byte{0x00, 0x04, 0x13, 0x23, 0x7f, 0x88, 0xf2, 0xff}, func(s *Server, kind byte) {
		p := s.ready()
		p.write(Frame{Type: kind, ID: 1}.bytes())
		p.ends("frame_type")
	}),
	each("frames: the flag %02x, which is none", "MXP-3.1", []byte{0x10, 0x20, 0x40, 0x80}, func(s *Server, flag byte) {
		p := s.ready()
		p.write(Frame{Type: ping, Flags: flag, ID: 1}.bytes())
		p.ends("frame_flags")
	}),
	each("frames: the reserved bytes are %04x", "MXP-1.5", []uint16{1, 0x100}, func(s *Server, number uint16) {
		p := s.ready()
		p.write(Frame{Type: ping, ID: 1}.reserved(number))
		p.ends("frame_reserved")
	}),
	each("frames: the header tells of %d bytes", "MXP-3.2", []uint64{payloadMost + 1, 1 << 32, 1 << 63, 1<<64 - 1}, func(s *Server, length uint64) {
		p := s.ready()
		p.write(Frame{Type: ping, ID: 1}.promising(length)[:headerBytes])
		p.ends("frame_too_large")
	}),
	only("frames: type, flags, reserved bytes and length are wrong: the type counts", "MXP-3.1", func(s *Server) {
		p := s.ready()
		bad := Frame{Type: 0x7f, Flags: 0x80, ID: 1}.reserved(1)
		binary.LittleEndian.PutUint64(bad[24:], 1<<63)
		p.write(bad)
		p.ends("frame_type")
	}),
	only("frames: flags, reserved bytes and length are wrong: the flags count", "MXP-3.1", func(s *Server) {
		p := s.ready()
		bad := Frame{Type: ping, Flags: 0x80, ID: 1}.reserved(1)
		binary.LittleEndian.PutUint64(bad[24:], 1<<63)
		p.write(bad)
		p.ends("frame_flags")
	}),
	only("frames: reserved bytes and length are wrong: the reserved bytes count", "MXP-3.1", func(s *Server) {
		p := s.ready()
		bad := Frame{Type: ping, ID: 1}.reserved(1)
		binary.LittleEndian.PutUint64(bad[24:], 1<<63)
		p.write(bad)
		p.ends("frame_reserved")
	}),
	over(hashing, only("frames: the trailer is another hash", "MXP-1.6", func(s *Server) {
		p := s.ready()
		p.write(Frame{Type: ping, ID: 1}.damaged())
		p.ends("frame_checksum")
	})),
	over(hashing, only("frames: the trailer is 0, which this side has not offered", "MXP-6.7", func(s *Server) {
		p := s.ready()
		p.write(Frame{Type: ping, ID: 1}.unhashed())
		p.ends("frame_checksum")
	})),
	over(hashing, only("frames: this side alone offers that trailers are 0", "MXP-6.7", func(s *Server) {
		p := s.dial().greet(greeting(1))
		if p.unhashed {
			fail("it offers that trailers are 0, though nothing protects the bytes")
		}
		p.works()
	})),
	over(unhashing, only("frames: both sides offer that trailers are 0", "MXP-6.7", func(s *Server) {
		p := s.dial().greet(greeting(1))
		if !p.unhashed {
			return // it may offer that, and does not
		}
		f := p.calling(echoMethod, "x")
		p.write(f.unhashed())
		p.answered(f.ID, "x")
		p.works()
	})),
	only("frames: Hello's trailer is another hash", "MXP-6.1", func(s *Server) {
		p := s.dial()
		p.write(greeting(1).damaged())
		p.ends("frame_checksum")
	}),
	only("frames: Hello's trailer is 0", "MXP-6.1", func(s *Server) {
		p := s.dial()
		p.write(greeting(1).unhashed())
		p.ends("frame_checksum")
	}),
	only("frames: a call comes byte by byte", "MXP-4.1", func(s *Server) {
		p := s.ready()
		f := p.calling(echoMethod, "in pieces")
		for _, b := range f.bytes() {
			p.write([]byte{b})
		}
		p.answered(f.ID, "in pieces")
	}),
	each("frames: a frame is cut after %d bytes, and goes on later", "MXP-4.1", []int{1, 4, 24, 31, 32, 33, 40}, func(s *Server, at int) {
		p := s.ready()
		f := p.calling(echoMethod, "later")
		p.write(f.bytes()[:at])
		time.Sleep(20 * time.Millisecond)
		p.write(f.bytes()[at:])
		p.answered(f.ID, "later")
	}),
	only("frames: Hello and 100 calls come in one piece", "MXP-4.1", func(s *Server) {
		p := s.dial()
		mine := greeting(0)
		p.theirs.Services = append(p.theirs.Services, struct {
			Name string `json:"name"`
		}{demoService})
		all := [][]byte{mine.bytes()}
		for range 100 {
			all = append(all, p.calling(echoMethod, "x").bytes())
		}
		p.write(bytes.Join(all, nil))
		p.greeted(mine)
		had := map[uint64]bool{}
		for range 100 {
			f := p.expect(response)
			if had[f.ID] {
				fail("the call %d is answered twice", f.ID)
			}
			had[f.ID] = true
		}
	}),
	over(half, each("frames: the end comes after %d bytes of a frame", "MXP-4.5", []int{1, 31, 32, 39}, func(s *Server, at int) {
		p := s.ready()
		p.write(Frame{Type: ping, ID: 1}.bytes()[:at])
		p.halfClose()
		p.lost(parting)
	})),
	only("frames: a call and its answer of 16 MiB less what they begin with", "MXP-1.1", func(s *Server) {
		p := s.ready()
		value := repeated("x", payloadMost-len(callStart(p.service(), echoMethod, nil)))
		p.answered(p.call(echoMethod, value), value)
	}),
)

// only is one case.
func only(name, clauses string, do func(*Server)) []*Case {
	return []*Case{{Name: name, Clauses: clauses, server: do}}
}

// named is a name of a case that has a value; %k is the name of a frame's type.
func named(name string, value any) string {
	if kind, is := value.(byte); is && strings.Contains(name, "%k") {
		return strings.ReplaceAll(name, "%k", typeNames[kind])
	}
	return fmt.Sprintf(name, value)
}

// each is a case for each of several values, whose names have them.
func each[T any](name, clauses string, values []T, do func(*Server, T)) (cases []*Case) {
	for _, value := range values {
		cases = append(cases, &Case{Name: named(name, value), Clauses: clauses, server: func(s *Server) { do(s, value) }})
	}
	return cases
}

// over says which transports cases are played over.
func over(schemes []string, cases []*Case) []*Case {
	for _, c := range cases {
		c.Over = schemes
	}
	return cases
}
