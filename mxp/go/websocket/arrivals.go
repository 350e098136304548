package websocket

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

const (
	controlBit  = 0x08 // of the first byte of a frame's head
	finalBit    = 0x80
	opcodeBits  = 0x0f
	closeCode   = 0x08
	lengthBits  = 0x7f // of the second
	maskBit     = 0x80
	maskBytes   = 4
	length16    = 126 // a length that says that 2 bytes follow with it
	length64    = 127
	headBytes   = 2
	headMost    = headBytes + 8 + maskBytes
	shortLength = 2
	longLength  = 8
)

var errMasked = errors.New("a frame of a server has a mask")

// arrivals counts the bytes of messages that have come and that nobody has taken. The library waits
// for as many bytes as it is asked for, so that it has to be asked for no more than there are.
type arrivals struct {
	from   io.Reader
	count  atomic.Int64
	opener bool // this side has opened the WebSocket, whose other side masks nothing

	// The frame that comes.
	head  [headMost]byte
	has   int    // bytes of its head
	left  uint64 // bytes of its payload that have not come
	taken bool   // its payload is a message's
	wrong error  // what the library lets pass

	// The Close, with the bytes behind it; the library answers a Close as soon as it reads it.
	close   []byte
	closes  bool
	closing func() // is called before the library reads a Close that may be one
}

func (a *arrivals) Read(buffer []byte) (int, error) {
	for !a.closes {
		n, err := a.from.Read(buffer)
		before := n - len(a.note(buffer[:n]))
		if a.wrong != nil {
			return 0, a.wrong
		}
		if a.closes {
			a.close = bytes.Clone(buffer[before:n])
		}
		if before > 0 || err != nil && !a.closes {
			return before, err
		}
	}
	if a.closing != nil {
		if isClose(a.close) {
			a.closing()
		}
		a.closing = nil
	}
	if len(a.close) == 0 {
		return a.from.Read(buffer)
	}
	n := copy(buffer, a.close)
	a.close = a.close[n:]
	return n, nil
}

// isClose reports whether a frame begins as a Close may: not cut in two, and not with half a code.
func isClose(head []byte) bool {
	if len(head) < headBytes || head[0] != finalBit|closeCode {
		return false
	}
	length := head[1] & lengthBits
	return length == 0 || length >= shortLength && length < length16
}

// note counts the received bytes, up to a Close, which it gives with all bytes behind it.
func (a *arrivals) note(data []byte) (rest []byte) {
	for len(data) > 0 {
		if a.left == 0 {
			if a.has == 0 && data[0]&opcodeBits == closeCode {
				a.closes = true
				return data
			}
			a.head[a.has] = data[0]
			a.has++
			data = data[1:]
			a.begin()
			continue
		}
		n := min(a.left, uint64(len(data)))
		if a.taken {
			a.count.Add(int64(n))
		}
		a.left -= n
		data = data[n:]
	}
	return nil
}

// begin begins a payload, if its head is whole.
func (a *arrivals) begin() {
	if a.has < headBytes {
		return
	}
	length, whole := uint64(a.head[1]&lengthBits), headBytes
	switch length {
	case length16:
		whole += shortLength
		length = uint64(binary.BigEndian.Uint16(a.head[headBytes:]))
	case length64:
		whole += longLength
		length = binary.BigEndian.Uint64(a.head[headBytes:])
	}
	if a.head[1]&maskBit != 0 {
		whole += maskBytes
		if a.opener {
			a.wrong = errMasked
		}
	}
	if a.has == whole {
		a.has, a.left, a.taken = 0, length, a.head[0]&controlBit == 0
	}
}

// fill reads bytes of a message that have come, or waits for the first. The error is io.EOF at
// the end of the message.
func (a *arrivals) fill(piece []byte, message io.Reader) (n int, err error) {
	for err == nil && n < len(piece) && (n == 0 || a.count.Load() > 0) {
		room := min(max(a.count.Load(), 1), int64(len(piece)-n))
		var more int
		more, err = message.Read(piece[n : n+int(room)])
		a.count.Add(-int64(more))
		n += more
	}
	return n, err
}

// socket is a connection whose frames are counted as they come.
type socket struct {
	net.Conn
	*arrivals
}

func (s socket) Read(buffer []byte) (int, error) { return s.arrivals.Read(buffer) }

// hijacker gives up connections whose frames are counted.
type hijacker struct {
	http.ResponseWriter
	arrivals *arrivals
}

func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	network, both, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	early, _ := both.Reader.Peek(both.Reader.Buffered()) // frames that came with the request
	h.arrivals.from = io.MultiReader(bytes.NewReader(bytes.Clone(early)), network)
	one := socket{network, h.arrivals}
	both.Reader.Reset(one)
	return one, both, nil
}

// opener asks for WebSockets whose frames are counted.
type opener struct {
	way      http.RoundTripper
	arrivals *arrivals
}

func (o opener) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := o.way.RoundTrip(r)
	if err == nil {
		if both, ok := answer.Body.(io.ReadWriteCloser); ok {
			o.arrivals.from = both
			answer.Body = upgrade{both, o.arrivals}
		}
	}
	return answer, err
}

// upgrade is what an answer that opens a WebSocket is followed by.
type upgrade struct {
	io.ReadWriteCloser
	*arrivals
}

func (o upgrade) Read(buffer []byte) (int, error) { return o.arrivals.Read(buffer) }
