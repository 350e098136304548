package engine

import "github.com/serial-data-protocol/sdp/mxp/go/session"

// Driver is the program around a connection, as the engine asks it.
type Driver interface {
	// Now is the session's time.
	Now() uint64
	// Ready is told that requests can be made.
	Ready(event *session.Ready)
	// Work makes the work of a call, or of a stream; nil if its method is refused.
	Work(call *session.Call, opens *session.Open) Work
	// Events makes the driver's part of events; false if their method is refused.
	Events(event session.Incoming) (*Batch, bool)
	// Serve begins to serve what waits in order.
	Serve()
	// Directory answers an agent request.
	Directory(event session.Incoming)
	// Draining is told that one side takes no more requests.
	Draining()
	// Detach is told that no requests are made on the connection any more, and why.
	Detach(why *Failure)
	// Ended is told that the session has ended, once its streams have.
	Ended(event *session.End)
	// LeaveOut is told that requests are made on other connections for a while.
	LeaveOut()
	// Lighter is told that the connection holds less, or has less to wait for.
	Lighter()
	// LostText says why the transport is gone.
	LostText() string
}

// Work is a call or a stream of the peer's, as its handler has it.
type Work interface {
	// Begin lets the handler run.
	Begin()
	// End tells the handler that nobody waits for it any more.
	End(why End)
	// IsOver reports whether it was told so.
	IsOver() bool
}

// End is why nobody waits for a handler any more.
type End uint8

// Why nobody waits for a handler any more.
const (
	Cancelled End = iota
	TooLate
)

// StreamUser is the program's end of a stream.
type StreamUser interface {
	Waiter // who waits for news of it
	// Locate says of a failure that it is the stream's.
	Locate(f *Failure) error
	// Drop is told that nothing that has come is to be taken any more.
	Drop()
	// Leave is told that the stream is off its connection. It may be told twice.
	Leave()
}
