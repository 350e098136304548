package session

import (
	"encoding/binary"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/registry"
	"github.com/serial-data-protocol/sdp/runtime/go"
)

// Request is the head of a Call, an Event or a stream.
type Request struct {
	Service  uint16 // its number is the position in Services
	Method   uint16
	Deadline uint64 // microseconds from now; 0 is for ever. Events have none
	Trace    *Trace
	Metadata []Metadatum
}

func (r *Request) head() control.CallHead {
	head := control.CallHead{Service: r.Service, Method: r.Method, Deadline: r.Deadline, Metadata: r.Metadata}
	if r.Trace != nil {
		head.Trace = sdp.Some(*r.Trace)
	}
	return head
}

// traceID is the low half of the trace's id [MXP-5.5].
func (r *Request) traceID() uint64 {
	if r.Trace == nil {
		return 0
	}
	return binary.BigEndian.Uint64(r.Trace.ID[8:])
}

// sendScratch has what payloads are encoded from, so that none is allocated.
type sendScratch struct {
	call     control.CallStart
	stream   control.StreamStart
	response control.ResponseStart
}

// outgoing gives what payloads are encoded from.
func (s *Session) outgoing() *sendScratch {
	if s.out == nil {
		s.out = new(sendScratch)
	}
	return s.out
}

// encoder is a payload, or the start of one.
type encoder interface {
	AppendBinary(b []byte) ([]byte, error)
}

// mark says which exchange a queued frame belongs to, and how the frame is counted.
type mark struct {
	exchange           *exchange
	reply, spare, lent bool
	opens              bool // others may join the frame
}

// prepare encodes the start of a payload, and refuses one that is too long
// [MXP-9.2].
func (s *Session) prepare(start encoder, value []byte, t frame.Type) (err error) {
	s.scratch = s.scratch[:0]
	if start != nil {
		s.scratch, err = start.AppendBinary(s.scratch)
	}
	n := len(s.scratch) + len(value)
	most := s.accepts
	if rules[t].own {
		most = min(most, ControlBytes)
	}
	switch {
	case err != nil:
		s.long = [2]int{}
		return ErrPayloadTooLarge
	case n > most:
		s.long = [2]int{n, most}
		return ErrPayloadTooLarge
	}
	return nil
}

// TooLarge gives the length of the payload that was refused last with
// ErrPayloadTooLarge, and how many bytes there may be; 0 if a text or a list in it
// didn't fit its length.
func (s *Session) TooLarge() (bytes, most int) { return s.long[0], s.long[1] }

// add puts what was prepared into the frame that was made last, if it can join that
// [MXP-17.6]; else it makes a frame. It gives the frame's id.
func (s *Session) add(h frame.Header, value []byte, m mark, now uint64) uint64 {
	if s.batches && len(value) <= BatchedBytes {
		if id, joined := s.queue.join(h, s.scratch, value, s.accepts); joined {
			return id
		}
		m.opens = h.Flags == 0
	}
	if h.MessageID == 0 {
		s.lastID += 2
		h.MessageID = s.lastID
	}
	s.put(h, value, m, now)
	return h.MessageID
}

// put makes a frame out of the prepared payload.
func (s *Session) put(h frame.Header, value []byte, m mark, now uint64) {
	if s.queue.empty() {
		s.progress = now
	}
	s.queue.seal()
	s.queue.room()
	checksum := s.checksum
	if h.Type == frame.Hello {
		checksum = frame.ChecksumOn // [MXP-6.1]
	}
	q := queueEntry{kind: h.Type, values: 1, exchange: m.exchange, reply: m.reply, spare: m.spare}
	if m.opens {
		s.queue.last = last{header: h, start: len(s.scratch), checksum: checksum, open: true}
		checksum = frame.ChecksumOff // its trailer is made when nothing can join it any more
	}
	before := len(s.queue.buffer)
	if len(value) < shared {
		s.scratch = append(s.scratch, value...)
		f := frame.Frame{Header: h, Payload: s.scratch}
		s.queue.buffer, _ = f.Append(s.queue.buffer, checksum) // its length was checked
	} else {
		var e frame.Envelope
		e.Seal(h, checksum, s.scratch, value)
		s.queue.buffer = append(append(s.queue.buffer, e.Header[:]...), s.scratch...)
		q.value, q.trailer, q.lent = value, e.Trailer, m.lent
	}
	q.head = len(s.queue.buffer) - before
	s.queue.add(q)
	if cap(s.scratch) > 4*shared {
		s.scratch = nil
	}
}

