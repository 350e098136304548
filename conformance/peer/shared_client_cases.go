package peer

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"time"
)

// clientSharedCases are about answers to an Offer of shared memory [MXP-18.3, 18.4].
var clientSharedCases = over([]string{"shm"}, slices.Concat(
	playsEach("shm: the answer to the Offer is wrong: its byte %d is 7", "MXP-18.4", []int{0, 4, 5, 6, 7, 8, 16, 31}, func(c *Client, at int) {
		c.does("call 1 x 4000")
		conn := c.socket()
		defer conn.Close()
		io.ReadFull(conn, make([]byte, offerBytes))
		wrong := offer(1)
		wrong[at] = 7
		conn.Write(wrong)
		c.fails("shm_handover", "refused")
	}),
	plays("shm: the connection is refused", "MXP-18.4", func(c *Client) {
		c.does("call 1 x 4000")
		conn := c.socket()
		defer conn.Close()
		io.ReadFull(conn, make([]byte, offerBytes))
		conn.Write(offer(2))
		c.soon()
	}),
	plays("shm: the memory is taken, and none is there", "MXP-18.4", func(c *Client) {
		c.does("call 1 x 4000")
		conn := c.socket()
		defer conn.Close()
		io.ReadFull(conn, make([]byte, offerBytes))
		taken := offer(0)
		binary.LittleEndian.PutUint64(taken[8:], 4096)
		conn.Write(taken)
		c.fails("shm_memory", "refused")
	}),
	plays("shm: the connection ends before an answer, and the next works", "MXP-18.4", func(c *Client) {
		c.does("call 1 works 4000")
		c.socket().Close()
		c.works(c.ready())
	}),
	plays("shm: the connection ends inside an answer", "MXP-18.4", func(c *Client) {
		c.does("call 1 x 4000")
		conn := c.socket()
		io.ReadFull(conn, make([]byte, offerBytes))
		conn.Write(offer(1)[:20])
		conn.Close()
		c.fails("shm_handover", "refused")
	}),
	playsEach("shm: the memory of the answer: %s", "MXP-18.2, MXP-18.4", unfit, func(c *Client, m memoryOffered) {
		c.does("call 1 x 4000")
		conn := c.socket()
		defer conn.Close()
		io.ReadFull(conn, make([]byte, offerBytes))
		m.lend(conn)
		c.fails("shm_memory", "refused")
	}),
	plays("shm: this side has no memory, and the bytes go over the socket", "MXP-18.5", func(c *Client) {
		c.does("call 1 works 4000", "call 1 "+times("x", 1<<20)+" 6000")
		conn := c.socket()
		io.ReadFull(conn, make([]byte, offerBytes))
		conn.Write(offer(1))
		p := c.plain(conn)
		c.works(p)
		p.answers(repeated("x", 1<<20))
		c.answered(repeated("x", 1<<20))
	}),
	plays("shm: this side answers with a frame, as earlier releases do, and is connected to again", "MXP-18.5", func(c *Client) {
		c.does("call 1 works 4000")
		conn := c.socket()
		io.ReadFull(conn, make([]byte, offerBytes))
		conn.Write(greeting(0, demoService).bytes())
		c.works(c.plain(c.socket()))
		conn.SetReadDeadline(time.Now().Add(parting))
		if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
			fail("more comes on the first socket")
		}
		conn.Close()
	}),
	plays("shm: the ring of this side has 4 KiB", "MXP-18.7", func(c *Client) {
		c.does("call 1 works 4000", "call 1 "+times("x", 1<<20)+" 6000")
		p := c.lending(4 << 10)
		c.works(p.greet(greeting(0, demoService)))
		p.answers(repeated("x", 1<<20))
		c.answered(repeated("x", 1<<20))
	}),
	plays("shm: this side waits for the bell", "MXP-18.9", func(c *Client) {
		c.does(slices.Repeat([]string{"call 1 " + times("x", 40<<10) + " 6000"}, 20)...)
		p := c.accept()
		p.conn.(*shared).how = forBell
		p.greet(greeting(0, demoService))
		for range 20 {
			p.answers(repeated("x", 40<<10))
			c.answered(repeated("x", 40<<10))
		}
	}),
	playsEach("shm: %s", "MXP-18.7", misnumbered, func(c *Client, m misnumbering) {
		large := "call 1 " + times("x", 1<<20) + " 6000"
		c.does(large, large, "call 1 works 6000")
		p := c.ready()
		p.answers(repeated("x", 1<<20))
		c.answered(repeated("x", 1<<20))
		if !m.writes {
			p.called()
		}
		m.lie(p.conn.(*shared))
		if text := c.fails("session_lost", "acted"); !strings.Contains(text, "shm_index") {
			fail("the client says %q, and nothing of shm_index", text)
		}
		p.cut(parting)
		c.works(c.ready())
	}),
	plays("shm: bytes come on the socket that nobody waits for", "MXP-18.10", func(c *Client) {
		c.does(slices.Repeat([]string{"call 1 works 6000"}, 50)...)
		p := c.ready()
		for range 50 {
			p.conn.(*shared).notice(make([]byte, 2000))
			c.works(p)
		}
	}),
	plays("shm: the socket ends before this side says that its direction has, behind an answer", "MXP-18.10", func(c *Client) {
		c.does("calls 2 1 x 6000", "call 1 works 6000")
		p := c.ready()
		first := p.called()
		p.called()
		p.send(answering(first.ID, "last"))
		p.conn.(*shared).abandon()
		c.answered("last")
		c.fails("session_lost", "acted")
		c.works(c.ready())
	}),
	plays("shm: its memory has its numbers and its ring alone, and says when its direction ends", "MXP-18.6, MXP-18.10", func(c *Client) {
		c.does("call 1 works 6000")
		p := c.ready()
		c.works(p)
		p.conn.(*shared).tidy()
		p.any()
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "1"})})
		p.over()
		if p.gone != io.EOF {
			fail("its direction ends with %v", p.gone)
		}
	}),
))

// lending is the next connection, in which the ring of this side has so many bytes.
func (c *Client) lending(ring int) *Peer {
	conn, err := acceptShared(c.socket(), ring)
	if err != nil {
		fail("the client opens no connection: %v", err)
	}
	p := newPeer(conn, c.at.Scheme, false)
	c.peers = append(c.peers, p)
	return p
}

// plain is a connection whose bytes go over its socket; Hellos are exchanged.
func (c *Client) plain(conn net.Conn) *Peer {
	p := newPeer(conn, "unix", false)
	c.peers = append(c.peers, p)
	return p.greet(greeting(0, demoService))
}
