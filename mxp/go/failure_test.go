package mxp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// table gives the rows of a file that all languages test.
func table(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")[1:] {
		rows = append(rows, strings.Split(line, "\t"))
	}
	return rows
}

func TestFailuresHaveOneText(t *testing.T) {
	for _, row := range table(t, "failures.tsv") {
		status, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		f := &Failure{Method: row[0], Peer: row[1], Status: session.Status(status), Name: row[3], Text: row[4], Acted: row[5] == "yes"}
		if f.Error() != row[6] {
			t.Errorf("got  %s\nwant %s", f, row[6])
		}
	}
}

func TestTimesHaveOneText(t *testing.T) {
	for _, row := range table(t, "times.tsv") {
		us, err := strconv.ParseInt(row[0], 10, 64)
		late := engine.Refusal(session.ErrDeadlineExceeded, true)
		begun := time.Unix(1, 0)
		why := engine.Wait{Begun: begun}.Explained(&late, begun.Add(time.Duration(us)*time.Microsecond)).(*Failure)
		got := strings.TrimSuffix(strings.TrimPrefix(why.Text, "after "), ", with a deadline of 0 ms")
		if err != nil || got != row[1] {
			t.Errorf("%s is %q, want %q", row[0], got, row[1])
		}
	}
}

// logged is where a server's log goes.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) has(t *testing.T, words ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		all := true
		for _, word := range words {
			all = all && strings.Contains(line, word)
		}
		if all {
			return
		}
	}
	t.Errorf("no line of the log has %q:\n%s", words, l.text.String())
}

// failing is a server of requests that fail, and a client of it.
func failing(t *testing.T, options ServerOptions, how ClientOptions) (at string, server *Server, client *Client, log *logged) {
	t.Helper()
	services, log := NewServices(), &logged{}
	s := services.Service("demo.Echo")
	s.Call(1, func(_ context.Context, r *Request) ([]byte, error) { return bytes.Repeat(r.Value, 100), nil })
	s.register(Method{Number: 2, Name: "wait"}, KindCall, flows{}, func(ctx context.Context, _ *Request) (Reply, error) {
		<-ctx.Done()
		return Reply{}, ctx.Err()
	})
	s.Call(3, func(context.Context, *Request) ([]byte, error) {
		return nil, errors.New(strings.Repeat("ä", session.FailureTextBytes) + "\xff")
	})
	s.Call(4, func(context.Context, *Request) ([]byte, error) {
		return nil, &Failure{Status: session.StatusInternal, Name: "broken", Text: "it broke", Details: make([]byte, session.ControlBytes)}
	})
	for n := range uint16(8) {
		s.Event(100+n, func(context.Context, *Request) error { return errors.New("not taken") })
	}
	s.Stream(5, func(ctx context.Context, _ *Request, s *Stream) error {
		for {
			if _, err := s.Recv(ctx); err != nil {
				return err
			}
		}
	})
	at = places.Free(t)
	options.Services, options.Logger = services, slog.New(slog.NewTextHandler(log, nil))
	server = NewServer(options)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	if client, err = Dial(at, how); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return at, server, client, log
}

