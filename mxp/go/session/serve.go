package session

import (
	"encoding/binary"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/registry"
)

// accept gives a request of the peer's its place, or refuses it. wrong is why it
// can't be served at all, or 0.
func (s *Session) accept(f *frame.Frame, k kind, wrong Kind, head *control.CallHead, now uint64) *exchange {
	trace := uint64(0)
	if t, ok := head.Trace.Get(); ok {
		trace = binary.BigEndian.Uint64(t.ID[8:])
	}
	switch {
	case s.drained:
		wrong = ErrDraining
	case wrong != 0:
	case len(s.theirs) >= s.limits.InFlight:
		wrong = ErrLimitInFlight
	case len(f.Payload) > s.limits.InFlightBytes-s.bytes:
		wrong = ErrLimitInFlightBytes
	}
	if wrong != 0 {
		s.caused(now)
		s.refuse(f.MessageID, trace, wrong, true, now)
		return nil
	}
	e := s.exchange()
	e.id, e.trace, e.kind, e.bytes = f.MessageID, trace, k, len(f.Payload)
	s.byTime.set(e, now, head.Deadline)
	s.bytes += e.bytes
	s.theirs[e.id] = e
	return e
}

// serves is why a method can't be served, or 0 [MXP-6.8, MXP-7.3].
func (s *Session) serves(head *control.CallHead) Kind {
	switch {
	case int(head.Service) >= len(s.config.Services):
		return ErrServiceUnknown
	case s.refusals[target{true, head.Service, head.Method}] != "":
		return ErrSchema
	}
	return 0
}

// refuse answers a request with a refusal [MXP-7.2].
func (s *Session) refuse(id, trace uint64, why Kind, refusal bool, now uint64) {
	s.stats.Refusals[why.Number()]++
	f := control.Failure{Status: Status(why.Status()), Refused: refusal, Name: why.String()}
	s.reply(frame.Header{Type: frame.Error, MessageID: id, TraceID: trace}, &f, now)
}

// describe fills in a peer's request.
func (s *Session) describe(c *Call, f *frame.Frame, head *control.CallHead, n int) {
	*c = Call{f.MessageID, head.Service, head.Method, head.Deadline, s.traced(head), head.Metadata, f.Payload[n:]}
}

func (s *Session) traced(head *control.CallHead) *Trace {
	t, ok := head.Trace.Get()
	if !ok {
		return nil
	}
	s.in.trace = t
	return &s.in.trace
}

func (s *Session) takeCall(f *frame.Frame, now uint64) Incoming {
	start := &s.in.callStart
	n, err := start.DecodePrefix(f.Payload, aliasing)
	if err != nil {
		s.failPayload(err, now)
		return nil
	}
	if s.accept(f, aCall, s.serves(&start.Head), &start.Head, now) == nil {
		return nil
	}
	s.describe(&s.in.call, f, &start.Head, n)
	return &s.in.call
}

func (s *Session) takeEvent(f *frame.Frame, now uint64) Incoming {
	start := &s.in.callStart
	n, err := start.DecodePrefix(f.Payload, aliasing)
	if err != nil {
		s.failPayload(err, now)
		return nil
	}
	head := &start.Head
	head.Deadline = 0
	wrong := s.serves(head)
	ack := f.Flags&frame.RequiresAck != 0
	switch {
	case ack && s.accept(f, anEvent, wrong, head, now) == nil:
		return nil
	case !ack && wrong != 0:
		s.passOver(wrong, 1, now)
		return nil
	}
	s.in.event = Event{f.MessageID, head.Service, head.Method, s.traced(head), head.Metadata, ack, f.Payload[n:]}
	return &s.in.event
}

func (s *Session) takeAgent(f *frame.Frame, now uint64) Incoming {
	in, err := agentRequest(f)
	if err != nil {
		s.failPayload(err, now)
		return nil
	}
	wrong := Kind(0)
	if !s.config.Agents {
		wrong = ErrAgentsOff
	}
	if s.accept(f, forAgents, wrong, &control.CallHead{}, now) == nil {
		return nil
	}
	return in
}

func agentRequest(f *frame.Frame) (Incoming, error) {
	switch f.Type {
	case frame.AgentRegister:
		in := &Register{ID: f.MessageID}
		return in, registry.DecodeRegistration(&in.Registration, f.Payload)
	case frame.AgentHeartbeat:
		var h registry.Heartbeat
		err := registry.DecodeHeartbeat(&h, f.Payload)
		return &Heartbeat{f.MessageID, h.Name}, err
	}
	in := &Discover{ID: f.MessageID}
	return in, registry.DecodeQuery(&in.Query, f.Payload)
}

