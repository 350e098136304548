package session_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/corpus"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// renumbered is a frame with another id.
func renumbered(t testing.TB, of []byte, id uint64) []byte {
	f, err := frame.Decode(of, frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.MessageID = id
	again, err := f.Append(nil, frame.ChecksumOn)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// hello is that of a peer without services.
func hello(t testing.TB, config session.Config) []byte {
	f, ok := session.New(config, 0).PollFrame(0)
	if !ok {
		t.Fatal("no Hello")
	}
	return append([]byte(nil), f.Head...)
}

// A peer that floods with requests is refused by name, and its Errors stop the
// session from reading before they fill its memory [MXP-9.4].
func TestFloodOfStreamsIsBounded(t *testing.T) {
	s := session.New(session.Config{Role: session.Acceptor, Services: []string{"a.B"}, Limits: session.Limits{InFlight: 8, Refusals: 200_000}}, 0)
	peer := readyPair(t, echo, echo)
	if _, err := peer.a.Open(session.Request{}, 0, 0, nil, false, 0); err != nil {
		t.Fatal(err)
	}
	f, _ := peer.a.PollFrame(0)
	open := append([]byte(nil), f.Head...)

	flood := hello(t, session.Config{Role: session.Opener})
	for id := uint64(1); id < 200_000; id += 2 {
		flood = append(flood, renumbered(t, open, id)...)
	}
	opened := 0
	most := 0
	for rounds := 0; len(flood) > 0; rounds++ {
		if rounds > 1_000 {
			t.Fatal("it never ends")
		}
		for in, ok := s.Receive(&flood, 0); ok; in, ok = s.Receive(&flood, 0) {
			if _, is := in.(*session.Open); is {
				opened++
			}
		}
		most = max(most, s.Queued())
		for _, ok := s.PollFrame(0); ok; _, ok = s.PollFrame(0) {
		}
	}
	if opened != 8 || most > session.ReplyBytes+1024 {
		t.Errorf("%d streams, %d bytes queued", opened, most)
	}
	if got := s.Stats().Refusals[session.ErrLimitInFlight.Number()]; got != 100_000-8 {
		t.Errorf("%d were refused", got)
	}
}

// FuzzSession takes bytes as steps of a peer and of a user.
func FuzzSession(f *testing.F) {
	f.Add(uint8(0), []byte{})
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 400)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		f.Add(uint8(seed), script)
		f.Add(uint8(seed)|16, script)
	}
	f.Add(uint8(16), batchScript())
	for _, input := range corpus.Inputs(f, "session") {
		if len(input) > 0 {
			f.Add(input[0], input[1:])
		}
	}
	f.Fuzz(func(t *testing.T, how uint8, script []byte) {
		newFuzzed(t, how).run(script)
	})
}

// batchScript makes batches and sends some: batches of a stream, then a damaged one.
func batchScript() []byte {
	step := func(verb, small byte, value ...byte) []byte {
		return append([]byte{verb, small, byte(len(value))}, value...)
	}
	deliver := func(t frame.Type, value ...byte) []byte { return step(15, byte(slices.Index(types, t)), value...) }
	return slices.Concat(
		step(1, 0), step(13, 1), deliver(frame.Credit, 9, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0),
		step(2, 0, 1), step(2, 0, 2), step(2, 0, 3, 4), step(13, 7),
		deliver(frame.Events, 1, 0, 7, 0, 0, 2, 0, 1, 2), deliver(frame.StreamOpen), step(9, 1), deliver(frame.StreamChunks, 1, 0, 7, 0, 0),
		deliver(frame.StreamChunks, 1, 0, 7, 1),
	)
}

// fuzzed is a session whose user keeps count.
type fuzzed struct {
	t    *testing.T
	s    *session.Session
	role session.Role
	now  uint64
	live map[uint64]bool // requests that were made and have not ended; true but for streams, which end without a word
	over map[uint64]bool // those that have
	next uint64          // the peer's next id
	held []uint64        // requests of the peer's
}

func newFuzzed(t *testing.T, how uint8) *fuzzed {
	z := &fuzzed{t: t, role: session.Role(how & 1), live: map[uint64]bool{}, over: map[uint64]bool{}}
	z.s = session.New(session.Config{
		Role: z.role, Services: []string{"a.B"}, Agents: how&2 != 0, OfferChecksumOff: how&4 != 0, OfferBatches: how&16 != 0,
		Limits: session.Limits{InFlight: 4, InFlightBytes: 2_000, QueueBytes: 1_000, ReplyBytes: 200, Ping: 1_000},
	}, 0)
	z.next = 1 + uint64(1-z.role)
	if how&8 == 0 {
		z.receive(hello(t, session.Config{Role: 1 - z.role, OfferBatches: how&16 != 0}))
	}
	return z
}

