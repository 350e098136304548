package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"

	"services/gen/ledger"
)

// client asks for everything, and prints what it is told.
type client struct {
	connection *mxp.Client
	ledger     *ledger.LedgerClient
	wrong      int // lines that are not as they should be

	mu   sync.Mutex
	key  string // what the interceptor sends
	seen string // what it has seen last
}

func statusOf(n uint16) session.Status { return session.Status(n) }

func dial(at string) (*client, error) {
	c := &client{key: sesame}
	var err error
	c.connection, err = mxp.Dial(at, mxp.ClientOptions{Types: ledger.LedgerTypes(), Interceptors: []mxp.Interceptor{c.unlock}})
	c.ledger = ledger.NewLedgerClient(c.connection)
	return c, err
}

// unlock sends the key, and keeps what the server says in its answers.
func (c *client) unlock(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
	c.mu.Lock()
	r.Metadata = append(r.Metadata, mxp.Metadatum{Key: keyName, Value: []byte(c.key)})
	c.mu.Unlock()
	reply, err := next(ctx, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range reply.Metadata {
		if m.Key == seenName {
			c.seen = string(m.Value)
		}
	}
	return reply, err
}

// say prints a line, and counts it if it is none of the possible ones.
func (c *client) say(line string, can ...string) {
	fmt.Println(line)
	if !slices.Contains(can, line) {
		c.wrong++
	}
}

func (c *client) calls(ctx context.Context) error {
	e, err := c.ledger.Echo(ctx, mark(&ledger.Entry{ID: 7, Text: "héllo", Amount: -9}))
	if err != nil {
		return err
	}
	var can []string
	for _, m := range marks {
		can = append(can, `echo: 7 "héllo" -9 `+m)
	}
	c.say(fmt.Sprintf("echo: %d %q %d %s", e.ID, e.Text, e.Amount, marked(e)), can...)
	c.say("seen: "+c.seen, "seen: echo")

	state, err := trace.ParseTraceState("vendor=x")
	if err != nil {
		return err
	}
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: [16]byte{0: 1, 15: 2}, SpanID: [8]byte{0: 3, 7: 4}, TraceFlags: 1, TraceState: state})
	if _, err := c.ledger.Echo(trace.ContextWithSpanContext(ctx, span), &ledger.Entry{}); err != nil {
		return err
	}
	c.say("trace: "+c.seen, "trace: echo 00-01000000000000000000000000000002-0300000000000004-01 vendor=x")

	_, err = c.ledger.Fail(ctx, &ledger.Wanted{Status: 9, Name: "demo_refused", Text: "not now", Details: []byte{1, 2}})
	f := failure(err)
	c.say(fmt.Sprintf("fail: %d %s %q %x acted=%t", f.Status, f.Name, f.Text, f.Details, f.Acted), `fail: 9 demo_refused "not now" 0102 acted=true`)
	c.say("line: "+line(f), "line: ledger.Ledger/fail: FailedPrecondition (9) demo_refused: not now; it may have been acted on")

	c.key = "wrong"
	_, err = c.ledger.Echo(ctx, &ledger.Entry{})
	c.key = sesame
	f = failure(err)
	c.say(fmt.Sprintf("key: %d %s acted=%t", f.Status, f.Name, f.Acted), "key: 16 key_wrong acted=false")
	return nil
}

// rounds asks for what only a server of the same release reads.
func (c *client) rounds(ctx context.Context) error {
	can := []string{"round: 5"}
	for _, differ := range []string{"here u32, there u64", "here u64, there u32"} {
		can = append(can, "round: ledger.Ledger/round: FailedPrecondition (9) session_schema: ledger.Rounding.to: "+differ+"; it was not acted on")
	}
	if r, err := c.ledger.Round(ctx, &ledger.Rounding{To: 5}); err != nil {
		c.say("round: "+line(failure(err)), can...)
	} else {
		c.say(fmt.Sprintf("round: %d", r.To), can...)
	}
	return nil
}

func (c *client) waits(ctx context.Context) error {
	before, err := c.ledger.Waited(ctx, &ledger.Nothing{})
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = c.ledger.Wait(short, &ledger.Nothing{})
	f := failure(err)
	c.say(fmt.Sprintf("wait: %d %s", f.Status, f.Name), "wait: 4 deadline_exceeded")

	left, leave := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, leave)
	_, err = c.ledger.Wait(left, &ledger.Nothing{})
	f = failure(err)
	c.say(fmt.Sprintf("wait: %d %s", f.Status, f.Name), "wait: 1 cancelled")

	after, err := until(ctx, before.Entries+2, c.ledger.Waited)
	if err != nil {
		return err
	}
	c.say(fmt.Sprintf("waited: %d", after.Entries-before.Entries), "waited: 2")
	return nil
}

// until asks how many there are until there are so many, but not for ever.
func until(ctx context.Context, want uint64, ask func(context.Context, *ledger.Nothing, ...mxp.Option) (*ledger.Total, error)) (*ledger.Total, error) {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		total, err := ask(ctx, &ledger.Nothing{})
		if err != nil || total.Entries >= want || time.Now().After(end) {
			return total, err
		}
	}
}

// The largest payload of a frame.
const payloadMax = 16 << 20

func (c *client) blobs(ctx context.Context) error {
	if _, err := c.ledger.Nothing(ctx, &ledger.Nothing{}); err != nil {
		return err
	}
	c.say("nothing: ok", "nothing: ok")
	ctx = context.WithoutCancel(ctx) // the head of a call with a deadline is another
	data := make([]byte, payloadMax)
	for i := range data {
		data[i] = byte(i % 251)
	}
	answered := func(n int) bool {
		b, err := c.ledger.Blob(ctx, &ledger.Blob{Data: data[:n]})
		return err == nil && bytes.Equal(b.Data, data[:n])
	}
	if answered(0) {
		c.say("blob: 0", "blob: 0")
	}
	most, least := payloadMax-1024, payloadMax // is answered, and is not
	if !answered(most) {
		return fmt.Errorf("a blob of %d bytes is not answered", most)
	}
	for least-most > 1 {
		if middle := (most + least) / 2; answered(middle) {
			most = middle
		} else {
			least = middle
		}
	}
	fmt.Printf("blob: %d\n", most)
	_, err := c.ledger.Blob(ctx, &ledger.Blob{Data: data})
	f := failure(err)
	c.say("too large: "+line(f), "too large: ledger.Ledger/blob: OutOfRange (11) payload_too_large: a payload of 16777250 bytes, where the peer takes 16777216; it was not acted on")
	return nil
}

// line is a failure as text, without the address, which differs from run to run.
func line(f *mxp.Failure) string {
	told := *f
	told.Peer = ""
	return told.Error()
}
