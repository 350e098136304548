//go:build soak

package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// hostile are peers that keep a server busy, each until its connection ends. They speak
// the protocol as far as that does harm.
var hostile = map[string]func(*rawPeer){
	"never reads":     func(p *rawPeer) { p.flood(16<<10, false) },
	"unread streams":  (*rawPeer).openUnread,
	"8 MiB events":    (*rawPeer).sendEvents,
	"80,000 services": (*rawPeer).rest,
	"empty events":    func(p *rawPeer) { p.sendRaw(func() []byte { return p.emptyEvents() }) },
	"empty chunks":    (*rawPeer).openEmpty,
	"silent streams":  (*rawPeer).openSilent,
	"events, gone":    func(p *rawPeer) { p.write(p.emptyEvents()) },
	"no Hello":        (*rawPeer).rest,
	"nothing more":    (*rawPeer).rest,
	"half a frame":    (*rawPeer).trickle,
	"no frames":       func(p *rawPeer) { p.write([]byte(strings.Repeat("GET / HTTP/1.1\r\n\r\n", 100))); p.rest() },
}

// manyServices are what a Hello has 80,000 of. All peers share them, and their values.
var manyServices = sync.OnceValue(func() (names []string) {
	for i := range 80_000 {
		names = append(names, fmt.Sprintf("s%05d", i))
	}
	return names
})

var zeros = make([]byte, 8<<20)

// rawPeer is a connection to a server, and a session that makes its frames.
type rawPeer struct {
	ctx     context.Context
	network net.Conn
	session *session.Session
	began   time.Time
	gone    bool
}

// attack lets a peer of a kind attack a server until the context ends; it comes back
// when it is cut off. It returns how often it came.
func attack(ctx context.Context, at, kind string) (times int) {
	path := strings.TrimPrefix(at, "mxp+unix://")
	for ; ctx.Err() == nil; times++ {
		network, err := net.Dial("unix", path)
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		stop := context.AfterFunc(ctx, func() { network.Close() })
		config := session.Config{Role: session.Opener, OfferChecksumOff: true, OfferBatches: strings.HasPrefix(kind, "e")}
		if kind == "80,000 services" {
			config.Services = manyServices()
		}
		p := &rawPeer{ctx: ctx, network: network, session: session.New(config, 0), began: time.Now()}
		if kind == "no Hello" || kind == "no frames" || p.greet() {
			hostile[kind](p)
		}
		stop()
		network.Close()
		time.Sleep(10 * time.Millisecond)
	}
	return times
}

func (p *rawPeer) now() uint64 { return uint64(time.Since(p.began).Microseconds()) }

// write reports whether the server still takes bytes.
func (p *rawPeer) write(data []byte) bool {
	if !p.gone {
		_, err := p.network.Write(data)
		p.gone = err != nil
	}
	return !p.gone
}

// send writes what the session has to say.
func (p *rawPeer) send() bool {
	for f, ok := p.session.PollFrame(p.now()); ok; f, ok = p.session.PollFrame(p.now()) {
		if !p.write(f.Head) || len(f.Value) > 0 && !(p.write(f.Value) && p.write(f.Trailer)) {
			return false
		}
	}
	return true
}

// read takes what has come, for so long at most.
func (p *rawPeer) read(most time.Duration) bool {
	buffer := make([]byte, 16<<10)
	p.network.SetReadDeadline(time.Now().Add(most))
	n, err := p.network.Read(buffer)
	for data := buffer[:n]; ; {
		if _, ok := p.session.Receive(&data, p.now()); !ok {
			break
		}
	}
	timeout, ok := err.(net.Error)
	p.gone = p.gone || err != nil && !(ok && timeout.Timeout())
	return !p.gone
}

func (p *rawPeer) greet() bool {
	for p.send() && !p.session.Ready() {
		if !p.read(time.Second) || time.Since(p.began) > 5*time.Second {
			return false
		}
	}
	return p.session.Ready()
}

// rest does nothing until the server ends the connection.
func (p *rawPeer) rest() {
	one := make([]byte, 4<<10)
	p.network.SetReadDeadline(time.Time{})
	for {
		if _, err := p.network.Read(one); err != nil {
			return
		}
	}
}

// flood asks as fast as the server takes it, and reads no answer unless told to. A peer
// that reads nothing does not see its server go: when the server has taken nothing more
// for a while, it comes back.
func (p *rawPeer) flood(bytes int, reads bool) {
	value := zeros[:bytes]
	for idle := 0; p.ctx.Err() == nil && idle < 200; {
		_, err := p.session.Call(session.Request{Method: echo}, value, p.now())
		if err == nil {
			idle = 0
			continue
		}
		if !p.send() || reads && !p.read(time.Millisecond) {
			return
		}
		if err != error(session.ErrLimitQueueBytes) { // as many are in flight as may be
			time.Sleep(10 * time.Millisecond)
			idle++
		}
	}
}

// openUnread opens streams that the server's handlers can't go on with, since nothing is
// granted to them, and fills their windows.
func (p *rawPeer) openUnread() {
	var ids []uint64
	for range 512 {
		id, err := p.session.Open(session.Request{Method: upper}, 0, 0, nil, false, p.now())
		if err != nil || !p.send() {
			break
		}
		ids = append(ids, id)
	}
	chunk := zeros[:64<<10]
	for p.ctx.Err() == nil {
		moved := false
		for _, id := range ids {
			if _, err := p.session.Chunk(id, chunk, false, false, p.now()); err == nil {
				moved = true
			}
			if !p.send() {
				return
			}
		}
		wait := time.Millisecond
		if !moved {
			wait = 100 * time.Millisecond
		}
		if !p.read(wait) {
			return
		}
	}
}

func (p *rawPeer) sendEvents() {
	value := zeros
	for p.ctx.Err() == nil {
		if _, err := p.session.Event(session.Request{Method: tick}, value, false, session.Refuse, p.now()); err != nil || !p.send() || !p.read(time.Millisecond) {
			return
		}
	}
}

// trickle sends a frame a byte at a time.
func (p *rawPeer) trickle() {
	whole := frame.Frame{Header: frame.Header{Type: frame.Ping, MessageID: 1}, Payload: make([]byte, 1000)}
	data, err := whole.Append(nil, frame.ChecksumOn)
	if err != nil {
		return
	}
	for i := range data {
		if p.ctx.Err() != nil || !p.write(data[i:i+1]) || !p.read(100*time.Millisecond) {
			return
		}
	}
}
