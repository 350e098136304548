package peer

import (
	"slices"
)

// clientCallCases are about calls and events of a client [MXP-7, 14].
var clientCallCases = slices.Concat(
	plays("calls: one is answered", "MXP-7.1", func(c *Client) {
		c.does("call 1 works 18000")
		c.works(c.ready())
	}),
	playsEach("calls: values of %d bytes, both ways", "MXP-7.1", []int{1, 4095, 4096, 16384, 65536, 1 << 20, 5 << 20}, func(c *Client, n int) {
		c.does("call 1 " + times("v", n) + " 18000")
		c.ready().answers(repeated("v", n))
		c.answered(repeated("v", n))
	}),
	plays("calls: the answer is empty", "MXP-7.1", func(c *Client) {
		c.does("call 1 x 6000")
		p := c.ready()
		p.send(answering(p.called().ID, ""))
		c.answered("")
	}),
	playsEach("calls: the server fails with the status %s", "MXP-7.2", []string{"Cancelled", "Unknown", "InvalidArgument", "NotFound", "Aborted", "Internal", "Unavailable", "DataLoss"}, func(c *Client, status string) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		p.send(Frame{Type: failed, ID: p.called().ID, Payload: failure(status, "demo_failed", "no, thanks", false)})
		if text := c.fails("demo_failed", "acted"); text != "no, thanks" {
			fail("the text of the failure is %q", text)
		}
		c.works(p)
	}),
	plays("calls: the server refuses one for a reason of its own, which is not asked again", "MXP-14.6", func(c *Client) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		p.send(Frame{Type: failed, ID: p.called().ID, Payload: failure("Unavailable", "demo_closed", "at night", true)})
		c.fails("demo_closed", "refused")
		c.works(p)
	}),
	playsEach("calls: the server refuses one with %s, and it is made again", "MXP-14.7", []string{"limit_in_flight", "limit_in_flight_bytes"}, func(c *Client, name string) {
		c.does("call 1 works 18000")
		p := c.ready()
		for range 3 {
			p.send(Frame{Type: failed, ID: p.called().ID, Payload: failure("ResourceExhausted", name, "", true)})
		}
		c.works(p)
	}),
	plays("calls: the server refuses one with limit_in_flight until the deadline", "MXP-14.7", func(c *Client) {
		c.does("call 1 works 18000", "call 1 x 600", "call 1 works 18000")
		p := c.ready()
		c.works(p)
		for {
			r := p.requestOf(p.among(call, cancel))
			if r.Value == "works" {
				p.send(answering(r.ID, "works"))
				break
			}
			p.send(Frame{Type: failed, ID: r.ID, Payload: failure("ResourceExhausted", "limit_in_flight", "", true)})
		}
		if line := c.result(); !begins(line, "failed deadline_exceeded ") && !begins(line, "failed limit_in_flight refused") {
			fail("the client says %q", line)
		}
		c.answered("works")
	}),
	plays("calls: the deadline is told, and is not longer than the client's", "MXP-7.7", func(c *Client) {
		c.does("call 1 x 2000")
		p := c.ready()
		if r := p.called(); r.Deadline == 0 || r.Deadline > 2_000_000 || r.Deadline < 1_000_000 {
			fail("the deadline is %d µs, and not 2 s", r.Deadline)
		}
	}),
	plays("calls: the deadline passes, and the answer comes late", "MXP-7.7", func(c *Client) {
		c.does("call 1 works 18000", "call 1 x 800", "call 1 works 18000")
		p := c.ready()
		c.works(p)
		r := p.called()
		c.fails("deadline_exceeded", "acted")
		p.cancelled(r.ID)
		p.send(answering(r.ID, "late"))
		c.works(p)
	}),
	plays("calls: one is given up, and the answer comes late", "MXP-7.6", func(c *Client) {
		c.does("call 1 works 18000", "cancel 1 x 1000", "call 1 works 18000")
		p := c.ready()
		c.works(p)
		r := p.called()
		p.cancelled(r.ID)
		c.fails("cancelled", "acted")
		p.send(answering(r.ID, "late"))
		c.works(p)
	}),
	plays("calls: one is given up, and fails late", "MXP-7.6", func(c *Client) {
		c.does("call 1 works 18000", "cancel 1 x 1000", "call 1 works 18000")
		p := c.ready()
		c.works(p)
		r := p.called()
		p.cancelled(r.ID)
		p.send(Frame{Type: failed, ID: r.ID, Payload: failure("Internal", "late", "", false)})
		c.works(c.after("failed cancelled acted ", p))
	}),
	plays("calls: an answer comes twice", "MXP-5.7", func(c *Client) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		id := p.called().ID
		p.send(answering(id, "once"), answering(id, "twice"))
		c.answered("once")
		c.works(p)
	}),
	playsEach("calls: %k comes before the answer", "MXP-5.7", []byte{credit, streamChunk, streamClose, ack, pong}, func(c *Client, kind byte) {
		c.does("call 1 x 6000")
		p := c.ready()
		id := p.called().ID
		if kind == pong {
			p.id() // so that the other side's ids don't matter
		}
		p.send(Frame{Type: kind, ID: id, Payload: ownPayload(kind)}, answering(id, "x"))
		c.answered("x")
	}),
	playsEach("calls: an answer has the id %d", "MXP-5.6", []uint64{0, 2, 1001}, func(c *Client, id uint64) {
		c.spoils("session_id", func(uint64) Frame { return answering(id, "x") })
	}),
	playsEach("calls: an answer has the flag %d", "MXP-5.6", []byte{compressed, encrypted, requiresAck, final}, func(c *Client, flag byte) {
		c.spoils("session_flags", func(id uint64) Frame {
			f := answering(id, "x")
			f.Flags = flag
			return f
		})
	}),
	playsEach("calls: the payload of an answer ends after %d bytes", "MXP-5.6", []int{0, 1, 2}, func(c *Client, n int) {
		c.spoils("session_payload", func(id uint64) Frame { return Frame{Type: response, ID: id, Payload: responseStart()[:n]} })
	}),
	playsEach("calls: the payload of an Error ends after %d bytes", "MXP-5.6", []int{0, 3, 9}, func(c *Client, n int) {
		c.spoils("session_payload", func(id uint64) Frame {
			return Frame{Type: failed, ID: id, Payload: failure("Internal", "x", "y", false)[:n]}
		})
	}),
	plays("events: one is acknowledged", "MXP-7.9", func(c *Client) {
		c.does("event x 6000", "call 1 works 18000")
		p := c.ready()
		r := p.request(event)
		if r.Flags != requiresAck || r.Method != tickMethod || r.Value != "x" {
			fail("%s of the method %d comes", r, r.Method)
		}
		p.send(Frame{Type: ack, ID: r.ID, Payload: taken(0)})
		c.gets("acked")
		c.works(p)
	}),
	plays("events: the server fails", "MXP-7.9", func(c *Client) {
		c.does("event x 6000", "call 1 works 18000")
		p := c.ready()
		p.send(Frame{Type: failed, ID: p.request(event).ID, Payload: failure("Internal", "demo_failed", "", false)})
		c.fails("demo_failed", "acted")
		c.works(p)
	}),
	plays("events: no Ack comes before the deadline", "MXP-7.9", func(c *Client) {
		c.does("call 1 works 18000", "event x 800", "call 1 works 18000")
		p := c.ready()
		c.works(p)
		r := p.request(event)
		c.fails("deadline_exceeded", "acted")
		p.cancelled(r.ID)
		p.send(Frame{Type: ack, ID: r.ID, Payload: taken(0)})
		c.works(p)
	}),
	plays("events: one is sent without an Ack, and a call behind it", "MXP-7.9", func(c *Client) {
		c.does("post x", "call 1 works 18000")
		p := c.ready()
		if r := p.request(event); r.Flags != 0 || r.Method != tickMethod || r.Value != "x" {
			fail("%s of the method %d comes", r, r.Method)
		}
		c.gets("sent")
		c.works(p)
	}),
	plays("events: the connection ends before the Ack", "MXP-11.3", func(c *Client) {
		c.does("event x 6000", "call 1 works 18000")
		p := c.ready()
		p.request(event)
		p.conn.Close()
		c.fails("session_lost", "acted")
		c.works(c.ready())
	}),
)

