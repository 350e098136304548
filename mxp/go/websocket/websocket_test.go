package websocket_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	library "github.com/coder/websocket"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
	"github.com/serial-data-protocol/sdp/mxp/go/websocket"
)

func TestMain(m *testing.M) {
	websocket.Register(websocket.Options{})
	m.Run()
}

// echo answers calls and streams with the given bytes.
func echo() *mxp.Services {
	services := mxp.NewServices()
	services.Service("demo.Echo").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil }).
		Call(2, func(_ context.Context, r *mxp.Request) ([]byte, error) { return []byte(r.Peer.Transport), nil }).
		Stream(3, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			for value, err := range s.All(ctx) {
				if err != nil {
					return err
				}
				if err := s.Send(ctx, value); err != nil {
					return err
				}
			}
			return nil
		}).
		Stream(4, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			<-ctx.Done() // takes nothing
			return nil
		})
	return services
}

func serve(t *testing.T, at string, options mxp.ServerOptions) (*mxp.Server, string) {
	t.Helper()
	options.Services = echo()
	server := mxp.NewServer(options)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return server, "mxp+" + listener.Addr().Network() + "://" + listener.Addr().String()
}

func dial(t *testing.T, at string, options mxp.ClientOptions) *mxp.Client {
	t.Helper()
	client, err := mxp.Dial(at, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// [MXP-19.1] [MXP-19.3]
func TestCallsAndStreamsGoOverWebSockets(t *testing.T) {
	config, trusted := certified(t)
	for scheme, options := range map[string]mxp.ServerOptions{"ws": {}, "wss": {TLS: config}} {
		_, at := serve(t, "mxp+"+scheme+"://127.0.0.1:0/mxp", options)
		if !strings.HasSuffix(at, "/mxp") {
			t.Errorf("listens at %s", at)
		}
		client := dial(t, at, mxp.ClientOptions{TLS: trusted})
		ctx := soon(t)
		for _, size := range []int{0, 1, 1000, 100_000, 3 << 20} {
			value := bytes.Repeat([]byte{7}, size)
			if reply, err := client.Call(ctx, "demo.Echo", 1, value); err != nil || !bytes.Equal(reply.Value, value) {
				t.Fatalf("%s: %d bytes: %v", scheme, size, err)
			}
		}
		if reply, err := client.Call(ctx, "demo.Echo", 2, nil); string(reply.Value) != scheme {
			t.Errorf("a peer by %s is one by %q, %v", scheme, reply.Value, err)
		}
		stream, err := client.Open(ctx, "demo.Echo", 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for range 1000 {
				stream.Send(ctx, make([]byte, 5000))
			}
			stream.CloseSend()
		}()
		n := 0
		for value, err := range stream.All(ctx) {
			if err != nil || len(value) != 5000 {
				t.Fatal(len(value), err)
			}
			n++
		}
		if n != 1000 {
			t.Errorf("%d chunks", n)
		}
	}
}

// A connection on which nothing passes for a while gives memory back, and goes on.
func TestIdleConnectionsGoOn(t *testing.T) {
	server, at := serve(t, "mxp+ws://127.0.0.1:0/", mxp.ServerOptions{})
	client := dial(t, at, mxp.ClientOptions{})
	for range 2 {
		if _, err := client.Call(soon(t), "demo.Echo", 1, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
	}
	stats := server.Stats()
	if hellos := stats.In.Of(frame.Hello).Frames; hellos != 1 {
		t.Errorf("%d connections", hellos)
	}
}

// A reader that takes nothing makes the sender wait, and others go on.
func TestCreditHoldsStreamsBack(t *testing.T) {
	server, at := serve(t, "mxp+ws://127.0.0.1:0", mxp.ServerOptions{})
	client := dial(t, at, mxp.ClientOptions{})
	ctx := soon(t)
	stream, err := client.Open(ctx, "demo.Echo", 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	sent := 0
	for stream.Send(short, make([]byte, 100_000)) == nil {
		sent++
	}
	if sent == 0 || sent > 30 {
		t.Errorf("%d chunks of 100 kB were sent", sent)
	}
	if _, err := client.Call(ctx, "demo.Echo", 1, nil); err != nil {
		t.Error(err)
	}
	if held := server.Stats().HeldBytes; held > 4<<20 {
		t.Errorf("%d bytes are held", held)
	}
}

// A server that is gone and comes back is found again; a call that is in flight ends.
func TestServersComeBack(t *testing.T) {
	server, at := serve(t, "mxp+ws://127.0.0.1:0/a", mxp.ServerOptions{})
	client := dial(t, at, mxp.ClientOptions{})
	ctx := soon(t)
	if _, err := client.Call(ctx, "demo.Echo", 1, nil); err != nil {
		t.Fatal(err)
	}
	server.Close()
	time.Sleep(10 * time.Millisecond)
	serve(t, at, mxp.ServerOptions{})
	for ctx.Err() == nil {
		if _, err := client.Call(ctx, "demo.Echo", 1, nil); err == nil {
			return
		}
	}
	t.Error("it is not found again")
}

// A listener has one path, of any characters, and no other.
func TestPathsAreTakenAsTheyAre(t *testing.T) {
	for _, path := range []string{"", "/", "/a/", "/{a}", "/a/../b", "/{a...}", "/%7Ba", "/ä"} {
		_, at := serve(t, "mxp+ws://127.0.0.1:0"+path, mxp.ServerOptions{})
		if _, err := dial(t, at, mxp.ClientOptions{}).Call(soon(t), "demo.Echo", 1, nil); err != nil {
			t.Errorf("%q: %v", path, err)
		}
		_, err := dial(t, at+"x", mxp.ClientOptions{}).Call(soon(t), "demo.Echo", 1, nil)
		if f := (*mxp.Failure)(nil); !errors.As(err, &f) || f.Status != session.StatusFailedPrecondition {
			t.Errorf("%q and something behind it: %v", path, err)
		}
	}
}

// [MXP-19.3]
func TestTextIsRefused(t *testing.T) {
	_, at := serve(t, "mxp+ws://127.0.0.1:0/", mxp.ServerOptions{})
	opened, _, err := library.Dial(soon(t), strings.TrimPrefix(at, "mxp+"), &library.DialOptions{Subprotocols: []string{"mxp.1"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Write(soon(t), library.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = opened.Read(soon(t))
	}
	if code := library.CloseStatus(err); code != library.StatusUnsupportedData {
		t.Errorf("%v, %v", code, err)
	}
}

func TestWhatAnswersOtherwiseIsNoServer(t *testing.T) {
	for _, one := range []struct {
		answer int
		status session.Status
	}{{401, session.StatusUnauthenticated}, {403, session.StatusPermissionDenied}, {404, session.StatusFailedPrecondition}, {302, session.StatusFailedPrecondition}, {503, session.StatusUnavailable}} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", one.answer) }))
		options := mxp.ClientOptions{}
		if one.status == session.StatusUnavailable { // which is waited out; all others end at once
			options.ConnectTimeout = 50 * time.Millisecond
		}
		client := dial(t, "mxp+ws"+strings.TrimPrefix(web.URL, "http"), options)
		_, err := client.Call(soon(t), "demo.Echo", 1, nil)
		var f *mxp.Failure
		if !errors.As(err, &f) || f.Status != one.status || f.Name != session.ErrNotConnected.String() {
			t.Errorf("%d: %v", one.answer, err)
		}
		web.Close()
	}
	for _, at := range []string{"mxp+ws://", "mxp+ws://host", "mxp+ws:///path", "mxp+wss://host:port", "mxp+ws://h:1/a?token=x", "mxp+ws://h:1/%zz", "mxp+ws://h:1/a\n"} {
		if _, err := mxp.Dial(at, mxp.ClientOptions{}); !errors.Is(err, session.ErrAddressInvalid) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := mxp.NewServer(mxp.ServerOptions{Services: echo()}).Listen("mxp+wss://127.0.0.1:0"); err == nil {
		t.Error("wss without TLS")
	}
}

// certified makes a certificate for 127.0.0.1, and what trusts it.
func certified(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	one, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(one)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}, &tls.Config{RootCAs: trusted}
}

var _ io.Closer = (*websocket.Listener)(nil)
