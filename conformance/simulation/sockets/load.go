package main

import (
	"fmt"
	"slices"
	"strings"
)

// request is a request of a client, with its result.
type request struct {
	id       int
	kind     string // call, event or stream
	asked    int    // when
	deadline int    // after how long; 0: none
	ack      bool
	begun    int // how often a handler has begun
	began    int // when
	beganAs  int // which step of all handlers that was
	done     int // when a handler has ended; 0: not yet
	doneAs   int
	ends     int
	ended    int // when
	name     string
	acted    bool
	got      int // bytes of the answer, or chunks
}

// load is all that clients were asked to do.
type load struct {
	asked map[int]*request
	steps int // of handlers
	last  int
	open  int      // requests that have not ended
	shut  []string // what servers have said at their end
	left  []string // and clients
}

// ask lets the client make a request.
func (w *world) ask(kind string, words string, values ...any) *request {
	w.load.last++
	x := &request{id: w.load.last, kind: kind, asked: w.now}
	words = fmt.Sprintf(words, values...)
	for _, word := range strings.Fields(words) {
		if text, ok := strings.CutPrefix(word, "deadline="); ok {
			x.deadline = number(text)
		}
		x.ack = x.ack || word == "ack=1"
	}
	w.load.asked[x.id] = x
	w.load.open++
	verb := kind
	if kind == "stream" {
		verb = "open"
	}
	w.client.send("%s id=%d %s", verb, x.id, words)
	return x
}

// call lets the client make a call whose handler works for a while.
func (w *world) call(work, bytes, reply int) *request {
	return w.ask("call", "work=%d bytes=%d reply=%d", work, bytes, reply)
}

// said handles what programs say of requests.
func (l *load) said(w *world, at int, words []string) {
	switch words[0] {
	case "shut":
		l.shut = append(l.shut, strings.Join(words[1:], " "))
		return
	case "left":
		l.left = append(l.left, strings.Join(words[1:], " "))
		return
	}
	x := l.asked[number(words[2])]
	if x == nil || x.kind != words[1] {
		w.problem("%s, which nobody has asked for", strings.Join(words, " "))
		return
	}
	switch words[0] {
	case "begun":
		if x.begun++; x.begun > 1 {
			w.problem("%v has begun twice", x)
		}
		if x.ends > 0 && !x.acted {
			w.problem("%v has begun, and its user was told that nobody acts", x)
		}
		l.steps++
		x.began, x.beganAs = at, l.steps
	case "done":
		l.steps++
		x.done, x.doneAs = at, l.steps
	case "ended":
		if x.ends++; x.ends > 1 {
			w.problem("%v has ended twice", x)
		} else {
			l.open--
		}
		x.ended, x.name, x.acted, x.got = at, words[3], words[4] == "1", number(words[5])
		x.check(w)
	default:
		w.problem("it says %v", words)
	}
}

// check holds the end of a request against what its handler did.
func (x *request) check(w *world) {
	switch {
	case x.name != "ok" && !x.acted && x.begun > 0:
		w.problem("%v has begun, and its user is told that nobody has acted", x)
	case w.server != nil && x.name == "ok" && x.done == 0 && (x.kind != "event" || x.ack):
		w.problem("%v has not been handled", x)
	case x.deadline > 0 && x.ended > x.asked+x.deadline+100*ms:
		w.problem("%v ends %d ms after its deadline", x, (x.ended-x.asked-x.deadline)/ms)
	}
}

func (x *request) String() string {
	text := fmt.Sprintf("%s %d", x.kind, x.id)
	if x.ends > 0 {
		text += fmt.Sprintf(" (%s, acted=%v)", x.name, x.acted)
	}
	return text
}

// all gives the requests in the order in which they were made.
func (l *load) all() (all []*request) {
	for _, x := range l.asked {
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b *request) int { return a.id - b.id })
	return all
}

// finish lets time go on until all requests have ended.
func (w *world) finish(most int) {
	if w.until(most, func() bool { return w.load.open == 0 }) {
		return
	}
	for _, x := range w.load.all() {
		if x.ends == 0 {
			w.problem("%d requests have not ended after %d s: %v …", w.load.open, most/second, x)
			return
		}
	}
}

// answered expects all requests to have been answered.
func (w *world) answered(of []*request) {
	failed := map[string]int{}
	for _, x := range of {
		if x.ends > 0 && x.name != "ok" {
			failed[x.name]++
		}
	}
	if len(failed) > 0 {
		w.problem("not answered, of %d: %v", len(of), failed)
	}
}

// counts are what has become of all requests.
func (l *load) counts() string {
	var answered, refused, lost, none int
	for _, x := range l.asked {
		switch {
		case x.ends == 0:
			none++
		case x.name == "ok":
			answered++
		case !x.acted:
			refused++
		default:
			lost++
		}
	}
	text := fmt.Sprintf("%d answered, %d refused, %d lost", answered, refused, lost)
	if none > 0 {
		text += fmt.Sprintf(", %d never ended", none)
	}
	return text
}

// expect notes a request that a peer of the simulation makes, and gives its number.
func (l *load) expect(w *world, kind string) int {
	l.last++
	l.asked[l.last] = &request{id: l.last, kind: kind, asked: w.now, ends: 1, name: "ok", acted: true}
	return l.last
}
