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
	typeIDOffset  = 4
	payloadOffset = 6
)

func refuseHeader(kind Kind, offset int64, format string, args ...any) *Refusal {
	return &Refusal{Kind: kind, Offset: offset, Detail: fmt.Sprintf(format, args...)}
}

// checkHeader takes the first bytes of an input, ten if there are as many, and
// makes the checks that need no knowledge of types [WIRE-10.2].
func checkHeader(b []byte) *Refusal {
	for i := range min(len(b), versionOffset) {
		if b[i] != magic[i] {
			return refuseHeader(ErrMagicInvalid, 0, "an SDP message starts with %q", magic)
		}
	}
	switch {
	case len(b) > versionOffset && b[versionOffset] != magic[versionOffset]:
		return refuseHeader(ErrVersionUnsupported, versionOffset, "version %q", b[versionOffset])
	case len(b) < typeIDOffset:
		return refuseHeader(ErrTruncated, 0, "%d of %d bytes of the header", len(b), HeaderBytes)
	case len(b) < payloadOffset:
		return refuseHeader(ErrTruncated, typeIDOffset, "%d of %d bytes of the header", len(b), HeaderBytes)
	case len(b) < HeaderBytes:
		return refuseHeader(ErrTruncated, payloadOffset, "%d of %d bytes of the header", len(b), HeaderBytes)
	}
	return nil
}

func headerTypeID(b []byte) uint16 { return binary.LittleEndian.Uint16(b[typeIDOffset:]) }

func headerPayload(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b[payloadOffset:])) }

// appendHeader leaves the payload length to be patched.
func appendHeader(dst []byte, id uint16) []byte {
	dst = binary.LittleEndian.AppendUint16(append(dst, magic...), id)
	return append(dst, 0, 0, 0, 0)
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
