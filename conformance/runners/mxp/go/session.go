package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// words are the words of a line that have a name; the first value of a name counts, but types may
// be many.
type words struct {
	named map[string]string
	types []string
	uses  []string
	err   error
}

func wordsOf(line []string) *words {
	w := &words{named: map[string]string{}}
	for _, word := range line {
		key, value, _ := strings.Cut(word, "=")
		if key == "type" && strings.Contains(value, ":") {
			w.types = append(w.types, value)
			continue
		}
		if key == "use" {
			w.uses = append(w.uses, value)
			continue
		}
		w.named[key] = value
	}
	return w
}

func (w *words) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *words) number(key string) uint64 {
	text, there := w.named[key]
	if !there {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		w.fail(err)
	}
	return n
}

// neverIfZero is a time of which 0 means never: the session takes 0 for its default.
func (w *words) neverIfZero(key string) uint64 {
	if _, there := w.named[key]; there && w.number(key) == 0 {
		return session.Never
	}
	return w.number(key)
}

func (w *words) flag(key string) bool { return w.named[key] == "1" }

// offers reports whether the session offers something.
func (w *words) offers(name string) bool {
	return slices.Contains(strings.Split(w.named["offer"], ","), name)
}

func (w *words) bytes(key string) []byte { return w.hex(w.named[key]) }

func (w *words) hex(text string) []byte {
	if text == "" || text == "-" {
		return nil
	}
	data, err := hex.DecodeString(text)
	if err != nil {
		w.fail(err)
	}
	return data
}

func (w *words) text(key string) string { return string(w.bytes(key)) }

func (w *words) texts(key string) (texts []string) {
	if all := w.named[key]; all != "" && all != "-" {
		for _, one := range strings.Split(all, ",") {
			texts = append(texts, string(w.hex(one)))
		}
	}
	return texts
}

func (w *words) registration() *session.Registration {
	return &session.Registration{
		Name: w.text("name"), Capabilities: w.texts("capabilities"), Lease: w.number("lease"),
		Addresses: w.texts("addresses"), Services: w.texts("services"), Epoch: w.number("epoch"),
	}
}

func (w *words) query() *session.Query {
	return &session.Query{Capability: w.text("capability"), Name: w.text("name"), Service: w.text("service"), Version: w.number("version")}
}

func (w *words) metadata() (metadata []session.Metadatum) {
	if all := w.named["meta"]; all != "" && all != "-" {
		for _, one := range strings.Split(all, ",") {
			key, value, _ := strings.Cut(one, ":")
			metadata = append(metadata, session.Metadatum{Key: string(w.hex(key)), Value: w.hex(value)})
		}
	}
	return metadata
}

func (w *words) trace() *session.Trace {
	text := w.named["trace"]
	if text == "" || text == "-" {
		return nil
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		w.fail(errors.New("a trace has three parts"))
		return nil
	}
	var trace session.Trace
	copy(trace.ID[:], w.hex(parts[0]))
	parent, err := strconv.ParseUint(parts[1], 10, 64)
	flags, other := strconv.ParseUint(parts[2], 10, 8)
	w.fail(errors.Join(err, other))
	trace.Parent, trace.Flags = parent, uint8(flags)
	return &trace
}

func (w *words) request() session.Request {
	return session.Request{
		Service: uint16(w.number("service")), Method: uint16(w.number("method")), Deadline: w.number("deadline"),
		Trace: w.trace(), Metadata: w.metadata(),
	}
}

