// Package frame is the frame codec of MXP, the Mesh eXchange Protocol: a header
// of 32 bytes, a payload of at most 16 MiB, and a trailer with the XXH3 hash of
// both. It does no I/O. Clauses like [MXP-3.1] are in spec/mxp.md.
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

// Assigned reports whether frames may have the type.
func (t Type) Assigned() bool { return assigned[t>>6]>>(t&63)&1 == 1 }

// String is the type's name, or its number.
func (t Type) String() string {
	if t.Assigned() {
		return typeNames[t]
	}
	return "0x" + strconv.FormatUint(uint64(t), 16)
}

// Checksum says whether trailers are computed and checked. Both ends of a
// connection have to agree on it; frames don't tell [MXP-1.7].
type Checksum uint8

// A trailer is the hash, and checked; or it is 0, and not looked at.
const (
	ChecksumOn Checksum = iota
	ChecksumOff
)

// Header is the type, the flags and the numbers of a frame.
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
