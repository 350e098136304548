package tap

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/internal/places"
)

// patience is how long a test waits for an event.
const patience = 20 * time.Second

// relayed is a relay in front of a server, with its records.
type relayed struct {
	path string

	mu      sync.Mutex
	records []Record
	changed chan struct{}
}

// relay puts a relay in front of what serves connections; nil is nobody.
func relay(t *testing.T, serve func(places.Conn)) *relayed {
	t.Helper()
	target := places.Free(t)
	if serve != nil {
		server, err := net.Listen(places.Network, target)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		go func() {
			for {
				conn, err := server.Accept()
				if err != nil {
					return
				}
				go serve(conn.(places.Conn))
			}
		}()
	}
	r := &relayed{path: places.Free(t), changed: make(chan struct{}, 1)}
	listener, err := net.Listen(places.Network, r.path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	dial := func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, places.Network, target)
	}
	under := &Relay{Listener: listener, Dial: dial, Seen: r.seen}
	go func() { ended <- under.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the relay has ended with %v", err)
			}
		case <-time.After(patience):
			t.Error("the relay has not ended")
		}
	})
	return r
}

func (r *relayed) seen(record *Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := *record
	one.Bytes = bytes.Clone(one.Bytes)
	r.records = append(r.records, one)
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// until waits until the records are enough.
func (r *relayed) until(t *testing.T, enough func([]Record) bool) {
	t.Helper()
	timeout := time.After(patience)
	for {
		r.mu.Lock()
		done := enough(r.records)
		r.mu.Unlock()
		if done {
			return
		}
		select {
		case <-r.changed:
		case <-timeout:
			t.Fatalf("the relay has seen %d records, and not what it should", len(r.records))
		}
	}
}

func count(records []Record, kind Kind) (n int) {
	for _, r := range records {
		if r.Kind == kind {
			n++
		}
	}
	return n
}

func dial(t *testing.T, path string) places.Conn {
	t.Helper()
	conn, err := net.Dial(places.Network, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn.(places.Conn)
}

// echoAll gives everything back, but not before its sender has ended it.
func echoAll(conn places.Conn) {
	defer conn.Close()
	all, _ := io.ReadAll(conn)
	conn.Write(all)
}

// TestBytesPassAsTheyAre sends bytes that are no MXP from many clients, each of which ends its own
// direction before an answer comes.
func TestBytesPassAsTheyAre(t *testing.T) {
	r := relay(t, echoAll)
	const clients = 50
	var all sync.WaitGroup
	for i := range clients {
		conn := dial(t, r.path)
		all.Add(1)
		go func() {
			defer all.Done()
			random := rand.New(rand.NewPCG(7, uint64(i)))
			sent := make([]byte, random.IntN(300000))
			for j := range sent {
				sent[j] = byte(random.Uint32())
			}
			go func() {
				conn.Write(sent)
				conn.CloseWrite()
			}()
			got, err := io.ReadAll(conn)
			if err != nil || !bytes.Equal(got, sent) {
				t.Errorf("client %d: %d of %d bytes came back, %v", i, len(got), len(sent), err)
			}
		}()
	}
	all.Wait()
	r.until(t, func(records []Record) bool { return count(records, Ended) == 2*clients })
	if n := count(r.records, Opened); n != clients {
		t.Errorf("%d connections were seen", n)
	}
	for _, record := range r.records {
		if record.Kind == Unread && !strings.HasPrefix(record.Why, "frame_") {
			t.Errorf("the reason is %q", record.Why)
		}
	}
}

func TestRequestIsSeenBeforeItsAnswer(t *testing.T) {
	ask, answer := conversationOf(t)[1].Bytes, conversationOf(t)[3].Bytes
	r := relay(t, func(conn places.Conn) {
		defer conn.Close()
		for {
			if _, err := io.ReadFull(conn, make([]byte, len(ask))); err != nil {
				return
			}
			conn.Write(answer)
		}
	})
	conn := dial(t, r.path)
	const rounds = 200
	for range rounds {
		conn.Write(ask)
		if _, err := io.ReadFull(conn, make([]byte, len(answer))); err != nil {
			t.Fatal(err)
		}
	}
	conn.Close()
	r.until(t, func(records []Record) bool { return count(records, Ended) == 2 })
	next := ToServer
	for _, record := range r.records {
		if record.Kind != Passed {
			continue
		}
		if record.Direction != next {
			t.Fatal("an answer was seen before its request")
		}
		next = next.back()
	}
	if n := count(r.records, Passed); n != 2*rounds {
		t.Errorf("%d frames were seen", n)
	}
}

// TestServerThatIsGoneEndsTheClient closes each way that a server can.
func TestServerThatIsGoneEndsTheClient(t *testing.T) {
	for name, serve := range map[string]func(places.Conn){
		"closed":      func(conn places.Conn) { conn.Close() },
		"cut off":     func(conn places.Conn) { io.ReadFull(conn, make([]byte, 1)); conn.Close() },
		"unreachable": nil,
	} {
		t.Run(name, func(t *testing.T) {
			r := relay(t, serve)
			conn := dial(t, r.path)
			// More than is read, so that the server's end is one with bytes unread.
			conn.Write(make([]byte, 1000))
			if _, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
				t.Errorf("reading ends with %v", err)
			}
			conn.Close()
			r.until(t, func(records []Record) bool { return count(records, Ended) == 2 })
		})
	}
}

// TestReaderThatStopsStopsTheSender has a server that reads nothing.
func TestReaderThatStopsStopsTheSender(t *testing.T) {
	release := make(chan struct{})
	r := relay(t, func(conn places.Conn) {
		<-release
		io.Copy(io.Discard, conn)
		conn.Close()
	})
	conn := dial(t, r.path)
	if err := conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	sent := 0
	for piece := make([]byte, pieceBytes); sent < 64<<20; {
		n, err := conn.Write(piece)
		sent += n
		if err != nil {
			break
		}
	}
	if sent > 16<<20 {
		t.Errorf("%d bytes went to a server that reads none", sent)
	}
	close(release)
	conn.CloseWrite()
	if _, err := io.ReadAll(conn); err != nil {
		t.Error(err)
	}
	seen := 0
	r.until(t, func(records []Record) bool { return count(records, Ended) == 2 })
	for _, record := range r.records {
		seen += len(record.Bytes)
	}
	if seen != sent {
		t.Errorf("%d bytes were seen, and %d sent", seen, sent)
	}
}
