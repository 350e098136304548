package peer

import (
	"fmt"
	"strconv"
)

// Request is one that a client has made.
type Request struct {
	Frame
	Service  uint16
	Method   uint16
	Deadline uint64 // in microseconds; 0 for none
	Messages uint64 // that are granted, of a stream
	Bytes    uint64
	Value    string
}

type headOf struct {
	Service  uint16 `json:"service"`
	Method   uint16 `json:"method"`
	Deadline uint64 `json:"deadline,string"`
}

// request is the next frame, which is a request of a type.
func (p *Peer) request(kind byte) *Request { return p.requestOf(p.expect(kind)) }

func (p *Peer) requestOf(f *Frame) *Request {
	r := &Request{Frame: *f}
	var start struct {
		Head  headOf `json:"head"`
		Grant struct {
			Messages uint64 `json:"messages"`
			Bytes    uint64 `json:"bytes,string"`
		} `json:"grant"`
	}
	if f.Type == streamOpen {
		whole("StreamStart", f.Payload, &start)
	} else {
		r.Value = string(decode("CallStart", f.Payload, &start))
	}
	r.Service, r.Method, r.Deadline = start.Head.Service, start.Head.Method, start.Head.Deadline
	r.Messages, r.Bytes = start.Grant.Messages, start.Grant.Bytes
	return r
}

// called is the next frame, which is a Call of echo.
func (p *Peer) called() *Request {
	r := p.request(call)
	if r.Service != 0 || r.Method != echoMethod {
		fail("a Call of the method %d of the service %d comes, and not of %d of 0", r.Method, r.Service, echoMethod)
	}
	return r
}

// answering is a Response, which is not sent.
func answering(id uint64, value string) Frame {
	return Frame{Type: response, ID: id, Payload: append(responseStart(), value...)}
}

// answers takes a Call of echo, and answers it with its value, which has to be this.
func (p *Peer) answers(value string) { p.answer(p.called(), value) }

// answer answers a Call, whose value has to be this.
func (p *Peer) answer(r *Request, value string) {
	if r.Value != value {
		fail("a Call of %.40q comes, and not of %.40q", r.Value, value)
	}
	p.send(answering(r.ID, value))
}

// streamed is the next frame, which opens a stream of the client's.
func (p *Peer) streamed() *Request {
	r := p.request(streamOpen)
	if r.Service != 0 || r.Method != upperMethod {
		fail("a StreamOpen of the method %d of the service %d comes, and not of %d of 0", r.Method, r.Service, upperMethod)
	}
	return r
}

// granted is a stream of the client's, for which so much is granted.
func (p *Peer) granted(messages uint32, bytes uint64) *Request {
	r := p.streamed()
	p.send(Frame{Type: credit, ID: r.ID, Payload: grant(messages, bytes)})
	return r
}

// cancelled fails unless the next frame is Cancel of a request.
func (p *Peer) cancelled(id uint64) {
	if f := p.among(cancel, credit, streamChunk, streamChunks); f.ID != id {
		fail("%s comes, and not of id %d", f, id)
	}
}

// numbered are texts with numbers from 0 on.
func numbered(text string, count int) (all []string) {
	for i := range count {
		all = append(all, text+strconv.Itoa(i))
	}
	return all
}

// times is a value of a script: one byte, so many times.
func times(unit string, count int) string { return fmt.Sprintf("%s*%d", unit, count) }
