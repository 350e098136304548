package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// two gives two sides that are ready and that no runner is behind.
func two() *world {
	w := &world{rng: rand.New(rand.NewPCG(1, 0)), genuine: true, compatible: true}
	for i := range w.sides {
		limits := config{payload: payloadBytesMax, inFlight: 2, inFlightBytes: 100, queueBytes: 100, bulkBytes: 100, replyBytes: 100}
		w.sides[i] = &endpoint{name: [2]string{"opener", "acceptor"}[i], parity: uint64(1 - i), world: w, config: limits, own: newTable(), theirs: newTable(), ready: true}
		w.sides[i].state = state{ready: true, timeout: never}
	}
	w.sides[0].peer, w.sides[1].peer = w.sides[1], w.sides[0]
	return w
}

// asked has a request of a kind that the opener has sent.
func asked(kind, words string) *world {
	w := two()
	w.sides[0].own.add(&exchange{id: 1, kind: kind, own: true, begun: words, due: never, given: true})
	w.sides[0].state.out = 1
	return w
}

const callWords = "service=0 method=1 deadline=0 trace=- meta=- value=00"

// arrives tells a side that events have happened, and how many requests have a place then.
func arrives(e *endpoint, in, out uint64, lines ...string) {
	e.state.in, e.state.out = in, out
	e.happen(lines)
}

func TestWhatIsRightIsTaken(t *testing.T) {
	w := asked("call", callWords)
	arrives(w.sides[1], 1, 0, "call id=1 "+callWords)
	x := w.sides[1].theirs.all[1]
	x.phase, x.sent = gone, append(x.sent, "response meta=- value=01")
	w.sides[1].state.in = 0
	w.sides[1].check()
	arrives(w.sides[0], 0, 0, "response id=1 meta=- value=01")
	if w.stopped() {
		t.Fatal(w.problem)
	}
}

func TestTheOracleSees(t *testing.T) {
	const call = "call id=1 " + callWords
	for _, test := range []struct {
		what string
		do   func(w *world)
		says string
	}{
		{"another value", func(w *world) { arrives(w.sides[1], 1, 0, strings.Replace(call, "value=00", "value=01", 1)) }, "not what was asked"},
		{"a request that nobody made", func(w *world) {
			arrives(w.sides[1], 2, 0, call, strings.Replace(call, "id=1", "id=3", 1))
		}, "not what was asked"},
		{"a request twice", func(w *world) { arrives(w.sides[1], 2, 0, call, call) }, "no new one"},
		{"an answer twice", func(w *world) {
			arrives(w.sides[0], 0, 0, "ended id=1 status=1 name=63616e63656c6c6564 text=- details=- acted=1", "ended id=1 status=1 name=63616e63656c6c6564 text=- details=- acted=1")
		}, "was none"},
		{"an answer that nobody gave", func(w *world) { arrives(w.sides[0], 0, 0, "response id=1 meta=- value=-") }, "nobody gave"},
		{"a refusal that nobody knows", func(w *world) { arrives(w.sides[0], 0, 0, "ended id=1 status=1 name=78 text=- details=- acted=1") }, "ended with"},
		{"nobody acted, and somebody saw it", func(w *world) {
			arrives(w.sides[1], 1, 0, call)
			arrives(w.sides[0], 0, 0, "ended id=1 status=1 name=63616e63656c6c6564 text=- details=- acted=0")
		}, "nobody was to have acted"},
		{"nobody acted, and somebody sees it", func(w *world) {
			arrives(w.sides[0], 0, 0, "ended id=1 status=1 name=63616e63656c6c6564 text=- details=- acted=0")
			arrives(w.sides[1], 1, 0, call)
		}, "nobody was to have acted"},
		{"a place that is kept", func(w *world) {
			arrives(w.sides[0], 0, 1, "ended id=1 status=1 name=63616e63656c6c6564 text=- details=- acted=1")
		}, "out is 1"},
		{"an end that forgets a request", func(w *world) {
			arrives(w.sides[0], 0, 0, "end status=14 name=73657373696f6e5f6c6f7374 text=- remote=0")
		}, "has not"},
		{"an end of genuine sides", func(w *world) {
			arrives(w.sides[1], 0, 0, "end status=3 name=73657373696f6e5f6964 text=- remote=0")
		}, "session_id"},
		{"an event after the end", func(w *world) {
			arrives(w.sides[1], 0, 0, "end status=14 name=73657373696f6e5f6c6f7374 text=- remote=0", "draining reason=-")
		}, "after the end"},
		{"more in flight than can be", func(w *world) {
			w.genuine = false
			arrives(w.sides[1], 3, 0, call, strings.Replace(call, "id=1", "id=3", 1), strings.Replace(call, "id=1", "id=5", 1))
		}, "more are in flight"},
		{"more bytes in flight than can be", func(w *world) {
			w.genuine = false
			arrives(w.sides[1], 1, 0, strings.Replace(call, "value=00", "value="+strings.Repeat("00", 99), 1))
		}, "more bytes"},
		{"a time that is waited for after the end", func(w *world) {
			w.sides[1].state.timeout = 5
			arrives(w.sides[1], 0, 0, "end status=14 name=73657373696f6e5f6c6f7374 text=- remote=0")
		}, "waits for a time"},
	} {
		t.Run(test.what, func(t *testing.T) {
			w := asked("call", callWords)
			if test.do(w); !strings.Contains(w.problem, test.says) {
				t.Errorf("it says %q", w.problem)
			}
		})
	}
}

