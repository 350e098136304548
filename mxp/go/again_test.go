package mxp_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// besides hands the first connections of a listener to a function, and the others on.
type besides struct {
	net.Listener
	mu    sync.Mutex
	first []func(net.Conn)
}

// Accept gives the next connection that is for nobody else.
func (b *besides) Accept() (net.Conn, error) {
	for {
		socket, err := b.Listener.Accept()
		b.mu.Lock()
		if err != nil || len(b.first) == 0 {
			b.mu.Unlock()
			return socket, err
		}
		serve := b.first[0]
		b.first = b.first[1:]
		b.mu.Unlock()
		go serve(socket)
	}
}

// leaves is a server that drains as soon as something was asked, at which it does not
// look: with last, nobody has acted on it.
func leaves(t *testing.T, last bool) func(net.Conn) {
	return func(socket net.Conn) {
		defer socket.Close()
		p := &peer{t: t, socket: socket, s: session.New(session.Config{Role: session.Acceptor, Services: []string{"demo.Echo"}, Agents: true}, 0)}
		for !p.s.Ready() && p.read() { // nothing more comes before this side's Hello
		}
		p.flush()
		socket.Read(make([]byte, 64<<10))
		if last {
			p.s.Drain("restart", 0)
			p.flush()
		}
	}
}

// A request that nobody has acted on is made again by the client itself, on the next
// connection, and its interceptors see one request. [MXP-14.6]
func TestWhatNobodyHasActedOnIsMadeAgain(t *testing.T) {
	ctx := within(t, patience*20*time.Second)
	for name, ask := range map[string]func(c *mxp.Client) error{
		"call": func(c *mxp.Client) error {
			_, err := c.Call(ctx, "demo.Echo", 1, []byte("x"))
			return err
		},
		"event":    func(c *mxp.Client) error { return c.Event(ctx, "demo.Echo", 4, nil, mxp.WithAck()) },
		"register": func(c *mxp.Client) error { _, err := c.Register(ctx, "synth", nil, time.Minute); return err },
		"stream": func(c *mxp.Client) error {
			s, err := c.Open(ctx, "demo.Echo", 5, nil, mxp.WithoutChunks())
			if err != nil {
				return err
			}
			if _, err := s.Recv(ctx); err == nil || err.Error() != "EOF" {
				return errors.Join(errors.New("not at its end"), err)
			}
			return nil
		},
		"stream on which nothing is sent": func(c *mxp.Client) error {
			s, err := c.Open(ctx, "demo.Echo", 5, nil)
			if err != nil {
				return err
			}
			if err := s.CloseSend(); err != nil {
				return err
			}
			if _, err := s.Recv(ctx); err == nil || err.Error() != "EOF" {
				return errors.Join(errors.New("not at its end"), err)
			}
			return nil
		},
		"stream that is sent on": func(c *mxp.Client) error {
			s, err := c.Open(ctx, "demo.Echo", 5, nil)
			if err != nil {
				return err
			}
			if err := s.Send(ctx, []byte("up")); err != nil {
				return err
			}
			value, err := s.Recv(ctx)
			if err != nil || string(value) != "UP" {
				return errors.Join(errors.New("not the answer"), err)
			}
			s.Close()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var events atomic.Int64
			server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events), Agents: true})
			inner, err := server.Listen("mxp+tcp://127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			go server.Serve(&besides{Listener: inner, first: []func(net.Conn){leaves(t, true), leaves(t, true)}})
			t.Cleanup(server.Close)
			var seen atomic.Int64
			client, err := mxp.Dial("mxp+tcp://"+inner.Addr().String(), mxp.ClientOptions{Interceptors: []mxp.Interceptor{
				func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
					seen.Add(1)
					return next(ctx, r)
				},
			}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			if err := ask(client); err != nil {
				t.Error(err)
			}
			if n := seen.Load(); name != "register" && n != 1 {
				t.Errorf("the interceptor has seen %d requests", n)
			}
			eventually(t, func() bool { return client.Stats().InFlightHere == 0 })
		})
	}
}

// A request that may have been acted on is the caller's to make again.
func TestWhatMayHaveBeenActedOnIsTold(t *testing.T) {
	var events atomic.Int64
	server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
	inner, err := server.Listen("mxp+tcp://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(&besides{Listener: inner, first: []func(net.Conn){leaves(t, false), leaves(t, false)}})
	t.Cleanup(server.Close)
	client, err := mxp.Dial("mxp+tcp://"+inner.Addr().String(), mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx := within(t, patience*20*time.Second)
	_, called := client.Call(ctx, "demo.Echo", 1, nil)
	s, err := client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, streamed := s.Recv(ctx)
	for what, err := range map[string]error{"call": called, "stream": streamed} {
		var f *mxp.Failure
		if !errors.Is(err, session.ErrLost) || !errors.As(err, &f) || !f.Acted {
			t.Errorf("the %s ended with %v", what, err)
		}
	}
}

// A stream on which something was sent is not opened anew: what was sent is gone.
func TestStreamOnWhichSomethingWasSentIsNotOpenedAnew(t *testing.T) {
	var events atomic.Int64
	server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
	inner, err := server.Listen("mxp+tcp://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan struct{})
	go server.Serve(&besides{Listener: inner, first: []func(net.Conn){func(socket net.Conn) {
		defer socket.Close()
		p := &peer{t: t, socket: socket, s: session.New(session.Config{Role: session.Acceptor, Services: []string{"demo.Echo"}}, 0)}
		p.flush()
		for !p.s.Ready() && p.read() {
		}
		for len(p.told) == 0 || !isOpen(p.told[len(p.told)-1]) {
			if !p.read() {
				return
			}
		}
		p.s.Grant(1, 10, 1000, 0)
		p.flush()
		<-sent
		p.s.Fail(1, session.Failure{Status: session.StatusUnavailable, Name: session.ErrDraining.String()}, 0)
		p.flush()
	}}})
	t.Cleanup(server.Close)
	client, err := mxp.Dial("mxp+tcp://"+inner.Addr().String(), mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx := within(t, patience*20*time.Second)
	s, err := client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(ctx, []byte("gone")); err != nil {
		t.Fatal(err)
	}
	close(sent)
	var f *mxp.Failure
	if _, err := s.Recv(ctx); !errors.Is(err, session.ErrDraining) || !errors.As(err, &f) || f.Acted {
		t.Errorf("it ended with %v", err)
	}
}

func isOpen(in session.Incoming) bool { _, is := in.(*session.Open); return is }