// run takes the script in steps of a verb, its size, and so many bytes.
func (z *fuzzed) run(script []byte) {
	for len(script) >= 3 {
		verb, small, n := script[0], script[1], int(script[2])
		script = script[3:]
		n = min(n, len(script))
		z.step(verb, uint64(small), script[:n])
		script = script[n:]
		mine, theirs := z.s.Places()
		if mine < z.answerable() || mine > len(z.live) || theirs > 4 || z.s.Queued() > 1_000+200+17<<10 {
			z.t.Fatalf("%d live, places %d and %d, %d queued", len(z.live), mine, theirs, z.s.Queued())
		}
	}
	z.s.Lost()
	z.drain()
	if z.answerable() > 0 || !z.s.Finished() || z.s.Queued() > 0 {
		z.t.Fatalf("%d requests have not ended", len(z.live))
	}
}

func (z *fuzzed) step(verb byte, small uint64, value []byte) {
	id := small
	if len(z.held) > 0 && small&1 == 0 {
		id = z.held[int(small)%len(z.held)]
	}
	r := session.Request{Service: uint16(small & 1), Deadline: small & 0xF0}
	switch verb % 20 {
	case 0:
		id, err := z.s.Call(r, value, z.now)
		z.made(id, err, true)
	case 1:
		id, err := z.s.Open(r, 2, 10, value, small&4 != 0, z.now)
		z.made(id, err, false)
	case 2:
		id, err := z.s.Event(r, value, small&2 != 0, session.Full(small%3), z.now)
		if small&2 != 0 {
			z.made(id, err, true)
		}
	case 3:
		z.s.Respond(id, nil, value, z.now)
	case 4:
		z.s.Fail(id, session.Failure{Status: 3, Name: "x"}, z.now)
	case 5:
		z.s.Release(id, z.now)
	case 6:
		z.s.Cancel(id, z.now)
		z.drain()
	case 7:
		z.s.Chunk(id, value, small&1 != 0, small&2 != 0, z.now)
	case 8:
		z.s.Finish(id, z.now)
	case 9:
		z.s.Grant(id, uint32(small), small*10, z.now)
	case 10:
		z.s.Ack(id, small>>4, z.now)
	case 11:
		if small == 0 {
			z.s.Drain("", z.now)
		}
	case 12:
		z.now += small * small
		z.s.Tick(z.now)
		z.drain()
	case 13:
		for range small % 8 {
			z.s.PollFrame(z.now)
		}
	case 14:
		z.receive(value) // most likely the end
	default:
		z.deliver(small, value)
	}
}

func (z *fuzzed) made(id uint64, err error, answerable bool) {
	if err == nil {
		if _, there := z.live[id]; there || z.over[id] {
			z.t.Fatalf("the id %d again", id)
		}
		z.live[id] = answerable
	}
}

// answerable is how many requests are to end with a word.
func (z *fuzzed) answerable() (n int) {
	for _, is := range z.live {
		if is {
			n++
		}
	}
	return n
}

var types = []frame.Type{
	frame.Call, frame.StreamOpen, frame.Event, frame.StreamChunk, frame.Credit, frame.Ack, frame.Response, frame.Error, frame.Cancel, frame.StreamClose,
	frame.Ping, frame.Pong, frame.Drain, frame.AgentRegister, frame.AgentDiscover, frame.AgentHeartbeat, frame.Hello,
	frame.StreamChunks, frame.Events,
}

// deliver sends a frame that is right except for its payload.
func (z *fuzzed) deliver(small uint64, value []byte) {
	f := frame.Frame{Payload: value}
	f.Type = types[small%uint64(len(types))]
	if len(value) > 0 {
		f.MessageID = uint64(value[0] & 31)
		f.Flags = frame.Flags(value[0]>>5) & 4
	}
	switch f.Type {
	case frame.Call, frame.StreamOpen, frame.Event, frame.Events, frame.Ping, frame.AgentRegister, frame.AgentDiscover, frame.AgentHeartbeat:
		if small < 200 {
			f.MessageID = z.next
			z.next += 2
		}
	}
	if small&0x40 == 0 && (f.Type == frame.Call || f.Type == frame.Event || f.Type == frame.Events || f.Type == frame.StreamOpen) {
		f.Payload = binary.LittleEndian.AppendUint32(nil, 14)
		f.Payload = append(f.Payload, make([]byte, 14)...)
		if f.Type != frame.Events {
			f.Payload = append(append(f.Payload, 12, 0, 0, 0), make([]byte, 12)...)
		}
		f.Payload = append(f.Payload, value...)
	}
	all, err := f.Append(nil, frame.ChecksumOn)
	if err != nil {
		z.t.Fatal(err)
	}
	z.receive(all)
}

