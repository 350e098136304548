package engine

import (
	"container/list"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Waiter waits for something that another has.
type Waiter interface {
	// Wake lets the waiter look again. It may be woken in vain.
	Wake()
}

// Lines are the queues of callers that wait for places or room in the session, in the order in
// which they asked. Only the first tries again; who leaves lets the next try [MXP-9.1].
type Lines struct{ lines [lineCount]list.List }

// The lines of a connection. A request waits for a place among the requests in flight, and any
// frame for room in the queue, of which bulk has less.
const (
	forPlaces = iota
	forBulk
	forRoom
	lineCount
)

// bulkBytes is from which payload on a frame is bulk, as all chunks are.
const bulkBytes = 16 << 10

// FrameSize says how much of the queue a frame takes.
type FrameSize bool

// The sizes of frames.
const (
	Small FrameSize = false
	Bulk  FrameSize = true
)

// SizeOf is the size of the frame of a value.
func SizeOf(value []byte) FrameSize { return len(value) >= bulkBytes }

// lineOf is the line in which a refused frame waits, if there is one.
func (size FrameSize) lineOf(err error) (n int, waits bool) {
	switch err { // the session returns them as they are
	case error(session.ErrLimitInFlight), error(session.ErrLimitInFlightBytes):
		return forPlaces, true
	case error(session.ErrLimitQueueBytes):
		if size == Bulk {
			return forBulk, true
		}
		return forRoom, true
	}
	return 0, false
}

// Len is how many wait, in all lines.
func (l *Lines) Len() (n int) {
	for i := range l.lines {
		n += l.lines[i].Len()
	}
	return n
}

// isCrowded reports whether somebody waits already in a line.
func (l *Lines) isCrowded(n int) bool { return l.lines[n].Len() > 0 }

// crowded reports whether callers wait already for the places or the room that a frame needs.
func (l *Lines) crowded(size FrameSize, request bool) (n int, is bool) {
	switch {
	case request && l.isCrowded(forPlaces):
		return forPlaces, true
	case size == Bulk:
		return forBulk, l.isCrowded(forBulk)
	}
	return forRoom, l.isCrowded(forRoom)
}

// IsCrowded reports whether somebody waits already for room for a frame.
func (l *Lines) IsCrowded(size FrameSize) bool {
	_, is := l.crowded(size, false)
	return is
}

// Try does something that takes room, unless somebody waits for that already. It gives the line to
// wait in if it has to wait, or else -1 and how it went.
func (l *Lines) Try(size FrameSize, request bool, do func() error) (n int, err error) {
	n, waits := l.crowded(size, request)
	if !waits {
		err = do()
		if n, waits = size.lineOf(err); !waits {
			return -1, err
		}
	}
	return n, nil
}

// Turn is the place of somebody who waits in a line.
type Turn struct {
	n  int
	at *list.Element
}

// Wait puts somebody at the end of a line.
func (l *Lines) Wait(n int, waiter Waiter) Turn { return Turn{n, l.lines[n].PushBack(waiter)} }

// Again does something whose turn it is, and reports whether it is done; if not it waits further.
func (l *Lines) Again(t *Turn, size FrameSize, do func() error) (ok bool, err error) {
	err = do()
	n, waits := size.lineOf(err)
	if waits && n == t.n {
		return false, nil
	}
	waiter := t.at.Value.(Waiter)
	l.Leave(t)
	if waits {
		*t = l.Wait(n, waiter)
	}
	return !waits, err
}

// Leave takes somebody out of a line.
func (l *Lines) Leave(t *Turn) {
	l.lines[t.n].Remove(t.at)
	l.next(t.n)
}

// next lets the first in a line try.
func (l *Lines) next(n int) {
	if first := l.lines[n].Front(); first != nil {
		first.Value.(Waiter).Wake()
	}
}

// Room lets those try who wait for the queue, of which something was written.
func (l *Lines) Room() {
	l.next(forBulk)
	l.next(forRoom)
}

// disperse lets all try who wait, since they wait in vain.
func (l *Lines) disperse() {
	for n := range l.lines {
		for e := l.lines[n].Front(); e != nil; e = e.Next() {
			e.Value.(Waiter).Wake()
		}
	}
}
