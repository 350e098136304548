package peer

import (
	"slices"
	"time"
)

// clientEndCases are about ends of connections, by the server and by the client [MXP-11, 14].
var clientEndCases = slices.Concat(
	plays("drain: an idle server drains, and the next call has another connection", "MXP-14.6", func(c *Client) {
		c.does("call 1 works 18000", "wait 1000", "call 1 works 18000")
		p := c.ready()
		c.works(p)
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "1"})})
		p.drained("bye", 0)
		p.over()
		c.works(c.ready())
	}),
	plays("drain: what is in flight is answered, and the next call has another connection", "MXP-14.6", func(c *Client) {
		c.does("calls 1 1 first 5000", "call 1 works 18000")
		p := c.ready()
		r := p.called()
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "1"})})
		p.drained("bye", 0)
		p.send(answering(r.ID, "first"))
		c.answered("first")
		p.over()
		c.works(c.ready())
	}),
	plays("drain: the client connects anew at once, while a call is in flight", "MXP-14.6", func(c *Client) {
		c.does("call 1 first 5000")
		p := c.ready()
		r := p.called()
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "1"})})
		p.drained("bye", 0)
		c.ready()
		p.send(answering(r.ID, "first"))
		c.answered("first")
	}),
	plays("drain: a call that it has crossed is refused, and made again", "MXP-14.6", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.ready()
		r := p.called()
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "0"})}, Frame{Type: failed, ID: r.ID, Payload: failure("Unavailable", "session_draining", "", true)})
		c.works(c.ready())
	}),
	plays("drain: an event that it has crossed is refused, and sent again", "MXP-14.6", func(c *Client) {
		c.does("event x 6000")
		p := c.ready()
		r := p.request(event)
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "0"})}, Frame{Type: failed, ID: r.ID, Payload: failure("Unavailable", "session_draining", "", true)})
		p = c.ready()
		p.send(Frame{Type: ack, ID: p.request(event).ID, Payload: taken(0)})
		c.gets("acked")
	}),
	plays("drain: the connection ends with a call that is behind the last one taken, and it is made again", "MXP-11.3", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.ready()
		p.called()
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "0"})})
		p.drained("bye", 0)
		p.conn.Close()
		c.works(c.ready())
	}),
	plays("drain: the connection ends with a call that was taken", "MXP-11.3", func(c *Client) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		id := p.called().ID
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": numberText(id)})})
		p.drained("bye", 0)
		p.conn.Close()
		c.fails("session_lost", "acted")
		c.works(c.ready())
	}),
	plays("drain: it comes right behind Hello, in one piece", "MXP-14.6", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.accept()
		mine := greeting(0, demoService)
		p.send(mine, Frame{Type: drain, Payload: encode("Farewell", object{"reason": "full", "last": "0"})})
		p.greeted(mine)
		for f := p.any(); f == nil || f.Type != drain; f = p.any() {
			if f == nil || f.Type != call {
				fail("Drain does not come: %s", p.state())
			}
			p.send(Frame{Type: failed, ID: f.ID, Payload: failure("Unavailable", "session_draining", "", true)})
		}
		c.works(c.ready())
	}),
	plays("drain: the client has done all, and its connection ends", "MXP-11.1", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.ready()
		c.works(p)
		c.gets("closed")
		for f := p.any(); f != nil; f = p.any() {
			if f.Type != drain {
				fail("%s comes, and not the end%s", f, p.why(f))
			}
			p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "1"})})
		}
		if p.gone == nil {
			fail("the connection stays")
		}
	}),
	plays("ends: the connection ends with five calls in flight", "MXP-11.3", func(c *Client) {
		c.does("calls 5 1 x 6000", "call 1 works 18000")
		p := c.ready()
		for range 5 {
			p.called()
		}
		p.conn.Close()
		for range 5 {
			c.fails("session_lost", "acted")
		}
		c.works(c.ready())
	}),
	over(half, plays("ends: this side ends its direction with a call in flight", "MXP-11.3", func(c *Client) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		p.called()
		p.halfClose()
		c.fails("session_lost", "acted")
		p.lost(parting)
		c.works(c.ready())
	})),
	over(half, plays("ends: this side ends its direction behind an answer, in one piece", "MXP-11.3", func(c *Client) {
		c.does("call 1 x 6000", "wait 500", "call 1 works 18000")
		p := c.ready()
		p.send(answering(p.called().ID, "last"))
		p.halfClose()
		c.answered("last")
		p.lost(parting)
		c.works(c.ready())
	})),
	plays("ends: the connection of an idle client ends, and it connects again", "MXP-14.5", func(c *Client) {
		c.does("call 1 works 18000", "wait 3000", "call 1 works 18000")
		p := c.ready()
		c.works(p)
		p.conn.Close()
		c.works(c.ready())
	}),
	plays("ends: twenty connections end, one after the other", "MXP-14.3", func(c *Client) {
		c.does(slices.Repeat([]string{"call 1 x 6000"}, 20)...)
		for range 20 {
			p := c.ready()
			p.called()
			p.conn.Close()
			c.fails("session_lost", "acted")
		}
	}),
	plays("ends: an Error of the session says that nobody has acted, and the call is made again", "MXP-14.6", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.ready()
		p.called()
		p.send(Frame{Type: failed, Payload: failure("Unavailable", "demo_full", "", true)})
		p.lost(parting)
		c.works(c.ready())
	}),
	plays("ends: an Error of the session says that somebody may have acted", "MXP-11.3", func(c *Client) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		p.called()
		p.send(Frame{Type: failed, Payload: failure("Internal", "demo_broken", "why", false)})
		p.lost(parting)
		c.fails("demo_broken", "acted")
		c.works(c.ready())
	}),
	plays("ends: nobody listens any more", "MXP-14.4", func(c *Client) {
		c.does("call 1 works 18000", "wait 300", "call 1 x 400", "call 1 y 400")
		p := c.ready()
		c.unlisten()
		c.works(p)
		p.conn.Close()
		c.result() // of a call that may have been made before the client knew
		switch line := c.result(); {
		case line == "closed":
			fail("the client has ended")
		case !begins(line, "failed not_connected refused "), begins(line, "failed deadline_exceeded refused "), begins(line, "failed session_lost "):
			fail("the client says %q", line)
		}
	}),
	plays("slow: this side reads nothing, until the deadline of a large call has passed", "MXP-7.7", func(c *Client) {
		c.does("call 1 "+times("x", 12<<20)+" 1500", "call 1 works 18000")
		p := c.ready()
		if line := c.result(); !begins(line, "failed deadline_exceeded ") {
			fail("the client says %q", line)
		}
		f := p.any()
		for f != nil && f.Type == call {
			if r := p.requestOf(f); r.Value == "works" {
				p.send(answering(r.ID, "works"))
				c.answered("works")
				return
			}
			if f = p.any(); f != nil && f.Type == cancel {
				f = p.any()
			}
		}
		if f != nil || p.gone == nil {
			fail("of the call behind a large one there is nothing: %s", p.state())
		}
	}),
)