func TestFailuresSayWhatHappenedAndWhere(t *testing.T) {
	at, _, client, log := failing(t, ServerOptions{PayloadBytes: 1000}, ClientOptions{PayloadBytes: 2000})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, c := range []struct {
		method uint16
		bytes  int
		want   string
	}{
		{1, 2000, "OutOfRange (11) payload_too_large: a payload of 2018 bytes, where the peer takes 1000; it was not acted on"},
		{1, 500, "OutOfRange (11) payload_too_large: a payload of 50005 bytes, where the peer takes 2000; it may have been acted on"},
		{9, 0, "Unimplemented (12) method_unknown: demo.Echo has no call 9; it has call 1, call wait = 2, call 3, call 4, stream 5, event 100, event 101, event 102 and 5 more; it was not acted on"},
		{5, 0, "Unimplemented (12) method_unknown: demo.Echo has no call 5; it has call 1, call wait = 2, call 3, call 4, stream 5, event 100, event 101, event 102 and 5 more; it was not acted on"},
		{104, 0, "Unimplemented (12) method_unknown: demo.Echo has no call 104; it has event 100, event 101, event 102, event 103, event 104, event 105, event 106, event 107 and 5 more; it was not acted on"},
		{3, 0, "Unknown (2) unknown; it may have been acted on"}, // its text is more than this client takes
		{4, 0, "Internal (13) broken: it broke; it may have been acted on"},
	} {
		_, err := client.Call(ctx, "demo.Echo", c.method, make([]byte, c.bytes))
		want := "demo.Echo/" + strconv.Itoa(int(c.method)) + " at " + at + ": " + c.want
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	log.has(t, "method=demo.Echo/1", "peer="+at, "name=payload_too_large", "50005")
	log.has(t, "method=demo.Echo/9", "peer="+at, "status=Unimplemented", "name=method_unknown")
	log.has(t, "method=demo.Echo/4", "status=Internal", "name=broken", "it broke")
	want := "demo.Eho/1 at " + at + ": Unimplemented (12) service_unknown: the peer does not serve demo.Eho; it serves demo.Echo; it was not acted on"
	if _, err := client.Call(ctx, "demo.Eho", 1, nil); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	want = "demo.Echo/100 at " + at + ": Unknown (2) unknown: not taken; it may have been acted on"
	if err := client.Event(ctx, "demo.Echo", 100, nil, WithAck()); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	log.has(t, "mxp: event handler", "method=demo.Echo/100", "peer="+at, "not taken")
}

func TestTextsOfFailuresAreCut(t *testing.T) {
	_, _, client, _ := failing(t, ServerOptions{}, ClientOptions{})
	_, err := client.Call(context.Background(), "demo.Echo", 3, nil)
	var f *Failure
	if !errors.As(err, &f) || f.Text != strings.Repeat("ä", session.FailureTextBytes/2-2)+"…" {
		t.Errorf("got %v", err)
	}
}

func TestDeadlinesSayHowLongWasWaited(t *testing.T) {
	at, _, client, _ := failing(t, ServerOptions{}, ClientOptions{})
	if err := client.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	begun := time.Now()
	_, called := client.Call(short(), "demo.Echo", 2, nil)
	ctx := short()
	stream, err := client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, received := stream.Recv(ctx)
	took := float64(time.Since(begun)) / 1e6
	for _, c := range []struct {
		err    error
		method string
		end    string
	}{
		{called, "demo.Echo/2 at " + at, "; it may have been acted on"},
		{received, "demo.Echo/5 at " + at, "; it may have been acted on"},
	} {
		text := c.err.Error()
		if !errors.Is(c.err, context.DeadlineExceeded) || !strings.HasPrefix(text, c.method+": DeadlineExceeded (4) deadline_exceeded: after ") || !strings.HasSuffix(text, c.end) {
			t.Errorf("got %s", text)
		}
		var waited, deadline float64
		_, times, _ := strings.Cut(text, "deadline_exceeded: ")
		if _, err := fmt.Sscanf(times, "after %g ms, with a deadline of %g ms;", &waited, &deadline); err != nil || deadline > 30 || deadline < 30-(took-waited)-0.01 || waited < deadline || waited > took {
			t.Errorf("got %s: %v", text, err)
		}
	}
}

func TestLostConnectionsSayWhyAndWhetherItWasActedOn(t *testing.T) {
	at, server, client, _ := failing(t, ServerOptions{}, ClientOptions{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	stream, err := client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := client.Call(ctx, "demo.Echo", 2, nil)
		ended <- err
	}()
	for stats := server.Stats(); stats.In.Of(frame.Call).Frames == 0 && ctx.Err() == nil; stats = server.Stats() {
		time.Sleep(time.Millisecond)
	}
	server.Close()
	_, received := stream.Recv(ctx)
	for method, err := range map[string]error{"demo.Echo/2": <-ended, "demo.Echo/5": received} {
		prefix := method + " at " + at + ": Unavailable (14) session_lost: the peer has "
		if errors.Is(err, io.EOF) || !strings.HasPrefix(err.Error(), prefix) || !strings.HasSuffix(err.Error(), " the connection; it may have been acted on") {
			t.Errorf("got %v", err)
		}
	}
	client.Close()
	want := "demo.Echo/2 at " + at + ": Unavailable (14) session_closed; it was not acted on"
	if _, err := client.Call(ctx, "demo.Echo", 2, nil); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	const at = "mxp+tcp://nowhere:1"
	for _, c := range []struct {
		client ClientOptions
		server ServerOptions
		want   string
	}{
		{ClientOptions{PayloadBytes: 32 << 20}, ServerOptions{PayloadBytes: 32 << 20}, "mxp: PayloadBytes is 33554432, and can be 0 to 16777216"},
		{ClientOptions{PayloadBytes: -1}, ServerOptions{PayloadBytes: -1}, "mxp: PayloadBytes is -1, and can be 0 to 16777216"},
		{ClientOptions{StreamWindow: -5}, ServerOptions{StreamWindow: -5}, "mxp: StreamWindow is -5, and can be no less than 0"},
		{ClientOptions{Limits: session.Limits{QueueBytes: -1}}, ServerOptions{Limits: session.Limits{QueueBytes: -1}}, "mxp: Limits.QueueBytes is -1, and can be 0 to " + strconv.Itoa(int(^uint(0)>>1))},
		{ClientOptions{}, ServerOptions{Connections: -1}, "mxp: Connections is -1, and can be no less than 0"},
	} {
		client, err := Dial(at, c.client)
		if client != nil {
			client.Close()
		}
		if c.server.Connections == 0 && (err == nil || err.Error() != c.want) {
			t.Errorf("a client: got %v, want %s", err, c.want)
		}
		if err := NewServer(c.server).ListenAndServe(context.Background(), at); err == nil || err.Error() != c.want {
			t.Errorf("a server: got %v, want %s", err, c.want)
		}
	}
}
