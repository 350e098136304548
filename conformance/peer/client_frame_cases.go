package peer

import (
	"slices"
	"time"
)

// damage is bytes of a server that are no frame, and their refusal.
type damage struct {
	what, name string
	bytes      func(f Frame) []byte
}

func (d damage) String() string { return d.what }

// clientFrameCases are about frames that a server damages, cuts or joins [MXP-3, 4].
var clientFrameCases = slices.Concat(
	playsEach("frames: %s, where an answer is awaited", "MXP-3.1, MXP-11.3", []damage{
		{"no magic", "frame_magic", func(Frame) []byte { return []byte("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n") }},
		{"the type 7f", "frame_type", func(f Frame) []byte { f.Type = 0x7f; return f.bytes() }},
		{"the flag 128", "frame_flags", func(f Frame) []byte { f.Flags = 0x80; return f.bytes() }},
		{"reserved bytes", "frame_reserved", func(f Frame) []byte { return f.reserved(1) }},
		{"a payload of more than 16 MiB", "frame_too_large", func(f Frame) []byte { return f.promising(payloadMost + 1) }},
		{"a payload of 2^63 bytes", "frame_too_large", func(f Frame) []byte { return f.promising(1 << 63) }},
	}, func(c *Client, d damage) { c.breaks(d.name, d.bytes) }),
	over(hashing, plays("frames: the trailer of an answer is another hash", "MXP-1.6", func(c *Client) { c.breaks("frame_checksum", Frame.damaged) })),
	over(hashing, plays("frames: the trailer of an answer is 0, which this side has not offered", "MXP-6.7", func(c *Client) { c.breaks("frame_checksum", Frame.unhashed) })),
	over(hashing, plays("frames: this side alone offers that trailers are 0", "MXP-6.7", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.accept().greet(greeting(1, demoService))
		if p.unhashed {
			fail("it offers that trailers are 0, though nothing protects the bytes")
		}
		c.works(p)
	})),
	over(unhashing, plays("frames: both sides offer that trailers are 0", "MXP-6.7", func(c *Client) {
		c.does("call 1 x 6000")
		p := c.accept().greet(greeting(1, demoService))
		r := p.called()
		if p.unhashed {
			p.write(answering(r.ID, "x").unhashed())
		} else {
			p.send(answering(r.ID, "x"))
		}
		c.answered("x")
	})),
	plays("frames: an answer comes byte by byte", "MXP-4.1", func(c *Client) {
		c.does("call 1 x 6000")
		p := c.ready()
		for _, b := range answering(p.called().ID, "in pieces").bytes() {
			p.write([]byte{b})
		}
		c.answered("in pieces")
	}),
	playsEach("frames: an answer is cut after %d bytes, and goes on later", "MXP-4.1", []int{1, 4, 24, 31, 32, 33, 40}, func(c *Client, at int) {
		c.does("call 1 x 6000")
		p := c.ready()
		all := answering(p.called().ID, "later").bytes()
		p.write(all[:at])
		time.Sleep(20 * time.Millisecond)
		p.write(all[at:])
		c.answered("later")
	}),
	plays("frames: 100 answers come in one piece, the last one first", "MXP-7.1", func(c *Client) {
		c.does("calls 100 1 x 6000")
		p := c.ready()
		var all []Frame
		for range 100 {
			all = append(all, answering(p.called().ID, "x"))
		}
		slices.Reverse(all)
		p.send(all...)
		for range all {
			c.answered("x")
		}
	}),
	over(half, playsEach("frames: the end comes after %d bytes of an answer", "MXP-4.5", []int{1, 31, 32, 39}, func(c *Client, at int) {
		c.does("call 1 lost 6000", "call 1 works 18000")
		p := c.ready()
		p.write(answering(p.called().ID, "x").bytes()[:at])
		p.halfClose()
		p.lost(parting)
		c.fails("session_lost", "acted")
		c.works(c.ready())
	})),
	plays("frames: an answer of 16 MiB less what it begins with", "MXP-1.1", func(c *Client) {
		value := repeated("x", payloadMost-len(responseStart()))
		c.does("call 1 x 15000") // TLS of 16 MiB takes long where others work
		p := c.ready()
		p.send(answering(p.called().ID, value))
		c.answered(value)
	}),
)

// breaks answers a call with bytes that are no frame, which ends the session; the call after it has
// another.
func (c *Client) breaks(name string, bad func(Frame) []byte) {
	c.does("call 1 first 6000", "call 1 works 18000")
	p := c.ready()
	p.write(bad(answering(p.called().ID, "x")))
	p.ends(name)
	c.fails(name, "acted")
	c.works(c.ready())
}

// plays is one case that plays a server.
func plays(name, clauses string, do func(*Client)) []*Case {
	return []*Case{{Name: name, Clauses: clauses, client: do}}
}

// playsEach is a case for each of several values, whose names have them.
func playsEach[T any](name, clauses string, values []T, do func(*Client, T)) (cases []*Case) {
	for _, value := range values {
		cases = append(cases, &Case{Name: named(name, value), Clauses: clauses, client: func(c *Client) { do(c, value) }})
	}
	return cases
}