func (w *words) config() session.Config {
	c := session.Config{
		PayloadBytes:     int(w.number("payload")),
		OfferChecksumOff: w.offers("checksum_off"),
		OfferBatches:     w.offers("batches"),
		Agents:           w.named["agents"] == "on",
		Limits: session.Limits{
			InFlight: int(w.number("in_flight")), InFlightBytes: int(w.number("in_flight_bytes")),
			QueueBytes: int(w.number("queue_bytes")), ReplyBytes: int(w.number("reply_bytes")),
			BulkBytes: int(w.number("bulk_bytes")),
			Refusals:  int(w.number("refusals")), RefusalsPerMs: int(w.number("refusals_per_ms")),
			Hello: w.number("hello_us"), Frame: w.number("frame_us"), FrameRate: int(w.number("frame_bytes_per_s")), Stall: w.number("stall_us"),
			Ping: w.neverIfZero("ping_us"), Pong: w.number("pong_us"), Idle: w.neverIfZero("idle_us"), Linger: w.number("linger_us"),
		},
	}
	if w.named["role"] == "acceptor" {
		c.Role = session.Acceptor
	}
	if all := w.named["services"]; all != "" && all != "-" {
		c.Services = strings.Split(all, ",")
	}
	for _, one := range w.types {
		parts := strings.Split(one, ":")
		if len(parts) != 3 {
			w.fail(errors.New("a type has three parts"))
			break
		}
		t := session.Type{Name: parts[0], Layout: string(w.hex(parts[2]))}
		for _, print := range strings.Split(parts[1], ",") {
			n, err := strconv.ParseUint(print, 16, 64)
			w.fail(err)
			t.Fingerprints = append(t.Fingerprints, n)
		}
		w.use(&t)
		c.Types = append(c.Types, t)
	}
	return c
}

// use gives a type the methods that it is for.
func (w *words) use(t *session.Type) {
	for _, one := range w.uses {
		parts := strings.Split(one, ":")
		if len(parts) != 5 {
			w.fail(errors.New("a use has five parts"))
			return
		}
		n, err := strconv.ParseUint(parts[2], 10, 16)
		w.fail(err)
		m := session.Method{Service: parts[1], Number: uint16(n), Name: parts[3]}
		switch {
		case parts[0] != t.Name:
		case parts[4] == "request":
			t.Requests = append(t.Requests, m)
		default:
			t.Responses = append(t.Responses, m)
		}
	}
}

// endpoint is the session that the runner holds.
type endpoint struct {
	session *session.Session
	now     uint64
}

