package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// alone is a world in which nobody runs, with a client and a server that take lines.
func alone() *world {
	w := newWorld(nil, 1, nil)
	made := func(name string) *runner {
		return &runner{world: w, name: name, in: bufio.NewWriter(io.Discard), ends: map[int]*end{}}
	}
	w.client, w.server = made("client"), made("server")
	return w
}

// said lets programs say lines, a millisecond apart.
func (w *world) said(lines ...string) {
	for _, line := range lines {
		w.now += ms
		w.clock = w.now
		w.load.said(w, w.now, strings.Fields(line))
	}
}

func TestWhatIsRightIsTaken(t *testing.T) {
	w := alone()
	w.call(0, 10, 10)
	w.ask("event", "bytes=3")
	w.said("begun call 1 10", "ended event 2 ok 1 0", "done call 1", "ended call 1 ok 1 10", "begun event 2 3", "done event 2")
	w.finish(0)
	w.answered(w.load.all())
	w.ordered()
	if len(w.problems) > 0 {
		t.Error(w.problems)
	}
}

func TestTheOracleSees(t *testing.T) {
	for what, test := range map[string]struct {
		lines []string
		says  string
	}{
		"a handler that runs twice":             {[]string{"begun call 1 0", "done call 1", "begun call 1 0"}, "begun twice"},
		"an end that comes twice":               {[]string{"begun call 1 0", "done call 1", "ended call 1 ok 1 0", "ended call 1 session_lost 1 0"}, "ended twice"},
		"nobody acted, and somebody has":        {[]string{"begun call 1 0", "ended call 1 session_draining 0 0"}, "nobody has acted"},
		"nobody acted, and somebody does":       {[]string{"ended call 1 session_draining 0 0", "begun call 1 0"}, "nobody acts"},
		"an answer that no handler has given":   {[]string{"ended call 1 ok 1 0"}, "not been handled"},
		"what nobody has asked for":             {[]string{"begun call 7 0"}, "nobody has asked"},
		"a stream that was a call":              {[]string{"begun stream 1 0"}, "nobody has asked"},
		"a call that begins before an earlier":  {[]string{"begun call 3 0", "begun call 1 0"}, "begins before"},
		"a call that overtakes an event":        {[]string{"begun event 2 0", "begun call 3 0", "done event 2"}, "before the handler of event 2"},
		"a request that never ends":             {nil, "have not ended"},
		"a request that ends without an answer": {[]string{"ended call 1 session_lost 1 0"}, "not answered"},
		"a deadline that nobody minds":          {[]string{"ended call 4 deadline_exceeded 1 0"}, "after its deadline"},
	} {
		t.Run(what, func(t *testing.T) {
			w := alone()
			w.call(0, 0, 0)
			w.ask("event", "bytes=0")
			w.call(0, 0, 0)
			w.ask("call", "deadline=%d", 1)
			w.now = 200 * ms
			w.said(test.lines...)
			w.finish(0)
			w.answered(w.load.all())
			w.ordered()
			if !strings.Contains(strings.Join(w.problems, "\n"), test.says) {
				t.Errorf("it sees %q", w.problems)
			}
		})
	}
}

// talk makes a connection between two peers of the simulation that say bytes.
func talk(w *world) (a, b *peer) {
	a, b = &peer{world: w}, &peer{world: w}
	a.end, b.end = &end{peer: a}, &end{peer: b}
	w.join(a.end, b.end)
	return a, b
}

// runs lets time go on where nobody runs.
func (w *world) runs(us int) {
	for end := w.now + us; len(w.next) > 0 && w.next[0].time <= end; {
		w.now = w.next[0].time
		w.clock = w.now
		w.next.take().do()
	}
	w.now += us
}

func TestBytesComeLateAndAsFastAsTheyMay(t *testing.T) {
	w := newWorld(nil, 1, nil)
	w.rate = 100_000
	a, b := talk(w)
	a.say(make([]byte, 50_000))
	if w.runs(250 * ms); b.got < 20_000 || b.got > 26_000 {
		t.Errorf("%d bytes have come in a quarter of a second", b.got)
	}
	if w.runs(second); b.got != 50_000 {
		t.Errorf("%d bytes have come", b.got)
	}
}