// send makes a frame of the protocol's own, without a check of the length that the peer takes: a peer
// that takes no Error learns nothing from one.
func (s *Session) send(h frame.Header, payload encoder, m mark, now uint64) {
	s.scratch = s.scratch[:0]
	if payload != nil {
		s.scratch, _ = payload.AppendBinary(s.scratch) // its texts are short
	}
	s.put(h, nil, m, now)
}

// reply makes a frame that nobody has asked the user about [MXP-9.4].
func (s *Session) reply(h frame.Header, payload encoder, now uint64) {
	s.send(h, payload, mark{reply: true}, now)
}

// usable refuses calls before Hello and after the end.
func (s *Session) usable() error {
	switch {
	case s.phase >= ended:
		return ErrClosed
	case s.phase < ready:
		return ErrNotReady
	}
	return nil
}

// requesting refuses requests that can't be made now.
func (s *Session) requesting() error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.drained || s.draining {
		return ErrDraining
	}
	return nil
}

// asking refuses requests of methods that can't be made now [MXP-5.9].
func (s *Session) asking(r *Request) error {
	err := s.requesting()
	if err == nil && s.Difference(r.Service, r.Method) != "" {
		return ErrSchema
	}
	return err
}

// request queues a request that was prepared, and gives it its place.
func (s *Session) request(t frame.Type, f frame.Flags, k kind, trace, deadline uint64, value []byte, now uint64) (*exchange, error) {
	bytes := len(s.scratch) + len(value)
	switch {
	case len(s.mine) >= s.limits.InFlight:
		return nil, ErrLimitInFlight
	case s.mineOf > 0 && bytes > s.limits.InFlightBytes-s.mineOf:
		return nil, ErrLimitInFlightBytes
	case s.Full(bytes, false):
		return nil, ErrLimitQueueBytes
	}
	s.lastID += 2
	e := s.exchange()
	e.id, e.trace, e.kind, e.mine, e.made, e.bytes = s.lastID, trace, k, true, now, bytes
	s.mineOf += bytes
	s.myTime.set(e, now, deadline)
	s.mine[e.id] = e
	s.put(e.header(t, f), value, mark{exchange: e}, now)
	return e, nil
}

// Call asks for an answer, and returns the request's id. It ends by a Response or
// by Ended. The value is copied, unless it is large; then it must not change
// until it was sent.
func (s *Session) Call(r Request, value []byte, now uint64) (id uint64, err error) {
	if err := s.asking(&r); err != nil {
		return 0, err
	}
	out := s.outgoing()
	out.call.Head = r.head()
	if err := s.prepare(&out.call, value, frame.Call); err != nil {
		return 0, err
	}
	e, err := s.request(frame.Call, 0, aCall, r.traceID(), r.Deadline, value, now)
	if err != nil {
		return 0, err
	}
	return e.id, nil
}

// Open opens a stream, and grants the peer what it may send on it. final says
// that this side sends nothing but value.
func (s *Session) Open(r Request, messages uint32, bytes uint64, value []byte, final bool, now uint64) (id uint64, err error) {
	if err := s.asking(&r); err != nil {
		return 0, err
	}
	out := s.outgoing()
	out.stream = control.StreamStart{Head: r.head(), Grant: control.Grant{Messages: messages, Bytes: bytes}}
	if err := s.prepare(&out.stream, value, frame.StreamOpen); err != nil {
		return 0, err
	}
	e, err := s.request(frame.StreamOpen, flags(final, false), aStream, r.traceID(), r.Deadline, value, now)
	if err != nil {
		return 0, err
	}
	e.in.grant(messages, bytes)
	e.out.ended = final
	return e.id, nil
}

// Full says what happens to an Event when as much waits as can [MXP-9.5].
type Full uint8

// It is refused; it is dropped; or the oldest Events are.
const (
	Refuse Full = iota
	DropNewest
	DropOldest
)

// Event sends an Event. If it asks for an Ack, it is a request, and ends by Acked
// or Ended. The id is 0 if it was dropped; Events of one batch have the same.
func (s *Session) Event(r Request, value []byte, ack bool, full Full, now uint64) (id uint64, err error) {
	if err := s.asking(&r); err != nil {
		return 0, err
	}
	r.Deadline = 0
	out := s.outgoing()
	out.call.Head = r.head()
	if err := s.prepare(&out.call, value, frame.Event); err != nil {
		return 0, err
	}
	if ack {
		e, err := s.request(frame.Event, frame.RequiresAck, anEvent, r.traceID(), 0, value, now)
		if err != nil {
			return 0, err
		}
		return e.id, nil
	}
	return s.event(r.traceID(), value, full, now)
}

