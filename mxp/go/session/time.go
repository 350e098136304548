package session

import "math"

// never is the time of what doesn't happen. Sums that 64 bits can't hold are that
// too.
const never = math.MaxUint64

// due reports whether the time has come.
func due(at, now uint64) bool { return at <= now && at != never }

// NextTimeout is when Tick has something to do [MXP-10.2]. ok is false if that is
// never.
func (s *Session) NextTimeout() (at uint64, ok bool) {
	if s.phase >= ended {
		return 0, false
	}
	at = min(s.myTime.next(), s.byTime.next(), s.helloDue(), s.frameDue(), s.pingDue(), s.stallDue(), s.refused.due())
	return at, at < never
}

func (s *Session) helloDue() uint64 {
	if s.phase == ready {
		return never
	}
	return sum(s.started, s.limits.Hello)
}

func (s *Session) frameDue() uint64 {
	if !s.partial {
		return never
	}
	return sum(s.since, s.limits.Frame)
}

func (s *Session) pingDue() uint64 {
	switch {
	case s.phase != ready || s.limits.Ping == 0:
		return never
	case s.pinged != 0:
		return sum(s.asked, s.limits.Pong)
	}
	return sum(s.heard, s.limits.Ping)
}

func (s *Session) stallDue() uint64 {
	if s.queue.empty() {
		return never
	}
	return sum(s.progress, s.limits.Stall)
}

// Stalled says that the transport has taken nothing of what was given out for as
// long as the limit has it [MXP-10.5].
func (s *Session) Stalled(now uint64) {
	if s.phase < ended {
		s.failKind(ErrStalled, now)
	}
}

// Tick does what is due [MXP-10.1]. What the user is to know of it is told by
// Next.
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
		}
	}
	s.settle()
}