func TestWhoReadsNothingGetsAWindow(t *testing.T) {
	w := newWorld(nil, 1, nil)
	a, b := talk(w)
	b.stopped = true
	a.say(make([]byte, 2*windowBytes))
	if w.runs(second); len(b.unread) != windowBytes || a.end.bytes != windowBytes {
		t.Errorf("%d bytes have come, and %d wait", len(b.unread), a.end.bytes)
	}
	b.goOn()
	if w.runs(second); b.got != 2*windowBytes {
		t.Errorf("%d bytes have come", b.got)
	}
}

func TestAResetTakesAwayWhatWasNotSent(t *testing.T) {
	w := newWorld(nil, 1, nil)
	w.rate = 100_000
	a, b := talk(w)
	a.say(make([]byte, 50_000))
	a.end.wasClosed(0)
	w.runs(100 * ms)
	b.say([]byte("more"))
	if w.runs(second); b.got == 50_000 || !b.ended {
		t.Errorf("%d bytes have come, and the connection has ended: %v", b.got, b.ended)
	}
}

func TestACloseTakesNothingAway(t *testing.T) {
	w := newWorld(nil, 1, nil)
	w.rate = 100_000
	a, b := talk(w)
	a.say(make([]byte, 50_000))
	a.end.wasClosed(0)
	if w.runs(second); b.got != 50_000 || !b.ended {
		t.Errorf("%d bytes have come, and the connection has ended: %v", b.got, b.ended)
	}
}

// TestTheEndComesBehindAllThatWasSent holds the network up while bytes wait, and their end.
func TestTheEndComesBehindAllThatWasSent(t *testing.T) {
	w := newWorld(nil, 1, nil)
	a, b := talk(w)
	a.end.pipe.hold(true)
	a.say([]byte("hello"))
	a.end.wasClosed(0)
	a.end.pipe.hold(false)
	for !b.ended {
		w.now, w.clock = w.next[0].time, w.next[0].time
		w.next.take().do()
	}
	if b.got != 5 {
		t.Errorf("%d bytes have come before the end", b.got)
	}
}

func TestNobodyLearnsOfACableThatIsPulled(t *testing.T) {
	w := newWorld(nil, 1, nil)
	a, b := talk(w)
	a.end.pipe.pull()
	a.say([]byte("hello"))
	a.end.wasClosed(1)
	if w.runs(second); b.got != 0 || b.ended {
		t.Errorf("%d bytes have come, and the connection has ended: %v", b.got, b.ended)
	}
}

func TestEachLanguageHasBothSidesOfEachScenario(t *testing.T) {
	languages := []string{"go", "rust", "cpp"}
	pairs := map[string]bool{}
	sides := map[string]int{}
	for _, one := range (choice{languages: languages}).plan() {
		if one.cast != both {
			continue
		}
		pairs[one.pair] = true
		client, server, _ := strings.Cut(one.pair, ",")
		sides[one.name+" client "+client]++
		sides[one.name+" server "+server]++
	}
	if len(pairs) != 9 {
		t.Errorf("there are %d pairs", len(pairs))
	}
	for side, n := range sides {
		if n != 1 {
			t.Errorf("%s: %d times", side, n)
		}
	}
}

func TestWhatIsListedAndPassesFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(path, []byte("# known\nup go,rust cpp,go?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	listed, err := readKnown(path)
	if err != nil {
		t.Fatal(err)
	}
	up := scenario{name: "up"}
	for _, test := range []struct {
		run  run
		want int
	}{
		{run{scenario: up, pair: "go,rust", problems: []string{"x"}}, 0},
		{run{scenario: up, pair: "go,rust"}, 1},
		{run{scenario: up, pair: "cpp,go", problems: []string{"x"}}, 0},
		{run{scenario: up, pair: "cpp,go"}, 0},
		{run{scenario: up, pair: "go,go", problems: []string{"x"}}, 1},
		{run{scenario: up, pair: "go,go"}, 0},
	} {
		if failed, _ := judge([]*run{&test.run}, listed, io.Discard); failed != test.want {
			t.Errorf("%s with %q: %d failed", test.run.pair, test.run.problems, failed)
		}
	}
	var list strings.Builder
	listed.write([]*run{{scenario: up, pair: "go,rust"}, {scenario: up, pair: "cpp,go"}, {scenario: up, pair: "go,go", problems: []string{"x"}}}, &list)
	if list.String() != "up cpp,go? go,go\n" {
		t.Errorf("the list would be %q", list.String())
	}
}
