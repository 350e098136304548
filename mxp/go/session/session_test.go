package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

func TestCallIsAnsweredOnce(t *testing.T) {
	p := readyPair(t, echo, echo)
	p.onB = func(in session.Incoming) {
		call := in.(*session.Call)
		if err := p.b.Respond(call.ID, nil, call.Value, p.now); err != nil {
			t.Error(err)
		}
		if err := p.b.Respond(call.ID, nil, call.Value, p.now); !errors.Is(err, session.ErrExchangeEnded) {
			t.Errorf("a second answer: %v", err)
		}
	}
	id := p.call("hello", 0)
	p.run()
	if got := only[*session.Response](t, p.atA); got.ID != id || string(got.Value) != "hello" {
		t.Errorf("got %+v", got)
	}
	if mine, _ := p.a.Places(); mine != 0 {
		t.Errorf("%d places are taken", mine)
	}
}

func TestBothSidesAsk(t *testing.T) {
	p := readyPair(t, echo, echo)
	first := p.call("a", 0)
	other, err := p.b.Call(session.Request{}, []byte("b"), p.now)
	if err != nil || first != 1 || other != 2 {
		t.Fatalf("ids %d and %d, %v", first, other, err)
	}
	p.run()
	if got := only[*session.Call](t, p.atA); got.ID != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestDeadlineEndsACallAtBothEnds(t *testing.T) {
	p := readyPair(t, echo, echo)
	id := p.call("late", 500)
	p.run()
	p.atB = nil
	p.tick(500)
	ended := only[*session.Ended](t, p.atA)
	if ended.Status != session.StatusDeadlineExceeded || !ended.Acted {
		t.Errorf("got %+v", ended)
	}
	if cancelled := only[*session.Cancelled](t, p.atB); cancelled.Why != session.ByDeadline {
		t.Errorf("got %+v", cancelled)
	}
	if _, theirs := p.b.Places(); theirs != 1 {
		t.Errorf("%d places: the handler still runs", theirs)
	}
	if err := p.b.Respond(id, nil, nil, p.now); !errors.Is(err, session.ErrExchangeEnded) {
		t.Errorf("an answer that is too late: %v", err)
	}
	if _, theirs := p.b.Places(); theirs != 0 {
		t.Errorf("%d places", theirs)
	}
}

func TestCancelBeforeSendingLeavesNoTrace(t *testing.T) {
	p := readyPair(t, echo, echo)
	id := p.call("never", 0)
	if err := p.a.Cancel(id, p.now); err != nil {
		t.Fatal(err)
	}
	if p.a.Queued() != 0 {
		t.Errorf("%d bytes are queued", p.a.Queued())
	}
	p.run()
	if ended := only[*session.Ended](t, append(p.atA, p.events(p.a)...)); ended.Acted || len(p.atB) > 0 {
		t.Errorf("got %+v, and %+v at the other end", ended, p.atB)
	}
}

func (p *pair) events(s *session.Session) (all []session.Incoming) {
	for in, ok := s.Next(); ok; in, ok = s.Next() {
		all = append(all, in)
	}
	return all
}

func TestLostConnectionSaysWhatMayHaveBeenDone(t *testing.T) {
	p := readyPair(t, echo, echo)
	sent := p.call("sent", 0)
	p.run()
	unsent := p.call("unsent", 0)
	p.a.Lost()
	acted := map[uint64]bool{}
	for _, in := range p.events(p.a) {
		if ended, ok := in.(*session.Ended); ok {
			acted[ended.ID] = ended.Acted
		}
	}
	if len(acted) != 2 || !acted[sent] || acted[unsent] {
		t.Errorf("acted = %v", acted)
	}
	if _, err := p.a.Call(session.Request{}, nil, p.now); !errors.Is(err, session.ErrClosed) {
		t.Errorf("a call afterwards: %v", err)
	}
}

func TestStreamWaitsForCredit(t *testing.T) {
	p := readyPair(t, echo, echo)
	id, err := p.a.Open(session.Request{}, 10, 100, nil, false, p.now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.a.Chunk(id, []byte("x"), false, false, p.now); !errors.Is(err, session.ErrStreamCredit) {
		t.Errorf("without credit: %v", err)
	}
	p.run()
	if err := p.b.Grant(id, 2, 5, p.now); err != nil {
		t.Fatal(err)
	}
	p.run()
	if _, err := p.a.Chunk(id, []byte("123456"), false, false, p.now); !errors.Is(err, session.ErrStreamCredit) {
		t.Errorf("one byte too many: %v", err)
	}
	number, err := p.a.Chunk(id, []byte("12345"), true, true, p.now)
	if err != nil || number != 1 {
		t.Fatal(number, err)
	}
	p.atB = nil
	p.run()
	if chunk := only[*session.Chunk](t, p.atB); !chunk.Final || !chunk.Ack || string(chunk.Value) != "12345" {
		t.Errorf("got %+v", chunk)
	}
	if err := p.b.Finish(id, p.now); err != nil {
		t.Fatal(err)
	}
	if _, theirs := p.b.Places(); theirs != 1 {
		t.Error("the Ack that was asked for is still to come")
	}
	if err := p.b.Ack(id, 1, p.now); err != nil {
		t.Fatal(err)
	}
	p.run()
	mine, _ := p.a.Places()
	_, theirs := p.b.Places()
	if mine != 0 || theirs != 0 {
		t.Errorf("%d and %d places", mine, theirs)
	}
}

func TestDrainLetsCallsEnd(t *testing.T) {
	p := readyPair(t, echo, echo)
	id := p.call("last", 0)
	p.run()
	if err := p.b.Drain("restart", p.now); err != nil {
		t.Fatal(err)
	}
	p.run()
	if _, err := p.a.Call(session.Request{}, nil, p.now); !errors.Is(err, session.ErrDraining) {
		t.Errorf("a new call: %v", err)
	}
	if p.b.Finished() {
		t.Error("finished, with a call in flight")
	}
	if err := p.b.Respond(id, nil, nil, p.now); err != nil {
		t.Fatal(err)
	}
	p.run()
	if !p.b.Finished() {
		t.Error("not finished")
	}
	p.atA = nil
	p.a.Lost()
	if end := only[*session.End](t, p.events(p.a)); end.Status != session.StatusOK {
		t.Errorf("got %+v", end)
	}
}

func TestSchemasThatDifferAreRefusedWithTheField(t *testing.T) {
	config := func(field string, print uint64) session.Config {
		return session.Config{Types: []session.Type{{
			Name: "demo.Gain", Fingerprints: []uint64{print}, Layout: "0 struct demo.Gain\n id u32\n value " + field + "\n",
		}}}
	}
	p := newPair(t, config("f32", 1), config("f64", 2))
	for _, events := range [][]session.Incoming{p.atA, p.atB} {
		end := only[*session.End](t, events)
		if end.Name != "session_schema" || !strings.Contains(end.Text, "demo.Gain.value: here f") {
			t.Errorf("got %+v", end)
		}
	}
	if !p.a.Finished() || !p.b.Finished() {
		t.Error("not finished")
	}
}

func TestChecksumsAreLeftOutWhereBothOfferIt(t *testing.T) {
	for _, both := range []bool{false, true} {
		a, b := echo, echo
		a.OfferChecksumOff, b.OfferChecksumOff = true, both
		p := readyPair(t, a, b)
		p.call("x", 0)
		f, ok := p.a.PollFrame(p.now)
		if !ok {
			t.Fatal("no frame")
		}
		trailer := f.Head[len(f.Head)-8:]
		if zero := string(trailer) == strings.Repeat("\x00", 8); zero != both {
			t.Errorf("both offer it: %v, trailer %x", both, trailer)
		}
	}
}

func TestEventsGiveWay(t *testing.T) {
	a := echo
	a.Limits.QueueBytes = 200
	p := readyPair(t, a, echo)
	send := func(full session.Full) (uint64, error) {
		return p.a.Event(session.Request{}, make([]byte, 100), false, full, p.now)
	}
	for range 2 {
		if _, err := send(session.Refuse); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := send(session.Refuse); !errors.Is(err, session.ErrLimitQueueBytes) {
		t.Errorf("refuse: %v", err)
	}
	if id, err := send(session.DropNewest); id != 0 || err != nil {
		t.Errorf("newest: %d, %v", id, err)
	}
	id, err := send(session.DropOldest)
	if id == 0 || err != nil {
		t.Errorf("oldest: %d, %v", id, err)
	}
	p.run()
	if len(p.atB) != 2 || p.atB[1].(*session.Event).ID != id {
		t.Errorf("got %+v", p.atB)
	}
	if got := p.a.Stats().Dropped; got != 2 {
		t.Errorf("%d were dropped", got)
	}
}

// An Event that is dropped leaves nothing behind, also where a frame that can't
// be dropped stands before it.
func TestDroppedEventsTakeNoMemory(t *testing.T) {
	a := echo
	a.Limits.QueueBytes = 4 << 10
	p := readyPair(t, a, echo)
	p.call("stays", 0)
	value := make([]byte, 100)
	send := func() {
		if _, err := p.a.Event(session.Request{}, value, false, session.DropOldest, p.now); err != nil {
			t.Fatal(err)
		}
	}
	for range 10_000 {
		send()
	}
	if n := testing.AllocsPerRun(10_000, send); n != 0 {
		t.Errorf("%v allocations for an Event", n)
	}
	p.run()
	if _, ok := p.atB[0].(*session.Call); !ok || len(p.atB) < 20 || len(p.atB) > 40 {
		t.Errorf("%d events came, the first %T", len(p.atB), p.atB[0])
	}
}

func TestLargeValuesAreNotCopied(t *testing.T) {
	p := readyPair(t, echo, echo)
	value := make([]byte, 1<<20)
	if _, err := p.a.Call(session.Request{}, value, p.now); err != nil {
		t.Fatal(err)
	}
	f, _ := p.a.PollFrame(p.now)
	if len(f.Value) != len(value) || &f.Value[0] != &value[0] || len(f.Trailer) != 8 {
		t.Errorf("a value of %d bytes in another place", len(f.Value))
	}
}

func TestReceivingAllocatesNothing(t *testing.T) {
	p := readyPair(t, echo, echo)
	trace := session.Trace{ID: [16]byte{1}, Parent: 2}
	if _, err := p.a.Event(session.Request{Trace: &trace}, []byte("tick"), false, session.Refuse, p.now); err != nil {
		t.Fatal(err)
	}
	f, _ := p.a.PollFrame(p.now)
	event := append([]byte(nil), f.Head...)
	id := uint64(1)
	frames := make([][]byte, 1001)
	for i := range frames {
		frames[i] = renumbered(t, event, id)
		id += 2
	}
	i := 0
	n := testing.AllocsPerRun(1000, func() {
		piece := frames[i]
		i++
		in, ok := p.b.Receive(&piece, p.now)
		if _, is := in.(*session.Event); !ok || !is {
			t.Fatalf("got %+v", in)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
