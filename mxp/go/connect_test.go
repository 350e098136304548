package mxp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// short is a connect timeout for failures that may heal, and do not.
const short = 100 * time.Millisecond

// listening takes connections, and gives each to a function.
func listening(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			socket, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { socket.Close() })
			go serve(socket)
		}
	}()
	return listener.Addr().String()
}

// refusing is a port on which nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// A client that can't connect says why, with the address: at once where no later
// attempt can succeed, else when its time is over. [MXP-14.2 to MXP-14.4]
func TestCallsWithoutAConnectionEnd(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	plain, secure := start(t, "tcp", mxp.ServerOptions{}), start(t, "tls", mxp.ServerOptions{})
	overTLS := func(r *running) string { return "mxp+tls" + r.at[len("mxp+xxx"):] }
	trusting, trusted := certified(t)
	demanding := mxp.NewServer(mxp.ServerOptions{TLS: &tls.Config{Certificates: trusting.Certificates, ClientAuth: tls.RequireAnyClientCert}})
	listener, err := demanding.Listen("mxp+tls://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go demanding.Serve(listener)
	t.Cleanup(demanding.Close)
	theirs := session.Type{Name: "demo.A", Fingerprints: []uint64{1}, Layout: "0 struct demo.A\n x u8\n"}
	mine := session.Type{Name: "demo.A", Fingerprints: []uint64{2}, Layout: "0 struct demo.A\n x u16\n"}
	other := start(t, places.Plain, mxp.ServerOptions{Types: []session.Type{theirs}})
	silent := func(net.Conn) {}
	hasty := func(socket net.Conn) { socket.Close() }
	alert := func(socket net.Conn) { socket.Write([]byte{21, 3, 1, 0, 2, 2, 70}) } // and no more for a while
	http := func(socket net.Conn) {
		socket.Write([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))
	}

	final, lost := session.StatusFailedPrecondition, session.StatusUnavailable
	for name, one := range map[string]struct {
		at      string
		options mxp.ClientOptions
		status  session.Status
		kind    error // not_connected if it is nil
		text    string
	}{
		"missing path":           {at: "mxp+unix://" + filepath.Join(folder, "none.sock"), status: lost, text: "no such file"},
		"file that is no socket": {at: "mxp+unix://" + file, status: final, text: "no socket"},
		"path below a file":      {at: "mxp+unix://" + filepath.Join(file, "s.sock"), status: final, text: "not a directory"},
		"refused port":           {at: "mxp+tcp://" + refusing(t), status: lost, text: "refused"},
		"unknown host":           {at: "mxp+tcp://a..b:9000", status: final, text: "no such host"},
		"other schema":           {at: other.at, options: mxp.ClientOptions{Types: []session.Type{mine}}, status: final, kind: session.ErrSchema, text: "demo.A.x: here u16, there u8"},
		"no TLS there":           {at: overTLS(plain), options: mxp.ClientOptions{TLS: trusted}, status: final, text: "TLS: "},
		"no TLS here":            {at: "mxp+tcp" + secure.at[len("mxp+tls"):], status: final, kind: frame.ErrMagic, text: "another protocol"},
		"an alert of TLS":        {at: "mxp+tcp://" + listening(t, alert), status: final, kind: frame.ErrMagic, text: "another protocol"},
		"untrusted certificate":  {at: secure.at, status: final, text: "x509: "},
		"other name":             {at: "mxp+tls://localhost" + secure.at[strings.LastIndexByte(secure.at, ':'):], options: mxp.ClientOptions{TLS: trusted}, status: final, text: "x509: "},
		"certificate demanded":   {at: "mxp+tls://" + listener.Addr().String(), options: mxp.ClientOptions{TLS: trusted}, status: final, text: "certificate required"},
		"silent peer":            {at: "mxp+tcp://" + listening(t, silent), status: lost, text: "has not sent its Hello"},
		"peer that closes":       {at: "mxp+tcp://" + listening(t, hasty), status: lost, text: "before its Hello"},
		"another protocol":       {at: "mxp+tcp://" + listening(t, http), status: final, kind: frame.ErrMagic, text: "another protocol"},
		"no TLS handshake":       {at: "mxp+tls://" + listening(t, silent), options: mxp.ClientOptions{TLS: trusted}, status: lost, text: "nothing has answered yet"},
	} {
		if strings.HasPrefix(one.at, "mxp+unix:") && places.Plain != "unix" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			heals := one.status == lost
			if one.options.ConnectTimeout = time.Hour; heals {
				one.options.ConnectTimeout = short
			}
			client, err := mxp.Dial(one.at, one.options)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			check := func(what string, err error) {
				t.Helper()
				var f *mxp.Failure
				if !errors.As(err, &f) || f.Status != one.status || f.Acted || f.Peer != one.at || !strings.Contains(f.Text, one.text) {
					t.Fatalf("%s ended with %+v", what, err)
				}
				if one.kind != nil && f.Name != one.kind.Error() || one.kind == nil && one.status == final && !errors.Is(err, session.ErrNotConnected) {
					t.Errorf("%s ended with %v", what, err)
				}
			}
			ctx, began := context.WithoutCancel(t.Context()), time.Now()
			_, err = client.Call(ctx, "demo.Echo", 1, nil)
			if took := time.Since(began); heals && took < short {
				t.Errorf("it was not tried again, but ended after %v", took)
			}
			for heals && !strings.Contains(err.Error(), one.text) && time.Since(began) < 5*time.Second {
				_, err = client.Call(ctx, "demo.Echo", 1, nil) // the attempt had not come as far
			}
			check("a call", err)
			check("an event", client.Event(ctx, "demo.Echo", 4, nil))
			_, err = client.Open(ctx, "demo.Echo", 5, nil)
			check("a stream", err)
		})
	}
}

