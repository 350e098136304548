//go:build go1.25

package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// network is the simulation for servers and clients: connections and the time. It lives in a bubble
// of package synctest, in which time passes only where advance lets it.
type network struct {
	begun time.Time

	mu      sync.Mutex
	lines   []string // that were not told yet
	spoken  chan struct{}
	wakeups int
	wires   map[int]*wire
	dialed  int
	away    map[int]bool // addresses at which nobody listens
	servers map[int]*acceptor
}

// runNetwork answers lines about servers and clients until there are no more.
func runNetwork() {
	all := func(string, string) (bool, error) { return true, nil }
	os.Args = os.Args[:1]
	testing.Main(all, []testing.InternalTest{{Name: "network", F: func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			n := &network{
				begun: time.Now(), spoken: make(chan struct{}, 1), wires: map[int]*wire{}, away: map[int]bool{}, servers: map[int]*acceptor{},
			}
			n.serve(bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriterSize(os.Stdout, 1<<20))
			os.Exit(0)
		})
	}}}, nil, nil)
}

func (n *network) serve(in *bufio.Reader, out *bufio.Writer) {
	program := newProgram(n)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if words[0] == "advance" {
			n.advance(number(words[1]), words[2] == "stop")
			n.tell(out)
			continue
		}
		if !n.command(words) {
			program.command(words)
		}
		synctest.Wait()
	}
}

// number reads a number, of which the simulation is known to write none that is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// now is the time since the beginning, in microseconds.
func (n *network) now() int { return int(time.Since(n.begun).Microseconds()) }

// advance lets time pass until a time, or, if it stops, until something is said.
func (n *network) advance(until int, stops bool) {
	synctest.Wait()
	left := time.Duration(until)*time.Microsecond - time.Since(n.begun)
	if left <= 0 || stops && !n.isSilent() {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	spoken := n.spoken
	if !stops {
		spoken = nil
	}
	select {
	case <-timer.C:
	case <-spoken:
	}
	synctest.Wait()
}

func (n *network) isSilent() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.spoken:
	default:
	}
	return len(n.lines) == 0
}

// tell writes what was said, the time, and how often somebody was woken.
func (n *network) tell(out *bufio.Writer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.lines {
		fmt.Fprintln(out, line)
	}
	n.lines = nil
	fmt.Fprintf(out, "now %d %d\n", n.now(), n.wakeups)
	out.Flush()
}

// say notes what the simulation is to be told.
func (n *network) say(format string, values ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, strconv.Itoa(n.now())+" "+fmt.Sprintf(format, values...))
	select {
	case n.spoken <- struct{}{}:
	default:
	}
}

// woken counts that a connection is read from, or written to.
func (n *network) woken() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wakeups++
}

// command does what the network does, and reports whether the line was for it.
func (n *network) command(words []string) bool {
	switch words[0] {
	case "reachable":
		n.mu.Lock()
		for at := 1; at <= addressesMax; at++ {
			if len(words) < 3 || number(words[2]) == at {
				n.away[at] = words[1] == "0"
			}
		}
		n.mu.Unlock()
		return true
	case "connect":
		n.connect(number(words[1]), number(words[2]))
		return true
	case "deliver", "room", "eof", "cut":
	default:
		return false
	}
	n.mu.Lock()
	w := n.wires[number(words[1])]
	n.mu.Unlock()
	w.do(func() {
		switch words[0] {
		case "deliver":
			data, err := hex.DecodeString(words[2])
			if err != nil {
				panic(err)
			}
			if !w.closed {
				w.later = append(w.later, data...)
			}
		case "room":
			w.room += number(words[2])
		case "eof":
			w.ended = true
		case "cut":
			w.reset = true
		}
	})
	return true
}

// connect makes a connection to a server.
func (n *network) connect(wire, server int) {
	n.mu.Lock()
	w := newWire(n, wire)
	n.wires[wire] = w
	a := n.servers[server]
	n.mu.Unlock()
	if a == nil || a.isClosed() {
		n.say("refused %d", wire)
		return
	}
	a.come <- w
}

// addressesMax is how many addresses there are that a client can connect to.
const addressesMax = 4

// address is a client's address for one of these.
func address(at int) string { return fmt.Sprintf("mxp+unix:///simulation/%d", at) }

// dial makes a connection from a client.
func (n *network) dial(_ context.Context, _, place string) (net.Conn, error) {
	at := number(path.Base(place))
	n.mu.Lock()
	if n.away[at] {
		n.mu.Unlock()
		return nil, &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	n.dialed++
	w := newWire(n, n.dialed)
	n.wires[n.dialed] = w
	n.mu.Unlock()
	n.say("dial %d %d", w.number, at)
	return w, nil
}

// listen makes a listener.
func (n *network) listen(server int) net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	a := newAcceptor()
	n.servers[server] = a
	return a
}