func (s *Session) takeCancel(f *frame.Frame, now uint64) Incoming {
	e := s.theirs[f.MessageID]
	if e == nil || e.ended {
		s.stats.Late++
		return nil
	}
	if e.out.number == 0 {
		s.caused(now)
	}
	s.byTime.remove(e)
	e.ended = true
	return &Cancelled{e.id, ByPeer}
}

// abandon ends a request of the peer's, which keeps its place [MXP-7.8].
func (s *Session) abandon(e *exchange, why Why) {
	e.ended = true
	s.tell(&Cancelled{e.id, why})
}

// free gives the place of a request of the peer's away.
func (s *Session) free(e *exchange, now uint64) {
	s.byTime.remove(e)
	s.bytes -= e.bytes
	delete(s.theirs, e.id)
	s.settle(now)
}

// serving gives a live request of the peer's. An ended request loses its place.
func (s *Session) serving(id, now uint64) (*exchange, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	e := s.theirs[id]
	switch {
	case e == nil:
		return nil, ErrExchangeEnded
	case e.ended:
		s.free(e, now)
		return nil, ErrExchangeEnded
	}
	return e, nil
}

// Respond answers a Call. The value is copied, unless it is large; then it must
// not change until it was sent.
func (s *Session) Respond(id uint64, metadata []Metadatum, value []byte, now uint64) error {
	e, err := s.serving(id, now)
	switch {
	case err != nil:
		return err
	case e.kind != aCall && e.kind != forAgents:
		return ErrExchangeEnded
	}
	out := s.outgoing()
	out.response.Head.Metadata = metadata
	if err := s.prepare(&out.response, value, frame.Response); err != nil {
		return err
	}
	if s.Full(len(s.scratch)+len(value), false) {
		return ErrLimitQueueBytes
	}
	s.put(e.header(frame.Response, 0), value, mark{}, now)
	s.refused.answered()
	s.free(e, now)
	s.reuse(e)
	return nil
}

// RespondLease answers Register and Heartbeat.
func (s *Session) RespondLease(id uint64, lease Lease, now uint64) error {
	value, err := lease.MarshalBinary()
	if err != nil {
		return ErrPayloadTooLarge
	}
	return s.Respond(id, nil, value, now)
}

// RespondAgents answers Discover.
func (s *Session) RespondAgents(id uint64, agents []Agent, now uint64) error {
	value, err := (&registry.Agents{Agents: agents}).MarshalBinary()
	if err != nil {
		return ErrPayloadTooLarge
	}
	return s.Respond(id, nil, value, now)
}

// Fail answers a request of any kind with an Error. f.Acted says whether it was
// acted on.
func (s *Session) Fail(id uint64, f Failure, now uint64) error {
	e, err := s.serving(id, now)
	if err != nil {
		return err
	}
	failure := control.Failure{Status: f.Status, Refused: !f.Acted, Name: f.Name, Text: f.Text, Details: f.Details}
	if err := s.prepare(&failure, nil, frame.Error); err != nil {
		return err
	}
	s.put(e.header(frame.Error, 0), nil, mark{}, now)
	if !f.Acted {
		s.caused(now)
	}
	s.free(e, now)
	return nil
}

// Release gives the place of a request away that was cancelled. A request that is still to be
// answered is failed with ErrCancelled.
func (s *Session) Release(id uint64, now uint64) error {
	if err := s.usable(); err != nil {
		return err
	}
	e := s.theirs[id]
	if e == nil {
		return ErrExchangeEnded
	}
	if !e.ended {
		s.refuse(id, e.trace, ErrCancelled, false, now)
	}
	s.free(e, now)
	return nil
}

// DecodeLease reads the value of a Response to Register or Heartbeat, in
// microseconds.
func DecodeLease(value []byte) (uint64, error) {
	var lease registry.Lease
	err := registry.DecodeLease(&lease, value)
	return lease.Lease, err
}

// DecodeAgents reads the value of a Response to Discover.
func DecodeAgents(value []byte) ([]Agent, error) {
	var agents registry.Agents
	err := registry.DecodeAgents(&agents, value)
	return agents.Agents, err
}
