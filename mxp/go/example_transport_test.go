package mxp_test

import (
	"context"
	"fmt"
	"net"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// inside is the listener of connections that stay in this program. It has one place.
type inside struct {
	opened chan net.Conn
	closed chan struct{}
}

// place is an address of package net: its network is the transport's scheme.
type place string

func (place) Network() string  { return "inside" }
func (p place) String() string { return string(p) }

// insideConn is a pipe that says where it is.
type insideConn struct{ net.Conn }

func (insideConn) LocalAddr() net.Addr  { return place("echo") }
func (insideConn) RemoteAddr() net.Addr { return place("echo") }

func (*inside) Addr() net.Addr { return place("echo") }

func (l *inside) Close() error {
	close(l.closed)
	return nil
}

func (l *inside) Accept() (net.Conn, error) {
	select {
	case opened := <-l.opened:
		return opened, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *inside) dial(ctx context.Context, _ string, _ mxp.ClientOptions) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.opened <- insideConn{there}:
		return insideConn{here}, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *inside) listen(string, mxp.ServerOptions) (net.Listener, error) { return l, nil }

// A transport of the program's own: pipes in memory.
func ExampleRegisterTransport() {
	listener := &inside{opened: make(chan net.Conn), closed: make(chan struct{})}
	mxp.RegisterTransport(mxp.Transport{Scheme: "inside", Form: "name", Dial: listener.dial, Listen: listener.listen})

	services := mxp.NewServices()
	services.Service("demo.Echo").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) {
		fmt.Println("asked from", r.Peer.Address)
		return r.Value, nil
	})
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	go server.ListenAndServe(context.Background(), "mxp+inside://echo")
	defer server.Close()

	client, err := mxp.Dial("mxp+inside://echo", mxp.ClientOptions{})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	reply, err := client.Call(ctx, "demo.Echo", 1, []byte("hello"))
	fmt.Printf("%s, %v\n", reply.Value, err)
	// Output:
	// asked from mxp+inside://echo
	// hello, <nil>
}
