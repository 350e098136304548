package session

// tally counts the refusals that the peer has caused [MXP-9.7].
type tally struct {
	most, perMs uint64 // that may be; that each millisecond takes off

	count uint64
	since uint64 // when the count was 0, or what time has taken off last
}

const millisecond = 1_000

// over reports whether there are more than may be, as of the last time that was told.
func (t *tally) over() bool { return t.count > t.most }

// answered takes one off.
func (t *tally) answered() {
	if t.count > 0 {
		t.count--
	}
}

// pass takes off what time does.
func (t *tally) pass(now uint64) {
	n := (now - min(now, t.since)) / millisecond
	if n >= t.count || n > 0 && t.perMs >= (t.count+n-1)/n {
		t.count, t.since = 0, now
		return
	}
	t.count -= n * t.perMs
	t.since += n * millisecond
}

// due is when there are no more than may be.
func (t *tally) due() uint64 {
	if !t.over() {
		return never
	}
	return sum(t.since, ((t.count-t.most-1)/t.perMs+1)*millisecond)
}

// caused counts a refusal that the peer has caused.
func (s *Session) caused(now uint64) {
	t := &s.refused
	t.pass(now)
	t.count++
	if t.count == t.most+1 {
		s.stats.Refusals[ErrLimitRefusals.Number()]++
	}
}

// deaf reports whether no frame is read, until some of the session's own frames were sent
// [MXP-9.4], or for a while [MXP-9.7].
func (s *Session) deaf() bool {
	return s.queue.replies >= s.limits.ReplyBytes || s.refused.over()
}
