package interp

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// magic is the first four bytes of message mode, the version last.
const magic = "SDP2"

// preambleMagic is the first four bytes of a preamble.
const preambleMagic = "SDPS"

// Where the parts of a header stand.
const (
	versionOffset = 3
	TypeIDOffset  = 4
	payloadOffset = 6
)

// Header is the first bytes of a possible message: ten, or as many as there are.
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

// IsPreamble tells whether the header is that of a preamble, which says a layout in
// front of messages [WIRE-11.7].
func (h Header) IsPreamble() bool {
	return len(h) > versionOffset && string(h[:TypeIDOffset]) == preambleMagic
}

// InStream is the header as that of a message, if it is a preamble's.
func (h Header) InStream() Header {
	if h.IsPreamble() {
		h = slices.Clone(h)
		h[versionOffset] = magic[versionOffset]
	}
	return h
}

// SoundInStream is Sound for headers of messages and of preambles.
func (h Header) SoundInStream() bool { return h.InStream().Sound() }

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

// AppendPreamble appends the preamble that says a type's layout in front of its
// messages.
func AppendPreamble(dst []byte, decl ir.Decl) ([]byte, error) {
	text := plan.Layout(decl)
	if len(text) > LayoutTextBytes {
		return dst, fmt.Errorf("the layout text of %s has %d bytes, and a preamble at most %d", ir.FullName(decl), len(text), LayoutTextBytes)
	}
	start := len(dst)
	dst = AppendHeader(dst, ir.IDOf(decl).Value, uint32(len(text)))
	copy(dst[start:], preambleMagic)
	return append(dst, text...), nil
}

// CheckPreamble refuses a preamble whose layout text that of the type does not read
// [WIRE-11.9].
func CheckPreamble(decl ir.Decl, text []byte) *Refusal {
	if !sdp.IsLayoutText(string(text)) {
		return refuseHeader(ErrLayoutMismatch, HeaderBytes, "%d bytes that are no layout text", len(text))
	}
	difference := sdp.LayoutDifference(plan.Layout(decl), string(text))
	if difference == "" {
		return nil
	}
	refusal := &Refusal{Kind: ErrLayoutMismatch, Offset: HeaderBytes}
	refusal.Path, refusal.Detail, _ = strings.Cut(difference, ": ")
	return refusal
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
