package peer

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"time"
)

// sharedCases are about the handover of shared memory [MXP-18.4].
var sharedCases = over([]string{"shm"}, slices.Concat(
	each("shm: the Offer has %s", "MXP-18.4", []string{"another magic", "the version 2", "the verdict 1", "the verdict 3", "the use 2", "a byte at 7", "a byte at 31", "a ring of 5,000 bytes", "a ring of 2 KiB", "a ring of 2 GiB"}, func(s *Server, what string) {
		s.offers(offered(what))
	}),
	only("shm: the Offer has no descriptor", "MXP-18.4", func(s *Server) { s.offers(offered("")) }),
	each("shm: the socket ends after %d bytes of the Offer", "MXP-18.4", []int{4, 31}, func(s *Server, n int) {
		conn, err := s.at.socket()
		if err != nil {
			fail("it can't be connected to: %v", err)
		}
		defer conn.Close()
		conn.Write(offered("")[:n])
		conn.(*net.UnixConn).CloseWrite()
		conn.SetDeadline(time.Now().Add(patience))
		if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			fail("the connection stays")
		}
		s.ready().works()
	}),
	only("shm: who comes without an Offer is served over the socket", "MXP-18.1", func(s *Server) {
		conn, err := s.at.socket()
		if err != nil {
			fail("it can't be connected to: %v", err)
		}
		p := newPeer(conn, "unix", true)
		s.peers = append(s.peers, p)
		p.greet(greeting(0)).works()
	}),
	each("shm: the memory of an Offer: %s", "MXP-18.2, MXP-18.4", unfit, func(s *Server, m memoryOffered) {
		conn, err := s.at.socket()
		if err != nil {
			fail("it can't be connected to: %v", err)
		}
		defer conn.Close()
		m.lend(conn)
		s.refuses(conn)
	}),
	only("shm: the ring of this side has 4 KiB", "MXP-18.7", func(s *Server) {
		p := s.lending(4 << 10).greet(greeting(0))
		p.answered(p.call(echoMethod, repeated("x", 1<<20)), repeated("x", 1<<20))
		p.streams()
	}),
	only("shm: this side waits for the bell", "MXP-18.9", func(s *Server) {
		p := s.dial()
		p.conn.(*shared).how = forBell
		p.greet(greeting(0))
		for range 20 {
			p.answered(p.call(echoMethod, repeated("x", 40<<10)), repeated("x", 40<<10))
		}
		p.streams()
	}),
	each("shm: %s", "MXP-18.7", misnumbered, func(s *Server, m misnumbering) {
		p := s.ready()
		large := repeated("x", 1<<20)
		p.answered(p.call(echoMethod, large), large)
		if m.writes {
			p.call(echoMethod, large)
		}
		m.lie(p.conn.(*shared))
		p.cut(parting)
		s.ready().works()
	}),
	only("shm: bytes come on the socket that nobody waits for", "MXP-18.10", func(s *Server) {
		p := s.ready()
		for range 50 {
			p.conn.(*shared).notice(make([]byte, 2000))
			p.works()
		}
	}),
	only("shm: events are written, and the socket ends before this side says that its direction has", "MXP-18.10", func(s *Server) {
		other := s.ready()
		before := other.count()
		p := s.ready()
		for range 100 {
			p.send(Frame{Type: event, ID: p.id(), Payload: callStart(p.service(), tickMethod, nil)})
		}
		p.conn.(*shared).abandon()
		other.handles(before, 100)
	}),
	only("shm: its memory has its numbers and its ring alone, and says when its direction ends", "MXP-18.6, MXP-18.10", func(s *Server) {
		p := s.ready()
		p.works()
		p.conn.(*shared).tidy()
		p.send(Frame{Type: drain, Payload: farewell("bye")})
		p.drained("bye", 1)
		p.over()
		if p.gone != io.EOF {
			fail("its direction ends with %v", p.gone)
		}
	}),
))

// lending is a connection whose ring has so many bytes.
func (s *Server) lending(ring int) *Peer {
	conn, err := s.at.socket()
	if err == nil {
		conn, err = openShared(conn, ring)
	}
	if err != nil {
		fail("it can't be connected to: %v", err)
	}
	p := newPeer(conn, s.at.Scheme, true)
	s.peers = append(s.peers, p)
	return p
}

// offered is an Offer of shared memory that is wrong in one thing.
func offered(what string) []byte {
	made := make([]byte, 32)
	copy(made, []byte{0x4d, 0x58, 0x50, 0x53, 1})
	ring := uint64(64 << 10)
	switch what {
	case "another magic":
		made[3] = 0x54
	case "the version 2":
		made[4] = 2
	case "the verdict 1":
		made[5] = 1
	case "the verdict 3":
		made[5] = 3
	case "the use 2":
		made[6] = 2
	case "a byte at 7":
		made[7] = 1
	case "a byte at 31":
		made[31] = 1
	case "a ring of 5,000 bytes":
		ring = 5000
	case "a ring of 2 KiB":
		ring = 2 << 10
	case "a ring of 2 GiB":
		ring = 2 << 30
	}
	binary.LittleEndian.PutUint64(made[8:], ring)
	return made
}

// offers fails unless an Offer is refused with the verdict 2, or as no frame.
func (s *Server) offers(bytes []byte) {
	conn, err := s.at.socket()
	if err != nil {
		fail("it can't be connected to: %v", err)
	}
	defer conn.Close()
	conn.Write(bytes)
	if bytes[3] != 0x53 { // no Offer, and no frame: the session says so
		conn.SetDeadline(time.Now().Add(patience))
		if answer, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			fail("the connection stays, after %d bytes of an answer", len(answer))
		}
		s.ready().works()
		return
	}
	s.refuses(conn)
}

// refuses fails unless what was offered on a socket is refused with the verdict 2.
func (s *Server) refuses(conn net.Conn) {
	conn.SetDeadline(time.Now().Add(patience))
	answer, err := io.ReadAll(conn)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		fail("the connection stays, after %d bytes of an answer", len(answer))
	case len(answer) != offerBytes || answer[5] != 2:
		fail("the answer is %x, and no Offer with the verdict 2", answer)
	}
	s.ready().works()
}
