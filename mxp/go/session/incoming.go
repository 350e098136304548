package session

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Incoming is an event that a session gives its user: one of the types below. A value, and all that
// it refers to, is valid until the session is used again.
type Incoming interface{ incoming() }

// Ready says that the peer's Hello has come, and requests can be made.
type Ready struct {
	// Services are the services of the peer; a position is a service's number.
	Services []string
}

// Call is a request of the peer's, to be answered by Respond or Fail.
type Call struct {
	ID       uint64
	Service  uint16
	Method   uint16
	Deadline uint64 // microseconds from now; 0 is for ever
	Trace    *Trace
	Metadata []Metadatum
	Value    []byte
}

// Open is a stream that the peer has opened.
type Open struct {
	Call
	// Messages and Bytes are what may be sent on it.
	Messages uint32
	Bytes    uint64
	// Final says that the peer sends nothing but Value.
	Final bool
}

// Event is one of the peer's. If it asks for it, it is to be answered by Ack.
type Event struct {
	ID       uint64
	Service  uint16
	Method   uint16
	Trace    *Trace
	Metadata []Metadatum
	Ack      bool
	Value    []byte
}

// Events are several of the peer's with one head, as Event for each of the values would be.
// None asks for an Ack.
type Events struct {
	ID       uint64
	Service  uint16
	Method   uint16
	Trace    *Trace
	Metadata []Metadatum
	Records
}

// Response answers a request of this side's.
type Response struct {
	ID       uint64
	Metadata []Metadatum
	Value    []byte
}

// Ended says that a request of this side's has ended without an answer.
type Ended struct {
	ID uint64
	Failure
}

// Failure says why a request, or the session, ended.
type Failure struct {
	Status Status
	// Name is the name of a refusal or a limit, or a name that the peer's user chose.
	Name    string
	Text    string
	Details []byte
	// Acted says that the peer may have acted on the request [MXP-7.4].
	Acted bool
	// Method and Peer say which request failed, as "service/method", and at which
	// address. A session doesn't know them, and no peer is told.
	Method, Peer string
}

// Error is the failure in one line, in the words that all languages have for it. Unknown parts are
// left out:
//
//	demo.Echo/find at mxp+unix:///run/echo.sock: NotFound (5) item_unknown: no such item; it may have been acted on
func (f *Failure) Error() string {
	var b strings.Builder
	b.WriteString(f.Method)
	if f.Method != "" && f.Peer != "" {
		b.WriteString(" at ")
	}
	b.WriteString(f.Peer)
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if f.Status <= StatusUnauthenticated {
		b.WriteString(f.Status.String())
	} else {
		b.WriteString("Status")
	}
	fmt.Fprintf(&b, " (%d)", uint16(f.Status))
	if f.Name != "" && !strings.HasPrefix(f.Text, f.Name) {
		b.WriteString(" " + f.Name)
		if f.Text != "" {
			b.WriteString(":")
		}
	}
	if f.Text != "" {
		b.WriteString(" " + f.Text)
	}
	switch {
	case f.Method == "":
	case f.Acted:
		b.WriteString("; it may have been acted on")
	default:
		b.WriteString("; it was not acted on")
	}
	return b.String()
}

// Is makes errors.Is find a refusal by its Kind, and the errors of contexts by the
// status.
func (f *Failure) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return f.Status == StatusDeadlineExceeded
	case context.Canceled:
		return f.Status == StatusCancelled
	}
	kind, ok := target.(Kind)
	return ok && f.Name == kind.String()
}

// Retryable reports whether the request may be made again: nobody has acted on
// it, or the schema says that its method is idempotent [MXP-7.5].
func (f *Failure) Retryable(idempotent bool) bool { return idempotent || !f.Acted }

// own copies what refers to a payload.
func (f *Failure) own() {
	f.Name, f.Text, f.Details = strings.Clone(f.Name), strings.Clone(f.Text), bytes.Clone(f.Details)
}

// Chunk is one of a stream's. Number counts from 1 in each direction.
type Chunk struct {
	ID     uint64
	Number uint64
	Final  bool
	Ack    bool
	Value  []byte
}

// Chunks are several of a stream's, as Chunk for each of the values would be. Number is
// that of the first; Final and Ack are of the last.
type Chunks struct {
	ID     uint64
	Number uint64
	Final  bool
	Ack    bool
	Records
}

// Finished says that the peer sends no more on a stream.
type Finished struct{ ID uint64 }

// Granted says that more may be sent on a stream.
type Granted struct {
	ID       uint64
	Messages uint32
	Bytes    uint64
}

// Acked says that the peer's user has taken an event, or a stream's chunks up to
// a number.
type Acked struct{ ID, Chunk uint64 }

// Cancelled says that a request of the peer's has ended, and that nothing is to
// be done for it any more. It has its place until Release.
type Cancelled struct {
	ID  uint64
	Why Why
}

// Why a request of the peer's has ended.
type Why uint8

// The peer has cancelled it, its deadline has passed, the peer has sent more
// than was granted, the session has ended, or nobody takes its chunks and they are
// too many.
const (
	ByPeer Why = iota
	ByDeadline
	ByCredit
	ByEnd
	ByMemory
)

// String is the reason in one word.
func (w Why) String() string {
	return [...]string{"peer", "deadline", "credit", "end", "memory"}[w%5]
}

// Draining says that the peer takes no new requests.
type Draining struct{ Reason string }

// Register asks for a lease, to be answered by RespondLease or Fail.
type Register struct {
	ID uint64
	Registration
}

// Heartbeat asks for a lease to be renewed.
type Heartbeat struct {
	ID   uint64
	Name string
}

// Discover asks for agents, to be answered by RespondAgents or Fail.
type Discover struct {
	ID uint64
	Query
}

// End is the last that a session tells. Its status is StatusOK if nothing was
// left to do.
type End struct {
	Failure
	// Remote says that the peer has ended the session, and Refused that it says nobody has
	// acted on anything.
	Remote, Refused bool
}

func (*Ready) incoming()     {}
func (*Call) incoming()      {}
func (*Open) incoming()      {}
func (*Event) incoming()     {}
func (*Events) incoming()    {}
func (*Response) incoming()  {}
func (*Ended) incoming()     {}
func (*Chunk) incoming()     {}
func (*Chunks) incoming()    {}
func (*Finished) incoming()  {}
func (*Granted) incoming()   {}
func (*Acked) incoming()     {}
func (*Cancelled) incoming() {}
func (*Draining) incoming()  {}
func (*Register) incoming()  {}
func (*Heartbeat) incoming() {}
func (*Discover) incoming()  {}
func (*End) incoming()       {}
