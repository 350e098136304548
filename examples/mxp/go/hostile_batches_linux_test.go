//go:build soak

package main

import (
	"bytes"
	"io"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	// emptyEvents and emptyChunks are how many records without bytes a batch has: as many as fit,
	// and as many as a stream is granted.
	emptyEvents = 30_000
	emptyChunks = 16_384
	// silentStreams is as many as may be in flight.
	silentStreams = 4_096
)

// raw is a frame that a session would not make.
func raw(kind frame.Type, id uint64, payload []byte) []byte {
	f := frame.Frame{Header: frame.Header{Type: kind, MessageID: id}, Payload: payload}
	data, err := f.Append(nil, frame.ChecksumOff)
	if err != nil {
		panic(err)
	}
	return data
}

// emptyEvents is a batch of events without bytes, whose head is that of one event.
func (p *rawPeer) emptyEvents() []byte {
	id, err := p.session.Event(session.Request{Method: tick}, nil, false, session.Refuse, p.now())
	if err != nil {
		return nil
	}
	f, _ := p.session.PollFrame(p.now())
	start := bytes.Clone(f.Head[frame.HeaderSize : len(f.Head)-frame.TrailerSize])
	return raw(frame.Events, id, append(start, make([]byte, 2*emptyEvents)...))
}

// sendRaw sends frames as fast as the server takes them, and reads what it says.
func (p *rawPeer) sendRaw(next func() []byte) {
	go io.Copy(io.Discard, p.network)
	for data := next(); data != nil && p.ctx.Err() == nil && p.write(data); data = next() {
	}
}

// openEmpty opens streams, and sends as many chunks without bytes on each as are granted.
func (p *rawPeer) openEmpty() {
	opened := 0
	p.sendRaw(func() []byte {
		id, err := p.session.Open(session.Request{Method: upper}, 0, 0, nil, false, p.now())
		if opened++; err != nil || opened > 512 || !p.send() {
			return nil
		}
		return raw(frame.StreamChunks, id, make([]byte, 2*emptyChunks))
	})
	p.wait()
}

// openSilent opens as many streams as may be, and sends nothing on them.
func (p *rawPeer) openSilent() {
	for range silentStreams {
		if _, err := p.session.Open(session.Request{Method: upper}, 0, 0, nil, false, p.now()); err != nil || !p.send() {
			break
		}
	}
	p.rest()
}

// wait does nothing until the server has ended the connection.
func (p *rawPeer) wait() {
	for p.ctx.Err() == nil && p.write(nil) {
		time.Sleep(50 * time.Millisecond)
	}
}
