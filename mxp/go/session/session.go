// Package session is the protocol core of MXP: one side of one connection, as
// sections 5 to 12 of spec/mxp.md have it. It does no I/O, starts no goroutine
// and reads no clock. The owner of a connection hands it bytes and the time, and asks it for
// events, frames and the next timeout:
//
//	s := session.New(session.Config{Services: []string{"demo.Echo"}}, now)
//	for in, ok := s.Receive(&bytes, now); ok; in, ok = s.Receive(&bytes, now) {
//		switch in := in.(type) {
//		case *session.Call:
//			s.Respond(in.ID, nil, in.Value, now)
//		}
//	}
//	for f, ok := s.PollFrame(now); ok; f, ok = s.PollFrame(now) {
//		write(f.Head, f.Value, f.Trailer)
//	}
//	sleep(until s.NextTimeout(), then s.Tick(now))
//
// Times are microseconds that never decrease, from any start. A session is not
// safe for use by several goroutines at once. Clauses like [MXP-7.4] are in spec/mxp.md.
package session

import (
	"bytes"
	"math"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
)

// Session is one side of one connection.
type Session struct {
	config Config
	limits Limits
	reader *frame.Reader
	queue  queue
	events []Incoming // made here, and not yet given to the user
	given  int        // how many of them were
	stats  Stats

	phase    phase
	started  uint64
	services []string // the peer's
	accepts  int      // longest payload that the peer takes
	checksum frame.Checksum
	batches  bool    // both sides take batches
	clashes  []clash // while the peer's Layouts are awaited
	joint    joint   // of these, as sent

	refusals    map[target]string // why methods are refused
	differences []Difference      // the same
	uncompared  []string          // types, by their names

	lastID  uint64 // the last that was given out here
	peerID  uint64 // the last that came
	mine    map[uint64]*exchange
	theirs  map[uint64]*exchange
	myTime  deadlines
	byTime  deadlines // of the peer's requests
	bytes   int       // of payloads of the peer's requests
	mineOf  int       // of payloads of this side's
	texts   int       // what the peer's Hello holds
	refused tally

	leaving  *string // why Drain is to be made once the session is ready, or nil
	left     uint64  // since when
	drained  bool    // Drain was made
	draining bool    // Drain has come
	taken    uint64  // the last of this side's requests that had come to the peer then
	rested   uint64  // since when nothing but Pings and Pongs is left to do, once Drain was made; else never
	reported bool    // the user knows of the end

	partial  bool   // a frame has begun to come
	since    uint64 // when it did
	heard    uint64 // when the last byte came
	pinged   uint64 // id of a Ping that waits for anything to come, or 0
	asked    uint64 // when it was made
	ponged   uint64 // id of the last Ping, until its Pong has come
	progress uint64 // when something went out, or into the empty queue
	gave     uint64 // when something was given out last
	moved    uint64 // when the transport moved last
	busy     uint64 // when another frame than Ping and Pong came or went
	paused   bool   // the user does not read
	pause    uint64 // since when

	in      *receiveScratch // nil while the session rests
	out     *sendScratch    // the same
	scratch []byte
	long    [2]int      // the payload that was refused last as too large, and what may be
	spare   []*exchange // of calls that are over, for others
}

// phase is how far a session is.
type phase uint8

const (
	greeting  phase = iota // the peer's Hello is awaited
	comparing              // its Layouts are
	ready
	ended    // only an Error is left to be sent
	finished // nothing is
)

// New makes a session at the time at which its connection was made. A length of payloads that Check
// refuses is taken for the default.
func New(config Config, now uint64) *Session {
	if config.PayloadBytes <= 0 || config.PayloadBytes > frame.PayloadBytes {
		config.PayloadBytes = frame.PayloadBytes
	}
	s := &Session{
		config:  config,
		limits:  config.Limits.filled(),
		reader:  frame.NewReader(frame.Options{Limit: config.PayloadBytes}),
		started: now,
		heard:   now,
		gave:    now,
		busy:    now,
		taken:   never,
		rested:  never,
		accepts: frame.PayloadBytes,
		mine:    map[uint64]*exchange{},
		theirs:  map[uint64]*exchange{},
		lastID:  uint64(config.Role) + math.MaxUint64, // the first is 1 or 2
	}
	s.refused = tally{most: uint64(s.limits.Refusals), perMs: uint64(s.limits.RefusalsPerMs), since: now}
	s.greet(now)
	return s
}

// Ready reports whether requests can be made.
func (s *Session) Ready() bool { return s.phase == ready }

