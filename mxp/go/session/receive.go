package session

import (
	"errors"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
	"github.com/serial-data-protocol/sdp/runtime/go"
)

// receiveScratch has what an event refers to, so that none is allocated.
type receiveScratch struct {
	call     Call
	open     Open
	event    Event
	response Response
	chunk    Chunk
	chunks   Chunks
	events   Events
	trace    Trace

	callStart     control.CallStart
	streamStart   control.StreamStart
	responseStart control.ResponseStart
}

// aliasing lets decoded values refer to the payload.
var aliasing = sdp.DecodeOptions{AliasInput: true}

// Receive takes received bytes, cuts the used bytes off the piece, and gives the next event. It is
// to be called until there is none. If bytes are left then, they are to be given again once
// something was sent [MXP-9.4], or the next timeout has come [MXP-9.7].
func (s *Session) Receive(piece *[]byte, now uint64) (Incoming, bool) {
	for {
		if in, ok := s.Next(); ok {
			return in, true
		}
		if s.phase >= ended {
			*piece = nil
			return nil, false
		}
		if len(*piece) > 0 {
			s.heard, s.pinged = now, 0
		}
		if s.refused.over() {
			s.refused.pass(now)
		}
		if s.deaf() {
			return nil, false
		}
		f, ok, err := s.reader.Next(piece)
		switch {
		case err != nil:
			s.failFrame(err, now)
		case !ok:
			if !s.partial && s.reader.Buffered() > 0 {
				s.partial, s.since = true, now
			}
			return nil, false
		default:
			if s.in == nil {
				s.in = new(receiveScratch)
			}
			s.partial = false
			s.stirred(f.Type, now)
			s.stats.frame(in, f.Type, f.Size())
			in := s.frame(&f, now)
			s.settle(now)
			if in != nil {
				return in, true
			}
		}
	}
}

// failFrame ends the session, whose bytes are no frame.
func (s *Session) failFrame(err error, now uint64) {
	var refusal *frame.Refusal
	if errors.As(err, &refusal) {
		s.fail(refusal.Kind, control.Failure{}, now)
	}
}

// failPayload ends the session, whose peer has sent a payload that can't be
// decoded.
func (s *Session) failPayload(err error, now uint64) {
	text := ""
	var refusal *sdp.DecodeError
	if errors.As(err, &refusal) {
		text = refusal.Kind.String()
	}
	s.fail(ErrPayload, control.Failure{Text: text}, now)
}

// frame makes the checks of MXP-5.6 and does what the frame says.
func (s *Session) frame(f *frame.Frame, now uint64) Incoming {
	r := &rules[f.Type]
	switch {
	case !s.expected(f, r):
		s.failKind(ErrHello, now)
	case r.batch && !s.batches:
		s.failKind(ErrBatch, now)
	case f.Flags&^r.flags != 0:
		s.failKind(ErrFlags, now)
	case r.own && len(f.Payload) > ControlBytes:
		s.failKind(ErrLimitControlBytes, now)
	case r.batch && len(f.Payload) > BatchBytes:
		s.failKind(ErrLimitBatchBytes, now)
	case !s.named(f.MessageID, r.id):
		s.failKind(ErrID, now)
	default:
		if r.id == idNew {
			s.peerID = f.MessageID
		}
		return s.take(f, now)
	}
	return nil
}

// expected reports whether the frame may come now [MXP-6.2]. While Layouts are
// awaited, an Error is about the session.
func (s *Session) expected(f *frame.Frame, r *rule) bool {
	if s.phase == comparing && f.Type == frame.Error && f.MessageID != 0 {
		return false
	}
	return r.states>>s.phase&1 == 1
}

// isMine reports whether an id is one of this side's [MXP-5.2].
func (s *Session) isMine(id uint64) bool {
	return id&1 == s.lastID&1 && id != 0
}

// named reports whether a frame may have an id.
func (s *Session) named(id uint64, rule idRule) bool {
	mine := s.isMine(id) && id <= s.lastID && s.lastID <= never-2
	theirs := !s.isMine(id) && id != 0
	switch rule {
	case idZero:
		return id == 0
	case idNew:
		return theirs && id > s.peerID
	case idOfReceiver:
		return mine
	case idOfReceiverOrZero:
		return mine || id == 0
	case idOfSender:
		return theirs && id <= s.peerID
	}
	return mine || theirs && id <= s.peerID
}