// clientSilentCases are about servers that say nothing, or stop.
var clientSilentCases = slices.Concat(
	plays("silence: no byte comes, not even of Hello", "MXP-14.2", func(c *Client) {
		c.does("call 1 x 30000", "call 1 works 18000")
		p := c.accept()
		began := time.Now()
		text := c.failsWithin(15*time.Second, "not_connected", "refused")
		if took := time.Since(began); took > 8*time.Second {
			fail("that comes after %s: %s", took, text)
		}
		p.lost(15 * time.Second)
	}),
	plays("silence: a ready server answers no Ping, and is given up after 25 s", "MXP-10.3", func(c *Client) {
		c.does("call 1 x 60000", "call 1 works 18000")
		p := c.ready()
		p.called()
		if f := p.take(20 * time.Second); f == nil || f.Type != ping {
			fail("no Ping comes: %s", p.state())
		}
		p.silent(10*time.Second, "session_silent")
		c.fails("session_silent", "acted")
		c.works(c.ready())
	}),
	plays("silence: half an answer comes, and Pings can't be answered", "MXP-10.3", func(c *Client) {
		c.does("call 1 x 60000", "call 1 works 18000")
		p := c.ready()
		p.write(answering(p.called().ID, "half").bytes()[:35])
		if f := p.take(20 * time.Second); f == nil || f.Type != ping {
			fail("no Ping comes: %s", p.state())
		}
		p.silent(10*time.Second, "session_silent")
		c.fails("session_silent", "acted")
		c.works(c.ready())
	}),
	plays("silence: a Pong keeps the connection", "MXP-10.3", func(c *Client) {
		c.does("call 1 x 60000")
		p := c.ready()
		r := p.called()
		f := p.take(20 * time.Second)
		if f == nil || f.Type != ping {
			fail("no Ping comes: %s", p.state())
		}
		p.send(Frame{Type: pong, ID: f.ID})
		p.quiet(11 * time.Second)
		p.send(answering(r.ID, "x"))
		c.answered("x")
	}),
)
