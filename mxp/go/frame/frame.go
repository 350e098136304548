// Package frame is the frame codec of MXP, the Mesh eXchange Protocol: a header
// of 32 bytes, a payload of at most 16 MiB, and a trailer with the XXH3 hash of
// both. It does no I/O. Clauses like [MXP-3.1] are those of spec/mxp.md.
//
//	f := frame.Frame{Header: h, Payload: p}
//	buffer, err := f.Append(buffer[:0], frame.ChecksumOn)
//	f, err = frame.Decode(buffer, frame.Options{})
//
// Nothing here allocates, except Append where the buffer is too small, and a
// Reader for frames that arrive in pieces.
package frame

import (
	"fmt"
	"strconv"
)

// The sizes around a payload, in bytes.
const (
	HeaderSize  = 32
	TrailerSize = 8
	Overhead    = HeaderSize + TrailerSize
)

// Magic is the number that every frame starts with.
const Magic = 0x4D585031

// Type says what a frame is for [MXP-1.3].
type Type uint8

// The assigned types.
const (
	AgentRegister  Type = 0x01
	AgentDiscover  Type = 0x02
	AgentHeartbeat Type = 0x03
	Call           Type = 0x10
	Response       Type = 0x11
	Event          Type = 0x12
	StreamOpen     Type = 0x20
	StreamChunk    Type = 0x21
	StreamClose    Type = 0x22
	Hello          Type = 0x80
	Cancel         Type = 0x81
	Credit         Type = 0x82
	Drain          Type = 0x83
	Ping           Type = 0x84
	Pong           Type = 0x85
	Ack            Type = 0xF0
	Error          Type = 0xF1
)

var typeNames = [256]string{
	AgentRegister:  "AgentRegister",
	AgentDiscover:  "AgentDiscover",
	AgentHeartbeat: "AgentHeartbeat",
	Call:           "Call",
	Response:       "Response",
	Event:          "Event",
	StreamOpen:     "StreamOpen",
	StreamChunk:    "StreamChunk",
	StreamClose:    "StreamClose",
	Hello:          "Hello",
	Cancel:         "Cancel",
	Credit:         "Credit",
	Drain:          "Drain",
	Ping:           "Ping",
	Pong:           "Pong",
	Ack:            "Ack",
	Error:          "Error",
}

// Assigned reports whether frames may have the type.
func (t Type) Assigned() bool { return assigned[t>>6]>>(t&63)&1 == 1 }

// assigned has a bit for each type.
var assigned = func() (bits [4]uint64) {
	for t, name := range typeNames {
		if name != "" {
			bits[t>>6] |= 1 << (t & 63)
		}
	}
	return bits
}()

// String is the type's name, or its number.
func (t Type) String() string {
	if t.Assigned() {
		return typeNames[t]
	}
	return "0x" + strconv.FormatUint(uint64(t), 16)
}

// Flags say what a frame's payload is [MXP-1.4].
type Flags uint8

// The flags.
const (
	Compressed  Flags = 1 << iota // the payload is compressed
	Encrypted                     // it is encrypted end to end
	RequiresAck                   // the sender requires an Ack
	Final                         // the frame is the final one of its stream
)

const allFlags = Compressed | Encrypted | RequiresAck | Final

// Checksum says whether trailers are computed and checked. Both ends of a
// connection have to agree on it; frames don't tell [MXP-1.7].
type Checksum uint8

// A trailer is the hash, and checked; or it is 0, and not looked at.
const (
	ChecksumOn Checksum = iota
	ChecksumOff
)

// Header is what a frame says besides its payload.
type Header struct {
	Type      Type
	Flags     Flags
	MessageID uint64
	TraceID   uint64 // the low half of that of the trace
}

// Frame is a header and a payload.
type Frame struct {
	Header
	Payload []byte
}

// Size is the number of bytes that the frame takes.
func (f *Frame) Size() int { return len(f.Payload) + Overhead }

// Refusal says why bytes are no frame, or why a frame can't be written. It
// unwraps to its kind: errors.Is(err, frame.ErrChecksum).
type Refusal struct {
	Kind Kind
	// Offset is counted from the frame's first byte; −1 where there is none.
	Offset int
}

// Error is the refusal's name and offset.
func (r *Refusal) Error() string {
	if r.Offset < 0 {
		return r.Kind.String()
	}
	return fmt.Sprintf("%s at offset %d", r.Kind, r.Offset)
}

// Unwrap is the kind.
func (r *Refusal) Unwrap() error { return r.Kind }

//go:noinline
func refuse(kind Kind, offset int) error { return &Refusal{kind, offset} }
