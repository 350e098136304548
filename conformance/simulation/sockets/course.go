package main

import (
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// serve starts a server, to which clients connect from now on. It may have options.
func (w *world) serve(options ...string) {
	w.servers++
	w.serving = w.servers
	w.server.send("%s", strings.Join(append([]string{"serve server=" + strconv.Itoa(w.serving)}, options...), " "))
	w.reachable(true)
}

// shutdown shuts the server down that takes connections; it has some time for it.
func (w *world) shutdown(us int) {
	w.server.send("shutdown server=%d us=%d", w.serving, us)
	w.serving = 0
	w.reachable(false)
}

// restart has a new server take the place of one that is shut down.
func (w *world) restart(us int) {
	w.shutdown(us)
	w.serve()
}

// reachable says whether clients find somebody who listens.
func (w *world) reachable(is bool) {
	switch {
	case w.client == nil:
	case is:
		w.client.send("reachable 1")
	default:
		w.client.send("reachable 0")
	}
}

// connect starts the client.
func (w *world) connect() { w.client.send("client") }

// dialed has a connection that a client has made.
func (w *world) dialed(client *runner, number int) {
	w.dials++
	here := &end{runner: client, number: number}
	if w.server == nil {
		p := w.meet(here, session.Acceptor)
		if w.met != nil {
			w.met(p)
		}
		return
	}
	w.server.accepted++
	w.join(here, &end{runner: w.server, number: w.server.accepted})
}

// refused has a connection that a server does not take.
func (w *world) refused(server *runner, number int) {
	server.ends[number].wasClosed(1)
}

// callers are users that make a call, and another when that has ended, until a time.
func (w *world) callers(n, until int, call func() *request) {
	for range n {
		var again func(x *request)
		again = func(x *request) {
			switch {
			case x.ends == 0:
				w.after(w.latency, func() { again(x) })
			case w.now < until:
				again(call())
			}
		}
		again(call())
	}
}

// slowest is how long the slowest request took, in milliseconds, of the requests that have ended.
func (l *load) slowest(of []*request) (most int) {
	for _, x := range of {
		if x.ends > 0 {
			most = max(most, (x.ended-x.asked)/ms)
		}
	}
	return most
}
