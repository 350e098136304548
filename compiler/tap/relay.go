package tap

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	// connectionsMax is how many connections are relayed at once; others wait to be
	// accepted.
	connectionsMax = 1024
	// connectingMax is how long connecting to the server may take.
	connectingMax = 10 * time.Second
)

// Relay stands between clients and a server. Bytes are passed on as they come, and not before Seen
// was told of the frames that they complete: so a request is seen before its answer, and a waiting
// Seen makes the peers wait.
type Relay struct {
	Listener net.Listener
	// Listen and Target are the addresses, as records name them.
	Listen, Target string
	// Dial connects to the server, until the context ends.
	Dial func(context.Context) (net.Conn, error)
	// Seen is told of all that happens, of one thing at a time.
	Seen func(*Record)

	budget budget
	mu     sync.Mutex // around Seen
	number uint32     // of the last connection
	live   sync.WaitGroup
}

// Run relays until the context ends, and then cuts off what there is.
func (r *Relay) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		_ = r.Listener.Close() // which also takes a socket's file away
		close(closed)
	})
	defer func() {
		cancel()
		<-closed
		r.live.Wait()
	}()
	places := make(chan struct{}, connectionsMax)
	for {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		client, err := r.Listener.Accept()
		switch {
		case err == nil:
			r.live.Add(1)
			go func() {
				defer r.live.Done()
				r.relay(ctx, client)
				<-places
			}()
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default: // too many open files, say
			<-places
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// closeWrite ends a direction of a connection, where it ends by itself; else both.
func closeWrite(conn net.Conn) error {
	if half, is := conn.(interface{ CloseWrite() error }); is {
		return half.CloseWrite()
	}
	return conn.Close()
}

// relay relays one connection until both its directions have ended.
func (r *Relay) relay(ctx context.Context, client net.Conn) {
	defer client.Close()
	connecting, done := context.WithTimeout(ctx, connectingMax)
	server, err := r.Dial(connecting)
	done()
	number := r.opened()
	if err != nil {
		for _, d := range []Direction{ToServer, ToClient} {
			r.seen(&Record{Kind: Ended, Connection: number, Direction: d, Why: "the server can't be reached: " + reason(err)})
		}
		return
	}
	defer server.Close()
	stop := context.AfterFunc(ctx, func() { _, _ = client.Close(), server.Close() })
	defer stop()
	var both sync.WaitGroup
	both.Add(2)
	for _, way := range []struct {
		direction Direction
		from      io.Reader
		to        net.Conn
	}{{ToServer, r.asked(number, client), server}, {ToClient, server, client}} {
		go func() {
			defer both.Done()
			err := r.pass(number, way.direction, way.from, way.to)
			if err == nil {
				err = closeWrite(way.to) // the other direction may go on
			}
			if err != nil { // one of them is gone, and the other has to know
				_, _ = client.Close(), server.Close()
			}
		}()
	}
	both.Wait()
}

// asked is the bytes of a client without an offer of shared memory.
func (r *Relay) asked(number uint32, client net.Conn) io.Reader {
	if _, is := client.(*net.UnixConn); !is {
		return client
	}
	return &socketOnly{Conn: client, declined: func() {
		r.seen(&Record{Kind: Unread, Connection: number, Direction: ToServer, Why: "the client's shared memory is declined, so that its bytes pass here"})
	}}
}

// opened gives a connection its number.
func (r *Relay) opened() uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	r.Seen(&Record{Kind: Opened, At: time.Now(), Connection: r.number, Listen: r.Listen, Target: r.Target})
	return r.number
}

func (r *Relay) seen(record *Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	record.At = time.Now()
	r.Seen(record)
}

// pass passes one direction on until it ends. The error is nil if its sender has
// ended it.
func (r *Relay) pass(number uint32, d Direction, source io.Reader, w io.Writer) error {
	split := splitter{budget: &r.budget}
	found := func(bytes []byte, why string) {
		record := Record{Kind: Passed, Connection: number, Direction: d, Bytes: bytes, Why: why}
		if why != "" {
			record.Kind = Unread
		}
		r.seen(&record)
	}
	piece := make([]byte, pieceBytes)
	var failed error
	for failed == nil {
		n, err := source.Read(piece)
		split.take(piece[:n], found)
		failed = err
		if n > 0 {
			if _, err := w.Write(piece[:n]); err != nil {
				failed = err
			}
		}
	}
	if errors.Is(failed, io.EOF) {
		failed = nil
	}
	split.end(found)
	r.seen(&Record{Kind: Ended, Connection: number, Direction: d, Why: reason(failed)})
	return failed
}

// reason is an error without the names of sockets.
func reason(err error) string {
	var errno syscall.Errno
	var failure *session.Failure
	var syscallError *os.SyscallError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, net.ErrClosed):
		return "cut off"
	case errors.As(err, &syscallError):
		return syscallError.Err.Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &failure):
		return failure.Text
	}
	return err.Error()
}
