package engine

import (
	"bytes"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Link is a connection above its session: the requests made on it, the requests served on it, and
// the memory of both. Its driver calls it under a lock of its own, and tells the session what has
// come.
type Link struct {
	Session *session.Session
	Lines   Lines
	Order   Order
	Outlier Outlier

	// Why is the failure that the session has ended with.
	Why Failure
	// Unwanted says that the peer refuses to let this side in.
	Unwanted bool
	// Offered is how many bytes wait to be sent for the peer's credit, and Answers how many bytes
	// of answers wait for room.
	Offered, Answers int

	driver  Driver
	calls   map[uint64]*Call
	works   map[uint64]Work
	streams map[uint64]*Stream
	unread  int // what chunks are counted as that nobody has taken
}

// Start begins a connection by its session.
func (l *Link) Start(s *session.Session, driver Driver) { l.Session, l.driver = s, driver }

// Next handles what the session says without bytes.
func (l *Link) Next() {
	for in, ok := l.Session.Next(); ok; in, ok = l.Session.Next() {
		l.Handle(in)
	}
}

// Handle does what an event of the session asks for. Memory that the event refers to is gone afterwards.
func (l *Link) Handle(event session.Incoming) {
	switch in := event.(type) {
	case *session.Ready:
		l.driver.Ready(in)
	case *session.Call:
		l.enter(in.ID, l.driver.Work(in, nil))
	case *session.Open:
		l.enter(in.ID, l.driver.Work(&in.Call, in))
	case *session.Event, *session.Events:
		if all, ok := l.driver.Events(in); ok && l.Order.events(all) {
			l.driver.Serve()
		}
	case *session.Response:
		l.answer(in.ID, Owned(in.Metadata), l.Session.Own(in.Value), nil)
	case *session.Ended:
		f := in.Failure
		f.Name, f.Text, f.Details = strings.Clone(f.Name), strings.Clone(f.Text), bytes.Clone(f.Details)
		if f.Name == session.ErrLost.String() && f.Text == "" {
			f.Text = l.driver.LostText()
		}
		l.answer(in.ID, nil, nil, &f)
	case *session.Chunk:
		l.deliver(in)
	case *session.Chunks:
		l.deliverAll(in)
	case *session.Finished:
		l.finished(in.ID)
	case *session.Granted:
		if s := l.streams[in.ID]; s != nil {
			s.User.Wake()
		}
	case *session.Acked:
		if in.Chunk == 0 {
			l.answer(in.ID, nil, nil, nil)
		}
	case *session.Cancelled:
		l.cancelled(in)
	case *session.Draining:
		l.driver.Draining()
		l.takeNoMore(Unavailable("the peer takes no more requests", ""))
	case *session.Register, *session.Heartbeat, *session.Discover:
		l.driver.Directory(in)
	case *session.End:
		l.end(in)
	}
}

// Owned copies metadata, which refer to a payload.
func Owned(metadata []Metadatum) []Metadatum {
	if len(metadata) == 0 {
		return nil
	}
	copied := slices.Clone(metadata)
	for i, m := range copied {
		copied[i] = Metadatum{Key: strings.Clone(m.Key), Value: bytes.Clone(m.Value)}
	}
	return copied
}

// takeNoMore lets nobody wait for this connection any more.
func (l *Link) takeNoMore(why *Failure) {
	l.Lines.disperse()
	l.driver.Detach(why)
}

// end notes why the session has ended.
func (l *Link) end(event *session.End) {
	l.Why = event.Failure
	if l.Why.Name == session.ErrLost.String() {
		l.Why.Text = l.driver.LostText()
	}
	l.driver.Draining()
	l.Unwanted = event.Remote && event.Refused && !MayHeal(&l.Why) && l.Session.Stats().Silent()
	why := Unavailable("the connection has ended: "+l.Why.Error(), "")
	if l.Unwanted {
		unwanted := l.Why
		why = &unwanted
	}
	l.takeNoMore(why)
	for _, s := range l.streams {
		l.FailStream(s, &l.Why)
	}
	l.driver.Ended(event)
}

// Lose ends all that is left of a connection whose transport is gone.
func (l *Link) Lose() {
	l.Session.Lost()
	l.Next()
	l.Lines.disperse()
}

// IsResting reports whether nothing is in flight.
func (l *Link) IsResting() bool { return len(l.works) == 0 && len(l.calls) == 0 }

// InFlight is how many requests are.
func (l *Link) InFlight() int { return len(l.works) + len(l.calls) }

// Shrink gives memory back that an idle connection doesn't need.
func (l *Link) Shrink() {
	l.Session.Shrink()
	if len(l.calls) == 0 {
		l.calls = nil
	}
	if len(l.works) == 0 {
		l.works = nil
	}
	if len(l.streams) == 0 {
		l.streams = nil
	}
}
