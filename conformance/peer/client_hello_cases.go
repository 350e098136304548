package peer

import (
	"slices"
	"time"
)

// clientHelloCases are about a server's first frame [MXP-6], and how clients connect [MXP-14].
var clientHelloCases = slices.Concat(
	plays("Hello: its own comes without waiting for this side's", "MXP-6.1", func(c *Client) {
		c.does("call 1 x 500")
		if p := c.accept(); p.take(patience) == nil {
			fail("no Hello comes: %s", p.state())
		}
	}),
	plays("Hello: it comes in three pieces", "MXP-4.1", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.accept()
		mine := greeting(0, demoService)
		all := mine.bytes()
		for _, piece := range [][]byte{all[:10], all[10:40], all[40:]} {
			p.write(piece)
			time.Sleep(20 * time.Millisecond)
		}
		c.works(p.greeted(mine))
	}),
	plays("Hello: it comes late, and the call waits for it", "MXP-14.4", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.accept()
		mine := greeting(0, demoService)
		p.greeted(mine).quiet(300 * time.Millisecond)
		p.send(mine)
		c.works(p)
	}),
	plays("Hello: it does not come before the deadline of a call", "MXP-14.4", func(c *Client) {
		c.does("call 1 x 800", "call 1 works 18000")
		p := c.accept()
		mine := greeting(0, demoService)
		p.greeted(mine)
		c.fails("not_connected", "refused")
		p.send(mine)
		c.works(p)
	}),
	playsEach("Hello: %k comes first", "MXP-6.2", []byte{
		call, response, event, streamOpen, streamChunk, streamClose, cancel, credit, drain, ping, pong, ack, failed,
	}, func(c *Client, kind byte) {
		c.unready("session_hello", Frame{Type: kind, ID: 2, Payload: ownPayload(kind)})
	}),
	plays("Hello: version 0", "MXP-6.3", func(c *Client) { c.unready("session_version", versioned(0)) }),
	playsEach("Hello: its payload ends after %d bytes", "MXP-5.6", []int{0, 1, 5, 9}, func(c *Client, at int) {
		mine := greeting(0, demoService)
		mine.Payload = mine.Payload[:at]
		c.unready("session_payload", mine)
	}),
	plays("Hello: it has the id 2", "MXP-5.6", func(c *Client) {
		mine := greeting(0, demoService)
		mine.ID = 2
		c.unready("session_id", mine)
	}),
	playsEach("Hello: it has the flag %d", "MXP-5.6", []byte{compressed, encrypted, requiresAck, final}, func(c *Client, flag byte) {
		mine := greeting(0, demoService)
		mine.Flags = flag
		c.unready("session_flags", mine)
	}),
	plays("Hello: it comes twice", "MXP-6.2", func(c *Client) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		p.called()
		p.send(greeting(0, demoService))
		p.ends("session_hello")
		c.fails("session_hello", "acted")
		c.works(c.ready())
	}),
	playsEach("Hello: version %d, which is later than 1", "MXP-6.3", []uint16{2, 65535}, func(c *Client, version uint16) {
		c.does("call 1 works 18000")
		c.works(c.accept().greet(helloOf(object{"version": version})))
	}),
	plays("Hello: it has a segment that nobody knows yet", "MXP-6.3", func(c *Client) {
		c.does("call 1 works 18000")
		mine := greeting(0, demoService)
		late := mine
		late.Payload = append(slices.Clone(mine.Payload), "later"...)
		p := c.accept()
		p.send(late)
		c.works(p.greeted(mine))
	}),
	plays("Hello: it offers what nobody knows yet", "MXP-6.7", func(c *Client) {
		c.does("call 1 works 18000")
		c.works(c.accept().greet(greeting(0xfffffffc, demoService)))
	}),
	plays("Hello: no service is served", "MXP-6.8", func(c *Client) {
		c.does("call 1 x 6000", "event x 6000", "stream 6000 x", "call 1 y 6000", "wait 300")
		p := c.accept().greet(greeting(0))
		for range 4 {
			c.fails("service_unknown", "refused")
		}
		p.rests()
	}),
	plays("Hello: the service is the fourth of four", "MXP-6.8", func(c *Client) {
		c.does("call 1 x 6000")
		p := c.accept().greet(greeting(0, "a.A", "b.B", "c.C", demoService))
		if r := p.request(call); r.Service != 3 {
			fail("a Call of the service %d comes, and not of 3", r.Service)
		}
	}),
	plays("Hello: the service is listed twice, and the first counts", "MXP-6.8", func(c *Client) {
		c.does("call 1 x 6000")
		p := c.accept().greet(greeting(0, "a.A", demoService, demoService))
		if r := p.request(call); r.Service != 1 {
			fail("a Call of the service %d comes, and not of 1", r.Service)
		}
	}),
	plays("Hello: this side lists 200 services that the other never asks for", "MXP-6.5", func(c *Client) {
		c.does("call 1 x 6000")
		names := make([]string, 200)
		for i := range names {
			names[i] = repeated("s", i+1)
		}
		p := c.accept().greet(greeting(0, append(names, demoService)...))
		if r := p.request(call); r.Service != 200 {
			fail("a Call of the service %d comes, and not of 200", r.Service)
		}
	}),
	plays("Hello: this side lists a type that the other has not", "MXP-6.5", func(c *Client) {
		c.does("call 1 works 18000")
		c.works(c.accept().greet(helloOf(object{"types": []object{{"name": "other.Type", "fingerprints": []string{"1", "2"}, "layout": "3"}}})))
	}),
	plays("Hello: this side takes 4 KiB at most, and the other has more", "MXP-9.2", func(c *Client) {
		c.does("call 1 "+times("x", 5000)+" 6000", "call 1 works 18000")
		p := c.accept().greet(greetingOf(4096, 0, demoService))
		c.fails("payload_too_large", "refused")
		c.works(p)
	}),
	plays("Hello: the connection ends before it, five times", "MXP-14.3", func(c *Client) {
		c.does("call 1 works 18000")
		for range 5 {
			c.accept().conn.Close()
		}
		c.works(c.ready())
	}),
	plays("Hello: the connection ends inside it", "MXP-14.3", func(c *Client) {
		c.does("call 1 works 18000")
		p := c.accept()
		p.write(greeting(0, demoService).bytes()[:40])
		p.conn.Close()
		c.works(c.ready())
	}),
	plays("Hello: the server that refuses it is there again later", "MXP-14.3", func(c *Client) {
		c.does("call 1 x 6000", "wait 1500", "call 1 works 18000")
		p := c.accept()
		p.send(versioned(0))
		p.expect(hello)
		p.ready = true
		p.ends("session_version")
		c.fails("session_version", "refused")
		c.works(c.ready())
	}),
)

// helloOf is a Hello of a server of demo.Echo, some of whose members are others.
func helloOf(others object) Frame {
	all := object{"version": 1, "payload_bytes": payloadMost, "offers": 0, "services": []object{{"name": demoService}}, "types": []object{}}
	for name, value := range others {
		all[name] = value
	}
	return Frame{Type: hello, Payload: encode("Hello", all)}
}

// unready sends, in place of Hello, what ends the session: the attempt has failed for good, and
// so has the call [MXP-14.2, 14.4].
func (c *Client) unready(name string, first Frame) {
	c.does("call 1 x 6000", "wait 300") // closing the client would end the connection at once
	p := c.accept()
	p.send(first)
	p.expect(hello)
	p.ready = true
	p.ends(name)
	c.fails(name, "refused")
}

// rests fails where a request comes soon.
func (p *Peer) rests() {
	for f := p.take(200 * time.Millisecond); f != nil; f = p.take(200 * time.Millisecond) {
		switch f.Type {
		case drain: // since the client has done all
			return
		case ping, pong:
		default:
			fail("%s comes, where nothing should%s", f, p.why(f))
		}
	}
}
