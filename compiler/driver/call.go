package driver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// CallOptions says what to call.
type CallOptions struct {
	// Schemas are the schemas of the services; without any, the config file's.
	Schemas []string
	Address string
	// Method is Service/method.
	Method string
	// JSON is the request, or several where requests flow; nil is the standard
	// input where they do, else a request without members; "-" is the standard input.
	JSON *string
	// Deadline is for connecting and the answer together; below 0 is the default,
	// and 0 is none.
	Deadline time.Duration
	Metadata []string // key=value
	// Defaults gives fields that the request leaves out zero, or their default.
	Defaults bool
	// Ack waits until an event is taken.
	Ack bool
	// Trace begins a trace, and tells its id and what took how long.
	Trace bool
	// CA is a file of certificates that sign the server's, where the address encrypts.
	CA string
	// Cert and Key are the files of the client's own certificate, with its chain to an authority,
	// and of its key.
	Cert, Key string
}

// DefaultDeadline is how long connecting and the answer of a call or event may
// take.
const DefaultDeadline = 10 * time.Second

// Call makes one request and prints what it is answered with: a line of JSON for
// each response.
func (t *Tool) Call(options CallOptions) error {
	request, err := t.Callable(options)
	if err != nil {
		return err
	}
	method, err := methodNamed(request.Catalog, options.Method)
	if err != nil {
		return err
	}
	request.Method, request.Ack, request.Deadline = method, options.Ack, options.Deadline
	if options.Ack && method.Kind != ir.Event {
		return usagef("--ack is for events, and %s is none", method.FullName())
	}
	if options.Deadline < 0 {
		request.Deadline = DefaultDeadline
		if method.Kind == ir.Stream {
			request.Deadline = 0
		}
	}
	if err := t.requestFrom(request, options.JSON); err != nil {
		return err
	}
	ctx, done := t.interruptible()
	defer done()
	clock := t.clock(request)
	if options.Trace {
		ctx = clock.traced(ctx)
	}
	request.Answered = func(line string) error {
		_, err := fmt.Fprintln(t.Out, line)
		return err
	}
	err = request.Do(ctx)
	if options.Trace {
		clock.tell(method)
	}
	return t.failed(ctx, method.FullName(), err)
}

// Callable is the common part of requests to an address: the methods of the schemas, metadata, and
// trusted certificates. The rest of the options is for who makes one.
func (t *Tool) Callable(options CallOptions) (*talk.Request, error) {
	catalog, err := t.catalog(options.Schemas)
	if err != nil {
		return nil, err
	}
	request := &talk.Request{Catalog: catalog, Rules: talk.Rules{Defaults: options.Defaults}}
	if request.Metadata, err = metadata(options.Metadata); err != nil {
		return nil, err
	}
	request.Address, request.TLS, err = secured(options)
	return request, err
}

// requestFrom says where the request's JSON is.
func (t *Tool) requestFrom(request *talk.Request, text *string) (err error) {
	switch {
	case text == nil && !request.Method.RequestFlows:
		request.In, request.InName = strings.NewReader(""), "the request"
	case text == nil || *text == stdName:
		request.InName = "the standard input"
		request.In, err = t.dataIn()
	default:
		request.In, request.InName = strings.NewReader(*text), "the request"
	}
	return err
}

// shownKeyRunes is how much is shown of a key that is too long.
const shownKeyRunes = 40

func shortened(key string) string {
	if runes := []rune(key); len(runes) > shownKeyRunes {
		return string(runes[:shownKeyRunes])
	}
	return key
}

// metadata takes key=value.
func metadata(texts []string) ([]session.Metadatum, error) {
	var all []session.Metadatum
	for _, text := range texts {
		key, value, found := strings.Cut(text, "=")
		switch {
		case !found || key == "":
			return nil, usagef("--metadata is key=value, not %q", text)
		case len(key) > 255:
			return nil, usagef("the key %q… of --metadata has %d bytes, and 255 are the most", shortened(key), len(key))
		case len(value) > 65535:
			return nil, usagef("the value of --metadata for the key %q has %d bytes, and 65,535 are the most", key, len(value))
		}
		all = append(all, session.Metadatum{Key: key, Value: []byte(value)})
	}
	if len(all) > 255 {
		return nil, usagef("--metadata is there %d times, and 255 are the most", len(all))
	}
	return all, nil
}

// failed tells the user how a request has failed, if it has. An interrupt cancels the context.
func (t *Tool) failed(ctx context.Context, subject string, err error) error {
	interrupted := errors.Is(ctx.Err(), context.Canceled)
	var f *mxp.Failure
	if !errors.As(err, &f) {
		if err != nil && interrupted {
			return ErrInterrupted
		}
		return err
	}
	if f.Peer != "" {
		subject += " at " + f.Peer
	}
	text := fmt.Sprintf("%s failed: %s (%d) %s", subject, f.Status, uint16(f.Status), talk.Printable(f.Name))
	if f.Text != "" {
		text += ": " + talk.Printable(f.Text)
	}
	if f.Name == session.ErrLost.String() {
		text += ": the connection is gone"
	}
	if isMesh := strings.HasPrefix(f.Peer, "mesh:"); isMesh && f.Name == session.ErrNotConnected.String() {
		text += "\n  the node of the mesh is " + mxp.NodeAddress("") + ": MXP_MESH says another, and `sdp-mesh up` starts one"
	}
	if len(f.Details) > 0 {
		text += fmt.Sprintf("\n  details: % x", f.Details)
	}
	acted := "nobody has acted on the request"
	if f.Acted {
		acted = "the peer may have acted on the request"
	}
	if _, err := fmt.Fprintf(t.Err, "sdp: %s\n  %s\n", text, acted); err != nil {
		return err
	}
	if interrupted {
		return ErrInterrupted
	}
	return ErrRefused
}

// clock notes when something happens to a request.
type clock struct {
	err          io.Writer
	begun, ready time.Time
	metadata     string // of the answer
}

func (t *Tool) clock(request *talk.Request) *clock {
	c := &clock{err: t.Err, begun: time.Now()}
	request.Connected = func() { c.ready = time.Now() }
	request.Replied = func(list []session.Metadatum) { c.metadata = talk.Metadata(list) }
	return c
}

// traced begins a trace.
func (c *clock) traced(ctx context.Context) context.Context {
	var id trace.TraceID
	var span trace.SpanID
	_, _ = rand.Read(id[:]) // never fails
	_, _ = rand.Read(span[:])
	sampled := trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: span, TraceFlags: trace.FlagsSampled})
	fmt.Fprintf(c.err, "traceparent: 00-%s-%s-01\n", id, span)
	return trace.ContextWithSpanContext(ctx, sampled)
}

// tell says what took how long, and the metadata of the answer.
func (c *clock) tell(method *talk.Method) {
	if c.ready.IsZero() {
		fmt.Fprintf(c.err, "not connected after %s\n", rounded(time.Since(c.begun)))
		return
	}
	end := "answered"
	if method.Kind == ir.Event {
		end = "sent"
	}
	fmt.Fprintf(c.err, "connected after %s, %s %s later%s\n", rounded(c.ready.Sub(c.begun)), end, rounded(time.Since(c.ready)), c.metadata)
}

// rounded is a time to a hundredth of a millisecond.
func rounded(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}
