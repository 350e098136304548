package mxp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// pipes is a listener whose connections are pipes in memory.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case one := <-p.accepted:
		return one, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.accepted <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestDialMakesTheConnections(t *testing.T) {
	listener := newPipes()
	server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(nil)})
	go server.Serve(listener)
	defer server.Close()
	var asked [2]string
	client, err := mxp.Dial("mxp+tcp://nobody.invalid:9", mxp.ClientOptions{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		asked = [2]string{network, address}
		return listener.dial(ctx, network, address)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	reply, err := client.Call(t.Context(), "demo.Echo", 1, []byte("hi"))
	if err != nil || string(reply.Value) != "hi" {
		t.Errorf("%q, %v", reply.Value, err)
	}
	if asked != [2]string{"tcp", "nobody.invalid:9"} {
		t.Errorf("it was asked for %q", asked)
	}
}

func TestWhatDialSaysIsToldToThoseWhoWait(t *testing.T) {
	client, err := mxp.Dial("mxp+tcp://nobody.invalid:9", mxp.ClientOptions{Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, io.ErrClosedPipe
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var f *mxp.Failure
	if err := client.Ready(t.Context()); !errors.As(err, &f) || f.Name != session.ErrNotConnected.String() || f.Text != io.ErrClosedPipe.Error() {
		t.Errorf("the error is %v", err)
	}
}
