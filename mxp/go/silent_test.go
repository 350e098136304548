package mxp_test

import (
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A peer that connects and says nothing is cut off when the time for its Hello, or for the
// handshake of TLS, is over. [MXP-6.4]
func TestSilentPeersAreCutOff(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			const hello = 100 * time.Millisecond
			r := start(t, transport, mxp.ServerOptions{Limits: session.Limits{Hello: uint64(hello.Microseconds())}})
			began := time.Now()
			var silent []net.Conn
			for range 20 {
				socket, err := places.Dial(r.at)
				if err != nil {
					t.Fatal(err)
				}
				defer socket.Close()
				silent = append(silent, socket)
			}
			for _, socket := range silent {
				socket.SetReadDeadline(time.Now().Add(patience * 5 * time.Second))
				if _, err := io.Copy(io.Discard, socket); err != nil {
					t.Fatalf("it is there after %v: %v", time.Since(began), err)
				}
			}
			if took := time.Since(began); took < hello {
				t.Errorf("it was cut off after %v", took)
			}
		})
	}
}

// A client whose server says nothing fails, and tries again. [MXP-14.2]
func TestSilentServerFailsTheAttempt(t *testing.T) {
	connections := make(chan struct{}, 100)
	at := "mxp+tcp://" + listening(t, func(net.Conn) { connections <- struct{}{} })
	var log lines
	client, err := mxp.Dial(at, mxp.ClientOptions{
		Limits: session.Limits{Hello: 50_000}, ConnectTimeout: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Ready(within(t, patience*5*time.Second)); err == nil || !strings.Contains(err.Error(), "session_silent before its Hello") {
		t.Errorf("the attempt ended with %v", err)
	}
	for range 3 {
		select {
		case <-connections:
		case <-time.After(patience * 5 * time.Second):
			t.Fatal("it is not tried again")
		}
	}
	if n := log.count("mxp: not connected"); n != 1 {
		t.Errorf("%d lines were logged", n)
	}
}

// A server that does not read since it holds too much says that it lives, and awaits
// nothing. [MXP-10.8]
func TestServerThatDoesNotReadPings(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{Limits: session.Limits{Ping: 10_000, ConnectionBytes: 10_000}})
	p := greet(t, r)
	if _, err := p.s.Call(session.Request{Method: 3}, make([]byte, 20_000), 0); err != nil { // its handler waits
		t.Fatal(err)
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	for p.s.Stats().In.Of(frame.Ping).Frames < 3 { // none of which is answered
		if !p.read() {
			t.Fatalf("the connection has ended: %v", p.told)
		}
	}
}