// event sends an Event that was prepared, for which no Ack is asked.
func (s *Session) event(trace uint64, value []byte, full Full, now uint64) (id uint64, err error) {
	n := len(s.scratch) + len(value)
	if full == DropOldest {
		s.stats.Dropped += s.queue.dropEvents(s.most(n, false))
	}
	if s.Full(n, false) {
		if full == Refuse {
			return 0, ErrLimitQueueBytes
		}
		s.stats.Dropped++
		return 0, nil
	}
	return s.add(frame.Header{Type: frame.Event, TraceID: trace}, value, mark{spare: true}, now), nil
}

// Events sends Events of one head one after the other, as Event does each, for which no Ack is
// asked, until one is refused, and gives how many before that were sent or dropped. The values
// are records as a batch has them.
func (s *Session) Events(r Request, records []byte, full Full, now uint64) (n int, err error) {
	if err := s.asking(&r); err != nil {
		return 0, err
	}
	r.Deadline = 0
	out := s.outgoing()
	out.call.Head = r.head()
	for trace := r.traceID(); len(records) > 0; n++ {
		var value []byte
		value, records = CutRecord(records)
		if err := s.prepare(&out.call, value, frame.Event); err != nil {
			return n, err
		}
		if _, err := s.event(trace, value, full, now); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Cancel takes a request back, which ends with ErrCancelled [MXP-7.6].
func (s *Session) Cancel(id uint64, now uint64) error {
	if err := s.usable(); err != nil {
		return err
	}
	e := s.mine[id]
	if e == nil {
		return ErrExchangeEnded
	}
	s.myTime.remove(e)
	s.takeBack(e, ErrCancelled, now)
	s.settle(now)
	return nil
}

// takeBack ends a request that was made here, at both ends.
func (s *Session) takeBack(e *exchange, why Kind, now uint64) {
	s.forget(e)
	s.tell(&Ended{e.id, Failure{Status: Status(why.Status()), Name: why.String(), Acted: e.sent}})
	if !e.sent {
		s.queue.dropAll(e)
		return
	}
	s.send(e.header(frame.Cancel, 0), nil, mark{}, now)
}

// ping asks the peer for a sign of life [MXP-10.3], or is one where this side does not
// read [MXP-10.8].
func (s *Session) ping(now uint64) {
	s.lastID += 2
	s.ponged, s.asked = s.lastID, now
	if !s.paused {
		s.pinged = s.lastID
	}
	s.send(frame.Header{Type: frame.Ping, MessageID: s.lastID}, nil, mark{}, now)
}

// Drain says that this side takes no new requests [MXP-11.1]; as soon as the session is
// ready, if it is not.
func (s *Session) Drain(reason string, now uint64) error {
	switch {
	case s.phase >= ended:
		return ErrClosed
	case s.drained:
		return nil
	}
	if err := s.prepare(s.farewellOf(reason), nil, frame.Drain); err != nil {
		return err
	}
	if s.phase < ready {
		if s.leaving == nil {
			s.leaving, s.left = &reason, now
		}
		return nil
	}
	s.farewell(reason, now)
	return nil
}

func (s *Session) farewellOf(reason string) *control.Farewell {
	return &control.Farewell{Reason: reason, Last: sdp.Some(s.peerID)}
}

// farewell sends Drain, once.
func (s *Session) farewell(reason string, now uint64) {
	if !s.drained {
		s.drained = true
		s.send(frame.Header{Type: frame.Drain}, s.farewellOf(reason), mark{}, now)
	}
}

// agents makes an agent request.
func (s *Session) agents(t frame.Type, payload encoder, now uint64) (id uint64, err error) {
	if err := s.requesting(); err != nil {
		return 0, err
	}
	if err := s.prepare(payload, nil, t); err != nil {
		return 0, err
	}
	e, err := s.request(t, 0, forAgents, 0, 0, nil, now)
	if err != nil {
		return 0, err
	}
	return e.id, nil
}

// Register asks the peer for a lease of a name, in microseconds. It is answered by
// a Response whose value is for DecodeLease.
func (s *Session) Register(name string, capabilities []string, lease, now uint64) (id uint64, err error) {
	return s.agents(frame.AgentRegister, &registry.Registration{Name: name, Capabilities: capabilities, Lease: lease}, now)
}

// Heartbeat renews a lease, and is answered as Register is.
func (s *Session) Heartbeat(name string, now uint64) (id uint64, err error) {
	return s.agents(frame.AgentHeartbeat, &registry.Heartbeat{Name: name}, now)
}

// Discover asks the peer for agents that have a capability, or for all. It is
// answered by a Response whose value is for DecodeAgents.
func (s *Session) Discover(capability string, now uint64) (id uint64, err error) {
	return s.agents(frame.AgentDiscover, &registry.Query{Capability: capability}, now)
}
