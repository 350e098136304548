package engine

import "github.com/serial-data-protocol/sdp/mxp/go/session"

// Metadatum is a key and a value that travel beside a request or its answer.
type Metadatum = session.Metadatum

// Call is a request of this side's that is answered, until it has ended. The driver uses it again.
type Call struct {
	Waiter   Waiter
	Metadata []Metadatum
	Value    []byte
	Failure  *Failure
}

// Wait lets a call wait for its end.
func (l *Link) Wait(c *Call, id uint64) {
	if l.calls == nil {
		l.calls = map[uint64]*Call{}
	}
	l.calls[id] = c
}

// Late notes that the deadline of a call has passed that has not ended.
func (l *Link) Late(c *Call, id uint64) {
	if l.calls[id] == c {
		late := Refusal(session.ErrDeadlineExceeded, true)
		l.requestEnded(&late)
	}
}

// answer ends a request that was made here.
func (l *Link) answer(id uint64, metadata []Metadatum, value []byte, f *Failure) {
	l.requestEnded(f)
	if s := l.streams[id]; s != nil && f != nil {
		l.FailStream(s, f)
		return
	}
	c := l.calls[id]
	if c == nil {
		return
	}
	delete(l.calls, id)
	l.Lines.next(forPlaces)
	c.Metadata, c.Value, c.Failure = metadata, value, f
	c.Waiter.Wake()
}

// requestEnded notes how a request of this side's has ended [MXP-14.10].
func (l *Link) requestEnded(f *Failure) {
	var now uint64 // of one that has ended well nobody asks
	if f != nil {
		now = l.driver.Now()
	}
	if l.Outlier.End(f, now) {
		l.driver.LeaveOut()
	}
}
