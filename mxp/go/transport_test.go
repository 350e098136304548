package mxp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// memory has the listeners of the transport "memory", whose connections are pipes.
var memory sync.Map

var registered = sync.OnceFunc(func() {
	mxp.RegisterTransport(mxp.Transport{
		Scheme: "memory", Form: "name", Protects: mxp.Protection{PeerCredentials: true},
		Dial: func(ctx context.Context, name string, options mxp.ClientOptions) (net.Conn, error) {
			listener, there := memory.Load(name)
			switch {
			case name == "forbidden":
				return nil, &mxp.Failure{Status: session.StatusFailedPrecondition, Text: "not for this program"}
			case !there:
				return nil, errors.New("nothing listens")
			}
			network, err := listener.(*pipes).dial(ctx, "", "")
			return inMemory{network, name}, err
		},
		Listen: func(name string, _ mxp.ServerOptions) (net.Listener, error) {
			listener := newPipes()
			if _, there := memory.LoadOrStore(name, listener); there {
				return nil, errors.New("somebody listens already")
			}
			return inMemoryListener{listener, name}, nil
		},
		Accept: func(_ context.Context, network net.Conn) error {
			if network.(inMemory).name == "closing" {
				return errors.New("no handshake")
			}
			return nil
		},
		Identify: func(network net.Conn, peer *mxp.Peer) error {
			switch network.(inMemory).name {
			case "of-nobody":
				return errors.New("nobody knows")
			case "of-another":
				peer.Process = &mxp.Process{User: self + 1, Group: -1, ID: -1}
			default:
				peer.Process = &mxp.Process{User: self, Group: -1, ID: -1}
			}
			return nil
		},
	})
})

// inMemory is a connection that says which transport's it is.
type inMemory struct {
	net.Conn
	name string
}

func (m inMemory) LocalAddr() net.Addr  { return &net.UnixAddr{Name: m.name, Net: "memory"} }
func (m inMemory) RemoteAddr() net.Addr { return &net.UnixAddr{Name: m.name, Net: "memory"} }

type inMemoryListener struct {
	*pipes
	name string
}

func (l inMemoryListener) Accept() (net.Conn, error) {
	network, err := l.pipes.Accept()
	return inMemory{network, l.name}, err
}

func (l inMemoryListener) Close() error {
	memory.Delete(l.name)
	return l.pipes.Close()
}

func (l inMemoryListener) Addr() net.Addr { return &net.UnixAddr{Name: l.name, Net: "memory"} }

// self is the user as which the tests' servers run.
const self = 7

// inMemoryAt serves at an address of the transport.
func inMemoryAt(t *testing.T, at string, options mxp.ServerOptions) *mxp.Server {
	t.Helper()
	registered()
	server := mxp.NewServer(options)
	server.RunAs(self)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return server
}

// Calls, streams, events and drains need nothing that a transport of the program's own does
// not provide. [MXP-16.1] [MXP-16.2]
func TestRegisteredTransportCarriesSessions(t *testing.T) {
	var events atomic.Int64
	services := echoServices(&events)
	peers := make(chan *mxp.Peer, 1)
	services.Service("demo.Who").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) {
		peers <- r.Peer
		return nil, nil
	})
	server := inMemoryAt(t, "mxp+memory://desk", mxp.ServerOptions{Services: services})
	client := dialled(t, "mxp+memory://desk", mxp.ClientOptions{})
	ctx := within(t, patience*10*time.Second)
	if reply, err := client.Call(ctx, "demo.Echo", 1, []byte("hi")); err != nil || string(reply.Value) != "hi" {
		t.Errorf("%q, %v", reply.Value, err)
	}
	if _, err := client.Call(ctx, "demo.Who", 1, nil); err != nil {
		t.Fatal(err)
	}
	if p := <-peers; p.Transport != "memory" || p.Address != "mxp+memory://desk" || p.Process.User != self {
		t.Errorf("the peer is %+v", p)
	}
	if err := client.Event(ctx, "demo.Echo", 4, nil, mxp.WithAck()); err != nil || events.Load() != 1 {
		t.Errorf("%d events, %v", events.Load(), err)
	}
	stream, err := client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	echoed := func() {
		t.Helper()
		if err := stream.Send(ctx, []byte("word")); err != nil {
			t.Error(err)
		}
		if value, err := stream.Recv(ctx); err != nil || string(value) != "WORD" {
			t.Errorf("%q, %v", value, err)
		}
	}
	echoed()
	drained := make(chan error, 1)
	go func() { drained <- server.Shutdown(ctx) }()
	eventually(t, func() bool {
		_, listens := memory.Load("desk")
		return !listens
	})
	echoed() // what is in flight goes on
	if err := stream.CloseSend(); err != nil {
		t.Error(err)
	}
	if _, err := stream.Recv(ctx); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