// take does what a frame says whose header is right.
func (s *Session) take(f *frame.Frame, now uint64) Incoming {
	switch f.Type {
	case frame.Hello:
		s.hello(f.Payload, now)
	case frame.Drain:
		return s.takeDrain(f.Payload, now)
	case frame.Call:
		return s.takeCall(f, now)
	case frame.Event:
		return s.takeEvent(f, now)
	case frame.Events:
		return s.takeEvents(f, now)
	case frame.StreamOpen:
		return s.takeOpen(f, now)
	case frame.AgentRegister, frame.AgentDiscover, frame.AgentHeartbeat:
		return s.takeAgent(f, now)
	case frame.Ping:
		s.reply(frame.Header{Type: frame.Pong, MessageID: f.MessageID}, nil, now)
	case frame.Pong:
		s.takePong(f, now)
	case frame.Response:
		return s.takeResponse(f, now)
	case frame.Error:
		return s.takeError(f, now)
	case frame.Cancel:
		return s.takeCancel(f, now)
	case frame.StreamChunk:
		return s.takeChunk(f, now)
	case frame.StreamChunks:
		return s.takeChunks(f, now)
	case frame.StreamClose:
		return s.takeClose(f, now)
	case frame.Credit:
		return s.takeCredit(f, now)
	case frame.Ack:
		return s.takeAck(f, now)
	}
	return nil
}

// find gives the exchange that a frame names, of a kind that it can belong to. A frame
// that is late gives none [MXP-5.7], as does one that ends the session.
func (s *Session) find(id uint64, kinds func(*exchange) bool, now uint64) *exchange {
	table := s.theirs
	if s.isMine(id) {
		table = s.mine
	}
	e := table[id]
	switch {
	case e == nil || e.ended:
	case e.mine && !e.sent:
		s.failKind(ErrID, now)
		return nil
	case kinds(e):
		return e
	}
	s.stats.Late++
	return nil
}

func isStream(e *exchange) bool { return e.kind == aStream }

func (s *Session) takeDrain(payload []byte, now uint64) Incoming {
	var farewell control.Farewell
	if err := control.DecodeFarewell(&farewell, payload); err != nil {
		s.failPayload(err, now)
		return nil
	}
	if last, known := farewell.Last.Get(); known && !s.draining {
		s.taken = last
	}
	s.draining = true
	s.farewell(farewell.Reason, now)
	return &Draining{farewell.Reason}
}

// takePong passes over Pongs: any byte shows that the peer is there.
func (s *Session) takePong(f *frame.Frame, now uint64) {
	if f.MessageID == s.ponged {
		s.ponged = 0
		return
	}
	s.find(f.MessageID, func(*exchange) bool { return false }, now)
}

func (s *Session) takeResponse(f *frame.Frame, now uint64) Incoming {
	start := &s.in.responseStart
	n, err := start.DecodePrefix(f.Payload, aliasing)
	if err != nil {
		s.failPayload(err, now)
		return nil
	}
	e := s.find(f.MessageID, func(e *exchange) bool { return e.kind == aCall || e.kind == forAgents }, now)
	if e == nil {
		return nil
	}
	s.answered(e, now)
	s.reuse(e)
	s.in.response = Response{f.MessageID, start.Head.Metadata, f.Payload[n:]}
	return &s.in.response
}

// answered ends a request that was made here.
func (s *Session) answered(e *exchange, now uint64) {
	if e.kind == aCall {
		s.stats.Calls.add(now - min(now, e.made))
	}
	s.forget(e)
}

// forget takes an exchange that was made here out of the table.
func (s *Session) forget(e *exchange) {
	s.myTime.remove(e)
	s.mineOf -= e.bytes
	delete(s.mine, e.id)
}

func (s *Session) takeError(f *frame.Frame, now uint64) Incoming {
	var why control.Failure
	if err := why.DecodeWith(f.Payload, aliasing); err != nil {
		s.failPayload(err, now)
		return nil
	}
	failure := Failure{Status: why.Status, Name: why.Name, Text: why.Text, Details: why.Details, Acted: !why.Refused}
	if f.MessageID == 0 {
		s.queue.clear(false)
		s.phase = finished
		failure.own()
		s.endAll(failure, true)
		return nil
	}
	e := s.find(f.MessageID, func(*exchange) bool { return true }, now)
	if e == nil {
		return nil
	}
	s.answered(e, now)
	return &Ended{e.id, failure}
}

func (s *Session) takeAck(f *frame.Frame, now uint64) Incoming {
	var taken control.Taken
	if err := control.DecodeTaken(&taken, f.Payload); err != nil {
		s.failPayload(err, now)
		return nil
	}
	e := s.find(f.MessageID, func(e *exchange) bool {
		return e.kind == anEvent && e.mine && taken.Chunk == 0 || e.kind == aStream
	}, now)
	switch {
	case e == nil:
		return nil
	case e.kind == anEvent:
		s.forget(e)
	case !e.out.ack(taken.Chunk):
		s.stats.Late++
		return nil
	default:
		s.streamed(e, now)
	}
	return &Acked{e.id, taken.Chunk}
}