func TestAddressesThatAreNoneAreRefused(t *testing.T) {
	for _, at := range []string{"", "/run/x.sock", "mxp+udp://x:1", "mxp+unix://run/x", "mxp+tcp://x", "mxp+tls://x:http", "mxp+unix:///" + strings.Repeat("x", 200)} {
		_, err := mxp.Dial(at, mxp.ClientOptions{})
		var f *mxp.Failure
		if !errors.As(err, &f) || !errors.Is(err, session.ErrAddressInvalid) || f.Status != session.StatusInvalidArgument || !strings.Contains(f.Text, `"`+at+`"`) {
			t.Errorf("%q: %v", at, err)
		}
	}
}

// A deadline that is earlier than the connect timeout ends a call as that does.
func TestDeadlineEndsTheWaitForAConnection(t *testing.T) {
	at := places.Free(t)
	client, err := mxp.Dial(at, mxp.ClientOptions{ConnectTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Call(within(t, short), "demo.Echo", 1, nil)
	var f *mxp.Failure
	if !errors.As(err, &f) || f.Status != session.StatusUnavailable || f.Peer != at || !strings.Contains(f.Text, places.Absent) {
		t.Errorf("it ended with %v", err)
	}
}

// lines are the lines that a logger has written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *lines) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}

// A server that comes up late is waited for, one that goes is waited for again,
// and the log has a line for each. [MXP-14.5]
func TestLateServerIsWaitedForAndEachLossLoggedOnce(t *testing.T) {
	at := places.Free(t)
	var log lines
	logger := slog.New(slog.NewTextHandler(&log, nil))
	client, err := mxp.Dial(at, mxp.ClientOptions{Logger: logger, ConnectTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var events atomic.Int64
	for n := range 3 {
		time.Sleep(30 * time.Millisecond) // for some attempts
		called := make(chan error)
		go func() {
			_, err := client.Call(context.Background(), "demo.Echo", 1, nil)
			called <- err
		}()
		server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
		listener, err := server.Listen(at)
		if err != nil {
			t.Fatal(err)
		}
		go server.Serve(listener)
		if err := <-called; err != nil {
			t.Fatal(err)
		}
		server.Close()
		eventually(t, func() bool { return log.count("connection ended") == n+1 })
	}
	time.Sleep(30 * time.Millisecond)
	if connected, lost, not := log.count("mxp: connected"), log.count("mxp: connection ended"), log.count("mxp: not connected"); connected != 3 || lost != 3 || not != 1 {
		t.Errorf("%d connections, %d losses and %d attempts that failed were logged", connected, lost, not)
	}
}

// A client whose server drains takes the next one at once, while what is in flight ends.
func TestDrainingServerIsLeftForTheNext(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	ended := make(chan error)
	hanging, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := r.client.Call(hanging, "demo.Echo", 3, nil)
		ended <- err
	}()
	ctx := within(t, patience*20*time.Second)
	stream, err := r.client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	goesOn := func() {
		t.Helper()
		if err := stream.Send(ctx, []byte("on")); err != nil {
			t.Error(err)
		}
		if value, err := stream.Recv(ctx); err != nil || string(value) != "ON" {
			t.Errorf("the stream of the server that drains: %q, %v", value, err)
		}
	}
	goesOn()
	eventually(t, func() bool { return r.server.Stats().InFlightPeer == 2 })
	left := make(chan error)
	go func() { left <- r.server.Shutdown(context.Background()) }()
	eventually(t, func() bool { // its file is taken away
		probe, err := places.Dial(r.at)
		if err == nil {
			probe.Close()
		}
		return err != nil
	})
	var events atomic.Int64
	next := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
	listener, err := next.Listen(r.at)
	if err != nil {
		t.Fatal(err)
	}
	go next.Serve(listener)
	t.Cleanup(next.Close)
	for range 10 {
		began := time.Now()
		if _, err := r.client.Call(ctx, "demo.Echo", 1, nil); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > patience*time.Second {
			t.Errorf("a call waited for %v", took)
		}
		goesOn()
	}
	stream.Close()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("what was in flight ended with %v", err)
	}
	if err := <-left; err != nil {
		t.Error(err)
	}
}

// A server that ends each session as soon as it is made is not connected to in a loop.
// [MXP-14.3]
func TestServerThatEndsSessionsIsNotHurried(t *testing.T) {
	var made atomic.Int64
	at := "mxp+tcp://" + listening(t, func(socket net.Conn) {
		made.Add(1)
		p := &peer{t: t, socket: socket, s: session.New(session.Config{Role: session.Acceptor}, 0)}
		for !p.s.Ready() && p.read() {
		}
		p.s.Overrun(0)
		p.flush()
		for p.read() {
		}
		socket.Close()
	})
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	time.Sleep(300 * time.Millisecond)
	if n := made.Load(); n < 2 || n > 40 {
		t.Errorf("%d connections were made in 300 ms", n)
	}
}

// A request that has waited for a connection for as long as it may is not made again.
// [MXP-14.4] [MXP-14.8]
func TestRequestWithoutAConnectionWaitsOnce(t *testing.T) {
	const most = 200 * time.Millisecond
	client, err := mxp.Dial(places.Free(t), mxp.ClientOptions{ConnectTimeout: most, Retry: &mxp.RetryPolicy{LeastPause: 1, GreatestPause: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	began := time.Now()
	_, err = client.Call(context.WithoutCancel(t.Context()), "demo.Echo", 1, nil)
	if took := time.Since(began); !errors.Is(err, session.ErrNotConnected) || took < most || took > 2*most {
		t.Errorf("it ended after %v: %v", took, err)
	}
}
