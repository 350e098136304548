package mxp_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// link is a slow connection to a server: a proxy that lets so many bytes a second
// through in each direction, and keeps no more than its sockets' buffers of 64 KiB.
func link(t testing.TB, at string, bytesPerSecond int) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	narrow := func(socket net.Conn) {
		socket.(*net.TCPConn).SetReadBuffer(64 << 10)
		socket.(*net.TCPConn).SetWriteBuffer(64 << 10)
	}
	pass := func(from, to net.Conn) {
		defer to.(*net.TCPConn).CloseWrite()
		buffer := make([]byte, min(max(bytesPerSecond/200, 512), 32<<10))
		next := time.Now()
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				if _, err := to.Write(buffer[:n]); err != nil {
					from.Close()
					return
				}
			}
			if err != nil {
				return
			}
			if now := time.Now(); next.Before(now) {
				next = now
			}
			next = next.Add(time.Duration(n) * time.Second / time.Duration(bytesPerSecond))
			time.Sleep(time.Until(next))
		}
	}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", at[len("mxp+xxx://"):])
			if err != nil {
				near.Close()
				continue
			}
			narrow(near)
			narrow(far)
			t.Cleanup(func() { near.Close(); far.Close() })
			go pass(near, far)
			go pass(far, near)
		}
	}()
	return at[:len("mxp+xxx://")] + listener.Addr().String()
}

// A large value keeps its connection for as long as it moves, in both directions, though
// no frame comes for longer than pings are waited for. [MXP-10.3 to MXP-10.6]
func TestLargeValueOverASlowLinkKeepsItsConnection(t *testing.T) {
	limits := session.Limits{Ping: 200_000, Pong: 800_000, Stall: 800_000, Frame: 200_000, FrameRate: 100_000}
	for _, transport := range []string{"tcp", "tls"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			r := start(t, transport, mxp.ServerOptions{Limits: limits})
			options := mxp.ClientOptions{Limits: limits, TLS: r.trusted}
			client, err := mxp.Dial(link(t, r.at, 800_000), options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			ctx := within(t, patience*30*time.Second)
			value := make([]byte, 1_000_000)
			began := time.Now()
			if reply, err := client.Call(ctx, "demo.Echo", 1, value); err != nil || len(reply.Value) != len(value) {
				t.Fatalf("after %v: %v", time.Since(began), err)
			}
			if took := time.Since(began); took < time.Second {
				t.Errorf("it took only %v", took)
			}
		})
	}
}

// The last frame of a session comes to a peer that still sends, since no connection is closed
// while something comes. [MXP-11.5]
func TestLastFrameComesToAPeerThatStillSends(t *testing.T) {
	for _, transport := range []string{places.Plain, "tcp"} {
		t.Run(transport, func(t *testing.T) {
			r := start(t, transport, mxp.ServerOptions{})
			for range 10 {
				socket, err := places.Dial(r.at)
				if err != nil {
					t.Fatal(err)
				}
				defer socket.Close()
				socket.SetDeadline(time.Now().Add(10 * time.Second))
				p := &peer{t: t, socket: socket, s: session.New(session.Config{}, 0)}
				p.flush()
				for !p.s.Ready() {
					p.read()
				}
				p.told = nil
				for range 20 {
					if _, err := socket.Write([]byte(strings.Repeat("no frame", 1000))); err != nil {
						break // it has been refused, and is closed when it has lingered
					}
					time.Sleep(time.Millisecond)
				}
				if why := p.ends(); why != "frame_magic" {
					t.Fatalf("it was ended %s", why)
				}
			}
		})
	}
}

// A connection that has hung up is closed when its peer hangs up, and else when it has
// lingered.
func TestConnectionsLingerForTheirPeer(t *testing.T) {
	const linger = 400 * time.Millisecond
	for _, hangsUp := range []bool{true, false} {
		r := start(t, "tcp", mxp.ServerOptions{Limits: session.Limits{Linger: uint64(linger.Microseconds())}})
		r.client.Close()
		socket, err := net.Dial("tcp", strings.TrimPrefix(r.at, "mxp+tcp://"))
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		socket.Write([]byte(strings.Repeat("no frame", 10)))
		began := time.Now()
		if _, err := io.Copy(io.Discard, socket); err != nil {
			t.Errorf("it was ended with %v", err)
		}
		if hangsUp {
			socket.Close()
		}
		if err := r.server.Shutdown(within(t, 10*time.Second)); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); hangsUp == (took > linger/2) {
			t.Errorf("a peer that hangs up (%t) is waited for %v", hangsUp, took)
		}
	}
}

// A server that drains waits for a peer that answers no Drain until it has lingered, and
// no longer, though nothing else wakes it [MXP-11.1].
func TestPeerThatAnswersNoDrainHoldsNobodyUp(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{Limits: session.Limits{Linger: 50_000, Ping: 60_000_000}})
	r.client.Close()
	greet(t, r)
	if err := r.server.Shutdown(within(t, 5*time.Second)); err != nil {
		t.Error(err)
	}
}

// A connection on which nothing happens is left by the server, and the next call is made
// on another. [MXP-10.7]
func TestIdleConnectionsAreLeft(t *testing.T) {
	r := start(t, "tcp", mxp.ServerOptions{Limits: session.Limits{Idle: 50_000}})
	ctx := within(t, patience*20*time.Second)
	for n := range uint64(3) {
		if _, err := r.client.Call(ctx, "demo.Echo", 1, nil); err != nil {
			t.Error(err)
		}
		eventually(t, func() bool { stats := r.server.Stats(); return stats.In.Of(frame.Drain).Frames > n })
	}
}
