package session

import (
	"cmp"
	"maps"
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
)

// settle finds out whether the session is finished [MXP-11.1, MXP-11.2].
func (s *Session) settle(now uint64) {
	rests := s.queue.waiting == s.queue.signs && s.drained && len(s.mine)+len(s.theirs) == 0
	switch {
	case s.phase == ended && s.queue.empty():
		s.phase = finished
	case s.phase != ready:
	case !rests:
		s.rested = never
	case s.draining && s.queue.empty():
		s.phase = finished
	case s.rested == never:
		s.rested = now
	}
}

// Lost says that the connection is gone [MXP-11.3]. Next tells the requests that ended by it.
func (s *Session) Lost() {
	switch {
	case s.reported:
	case s.phase == finished, s.phase < ended && (s.drained || s.draining || s.leaving != nil) && !s.live():
		s.tell(&End{})
		s.reported = true
		s.clear()
	default:
		s.endAll(Failure{Status: StatusUnavailable, Name: ErrLost.String()}, false)
	}
	s.queue.clear(false)
	s.phase = finished
}

// live reports whether an answer is awaited on either side.
func (s *Session) live() bool {
	if len(s.mine) > 0 {
		return true
	}
	for _, e := range s.theirs {
		if !e.ended {
			return true
		}
	}
	return false
}

// refusal is one of frames or of sessions.
type refusal interface {
	error
	Number() uint8
	Status() uint16
}

// fail ends the session with a refusal, whose name and status are the failure's [MXP-11.2].
func (s *Session) fail(why refusal, f control.Failure, now uint64) {
	s.stats.Refusals[why.Number()]++
	f.Status, f.Name = Status(why.Status()), why.Error()
	s.endWith(f, now)
}

// Reject ends the session of a peer that is not let in, which is told why, and that nobody
// has acted on anything.
func (s *Session) Reject(f Failure, now uint64) {
	if s.phase < ended {
		s.endWith(control.Failure{Status: f.Status, Refused: true, Name: f.Name, Text: f.Text, Details: f.Details}, now)
	}
}

func (s *Session) endWith(f control.Failure, now uint64) {
	s.queue.clear(true)
	s.phase = ended
	s.reply(frame.Header{Type: frame.Error}, &f, now)
	s.endAll(Failure{Status: f.Status, Name: f.Name, Text: f.Text}, false)
}

func (s *Session) failKind(k Kind, now uint64) { s.fail(k, control.Failure{}, now) }

// endAll tells the user of the end of everything, of requests that were not sent
// that nobody has acted on them.
func (s *Session) endAll(f Failure, remote bool) {
	refused := remote && !f.Acted
	for _, e := range ascending(s.mine) {
		own := f
		own.Acted = e.sent && !refused && e.id <= s.taken
		s.tell(&Ended{e.id, own})
	}
	for _, e := range ascending(s.theirs) {
		if !e.ended {
			s.tell(&Cancelled{e.id, ByEnd})
		}
	}
	f.Acted = false
	s.tell(&End{f, remote, refused})
	s.reported = true
	s.clear()
}

// clear forgets all exchanges.
func (s *Session) clear() {
	clear(s.mine)
	clear(s.theirs)
	s.myTime, s.byTime, s.bytes, s.mineOf = nil, nil, 0, 0
	s.reader.Release()
}

func ascending(table map[uint64]*exchange) []*exchange {
	return slices.SortedFunc(maps.Values(table), func(a, b *exchange) int { return cmp.Compare(a.id, b.id) })
}
