package mxp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// asked serves demo.Who, whose methods tell who asks, and what their contexts say of that.
func asked() (services *mxp.Services, peers chan *mxp.Peer) {
	services, peers = mxp.NewServices(), make(chan *mxp.Peer, 64)
	tell := func(ctx context.Context, r *mxp.Request) {
		peers <- r.Peer
		peers <- mxp.RequestFrom(ctx).Peer
	}
	services.Service("demo.Who").
		Call(1, func(ctx context.Context, r *mxp.Request) ([]byte, error) { tell(ctx, r); return nil, nil }).
		Event(2, func(ctx context.Context, r *mxp.Request) error { tell(ctx, r); return nil }).
		Stream(3, func(ctx context.Context, r *mxp.Request, _ *mxp.Stream) error { tell(ctx, r); return nil })
	services.Intercept(func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		tell(ctx, r)
		return next(ctx, r)
	})
	return services, peers
}

// open serves on a transport, and gives the address.
func open(t *testing.T, transport string, options mxp.ServerOptions) (*mxp.Server, string) {
	t.Helper()
	at := "mxp+" + transport + "://127.0.0.1:0"
	if isLocal(transport) {
		at = free(t, transport)
	}
	server := mxp.NewServer(options)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	if !isLocal(transport) {
		at = "mxp+" + transport + "://" + listener.Addr().String()
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return server, at
}

// dialled is a client that is closed with the test.
func dialled(t *testing.T, at string, options mxp.ClientOptions) *mxp.Client {
	t.Helper()
	client, err := mxp.Dial(at, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func TestHandlersSeeWhoAsks(t *testing.T) {
	a := newAuthority(t)
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			services, peers := asked()
			_, at := open(t, transport, mxp.ServerOptions{Services: services, TLS: a.server(t)})
			client := dialled(t, at, mxp.ClientOptions{TLS: a.client(t, a.issue(t, leaf("mixer.example")))})
			ctx := within(t, patience*10*time.Second)
			stream, err := client.Open(ctx, "demo.Who", 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			if _, err := client.Call(ctx, "demo.Who", 1, nil); err != nil {
				t.Fatal(err)
			}
			if err := client.Event(ctx, "demo.Who", 2, nil, mxp.WithAck()); err != nil {
				t.Fatal(err)
			}
			for range 12 { // four times for each
				var p *mxp.Peer
				select {
				case p = <-peers:
				case <-ctx.Done():
					t.Fatal("somebody has not been asked")
				}
				if p.Transport != transport || isLocal(transport) != (p.Address == at) {
					t.Errorf("got %+v", p)
				}
				want := &mxp.Process{User: os.Getuid(), Group: os.Getgid(), ID: os.Getpid()}
				if is := p.Process; isLocal(transport) && runtime.GOOS == "linux" && *is != *want || !isLocal(transport) && is != nil {
					t.Errorf("the process is %+v", is)
				}
				c := p.Certificate
				if transport != "tls" {
					if c != nil {
						t.Errorf("the certificate is %+v", c)
					}
					continue
				}
				if c.Subject != "CN=mixer,O=Desk\\, Inc." || len(c.DNSNames) != 1 || c.DNSNames[0] != "mixer.example" ||
					len(c.URIs) != 1 || c.URIs[0] != "spiffe://desk/mixer" || len(c.Emails) != 1 || c.Emails[0] != "mixer@desk.example" ||
					c.Serial != "abcdef" || len(c.SHA256) != 64 {
					t.Errorf("the certificate is %+v", c)
				}
			}
		})
	}
}

// A certificate that nobody has verified says nothing.
func TestUnverifiedCertificateIsNoIdentity(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	services, peers := asked()
	config := a.server(t)
	config.ClientAuth, config.ClientCAs = tls.RequireAnyClientCert, nil
	_, at := open(t, "tls", mxp.ServerOptions{Services: services, TLS: config})
	client := dialled(t, at, mxp.ClientOptions{TLS: a.client(t, other.issue(t, leaf("mixer.example")))})
	if _, err := client.Call(within(t, patience*10*time.Second), "demo.Who", 1, nil); err != nil {
		t.Fatal(err)
	}
	if p := <-peers; p.Certificate != nil {
		t.Errorf("the certificate is %+v", p.Certificate)
	}
}

// A peer that is not let in is told so, and does not come back at once. [MXP-14.2]
func TestAdmitRefusesWithItsFailure(t *testing.T) {
	a := newAuthority(t)
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			var refused atomic.Int64
			var failure atomic.Pointer[error]
			server, at := open(t, transport, mxp.ServerOptions{TLS: a.server(t), Admit: func(ctx context.Context, p *mxp.Peer) error {
				if _, has := ctx.Deadline(); !has || p.Transport != transport {
					t.Errorf("it is asked with %v of %+v", ctx, p)
				}
				if err := failure.Load(); err != nil {
					refused.Add(1)
					return *err
				}
				return nil
			}})
			says := func(err error, status session.Status, name, text string) {
				t.Helper()
				failure.Store(&err)
				client := dialled(t, at, mxp.ClientOptions{TLS: a.client(t, a.issue(t, leaf("mixer.example"))), ConnectTimeout: time.Minute})
				ctx := within(t, patience*10*time.Second)
				for range 3 {
					_, err := client.Call(ctx, "demo.Who", 1, []byte("secret"))
					var f *mxp.Failure
					if !errors.As(err, &f) || f.Status != status || f.Name != name || f.Text != text || f.Acted || f.Peer != at {
						t.Errorf("it is told %v", err)
					}
				}
				client.Close()
			}
			says(errors.New("not today"), session.StatusPermissionDenied, "not_admitted", "not today")
			says(&mxp.Failure{Status: session.StatusUnauthenticated, Name: "who", Text: "are you?"}, session.StatusUnauthenticated, "who", "are you?")
			if n := refused.Load(); n > 40 {
				t.Errorf("two clients have tried %d times", n)
			}
			stats := server.Stats()
			if n := stats.In.Of(frame.Call).Frames; n != 0 {
				t.Errorf("%d calls were read", n)
			}
		})
	}
}

