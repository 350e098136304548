package mxp_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
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

// peer is one that does to a server what it likes.
type peer struct {
	t      *testing.T
	socket net.Conn
	s      *session.Session
	told   []session.Incoming
}

// intrude connects, without a word.
func intrude(t *testing.T, r *running) *peer {
	t.Helper()
	socket, err := places.Dial(r.at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	socket.SetDeadline(time.Now().Add(20 * time.Second))
	return &peer{t: t, socket: socket, s: session.New(session.Config{Limits: session.Limits{InFlight: 1 << 30, QueueBytes: 1 << 30}}, 0)}
}

// greet is an intruder that behaves until requests can be made.
func greet(t *testing.T, r *running) *peer {
	t.Helper()
	p := intrude(t, r)
	p.greet()
	return p
}

// greet waits until requests can be made.
func (p *peer) greet() {
	p.flush()
	for !p.s.Ready() {
		p.read()
	}
	p.told = nil
}

// bytes are the bytes of the frames that the session has made.
func (p *peer) bytes() (all []byte) {
	for f, ok := p.s.PollFrame(0); ok; f, ok = p.s.PollFrame(0) {
		all = append(append(append(all, f.Head...), f.Value...), f.Trailer...)
	}
	return all
}

func (p *peer) flush() error {
	_, err := p.socket.Write(p.bytes())
	return err
}

// read reads once, and reports whether the connection is there.
func (p *peer) read() bool {
	buffer := make([]byte, 64<<10)
	n, err := p.socket.Read(buffer)
	piece := buffer[:n]
	for in, ok := p.s.Receive(&piece, 0); ok; in, ok = p.s.Receive(&piece, 0) {
		if e, is := in.(*session.Ended); is { // what it refers to goes
			in = &session.Ended{ID: e.ID, Failure: session.Failure{Status: e.Status, Name: strings.Clone(e.Name), Acted: e.Acted}}
		}
		p.told = append(p.told, in)
	}
	return err == nil
}

// ends reads until the connection is closed, and gives the refusal that ended it.
func (p *peer) ends() string {
	for p.read() {
	}
	for _, in := range p.told {
		if end, ok := in.(*session.End); ok {
			return end.Name
		}
	}
	return "without a word"
}

// unharmed checks that another client is served, and that the server holds
// nothing of the intruder.
func unharmed(t *testing.T, r *running) {
	t.Helper()
	reply, err := r.client.Call(within(t, 5*time.Second), "demo.Echo", 1, []byte("still there"))
	if err != nil || string(reply.Value) != "still there" {
		t.Errorf("another client is not served: %v", err)
	}
	eventually(t, func() bool {
		stats := r.server.Stats()
		return stats.InFlightPeer == 0 && stats.QueueBytes == 0
	})
}

func hostile(t *testing.T) *running {
	return start(t, places.Plain, mxp.ServerOptions{Limits: session.Limits{
		InFlight: 64, InFlightBytes: 4 << 20, Refusals: 100_000, Hello: 200_000, Frame: 200_000, Stall: 200_000,
	}})
}

func TestSlowHelloIsNotAwaited(t *testing.T) {
	r := hostile(t)
	p := intrude(t, r)
	began := time.Now()
	for _, b := range p.bytes() {
		if _, err := p.socket.Write([]byte{b}); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if why := p.ends(); why != "session_silent" || time.Since(began) > 2*time.Second {
		t.Errorf("%s after %v", why, time.Since(began))
	}
	unharmed(t, r)
}

func TestSlowFrameIsNotAwaited(t *testing.T) {
	r := hostile(t)
	p := greet(t, r)
	p.s.Call(session.Request{Method: 1}, make([]byte, 100), 0)
	p.socket.Write(p.bytes()[:40])
	if why := p.ends(); why != "session_slow" {
		t.Error(why)
	}
	unharmed(t, r)
}

func TestPeerThatNeverReadsIsCutOff(t *testing.T) {
	r := hostile(t)
	p := greet(t, r)
	before := heapBytes()
	most := 0
	for sent := 0; ; sent++ {
		p.s.Call(session.Request{Method: 1}, make([]byte, 64<<10), 0)
		if p.flush() != nil {
			break
		}
		if sent%16 == 0 {
			most = max(most, heapBytes()-before)
		}
	}
	// The calls in flight, twice: as they came and as answers; and the queue.
	if limit := 2*(4<<20) + 2<<20 + 8<<20; most > limit {
		t.Errorf("the heap grew by %d bytes, at most %d are allowed", most, limit)
	}
	eventually(t, func() bool { s := r.server.Stats(); return s.Refusals[session.ErrStalled.Number()] == 1 })
	unharmed(t, r)
}

func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestFloodOfStreamsIsRefused(t *testing.T) {
	r := hostile(t)
	p := greet(t, r)
	const n = 100_000
	go func() {
		for i := range n {
			p.s.Open(session.Request{Method: 5}, 0, 0, nil, false, 0)
			if i%1000 == 999 {
				if p.flush() != nil {
					return
				}
			}
		}
	}()
	// A second session counts the received frames: the first is the writer's.
	reader := session.New(session.Config{}, 0)
	reader.PollFrame(0)
	refused := uint64(0)
	frames := frame.NewReader(frame.Options{Checksum: frame.ChecksumOff})
	buffer := make([]byte, 64<<10)
	for refused < n-64 {
		size, err := p.socket.Read(buffer)
		if err != nil {
			t.Fatalf("after %d refusals: %v", refused, err)
		}
		piece := buffer[:size]
		for {
			f, ok, err := frames.Next(&piece)
			if err != nil || !ok {
				break
			}
			if f.Type == frame.Error && strings.Contains(string(f.Payload), "limit_in_flight") {
				refused++
			}
		}
	}
	p.socket.Close()
	unharmed(t, r)
}

// Calls that are cancelled at once keep their places while their handlers run.
func TestCancellingInALoopStartsNoMoreHandlers(t *testing.T) {
	var now, most atomic.Int64
	services := mxp.NewServices()
	services.Service("demo.Echo").Call(1, func(ctx context.Context, r *mxp.Request) ([]byte, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(time.Millisecond) // deaf to being cancelled
		now.Add(-1)
		return r.Value, nil
	})
	server := mxp.NewServer(mxp.ServerOptions{Services: services, Limits: session.Limits{Refusals: 100_000, InFlight: 32}})
	r := &running{server: server, at: places.Free(t)}
	listener, err := server.Listen(r.at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	p := greet(t, r)
	go func() {
		for p.socket != nil {
			if _, err := p.socket.Read(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}()
	for range 20_000 {
		id, err := p.s.Call(session.Request{Method: 1}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		frames := p.bytes()
		p.s.Cancel(id, 0)
		if _, err := p.socket.Write(append(frames, p.bytes()...)); err != nil {
			t.Fatal(err)
		}
	}
	if got := most.Load(); got > 33 {
		t.Errorf("%d handlers ran at once", got)
	}
	p.socket.Close()
	eventually(t, func() bool { return server.Stats().InFlightPeer == 0 })
}

func TestLiesAreRefusedByName(t *testing.T) {
	r := hostile(t)
	header := func(length byte) []byte {
		f := frame.Frame{Header: frame.Header{Type: frame.Call, MessageID: 1}}
		all, _ := f.Append(nil, frame.ChecksumOn)
		all[27] = length // 16 MiB each
		return all[:32]
	}
	for name, lie := range map[string][]byte{
		"frame_too_large":     header(2),
		"frame_magic":         []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"session_id":          appended(t, frame.Frame{Header: frame.Header{Type: frame.Response, MessageID: 77}, Payload: make([]byte, 8)}),
		"session_payload":     appended(t, frame.Frame{Header: frame.Header{Type: frame.Call, MessageID: 1}, Payload: []byte{255, 255, 255, 255}}),
		"session_flags":       appended(t, frame.Frame{Header: frame.Header{Type: frame.Call, MessageID: 1, Flags: frame.Compressed}}),
		"session_hello":       appended(t, frame.Frame{Header: frame.Header{Type: frame.Hello}}),
		"limit_control_bytes": appended(t, frame.Frame{Header: frame.Header{Type: frame.Credit, MessageID: 1}, Payload: make([]byte, 2<<20)}),
	} {
		p := greet(t, r)
		if _, err := p.socket.Write(lie); err != nil {
			t.Fatal(err)
		}
		if why := p.ends(); why != name {
			t.Errorf("%s: ended by %s", name, why)
		}
	}
	p := greet(t, r)
	p.socket.Write(header(0)[:20])
	p.socket.Close() // inside a frame
	unharmed(t, r)
}

func appended(t *testing.T, f frame.Frame) []byte {
	all, err := f.Append(nil, frame.ChecksumOn)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestClientIsBackWhenTheServerIs(t *testing.T) {
	at := places.Free(t)
	var events atomic.Int64
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	var took []time.Duration
	for range 100 {
		server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
		listener, err := server.Listen(at)
		if err != nil {
			t.Fatal(err)
		}
		go server.Serve(listener)
		began := time.Now()
		_, err = client.Call(within(t, 5*time.Second), "demo.Echo", 1, nil)
		for errors.Is(err, session.ErrLost) { // it has not seen yet that the connection before is gone
			_, err = client.Call(within(t, 5*time.Second), "demo.Echo", 1, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(began))
		server.Close()
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100-1]
	t.Logf("median %v, p99 %v", took[len(took)/2], p99)
	if p99 > patience*100*time.Millisecond {
		t.Errorf("in service again after %v", p99)
	}
}

func TestOneListensAtATime(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	if _, err := mxp.NewServer(mxp.ServerOptions{}).Listen(r.at); err == nil {
		t.Error("a second server took the address")
	}
	if _, err := r.client.Call(within(t, time.Second), "demo.Echo", 1, nil); err != nil {
		t.Error(err)
	}
}

func TestCallsOfAConnectionThatIsLostSaySo(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	done := make(chan error)
	go func() {
		_, err := r.client.Call(within(t, 5*time.Second), "demo.Echo", 3, nil)
		done <- err
	}()
	eventually(t, func() bool { return r.server.Stats().InFlightPeer == 1 })
	r.server.Close()
	var f *mxp.Failure
	if err := <-done; !errors.Is(err, session.ErrLost) || !errors.As(err, &f) || !f.Acted {
		t.Errorf("got %+v", err)
	}
}

// refuse makes so many calls at once of a method that there is not.
func refuse(t *testing.T, r *running, n int) {
	t.Helper()
	ctx := within(t, 20*time.Second)
	var all sync.WaitGroup
	for range n {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := r.client.Call(ctx, "demo.Echo", 99, nil); !errors.Is(err, session.ErrMethodUnknown) {
				t.Error(err)
			}
		}()
	}
	all.Wait()
}

// A peer that causes refusals in a loop is read as fast as they are forgiven, and
// is never cut off. [MXP-9.7]
func TestRefusalsInALoopAreSlow(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{Limits: session.Limits{Refusals: 100, RefusalsPerMs: 1}})
	began := time.Now()
	refuse(t, r, 600)
	if _, err := r.client.Call(within(t, 10*time.Second), "demo.Echo", 1, nil); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < 400*time.Millisecond {
		t.Errorf("600 refusals took %v", took)
	}
	stats := r.server.Stats()
	if stats.Refusals[session.ErrLimitRefusals.Number()] == 0 || stats.In.Of(frame.Hello).Frames != 1 {
		t.Errorf("limit_refusals was counted %d times, with %d connections", stats.Refusals[session.ErrLimitRefusals.Number()], stats.In.Of(frame.Hello).Frames)
	}
}

// All that may be in flight can be refused at once.
func TestRefusalsAtOnceAreFast(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	refuse(t, r, session.InFlight)
	stats := r.server.Stats()
	if n := stats.Refusals[session.ErrLimitRefusals.Number()]; n != 0 {
		t.Errorf("limit_refusals was counted %d times", n)
	}
}