// receive hands bytes over, in two pieces.
func (z *fuzzed) receive(all []byte) {
	for _, piece := range [][]byte{all[:len(all)/3], all[len(all)/3:]} {
		for in, ok := z.s.Receive(&piece, z.now); ok; in, ok = z.s.Receive(&piece, z.now) {
			z.see(in)
		}
		for len(piece) > 0 { // it has stopped to read
			if _, ok := z.s.PollFrame(z.now); !ok {
				z.t.Fatal("it reads nothing, and sends nothing")
			}
			for in, ok := z.s.Receive(&piece, z.now); ok; in, ok = z.s.Receive(&piece, z.now) {
				z.see(in)
			}
		}
	}
}

func (z *fuzzed) drain() {
	for in, ok := z.s.Next(); ok; in, ok = z.s.Next() {
		z.see(in)
	}
}

func (z *fuzzed) see(in session.Incoming) {
	switch in := in.(type) {
	case *session.Call:
		z.held = append(z.held, in.ID)
	case *session.Open:
		z.held = append(z.held, in.ID)
	case *session.Event:
		z.held = append(z.held, in.ID)
	case *session.Events:
		z.count(in.Records)
	case *session.Chunks:
		z.count(in.Records)
	case *session.Response:
		z.ended(in.ID)
	case *session.Ended:
		z.ended(in.ID)
	case *session.Acked:
		if in.Chunk == 0 {
			z.ended(in.ID)
		}
	}
}

// count holds what a batch says of itself against its values.
func (z *fuzzed) count(records session.Records) {
	n, bytes := 0, 0
	for i, value := range records.All() {
		if i != n {
			z.t.Fatalf("value %d is said to be %d", n, i)
		}
		n, bytes = n+1, bytes+len(value)
	}
	if n == 0 || n != records.Len() || bytes != records.Bytes() {
		z.t.Fatalf("%d values of %d bytes, and said are %d of %d", n, bytes, records.Len(), records.Bytes())
	}
}

func (z *fuzzed) ended(id uint64) {
	if _, there := z.live[id]; !there || z.over[id] {
		z.t.Fatalf("the request %d ended twice", id)
	}
	delete(z.live, id)
	z.over[id] = true
}

// Layouts of a peer's types may name a long name often, and services that this side has methods of;
// both are bounded by the given texts, not by their product [EVO-5.7, MXP-6.8].
func TestHostileLayoutsTakeLittleMemory(t *testing.T) {
	methods := make([]session.Method, 200)
	for i := range methods {
		methods[i] = session.Method{Service: "a.S", Number: uint16(i), Name: "m"}
	}
	here := session.Config{Role: session.Acceptor, Types: []session.Type{
		{Name: "a.T", Fingerprints: []uint64{1}, Layout: "0 struct a.T\n x u8\n", Requests: methods},
	}}
	// Names are half of the text, and a field's type the other.
	layout := "0 struct a.T\n x" + strings.Repeat(" #1", 10_000) + "\n1 struct " + strings.Repeat("n", 32_000) + "\n"
	there := session.Config{Role: session.Opener, Types: []session.Type{
		{Name: "a.T", Fingerprints: []uint64{2}, Layout: layout, Requests: methods[:1]},
	}}
	for range 1 << 16 {
		there.Services = append(there.Services, "a.S")
	}
	var frames []byte
	peer := session.New(there, 0)
	give := func() {
		for f, ok := peer.PollFrame(0); ok; f, ok = peer.PollFrame(0) {
			frames = append(append(frames, f.Head...), f.Value...)
		}
	}
	give()
	s := session.New(here, 0)
	said, _ := s.PollFrame(0)
	greeting := bytes.Clone(said.Head)
	peer.Receive(&greeting, 0)
	give()

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ready := false
	for in, ok := s.Receive(&frames, 0); ok; in, ok = s.Receive(&frames, 0) {
		_, is := in.(*session.Ready)
		ready = ready || is
	}
	runtime.ReadMemStats(&after)
	if !ready || len(s.Differences()) != len(methods) {
		t.Fatalf("ready: %t; %d differences", ready, len(s.Differences()))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("it took %d bytes", took)
	}
	if text := s.Differences()[0].Text; len(text) != 400 {
		t.Errorf("the text has %d bytes", len(text))
	}
}
