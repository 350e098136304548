package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// plan is the description of a measurement.
type plan struct {
	kind        string
	payload     payload
	inFlight    int
	connections int
	// time is how long; where it is 0, messages are compared and nothing is timed.
	time   time.Duration
	server int
}

// The number of its messages that a client compares with the sent ones, before anything is timed; each of many callers
// fewer.
const (
	compared       = 8
	comparedOfMany = 2
)

// part is a piece of a run.
type part struct {
	payload payload
	until   until
}

// parts are one in which replies are compared, one until all is warm, and one that is timed.
func (p *plan) parts() []part {
	whole := p.payload
	whole.isCompared = true
	count := compared
	if p.inFlight*p.connections > 1 {
		count = comparedOfMany
	}
	parts := []part{{whole, until{left: count}}}
	if p.time > 0 {
		every := p.every()
		parts = append(parts,
			part{p.payload, until{time: p.time / 4, every: every, left: every}},
			part{p.payload, until{time: p.time, every: every, left: every}})
	}
	return parts
}

// every is of how many messages one looks at the clock: all, unless there are many at once.
func (p *plan) every() int {
	switch {
	case p.kind != "call":
		return 64
	case p.inFlight < 16:
		return 1
	}
	return 8
}

// run does the plan, and gives what its last part has cost.
func (p *plan) run(of peer, at address) (*measured, error) {
	do, err := p.prepare(of, at)
	if err != nil {
		return nil, err
	}
	var last *measured
	for _, part := range p.parts() {
		begun, err := p.begin()
		if err != nil {
			return nil, err
		}
		messages, err := do(part)
		if err != nil {
			return nil, err
		}
		if last, err = begun.end(messages); err != nil {
			return nil, err
		}
	}
	return last, nil
}

// prepare connects, and returns what does one part and counts its messages.
func (p *plan) prepare(of peer, at address) (func(part) (uint64, error), error) {
	if p.kind == "call" {
		return p.callers(of, at)
	}
	make, ok := of.flows[p.kind]
	if !ok {
		return nil, fmt.Errorf("this peer has no %s", p.kind)
	}
	if p.inFlight != 1 || p.connections != 1 {
		return nil, errors.New("messages go over one connection")
	}
	flow, err := make(at)
	return func(part part) (uint64, error) { return flow(part.payload, part.until.begun()) }, err
}

// payload is the bytes that are sent, and have to come back.
type payload struct {
	bytes      []byte
	isCompared bool
}

// newPayload has bytes that differ from their neighbours.
func newPayload(size int) payload {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * 31 % 251)
	}
	return payload{bytes: data}
}

// look looks at a reply: at its length, or at all of it before anything is timed.
func (p payload) look(reply []byte) error {
	if len(reply) != len(p.bytes) || p.isCompared && !bytes.Equal(reply, p.bytes) {
		return errors.New("a reply is not what was sent")
	}
	return nil
}

// until is how long a part goes on: for a time, or for as many as are left.
type until struct {
	end         time.Time
	time        time.Duration
	left, every int
}

// begun begins now.
func (u until) begun() until {
	if u.time > 0 {
		u.end = time.Now().Add(u.time)
	}
	return u
}

// more tells whether there is more to do, and counts that it is done.
func (u *until) more() bool {
	if u.left == 0 {
		if u.time == 0 || time.Now().After(u.end) {
			return false
		}
		u.left = u.every
	}
	u.left--
	return true
}

// several is how many more there are to do at once, up to a number, and counts that they are done.
func (u *until) several(most int) (n int) {
	for n < most && u.more() {
		n++
	}
	return n
}

// isTimed tells whether the call that comes is one that is timed.
func (u *until) isTimed() bool { return u.time > 0 && u.left+1 == u.every }

// measured is the cost of a part.
type measured struct {
	Messages  uint64       `json:"messages"`
	Elapsed   int64        `json:"elapsed_ns"`
	ClientCPU uint64       `json:"client_cpu_ns"`
	ServerCPU uint64       `json:"server_cpu_ns"`
	Latency   *percentiles `json:"latency_ns"`
}

func (m *measured) json() string {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// begun is the beginning of a part.
type begun struct {
	server               int
	clientCPU, serverCPU uint64
	at                   time.Time
}

func (p *plan) begin() (begun, error) {
	times.reset()
	client, server, err := processorTimes(p.server)
	return begun{p.server, client, server, time.Now()}, err
}

func (b begun) end(messages uint64) (*measured, error) {
	elapsed := time.Since(b.at)
	client, server, err := processorTimes(b.server)
	return &measured{messages, elapsed.Nanoseconds(), client - b.clientCPU, server - b.serverCPU, times.percentiles()}, err
}

func processorTimes(server int) (uint64, uint64, error) {
	client, err := processorTime(os.Getpid())
	if err != nil || server == 0 {
		return client, 0, err
	}
	serving, err := processorTime(server)
	return client, serving, err
}

// processorTime is the nanoseconds that the threads of a process have run, in the kernel and outside.
func processorTime(process int) (uint64, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", process))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("process %d is not there: %w", process, err)
	}
	var sum uint64
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		ran, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseUint(ran, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}