// Finished reports whether nothing is left to do, and the connection is to be
// closed [MXP-11.1].
func (s *Session) Finished() bool { return s.phase == finished }

// Services are the services of the peer; a position is a service's number.
func (s *Session) Services() []string { return s.services }

// Limits are the limits that hold, with the defaults filled in.
func (s *Session) Limits() Limits { return s.limits }

// Places are how many requests of this side's and of the peer's have one.
func (s *Session) Places() (own, peers int) { return len(s.mine), len(s.theirs) }

// Queued is how many bytes wait to be sent.
func (s *Session) Queued() int { return s.queue.bytes }

// bulk is from which length on a payload is large [MXP-9.1].
const bulk = 16 << 10

// Full reports whether as much waits as can where a frame with a payload of so many
// bytes is to join it, or a chunk of a stream [MXP-9.1].
func (s *Session) Full(payload int, chunk bool) bool {
	return s.queue.bytes >= s.most(payload, chunk)
}

func (s *Session) most(payload int, chunk bool) int {
	if chunk || payload >= bulk {
		return min(s.limits.BulkBytes, s.limits.QueueBytes)
	}
	return s.limits.QueueBytes
}

// exchangeBytes is what an exchange is counted as, textBytes what a text of the peer's
// Hello is beside its own bytes [MXP-15.1].
const (
	exchangeBytes = 1 << 10
	textBytes     = 32
)

// Held is how many bytes the session holds [MXP-15.1].
func (s *Session) Held() int {
	if s.phase >= ended { // it reads nothing any more
		return s.Backlog()
	}
	return s.Backlog() + s.reader.Buffered()
}

// Backlog is how many bytes the session holds beside the frame that it reads [MXP-15.3].
func (s *Session) Backlog() int {
	return s.queue.bytes + s.bytes + exchangeBytes*(len(s.mine)+len(s.theirs)) + s.texts
}

// Unused is how many bytes of memory the session's buffers have beyond what is Held.
func (s *Session) Unused() int {
	return s.reader.Unused() + max(cap(s.queue.buffer)-s.queue.bytes, 0)
}

// PollFrame gives the next frame out, which then counts as sent [MXP-7.4].
func (s *Session) PollFrame(now uint64) (Outgoing, bool) {
	f, frame, ok := s.queue.take()
	if ok {
		s.gone(&f, frame.Size(), now)
	}
	return frame, ok
}

// Own gives the value of what Receive gave last so that it stays valid: a copy, or
// the buffer itself that it was received in.
func (s *Session) Own(value []byte) []byte {
	if s.reader.Keep() {
		return value
	}
	return bytes.Clone(value)
}

// OwnIn is Own, and gives the buffer that the value is in, if others can use that once
// nothing refers to the value.
func (s *Session) OwnIn(value []byte) (own, buffer []byte) {
	if buffer := s.reader.KeepBuffer(); buffer != nil {
		return value, buffer
	}
	if len(value) < shared {
		return bytes.Clone(value), nil
	}
	buffer = append(buffers.Take(len(value)), value...)
	return buffer[:len(buffer):len(buffer)], buffer
}

// kept is how much an idle session may hold of each buffer.
const kept = 1 << 10

// Shrink lets go of buffers that nothing is in. It is for connections that wait.
func (s *Session) Shrink() {
	s.spare = nil
	s.reader.Shrink()
	s.in, s.out = nil, nil
	if cap(s.scratch) > kept {
		s.scratch = nil
	}
	if s.queue.empty() && cap(s.queue.buffer) > kept {
		s.queue = queue{passed: s.queue.passed}
	}
}

func (s *Session) gone(f *queueEntry, size int, now uint64) {
	s.progress, s.gave = now, now
	s.stirred(f.kind, now)
	s.stats.frame(out, f.kind, size)
	if f.exchange != nil {
		f.exchange.sent = true
	}
	s.settle(now)
}

// stirred notes that a frame came or went [MXP-10.7].
func (s *Session) stirred(t frame.Type, now uint64) {
	if !isSign(t) {
		s.busy = now
	}
}

// tell makes an event that Next and Receive give to the user.
func (s *Session) tell(event Incoming) { s.events = append(s.events, event) }

// Next gives the next event that was made here: by Tick, by Lost, or by a call of the user.
func (s *Session) Next() (Incoming, bool) {
	if s.given == len(s.events) {
		return nil, false
	}
	in := s.events[s.given]
	s.events[s.given] = nil
	s.given++
	if s.given == len(s.events) {
		s.events, s.given = s.events[:0], 0
	}
	return in, true
}