// answer does what a line says.
func (p *endpoint) answer(verb string, w *words) string {
	if _, there := w.named["now"]; there {
		p.now = w.number("now")
	}
	if verb == "new" {
		config := w.config()
		if w.err == nil {
			p.session = session.New(config, p.now)
		}
		return done(w, "session")
	}
	if p.session == nil {
		return "error\tthere is no session"
	}
	switch verb {
	case "receive", "deliver", "tick", "lost":
		return p.events(verb, w)
	case "poll":
		return p.poll(w)
	case "state":
		return p.state()
	case "differences":
		var lines []string
		for _, d := range p.session.Differences() {
			lines = append(lines, fmt.Sprintf("difference\tserved=%s\tmethod=%d\ttext=%x", bit(d.Served), d.Method.Number, d.Text))
		}
		return done(w, "session", lines...)
	case "uncompared":
		var lines []string
		for _, name := range p.session.Uncompared() {
			lines = append(lines, fmt.Sprintf("uncompared\tname=%x", name))
		}
		return done(w, "session", lines...)
	case "stats":
		text := p.session.Stats().Prometheus()
		return done(w, "session", strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
	}
	fields, err := p.verb(verb, w)
	if w.err == nil && err != nil {
		return "session\tresult=refused\terror=" + err.Error() + "\tlines=0"
	}
	return done(w, "session"+fields)
}

// done gives an answer that is followed by lines.
func done(w *words, first string, lines ...string) string {
	if w.err != nil {
		return "error\t" + w.err.Error()
	}
	name, fields, _ := strings.Cut(first, "\t")
	if fields != "" {
		fields = "\t" + fields
	}
	return strings.Join(append([]string{fmt.Sprintf("%s\tresult=ok%s\tlines=%d", name, fields, len(lines))}, lines...), "\n")
}

func (p *endpoint) events(verb string, w *words) string {
	data := w.bytes("bytes")
	switch verb {
	case "tick":
		p.session.Tick(p.now)
	case "lost":
		p.session.Lost()
	case "deliver":
		f := frame.Frame{Payload: w.bytes("payload")}
		f.Type, f.Flags = frame.Type(w.number("type")), frame.Flags(w.number("flags"))
		f.MessageID, f.TraceID = w.number("id"), w.number("trace")
		checksum := frame.ChecksumOn
		if w.named["checksum"] == "off" {
			checksum = frame.ChecksumOff
		}
		var err error
		data, err = f.Append(nil, checksum)
		w.fail(err)
	}
	size := len(data)
	var lines []string
	next := func() (session.Incoming, bool) {
		if verb == "tick" || verb == "lost" {
			return p.session.Next()
		}
		return p.session.Receive(&data, p.now)
	}
	for in, ok := next(); ok; in, ok = next() {
		lines = append(lines, shownEvents(in)...)
	}
	return done(w, fmt.Sprintf("session\tused=%d", size-len(data)), lines...)
}

func (p *endpoint) poll(w *words) string {
	most := int(w.number("max"))
	var lines []string
	for most == 0 || len(lines) < most {
		out, ok := p.session.PollFrame(p.now)
		if !ok {
			break
		}
		lines = append(lines, fmt.Sprintf("%x%x%x", out.Head, out.Value, out.Trailer))
	}
	return done(w, "session", lines...)
}

func (p *endpoint) state() string {
	at, ok := p.session.NextTimeout()
	timeout := "-"
	if ok {
		timeout = strconv.FormatUint(at, 10)
	}
	mine, theirs := p.session.Places()
	return fmt.Sprintf("session\tresult=ok\tready=%s\tfinished=%s\tin=%d\tout=%d\tqueue=%d\theld=%d\ttimeout=%s\tlines=0",
		bit(p.session.Ready()), bit(p.session.Finished()), theirs, mine, p.session.Queued(), p.session.Held(), timeout)
}

// verb does what the user asks for, and gives the fields of the answer.
func (p *endpoint) verb(verb string, w *words) (string, error) {
	s, id := p.session, w.number("id")
	var err error
	switch verb {
	case "call":
		id, err = s.Call(w.request(), w.bytes("value"), p.now)
		return field("id", id), err
	case "open":
		id, err = s.Open(w.request(), uint32(w.number("messages")), w.number("bytes"), w.bytes("value"), w.flag("final"), p.now)
		return field("id", id), err
	case "event":
		full := map[string]session.Full{"newest": session.DropNewest, "oldest": session.DropOldest}[w.named["full"]]
		id, err = s.Event(w.request(), w.bytes("value"), w.flag("ack"), full, p.now)
		return field("id", id) + "\tdropped=" + bit(id == 0), err
	case "register":
		id, err = s.RegisterBy(w.registration(), p.now)
		return field("id", id), err
	case "heartbeat":
		id, err = s.Heartbeat(w.text("name"), p.now)
		return field("id", id), err
	case "discover":
		id, err = s.DiscoverBy(w.query(), p.now)
		return field("id", id), err
	case "chunk":
		number, err := s.Chunk(id, w.bytes("value"), w.flag("final"), w.flag("ack"), p.now)
		return field("number", number), err
	case "respond":
		return "", s.Respond(id, w.metadata(), w.bytes("value"), p.now)
	case "fail":
		return "", s.Fail(id, session.Failure{
			Status: session.Status(w.number("status")), Name: w.text("name"), Text: w.text("text"), Details: w.bytes("details"), Acted: !w.flag("refused"),
		}, p.now)
	case "release":
		return "", s.Release(id, p.now)
	case "cancel":
		return "", s.Cancel(id, p.now)
	case "finish":
		return "", s.Finish(id, p.now)
	case "grant":
		return "", s.Grant(id, uint32(w.number("messages")), w.number("bytes"), p.now)
	case "ack":
		return "", s.Ack(id, w.number("chunk"), p.now)
	case "moved":
		s.Moved(p.now)
		return "", nil
	case "pause":
		s.Pause(p.now)
		return "", nil
	case "resume":
		s.Resume(p.now)
		return "", nil
	case "overrun":
		if id == 0 {
			s.Overrun(p.now)
			return "", nil
		}
		return "", s.OverrunStream(id, p.now)
	case "drain":
		return "", s.Drain(w.text("reason"), p.now)
	}
	w.fail(errors.New("no such verb"))
	return "", nil
}

func field(key string, n uint64) string { return fmt.Sprintf("\t%s=%d", key, n) }

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
