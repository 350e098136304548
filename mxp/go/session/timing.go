package session

import (
	"math"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
)

// never is the time of what doesn't happen. Sums that 64 bits can't hold are that
// too.
const never = math.MaxUint64

// second is that many microseconds.
const second = 1_000_000

// due reports whether the time has come.
func due(time, now uint64) bool { return time <= now && time != never }

// NextTimeout is when Tick has something to do [MXP-10.2]. ok is false if that is
// never.
func (s *Session) NextTimeout() (time uint64, ok bool) {
	if s.phase >= ended {
		return 0, false
	}
	time = min(s.myTime.next(), s.byTime.next(), s.helloDue(), s.frameDue(), s.pingDue(), s.stallDue(), s.idleDue(), s.lingerDue(), s.leavingDue(), s.refused.due())
	return time, time < never
}

func (s *Session) helloDue() uint64 {
	if s.phase == ready {
		return never
	}
	return sum(s.started, s.limits.Hello)
}

// leavingDue is when a peer whose Hello has not come is not waited for any more
// [MXP-11.1].
func (s *Session) leavingDue() uint64 {
	if s.phase >= ready || s.leaving == nil {
		return never
	}
	return sum(s.left, s.limits.Linger)
}

func (s *Session) frameDue() uint64 {
	if !s.partial || s.paused {
		return never
	}
	come := uint64(s.reader.Buffered()) * second / uint64(s.limits.FrameRate)
	return sum(sum(s.since, s.limits.Frame), come)
}

func (s *Session) pingDue() uint64 {
	switch {
	case s.phase != ready:
		return never
	case s.paused: // it says that it lives, and awaits nothing [MXP-10.8]
		return sum(max(s.gave, s.asked), s.limits.Ping)
	case s.pinged != 0:
		return sum(max(s.asked, s.moved), s.limits.Pong)
	}
	return sum(s.heard, s.limits.Ping)
}

func (s *Session) stallDue() uint64 {
	if s.queue.empty() {
		return never
	}
	return sum(max(s.progress, s.moved), s.limits.Stall)
}

// idleDue is when an acceptor has been idle for long enough [MXP-10.7].
func (s *Session) idleDue() uint64 {
	if s.phase != ready || s.config.Role != Acceptor || s.drained || len(s.mine)+len(s.theirs) > 0 {
		return never
	}
	return sum(s.busy, s.limits.Idle)
}

// lingerDue is when a peer is not waited for any more that answers no Drain
// [MXP-11.1].
func (s *Session) lingerDue() uint64 { return sum(s.rested, s.limits.Linger) }

// Moved says that the transport has taken further bytes of given frames, after it had not taken all
// at once [MXP-10.6].
func (s *Session) Moved(now uint64) { s.moved = now }

// Pause says that the user reads no more for now, by his own choice; Resume, that he
// goes on. The peer's times are not judged meanwhile [MXP-10.6], and the peer is told that this
// side lives [MXP-10.8]: the next timeout may be earlier than before.
func (s *Session) Pause(now uint64) {
	if !s.paused {
		s.paused, s.pause, s.pinged = true, now, 0
	}
}

// Resume ends Pause.
func (s *Session) Resume(now uint64) {
	if s.paused {
		s.paused = false
		s.heard, s.pinged = now, 0
		s.since = sum(s.since, now-min(now, s.pause))
	}
}

// Stalled says that the transport has taken no bytes of given frames for as long as the limit has
// it [MXP-10.5].
func (s *Session) Stalled(now uint64) {
	if s.phase < ended {
		s.failKind(ErrStalled, now)
	}
}

// Tick does what is due [MXP-10.1]. Next tells the events for the user.
func (s *Session) Tick(now uint64) {
	if s.phase >= ended {
		return
	}
	s.refused.pass(now)
	for e := s.myTime.due(now); e != nil; e = s.myTime.due(now) {
		s.takeBack(e, ErrDeadlineExceeded, now)
	}
	for e := s.byTime.due(now); e != nil; e = s.byTime.due(now) {
		s.refuse(e.id, e.trace, ErrDeadlineExceeded, false, now)
		s.abandon(e, ByDeadline)
	}
	switch {
	case due(s.helloDue(), now):
		s.failKind(ErrSilent, now)
	case due(s.leavingDue(), now):
		// No request that the peer may make before it knows can have been acted on.
		s.fail(ErrDraining, control.Failure{Refused: true}, now)
	case due(s.frameDue(), now):
		s.failKind(ErrSlow, now)
	case due(s.pingDue(), now) && s.pinged != 0:
		s.failKind(ErrSilent, now)
	default:
		if due(s.pingDue(), now) {
			s.ping(now)
		}
		if due(s.stallDue(), now) {
			s.failKind(ErrStalled, now)
			break
		}
		if due(s.idleDue(), now) {
			s.farewell("idle", now)
		}
		if due(s.lingerDue(), now) {
			s.phase = finished
		}
	}
	s.settle(now)
}
