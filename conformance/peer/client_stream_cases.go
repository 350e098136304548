package peer

import (
	"slices"
	"strings"
)

// clientStreamCases are about streams of a client [MXP-8, 17].
var clientStreamCases = slices.Concat(
	plays("streams: chunks go and come, and both directions end", "MXP-8.1", func(c *Client) {
		c.does("stream 6000 a b c")
		p := c.ready()
		id := p.granted(wide, wide).ID
		p.values(id, "a", "b", "c")
		p.finished(id)
		p.chunk(id, 0, "A")
		p.chunk(id, 0, "B")
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("chunk 1:A", "chunk 1:B", "ended")
	}),
	plays("streams: the last chunk is final", "MXP-8.1", func(c *Client) {
		c.does("stream 6000 a")
		p, id := c.opened()
		p.chunk(id, 0, "A")
		p.chunk(id, final, "B")
		c.gets("chunk 1:A", "chunk 1:B", "ended")
	}),
	plays("streams: the last chunk is empty and final, and a value", "MXP-8.1", func(c *Client) {
		c.does("stream 6000 a")
		p, id := c.opened()
		p.chunk(id, final, "")
		c.gets("chunk 0:", "ended")
	}),
	plays("streams: this side ends its direction first", "MXP-8.1", func(c *Client) {
		c.does("stream 6000 "+strings.Join(numbered("w", 20), " "), "call 1 works 18000")
		p := c.ready()
		id := p.granted(10, wide).ID
		p.send(Frame{Type: streamClose, ID: id})
		p.send(Frame{Type: credit, ID: id, Payload: grant(20, 0)})
		c.gets("ended")
		p.passes(id)
	}),
	plays("streams: a chunk asks for an Ack", "MXP-8.5", func(c *Client) {
		c.does("stream 6000 a")
		p, id := c.opened()
		p.chunk(id, 0, "A")
		p.chunk(id, requiresAck, "B")
		p.ackedBeside(id, 2)
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("chunk 1:A", "chunk 1:B", "ended")
	}),
	plays("streams: the last chunk is final, and asks for an Ack", "MXP-8.1", func(c *Client) {
		c.does("stream 6000 a", "call 1 works 18000")
		p, id := c.opened()
		p.chunk(id, final|requiresAck, "A")
		p.ackedBeside(id, 1)
		c.gets("chunk 1:A", "ended")
		c.works(p)
	}),
	plays("streams: chunks come behind the final one", "MXP-5.7", func(c *Client) {
		c.does("stream 6000 a", "call 1 works 18000")
		p, id := c.opened()
		p.send(Frame{Type: streamChunk, Flags: final, ID: id, Payload: []byte("A")}, Frame{Type: streamChunk, ID: id, Payload: []byte("late")}, Frame{Type: streamClose, ID: id})
		c.gets("chunk 1:A", "ended")
		c.works(p)
	}),
	plays("streams: the server fails after a chunk", "MXP-8.2", func(c *Client) {
		c.does("stream 6000 a", "call 1 works 18000")
		p, id := c.opened()
		p.chunk(id, 0, "A")
		p.send(Frame{Type: failed, ID: id, Payload: failure("Internal", "demo_failed", "half way", false)})
		c.gets("chunk 1:A")
		if text := c.fails("demo_failed", "acted"); text != "half way" {
			fail("the text of the failure is %q", text)
		}
		c.works(p)
	}),
	plays("streams: the server refuses one", "MXP-7.2", func(c *Client) {
		c.does("stream 6000 a", "call 1 works 18000")
		p := c.ready()
		p.send(Frame{Type: failed, ID: p.streamed().ID, Payload: failure("Unavailable", "demo_closed", "at night", true)})
		c.fails("demo_closed", "refused")
		c.works(p)
	}),
	playsEach("streams: the server refuses one with %s, and it is opened again", "MXP-14.6, MXP-14.7", []string{"limit_in_flight", "limit_in_flight_bytes"}, func(c *Client, name string) {
		c.does("stream 6000 a")
		p := c.ready()
		for range 3 {
			p.send(Frame{Type: failed, ID: p.streamed().ID, Payload: failure("ResourceExhausted", name, "", true)})
		}
		id := p.granted(wide, wide).ID
		p.values(id, "a")
		p.finished(id)
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("ended")
	}),
	plays("streams: the client lets go of one", "MXP-8.2", func(c *Client) {
		c.does("read 6000 1 0", "wait 100", "call 1 works 18000")
		p := c.ready()
		id := p.streamed().ID
		p.chunk(id, 0, "A")
		c.gets("chunk 1:A", "ended")
		p.cancelled(id)
		p.chunk(id, 0, "late")
		c.works(p)
	}),
	plays("streams: the deadline passes", "MXP-8.6", func(c *Client) {
		c.does("call 1 works 18000", "stream 800 a", "call 1 works 18000")
		p := c.ready()
		c.works(p)
		r := p.granted(wide, wide)
		if r.Deadline == 0 || r.Deadline > 800_000 {
			fail("the deadline is %d µs, and not 800 ms", r.Deadline)
		}
		p.values(r.ID, "a")
		p.finished(r.ID)
		c.fails("deadline_exceeded", "acted")
		p.cancelled(r.ID)
		c.works(p)
	}),
	plays("streams: the connection ends", "MXP-11.3", func(c *Client) {
		c.does("stream 6000 a", "call 1 works 18000")
		p, id := c.opened()
		p.chunk(id, 0, "A")
		c.gets("chunk 1:A")
		p.conn.Close()
		c.fails("session_lost", "acted")
		c.works(c.ready())
	}),
	plays("streams: the connection ends before anything was sent but StreamOpen, and it is opened again", "MXP-14.6", func(c *Client) {
		c.does("stream 6000 a")
		p := c.ready()
		p.streamed()
		p.send(Frame{Type: drain, Payload: encode("Farewell", object{"reason": "bye", "last": "0"})})
		p.drained("bye", 0)
		p.conn.Close()
		p = c.ready()
		id := p.granted(wide, wide).ID
		p.values(id, "a")
		p.finished(id)
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("ended")
	}),
	plays("credit: none is granted, and no chunk comes", "MXP-8.3", func(c *Client) {
		c.does("stream 6000 a")
		p := c.ready()
		id := p.streamed().ID
		p.noChunk(id)
		p.send(Frame{Type: credit, ID: id, Payload: grant(1, 2)})
		p.values(id, "a")
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("ended")
	}),
	plays("credit: messages are granted one by one", "MXP-8.3", func(c *Client) {
		c.does("stream 6000 a b c")
		p := c.ready()
		id := p.granted(1, wide).ID
		for i, value := range []string{"a", "b", "c"} {
			p.values(id, value)
			if i < 2 {
				p.noChunk(id)
				p.send(Frame{Type: credit, ID: id, Payload: grant(1, 0)})
			}
		}
		p.finished(id)
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("ended")
	}),
	plays("credit: the bytes of two chunks are granted", "MXP-8.3", func(c *Client) {
		c.does("stream 6000 abc de fg")
		p := c.ready()
		id := p.granted(wide, 6).ID
		p.values(id, "abc", "de")
		p.noChunk(id)
		p.send(Frame{Type: credit, ID: id, Payload: grant(0, 1)})
		p.values(id, "fg")
		p.finished(id)
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("ended")
	}),
	plays("credit: sums that 64 bits can't hold", "MXP-8.3", func(c *Client) {
		c.does("stream 6000 a")
		p := c.ready()
		id := p.granted(1<<32-1, 1<<64-1).ID
		for range 3 {
			p.send(Frame{Type: credit, ID: id, Payload: grant(1<<32-1, 1<<64-1)})
		}
		p.values(id, "a")
		p.finished(id)
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("ended")
	}),
	plays("credit: a chunk has more than half of the window, and might wait for ever", "MXP-8.7", func(c *Client) {
		c.does("stream 6000 abc", "call 1 works 18000")
		p := c.ready()
		id := p.granted(9, 5).ID
		c.fails("stream_window", "acted")
		p.cancelled(id)
		c.works(p)
	}),
	plays("credit: more messages come than the client grants", "MXP-8.3", func(c *Client) {
		c.floods(func(r *Request) Frame {
			return Frame{Type: streamChunks, ID: r.ID, Payload: make([]byte, 2*(r.Messages+1))} // records without bytes
		})
	}),
	plays("credit: more bytes come than the client grants", "MXP-8.3", func(c *Client) {
		c.floods(func(r *Request) Frame {
			return Frame{Type: streamChunk, ID: r.ID, Payload: make([]byte, min(r.Bytes+1, payloadMost))}
		})
	}),
	plays("credit: it goes on for a stream of 16 MiB that the client reads", "MXP-8.7", func(c *Client) {
		c.does("stream 18000")
		p := c.ready()
		r := p.streamed()
		const size = 256 << 10
		messages, left := r.Messages, r.Bytes
		for range 64 {
			for messages < 1 || left < size {
				f := p.among(credit, streamClose)
				var more struct {
					Messages uint64 `json:"messages"`
					Bytes    uint64 `json:"bytes,string"`
				}
				whole("Grant", f.Payload, &more)
				messages, left = messages+more.Messages, left+more.Bytes
			}
			p.chunk(r.ID, 0, repeated("y", size))
			messages, left = messages-1, left-size
			c.gets("chunk " + shown(repeated("y", size)))
		}
		p.send(Frame{Type: streamClose, ID: r.ID})
		c.gets("ended")
	}),
	plays("batches: chunks come in one", "MXP-17.3", func(c *Client) {
		c.does("stream 6000 a")
		p := c.batching()
		id := p.granted(wide, wide).ID
		p.send(Frame{Type: streamChunks, ID: id, Payload: records("A", "", "BC")}, Frame{Type: streamClose, ID: id})
		c.gets("chunk 1:A", "chunk 0:", "chunk 2:BC", "ended")
	}),
	plays("batches: the last chunk of one is final", "MXP-17.3", func(c *Client) {
		c.does("stream 6000 a")
		p := c.batching()
		id := p.granted(wide, wide).ID
		p.send(Frame{Type: streamChunks, Flags: final, ID: id, Payload: records("A", "B")})
		c.gets("chunk 1:A", "chunk 1:B", "ended")
	}),
	plays("batches: the last chunk of one asks for an Ack", "MXP-17.3", func(c *Client) {
		c.does("stream 6000 a")
		p := c.batching()
		id := p.granted(wide, wide).ID
		p.values(id, "a")
		p.send(Frame{Type: streamChunks, Flags: requiresAck, ID: id, Payload: records("A", "B")})
		p.ackedBeside(id, 2)
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("chunk 1:A", "chunk 1:B", "ended")
	}),
	plays("batches: one comes that the client has not offered to take with this side", "MXP-17.2", func(c *Client) {
		c.does("stream 6000 a", "call 1 works 18000")
		p := c.ready()
		id := p.granted(wide, wide).ID
		p.send(Frame{Type: streamChunks, ID: id, Payload: records("A")})
		p.ends("session_batch")
		c.fails("session_batch", "acted")
		c.works(c.ready())
	}),
	playsEach("batches: the records of one lie: %x", "MXP-17.3", []string{"", "\x01", "\x02\x00a", "\x00\x00\xff"}, func(c *Client, payload string) {
		c.does("stream 6000 a", "call 1 works 18000")
		p := c.batching()
		id := p.granted(wide, wide).ID
		p.send(Frame{Type: streamChunks, ID: id, Payload: []byte(payload)})
		p.ends("session_payload")
		c.fails("session_payload", "acted")
		c.works(c.ready())
	}),
	plays("batches: one has more than 64 KiB", "MXP-17.3", func(c *Client) {
		c.does("stream 6000 a", "call 1 works 18000")
		p := c.batching()
		id := p.granted(wide, wide).ID
		p.send(Frame{Type: streamChunks, ID: id, Payload: records(repeated("x", 40000), repeated("x", 40000))})
		p.ends("limit_batch_bytes")
		c.fails("limit_batch_bytes", "acted")
		c.works(c.ready())
	}),
	plays("batches: none is sent to a side that has not offered to take them", "MXP-17.2", func(c *Client) {
		words := numbered("w", 50)
		c.does("stream 6000 "+strings.Join(words, " "), "post a", "post b", "post c", "call 1 works 18000")
		p := c.ready()
		id := p.granted(wide, wide).ID
		for range words {
			if f := p.among(streamChunk, credit, ack); f.ID != id {
				fail("%s is of another stream than %d", f, id)
			}
		}
		p.finished(id)
		p.send(Frame{Type: streamClose, ID: id})
		c.gets("ended")
		for range 3 {
			p.expect(event)
			c.gets("sent")
		}
		c.works(p)
	}),
)

// opened is a stream of the client's whose only chunk has come, and whose other direction has not ended.
func (c *Client) opened() (*Peer, uint64) {
	p := c.ready()
	id := p.granted(wide, wide).ID
	p.values(id, "a")
	p.finished(id)
	return p, id
}

// passes reads until the client's direction of a stream ends, or it says that it reads no more.
func (p *Peer) passes(id uint64) {
	for {
		f := p.any()
		if f == nil {
			fail("the end of stream %d does not come: %s", id, p.state())
		}
		if f.ID == id && (f.Type == streamClose || f.Type == cancel || f.Flags&final != 0) {
			return
		}
	}
}

// floods sends more in one frame than the reader of a stream grants, who reads late: the stream
// ends, and the connection goes on.
func (c *Client) floods(excess func(*Request) Frame) {
	c.does("read 8000 1000000 500", "call 1 works 18000")
	p := c.batching()
	r := p.streamed()
	p.send(excess(r))
	p.cancelled(r.ID)
	for {
		line := c.result()
		if begins(line, "failed stream_credit acted") {
			break
		}
		if !begins(line, "chunk ") {
			fail("the client says %.200q, and not that the credit is exceeded", line)
		}
	}
	c.works(p)
}