// spoils answers a call with a frame that ends the session.
func (c *Client) spoils(name string, bad func(id uint64) Frame) {
	c.breaks(name, func(f Frame) []byte { return bad(f.ID).bytes() })
}

// after fails unless the client's next result begins with a text.
func (c *Client) after(text string, p *Peer) *Peer {
	if line := c.result(); line[:min(len(line), len(text))] != text {
		fail("the client says %q, and not %q", line, text)
	}
	return p
}

// askedCases are about requests that a server makes of its client, which serves nothing.
var askedCases = slices.Concat(
	plays("asked: a Ping is answered", "MXP-10.3", func(c *Client) {
		p := c.busy()
		p.alive()
	}),
	plays("asked: a Ping of 1 MiB", "MXP-5.6", func(c *Client) {
		p := c.busy()
		id := p.id()
		p.send(Frame{Type: ping, ID: id, Payload: make([]byte, controlMost)})
		if f := p.expect(pong); f.ID != id {
			fail("%s answers a Ping of id %d", f, id)
		}
	}),
	plays("asked: 1,000 Pings in one piece", "MXP-9.4", func(c *Client) {
		p := c.busy()
		var all []Frame
		for range 1000 {
			all = append(all, Frame{Type: ping, ID: p.id()})
		}
		p.send(all...)
		for _, f := range all {
			if got := p.expect(pong); got.ID != f.ID {
				fail("%s answers a Ping of id %d", got, f.ID)
			}
		}
	}),
	playsEach("asked: %k of a service, and the client serves none", "MXP-7.3", []byte{call, streamOpen, event}, func(c *Client, kind byte) {
		p := c.busy()
		f := Frame{Type: kind, ID: p.id(), Payload: callStart(0, echoMethod, nil)}
		switch kind {
		case streamOpen:
			f.Payload = streamStart(0, upperMethod, 1, 1, nil)
		case event:
			f.Flags = requiresAck
		}
		p.send(f)
		p.refused(f.ID, "service_unknown")
		p.alive()
	}),
	plays("asked: an Event that requires no Ack", "MXP-7.3", func(c *Client) {
		p := c.busy()
		p.send(Frame{Type: event, ID: p.id(), Payload: callStart(0, tickMethod, nil)})
		p.alive()
	}),
	plays("asked: for agents", "MXP-12.2", func(c *Client) {
		p := c.busy()
		id := p.id()
		p.send(Frame{Type: 0x02, ID: id, Payload: encode("Query", object{"capability": "", "name": "", "service": ""})})
		p.refused(id, "agents_off")
		p.alive()
	}),
	playsEach("asked: %k has an id of the client's own", "MXP-5.6", []byte{call, event, streamOpen, ping}, func(c *Client, kind byte) {
		c.spoils("session_id", func(uint64) Frame {
			f := Frame{Type: kind, ID: 3, Payload: callStart(0, echoMethod, nil)}
			if kind == streamOpen {
				f.Payload = streamStart(0, upperMethod, 1, 1, nil)
			}
			return f
		})
	}),
	playsEach("asked: %k names a request that nobody has made", "MXP-5.6", []byte{cancel, streamChunk, streamClose, credit, ack}, func(c *Client, kind byte) {
		c.spoils("session_id", func(uint64) Frame { return Frame{Type: kind, ID: 98, Payload: ownPayload(kind)} })
	}),
)

// busy is a ready connection on which the client awaits an answer.
func (c *Client) busy() *Peer {
	c.does("call 1 x 8000")
	p := c.ready()
	p.called()
	return p
}
