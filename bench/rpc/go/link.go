package main

import (
	"context"
	"net"
	"syscall"
	"time"
)

// linkBytes is how many bytes a link holds in each direction, as the queue of a router does.
const linkBytes = 64 << 10

// burst is how much time a line makes up for after it was kept waiting: timers are late.
const burst = 5 * time.Millisecond

// link is a line of a bandwidth: it listens, and carries what comes to a server and back, in
// each direction so many bytes a second.
type link struct {
	listener net.Listener
	server   string
	rate     float64
}

func newLink(server string, rate float64) (*link, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error { return bound(raw, syscall.SO_RCVBUF) }}
	listener, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &link{listener, server, rate}
	go l.run()
	return l, nil
}

// bound gives a socket's buffer the size of the link's.
func bound(raw syscall.RawConn, option int) (err error) {
	failed := raw.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, option, linkBytes/2) })
	if failed != nil {
		return failed
	}
	return err
}

func (l *link) run() {
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		if err := bound(raw, syscall.SO_RCVBUF); err != nil {
			return err
		}
		return bound(raw, syscall.SO_SNDBUF)
	}}
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := dialer.Dial("tcp", l.server)
		if err != nil {
			client.Close()
			continue
		}
		go l.carry(client, server)
		go l.carry(server, client)
	}
}

// carry carries bytes in one direction, and ends both when one has ended.
func (l *link) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	piece := make([]byte, 4<<10)
	free := time.Now() // when the line is
	for {
		n, err := from.Read(piece)
		if n > 0 {
			if latest := time.Now().Add(-burst); free.Before(latest) {
				free = latest
			}
			free = free.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
			time.Sleep(time.Until(free))
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
