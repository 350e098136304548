package engine

import "github.com/serial-data-protocol/sdp/mxp/go/session"

// enter begins a call or a stream of the peer's, or lets it wait for the events before it.
func (l *Link) enter(id uint64, w Work) {
	if w == nil {
		return
	}
	l.Serve(id, w)
	if !l.Order.work(w) {
		w.Begin()
	}
}

// Serve notes a request of the peer's while its handler runs.
func (l *Link) Serve(id uint64, w Work) {
	if l.works == nil {
		l.works = map[uint64]Work{}
	}
	l.works[id] = w
}

// Over forgets a request of the peer's.
func (l *Link) Over(id uint64) {
	if w := l.works[id]; w != nil {
		w.End(Cancelled)
		delete(l.works, id)
		l.driver.Lighter()
	}
}

// Forget ends a request of the peer's whose turn has come when nobody waits for it any more.
func (l *Link) Forget(id uint64) {
	l.Session.Release(id, l.driver.Now())
	delete(l.streams, id)
	l.Over(id)
}

// Respond answers a call of the peer's.
func (l *Link) Respond(id uint64, metadata []Metadatum, value []byte, now uint64) error {
	err := l.Session.Respond(id, metadata, value, now)
	if err == nil {
		l.Over(id)
	}
	return err
}

// Ack says that an event was taken that asks for an Ack.
func (l *Link) Ack(id uint64) {
	if now := l.driver.Now(); l.Session.Ack(id, 0, now) != nil {
		l.Session.Release(id, now)
	}
}

// Fail answers a request of any kind that has not been answered. Texts are cut, and details and
// texts left out that the peer doesn't take.
func (l *Link) Fail(id uint64, f Failure) {
	now := l.driver.Now()
	f = Sendable(f)
	err := l.Session.Fail(id, f, now)
	if err == error(session.ErrPayloadTooLarge) {
		f.Details = nil
		err = l.Session.Fail(id, f, now)
	}
	if err == error(session.ErrPayloadTooLarge) {
		f.Text = ""
		err = l.Session.Fail(id, f, now)
	}
	if err != nil {
		l.Session.Release(id, now)
	}
}

// cancelled ends a request of the peer's that it has cancelled; its handler lets go of its place when
// it returns.
func (l *Link) cancelled(event *session.Cancelled) {
	if w := l.works[event.ID]; w != nil {
		why := Cancelled
		if event.Why == session.ByDeadline {
			why = TooLate
		}
		w.End(why)
	}
	if s := l.streams[event.ID]; s != nil {
		kind := session.ErrCancelled
		switch event.Why {
		case session.ByDeadline:
			kind = session.ErrDeadlineExceeded
		case session.ByCredit:
			kind = session.ErrStreamCredit
		}
		f := Refusal(kind, true)
		l.FailStream(s, &f)
	}
}

// IsAsked reports whether a call of the peer's is not answered yet. A stream is no such request:
// its peer has nothing more to say on it.
func (l *Link) IsAsked() bool {
	for id := range l.works {
		if l.streams[id] == nil {
			return true
		}
	}
	return false
}

// CancelAll tells all handlers that nobody waits for them any more.
func (l *Link) CancelAll() {
	for _, w := range l.works {
		w.End(Cancelled)
	}
}