// A transport's error is told to callers that wait for a connection. [MXP-16.5]
func TestErrorsOfARegisteredTransportHaveItsStatus(t *testing.T) {
	registered()
	for at, want := range map[string]mxp.Failure{
		"mxp+memory://forbidden": {Status: session.StatusFailedPrecondition, Text: "not for this program"},
		"mxp+memory://nobody":    {Status: session.StatusUnavailable, Text: "nothing listens"},
	} {
		var f *mxp.Failure
		client := dialled(t, at, mxp.ClientOptions{})
		if err := client.Ready(t.Context()); !errors.As(err, &f) || f.Status != want.Status || f.Text != want.Text || f.Name != session.ErrNotConnected.String() || f.Peer != at {
			t.Errorf("%s: %v", at, err)
		}
	}
	inMemoryAt(t, "mxp+memory://closing", mxp.ServerOptions{})
	client := dialled(t, "mxp+memory://closing", mxp.ClientOptions{})
	if err := client.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "before its Hello") {
		t.Errorf("a connection whose handshake fails is %v", err)
	}
	if _, err := mxp.NewServer(mxp.ServerOptions{}).Listen("mxp+memory://closing"); err == nil || err.Error() != "somebody listens already" {
		t.Error(err)
	}
}

// A peer of another user, or of one that is not known, is not let in. [MXP-16.4]
func TestRegisteredTransportSaysWhoMayConnect(t *testing.T) {
	for name, want := range map[string]string{"of-another": "the peer runs as user 8", "of-nobody": "nobody knows"} {
		at := "mxp+memory://" + name
		inMemoryAt(t, at, mxp.ServerOptions{})
		client := dialled(t, at, mxp.ClientOptions{})
		_, err := client.Call(within(t, patience*10*time.Second), "demo.Echo", 1, nil)
		var f *mxp.Failure
		if !errors.As(err, &f) || f.Status != session.StatusPermissionDenied || f.Name != "not_admitted" || f.Text != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Places are the transport's own, and schemes are registered once. [MXP-16.1]
func TestSchemesAreRegisteredOnce(t *testing.T) {
	registered()
	for _, text := range []string{"mxp+memory:", "mxp+memory://", "mxp+memory:desk", "memory://desk", "mxp+memories://desk"} {
		if at, err := mxp.ParseAddress(text); !errors.Is(err, session.ErrAddressInvalid) {
			t.Errorf("%q is %+v, %v", text, at, err)
		}
	}
	if at, err := mxp.ParseAddress("mxp+memory://a b"); err != nil || at.Place != "a b" || at.String() != "mxp+memory://a b" {
		t.Errorf("%+v, %v", at, err)
	}
	all := "is none of mxp+unix, mxp+tcp, mxp+tls, mxp+shm and mxp+memory"
	if places.Plain == "pipe" {
		all = strings.Replace(all, " and", ", mxp+pipe and", 1)
	}
	if _, err := mxp.ParseAddress("mxp+none://x"); !strings.HasSuffix(err.Error(), all) {
		t.Error(err)
	}
	whole := *mxp.Transports()[0]
	for _, change := range []func(*mxp.Transport){
		func(*mxp.Transport) {}, // it is there already
		func(t *mxp.Transport) { t.Scheme = "" },
		func(t *mxp.Transport) { t.Scheme = "Memory" },
		func(t *mxp.Transport) { t.Scheme = "a+b" },
		func(t *mxp.Transport) { t.Scheme, t.Dial = "deaf", nil },
		func(t *mxp.Transport) { t.Scheme, t.Listen = "mute", nil },
	} {
		wrong := whole
		change(&wrong)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a transport %q is registered", wrong.Scheme)
				}
			}()
			mxp.RegisterTransport(wrong)
		}()
	}
}
