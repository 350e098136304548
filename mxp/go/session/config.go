package session

import (
	"fmt"
	"math"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/registry"
)

// Role says which side of a connection a session is. It decides which message
// ids are its own [MXP-5.2].
type Role uint8

// The opener is the side that connected.
const (
	Opener Role = iota
	Acceptor
)

// Config holds the settings of a session. The zero value of each field is the default of
// spec/limits.toml, or means off.
type Config struct {
	Role Role
	// Services are the services of this side, by full name. Peers name them by their positions.
	Services []string
	// Types are the types that the services reach which this side serves or uses.
	Types []Type
	// PayloadBytes is the longest payload that is taken, at most 16 MiB.
	PayloadBytes int
	// OfferChecksumOff is for transports that protect the bytes [MXP-6.7].
	OfferChecksumOff bool
	// OfferBatches lets both sides put small chunks and Events into batches, where the
	// peer offers it too [MXP-17.2].
	OfferBatches bool
	// Agents makes the session hand agent requests to its user [MXP-12.2].
	Agents bool
	Limits Limits
}

// Type is a type, by what tells whether two sides mean the same by it. Generated
// code has all of it.
type Type struct {
	Name         string
	Fingerprints []uint64
	Layout       string
	// Requests and Responses are the methods whose requests and responses are of the
	// type, here or at the peer. If the peer's type is another, these are refused, and
	// all others work. Without any, the session ends [MXP-6.6].
	Requests, Responses []Method
}

// Method is one of a service's.
type Method struct {
	Service    string // by its full name
	Name       string
	Number     uint16
	Idempotent bool
}

// String is the full name of the service, a slash and the method's name.
func (m *Method) String() string { return m.Service + "/" + m.Name }

// Limits bound a session. A field that is 0 has its default; times are in
// microseconds.
type Limits struct {
	InFlight      int // requests of either side that have a place
	InFlightBytes int // payloads of those of either side
	QueueBytes    int // frames that wait to be sent
	BulkBytes     int // the same, where a chunk or a large value is to join them
	ReplyBytes    int // of these, the session's own
	// ConnectionBytes is the most memory that the owner of a connection holds for it, beside
	// the frame that it reads [MXP-15.3].
	ConnectionBytes int
	Refusals        int    // that the peer may cause, beyond what is answered
	RefusalsPerMs   int    // that each millisecond takes off
	Hello           uint64 // until the peer's Hello
	Frame           uint64 // from a frame's first byte to its last
	FrameRate       int    // bytes a second, at which what has come of a frame adds to that
	Stall           uint64 // while the peer takes nothing
	Ping            uint64 // without a byte, until a Ping; Never for none
	Pong            uint64 // from a Ping until anything comes
	Idle            uint64 // without a request, until an acceptor drains; Never for never
	Linger          uint64 // until a peer that answers no Drain is not waited for any more
}

// Never is a time that does not come.
const Never uint64 = never

func (l Limits) filled() Limits {
	fill(&l.InFlight, InFlight)
	fill(&l.InFlightBytes, InFlightBytes)
	fill(&l.QueueBytes, QueueBytes)
	fill(&l.BulkBytes, BulkBytes)
	fill(&l.ReplyBytes, ReplyBytes)
	fill(&l.ConnectionBytes, ConnectionBytes)
	fill(&l.Refusals, Refusals)
	fill(&l.RefusalsPerMs, RefusalsPerMs)
	fill(&l.Hello, HelloUs)
	fill(&l.Frame, FrameUs)
	fill(&l.FrameRate, FrameBytesPerS)
	fill(&l.Stall, StallUs)
	fill(&l.Ping, PingUs)
	fill(&l.Pong, PongUs)
	fill(&l.Idle, IdleUs)
	fill(&l.Linger, LingerUs)
	return l
}

// Check refuses settings that no session can have, by the field's name.
func (c Config) Check() error {
	for _, one := range []struct {
		name  string
		value int
		most  int
	}{
		{"PayloadBytes", c.PayloadBytes, frame.PayloadBytes},
		{"Limits.InFlight", c.Limits.InFlight, math.MaxInt},
		{"Limits.InFlightBytes", c.Limits.InFlightBytes, math.MaxInt},
		{"Limits.QueueBytes", c.Limits.QueueBytes, math.MaxInt},
		{"Limits.BulkBytes", c.Limits.BulkBytes, math.MaxInt},
		{"Limits.FrameRate", c.Limits.FrameRate, math.MaxInt},
		{"Limits.ReplyBytes", c.Limits.ReplyBytes, math.MaxInt},
		{"Limits.ConnectionBytes", c.Limits.ConnectionBytes, math.MaxInt},
		{"Limits.Refusals", c.Limits.Refusals, math.MaxInt},
		{"Limits.RefusalsPerMs", c.Limits.RefusalsPerMs, math.MaxInt},
	} {
		if one.value < 0 || one.value > one.most {
			return fmt.Errorf("%s is %d, and can be 0 to %d", one.name, one.value, one.most)
		}
	}
	return nil
}

func fill[T int | uint64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// Status says how an exchange ended. The numbers are the same as gRPC's.
type Status = control.Status

// The statuses.
const (
	StatusOK                 = control.StatusOk
	StatusCancelled          = control.StatusCancelled
	StatusUnknown            = control.StatusUnknown
	StatusInvalidArgument    = control.StatusInvalidArgument
	StatusDeadlineExceeded   = control.StatusDeadlineExceeded
	StatusNotFound           = control.StatusNotFound
	StatusAlreadyExists      = control.StatusAlreadyExists
	StatusPermissionDenied   = control.StatusPermissionDenied
	StatusResourceExhausted  = control.StatusResourceExhausted
	StatusFailedPrecondition = control.StatusFailedPrecondition
	StatusAborted            = control.StatusAborted
	StatusOutOfRange         = control.StatusOutOfRange
	StatusUnimplemented      = control.StatusUnimplemented
	StatusInternal           = control.StatusInternal
	StatusUnavailable        = control.StatusUnavailable
	StatusDataLoss           = control.StatusDataLoss
	StatusUnauthenticated    = control.StatusUnauthenticated
)

// Metadatum is a key and a value that travel beside a request or its answer.
type Metadatum = control.Metadatum

// Trace is W3C's trace context.
type Trace = control.Trace

// Agent is an agent whose lease is live.
type Agent = registry.Agent
