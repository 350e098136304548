package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	library "github.com/coder/websocket"
)

const (
	// messageBytes is the most that goes into one message: bytes that are written together, and no
	// more than a session writes at once to a connection that is no socket.
	messageBytes = 16 << 10
	// pieceBytes is how much of a message is handed on at once.
	pieceBytes = 4 << 10
	closeTime  = 5 * time.Second
)

// conn is a connection whose bytes travel in binary messages. It is one end of a pipe: a deadline
// of a pipe ends a wait, and a deadline of the library's messages would end the connection.
type conn struct {
	net.Conn
	messages      *library.Conn
	local, remote address
	ended         *atomic.Bool // the other side has said that it closes, and sends no more
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

func (c *conn) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	if err == nil && n == 0 && c.ended.Load() {
		err = io.EOF
	}
	return n, ended(err)
}

func (c *conn) Write(data []byte) (int, error) {
	n, err := c.Conn.Write(data)
	return n, ended(err)
}

// ended is what package net says of a connection that is closed.
func ended(err error) error {
	if errors.Is(err, io.ErrClosedPipe) {
		return net.ErrClosed
	}
	return err
}

// Close says so to the other side behind what was written, which has some time to take that and to
// say the same.
func (c *conn) Close() error {
	time.AfterFunc(closeTime, func() { c.messages.CloseNow() })
	return c.Conn.Close()
}

// newConn makes a connection of a WebSocket, and calls after when that is closed.
func newConn(messages *library.Conn, come *arrivals, local, remote address, wait func()) *conn {
	here, there := net.Pipe()
	messages.SetReadLimit(-1) // a message is read in pieces
	made := &conn{here, messages, local, remote, new(atomic.Bool)}
	sent := make(chan struct{})
	come.closing = func() { made.answer(there, sent) }
	go receive(messages, come, there)
	go func() {
		defer wait()
		send(messages, there, sent)
	}()
	return made
}

// answer lets what came before the other side's Close be answered before that is [MXP-19.4]: it ends
// what is read, by a piece without bytes, and waits until all is sent, for some time.
func (c *conn) answer(there net.Conn, signal <-chan struct{}) {
	c.ended.Store(true)
	go there.Write(nil)
	timer := time.NewTimer(closeTime)
	defer timer.Stop()
	select {
	case <-signal:
	case <-timer.C:
	}
}

// receive hands on received messages, until the other side closes the WebSocket, sends text, or is
// gone.
func receive(messages *library.Conn, come *arrivals, target net.Conn) {
	defer target.Close()
	piece := make([]byte, pieceBytes)
	for {
		kind, message, err := messages.Reader(context.Background())
		if err != nil {
			refuse(messages, err)
			return
		}
		if kind != library.MessageBinary {
			messages.Close(library.StatusUnsupportedData, "only binary messages are taken")
			return
		}
		for err == nil {
			var n int
			n, err = come.fill(piece, message)
			if n > 0 {
				if _, gone := target.Write(piece[:n]); gone != nil {
					return // send closes it
				}
			}
		}
		if err != io.EOF { // of the message; that of the connection is wrapped, or comes again
			refuse(messages, err)
			return
		}
	}
}

// refuse tells a peer that is there why nothing more is read from it, where the library has not.
func refuse(messages *library.Conn, why error) {
	if !errors.Is(why, io.EOF) && !errors.Is(why, net.ErrClosed) && library.CloseStatus(why) < 0 {
		messages.Close(library.StatusProtocolError, "a frame that is none")
	}
}

// send sends written bytes, a message for each write, and closes the WebSocket behind them.
func send(messages *library.Conn, source net.Conn, signal chan<- struct{}) {
	piece := make([]byte, messageBytes)
	for {
		n, err := source.Read(piece)
		if err == nil {
			err = messages.Write(context.Background(), library.MessageBinary, piece[:n])
		}
		if err != nil {
			source.Close()
			close(signal)
			messages.Close(library.StatusNormalClosure, "")
			return
		}
	}
}
