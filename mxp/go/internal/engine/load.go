package engine

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Holds is how many bytes the connection holds [MXP-15.2], beside what its driver does.
func (l *Link) Holds() int { return l.Session.Held() + l.extras() }

// Backlog is how many of them are no part of the frame that is being read [MXP-15.3].
func (l *Link) Backlog() int { return l.Session.Backlog() + l.extras() }

// extras is the number of bytes held beside the session.
func (l *Link) extras() int { return l.unread + l.Order.begins + l.Answers }

// Takes is the memory that the connection takes beside the bytes that it holds. Chunks that wait
// for credit count until the session has ended, when their senders are told that they can't send.
func (l *Link) Takes(eof bool) int {
	extra := l.Session.Unused() + handlerBytes*len(l.works)
	if !eof {
		extra += l.Offered
	}
	return extra
}

// Remains is the memory of a gone connection whose events are still served.
func (l *Link) Remains() int { return l.Order.begins + handlerBytes }

// OverrunStream ends the stream with the most unread chunks, if unread chunks are why the
// backlog of the connection is larger than it may be [MXP-15.3], and reports whether it does.
func (l *Link) OverrunStream(backlog, most int) bool {
	if backlog <= most || l.unread <= backlog/2 {
		return false
	}
	var largest *Stream
	for _, s := range l.streams {
		held := s.inbox.held
		if held > 0 && (largest == nil || held > largest.inbox.held || held == largest.inbox.held && s.ID < largest.ID) {
			largest = s
		}
	}
	if largest == nil {
		return false
	}
	f := Refusal(session.ErrLimitConnectionBytes, true)
	f.Text = fmt.Sprintf("its unread chunks hold %d bytes; the connection may hold %d", largest.inbox.held, most)
	l.drop(largest)
	largest.Ended = false
	l.FailStream(largest, &f)
	l.Session.OverrunStream(largest.ID, l.driver.Now())
	return true
}

// Overrun ends the session, since all connections hold too much, and this one most [MXP-15.4].
func (l *Link) Overrun() {
	l.Session.Overrun(l.driver.Now())
	l.Next()
	for _, s := range l.streams {
		l.drop(s)
	}
	l.Order.Drop()
}
