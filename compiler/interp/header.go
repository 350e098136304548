package interp

import (
	"encoding/binary"
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// magic is the first four bytes of message mode, the version last.
const magic = "SDP2"

// Where the parts of a header stand.
const (
	versionOffset = 3
	TypeIDOffset  = 4
	payloadOffset = 6
)

// Header is the first bytes of what may be a message: ten, or as many as there
// are.
type Header []byte

func refuseHeader(kind Kind, offset int64, format string, args ...any) *Refusal {
	return &Refusal{Kind: kind, Offset: offset, Detail: fmt.Sprintf(format, args...)}
}

// check makes the checks that need no knowledge of types [WIRE-10.2].
func (h Header) check() *Refusal {
	for i := range min(len(h), versionOffset) {
		if h[i] != magic[i] {
			return refuseHeader(ErrMagicInvalid, 0, "an SDP message starts with %q", magic)
		}
	}
	switch {
	case len(h) > versionOffset && h[versionOffset] != magic[versionOffset]:
		return refuseHeader(ErrVersionUnsupported, versionOffset, "version %q", h[versionOffset])
	case len(h) < TypeIDOffset:
		return refuseHeader(ErrTruncated, 0, "%d of %d bytes of the header", len(h), HeaderBytes)
	case len(h) < payloadOffset:
		return refuseHeader(ErrTruncated, TypeIDOffset, "%d of %d bytes of the header", len(h), HeaderBytes)
	case len(h) < HeaderBytes:
		return refuseHeader(ErrTruncated, payloadOffset, "%d of %d bytes of the header", len(h), HeaderBytes)
	}
	return nil
}

// Sound tells whether the header is complete and of the version that is known,
// so that its parts mean something.
func (h Header) Sound() bool { return h.check() == nil }

// MayBegin tells whether these could be the first bytes of a message of any
// version, of which the rest may be missing.
func (h Header) MayBegin() bool {
	refusal := h.check()
	return refusal == nil || refusal.Kind != ErrMagicInvalid
}

// HasTypeID tells whether the header goes on until behind its type id.
func (h Header) HasTypeID() bool { return len(h) >= payloadOffset }

// TypeID is the id of the message's type.
func (h Header) TypeID() uint16 { return binary.LittleEndian.Uint16(h[TypeIDOffset:]) }

// Payload is the number of bytes behind the header.
func (h Header) Payload() int64 { return int64(binary.LittleEndian.Uint32(h[payloadOffset:])) }

// AppendHeader appends the header of a message.
func AppendHeader(dst []byte, id uint16, payload uint32) []byte {
	dst = binary.LittleEndian.AppendUint16(append(dst, magic...), id)
	return binary.LittleEndian.AppendUint32(dst, payload)
}

// declOf finds the type of a package that has an id; nil if none has.
func declOf(pkg *ir.Package, id uint16) ir.Decl {
	for _, d := range pkg.Decls {
		if have := ir.IDOf(d); have != nil && have.Value == id {
			return d
		}
	}
	return nil
}