// A client that was not let in goes on to try, and is let in when it may.
func TestAdmitMayChangeItsMind(t *testing.T) {
	var admits atomic.Bool
	services, _ := asked()
	_, at := open(t, places.Plain, mxp.ServerOptions{Services: services, Admit: func(context.Context, *mxp.Peer) error {
		if admits.Load() {
			return nil
		}
		return errors.New("not yet")
	}})
	client := dialled(t, at, mxp.ClientOptions{})
	ctx := within(t, patience*10*time.Second)
	if err := client.Ready(ctx); err == nil {
		t.Error("it is let in")
	}
	admits.Store(true)
	eventually(t, func() bool { return client.Ready(ctx) == nil })
	if _, err := client.Call(ctx, "demo.Who", 1, nil); err != nil {
		t.Error(err)
	}
}

// A client is told at once even if its Hello and the refusal come apart.
func TestRefusalAfterHelloIsFinal(t *testing.T) {
	at := "mxp+tcp://" + listening(t, func(socket net.Conn) {
		p := &peer{s: session.New(session.Config{Role: session.Acceptor}, 0)}
		socket.Write(p.bytes())
		buffer := make([]byte, 4096) // the client's Hello
		socket.Read(buffer)
		time.Sleep(time.Millisecond)
		p.s.Reject(mxp.Failure{Status: session.StatusPermissionDenied, Name: "no"}, 0)
		socket.Write(p.bytes())
		socket.Read(buffer)
	})
	client := dialled(t, at, mxp.ClientOptions{ConnectTimeout: time.Minute})
	for range 5 {
		_, err := client.Call(within(t, patience*10*time.Second), "demo.Who", 1, nil)
		var f *mxp.Failure
		if !errors.As(err, &f) || f.Acted || f.Status == session.StatusUnavailable {
			t.Errorf("it is told %v", err)
		}
	}
}

// wrapping is a listener whose connections say no more than that they are of a unix socket.
type wrapping struct{ net.Listener }

func (w wrapping) Accept() (net.Conn, error) {
	socket, err := w.Listener.Accept()
	return struct{ net.Conn }{socket}, err
}

// A server serves every kind of connection that a listener gives.
func TestPeerOfAnotherKindOfConnection(t *testing.T) {
	services, peers := asked()
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(wrapping{listener})
	t.Cleanup(server.Close)
	if _, err := dialled(t, at, mxp.ClientOptions{}).Call(within(t, patience*10*time.Second), "demo.Who", 1, nil); err != nil {
		t.Fatal(err)
	}
	if p := <-peers; p.Transport != places.Plain || p.Process != nil || p.Address != at {
		t.Errorf("got %+v", p)
	}
}