func TestTheOracleSeesStreams(t *testing.T) {
	const open = "service=0 method=1 deadline=0 trace=- meta=- messages=2 bytes=3 final=0 value=-"
	for _, test := range []struct {
		what, event, says string
	}{
		{"a chunk that nobody sent", "chunk id=1 number=1 final=0 ack=0 value=00", "nobody sent"},
		{"more bytes than were granted", "chunk id=1 number=1 final=0 ack=0 value=00000000", "not one that was granted"},
		{"a wrong number", "chunk id=1 number=2 final=0 ack=0 value=00", "wrong number"},
		{"an Ack of nothing", "acked id=1 chunk=1", "is acknowledged"},
		{"a grant that nobody gave", "granted id=1 messages=1 bytes=1", "nobody sent"},
		{"a stream that is not there", "finished id=3", "not there"},
	} {
		t.Run(test.what, func(t *testing.T) {
			w := asked("open", open)
			w.sides[0].own.all[1].there.grant(2, 3)
			arrives(w.sides[1], 1, 0, "open id=1 "+open)
			if test.says != "nobody sent" {
				w.genuine = false
			}
			if arrives(w.sides[0], 0, 1, test.event); !strings.Contains(w.problem, test.says) {
				t.Errorf("it says %q", w.problem)
			}
		})
	}
}

func TestCallsOfTheUserAreExpectedToBeRefused(t *testing.T) {
	fits := verb{name: "chunk", named: true, fits: true, within: true, queued: true}
	for _, test := range []struct {
		want   string
		change func(e *endpoint, v *verb)
	}{
		{"", func(*endpoint, *verb) {}},
		{"limit_queue_bytes", func(e *endpoint, _ *verb) { e.state.queue = 100 }},
		{"limit_in_flight", func(e *endpoint, v *verb) { v.request, e.own.placed = true, make([]*exchange, 2) }},
		{"stream_credit", func(_ *endpoint, v *verb) { v.within = false }},
		{"payload_too_large", func(_ *endpoint, v *verb) { v.payload = payloadBytesMax + 1 }},
		{"exchange_ended", func(_ *endpoint, v *verb) { v.fits = false }},
		{"session_draining", func(e *endpoint, v *verb) { v.begins, e.peerDrained = true, true }},
		{"session_not_ready", func(e *endpoint, _ *verb) { e.ready = false }},
		{"session_closed", func(e *endpoint, _ *verb) { e.end = &ending{} }},
	} {
		e, v := two().sides[0], fits
		if test.change(e, &v); e.expected(v) != test.want {
			t.Errorf("%q, not %q", e.expected(v), test.want)
		}
	}
}

func TestLinksKeepTheOrderOfBytes(t *testing.T) {
	var l link
	l.push([]byte("abc"), 5)
	l.push([]byte("de"), 3) // what is sent later never comes before
	if n := l.arrived(4); n != 0 {
		t.Errorf("%d bytes are early", n)
	}
	l.drop(1)
	l.insert([]byte("XY"), 1, func(int) int { return 0 }) // not into the frame that was begun
	if got := string(l.peek(l.arrived(5))); got != "bcXYde" {
		t.Errorf("it carries %q", got)
	}
}

func TestDifferencesAreShown(t *testing.T) {
	text := difference([2][]byte{[]byte("1 a\n2 b\n"), []byte("1 a\n2 c\n")}, pair{"go", "rust"})
	if !strings.Contains(text, "1 a") || !strings.Contains(text, "go,rust:") || !strings.Contains(text, "2 c") {
		t.Errorf("it shows %q", text)
	}
}

func TestPairs(t *testing.T) {
	languages, _, err := listed("../..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parsePairs("all", languages)
	if err != nil || len(all) != len(languages)*len(languages)-1 || len(all) < 8 {
		t.Errorf("%v %v", all, err)
	}
	for _, text := range []string{"", "go", "go,ada", "go,go,go", "go,go;"} {
		if _, err := parsePairs(text, languages); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestNoRunIsAFailure(t *testing.T) {
	if many(runners{}, 1, 0, []pair{same}) == nil {
		t.Error("nothing was run, and all is well")
	}
	if simulate([]string{"-seed", "5", "-count", "3"}) == nil {
		t.Error("one run is taken for many")
	}
}
