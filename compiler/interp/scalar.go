package interp

import (
	"encoding/binary"
	"strconv"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// loadInt reads an integer or bool of at most eight bytes, sign-extended if its
// kind is signed. The bits of a u64 come back as they are.
func loadInt(kind ir.Kind, raw []byte) int64 {
	n := loadLength(raw)
	if signed(kind) {
		unused := 64 - 8*len(raw)
		return int64(n<<unused) >> unused
	}
	return int64(n)
}

func signed(kind ir.Kind) bool {
	return kind.IsSigned() || kind == ir.TimestampKind || kind == ir.DurationKind
}

// appendInt writes the low bytes of n, as many as the width says.
func appendInt(dst []byte, n uint64, width int) []byte {
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], n)
	return append(dst, wide[:width]...)
}

// loadScalar makes the value of a leaf's bytes.
func loadScalar(t *ir.Type, raw []byte) Value {
	kind := t.Scalar()
	switch kind {
	case ir.Bool:
		return raw[0] == 1
	case ir.F32:
		return F32(binary.LittleEndian.Uint32(raw))
	case ir.F64:
		return F64(binary.LittleEndian.Uint64(raw))
	case ir.UUIDKind:
		return UUID(raw)
	}
	if signed(kind) {
		return loadInt(kind, raw)
	}
	return uint64(loadInt(kind, raw))
}

// inRange reports whether an integer kind holds n; n is the bits of a u64 if
// the kind is unsigned.
func inRange(kind ir.Kind, n int64) bool {
	raw := appendInt(nil, uint64(n), kind.Bytes())
	return loadInt(kind, raw) == n
}

// decimal is the text of an integer's bits.
func decimal(kind ir.Kind, n int64) string {
	if signed(kind) {
		return strconv.FormatInt(n, 10)
	}
	return strconv.FormatUint(uint64(n), 10)
}

// memberOf finds the member with a number; nil if there is none.
func memberOf(e *ir.Enum, n int64) *ir.EnumMember {
	for _, m := range e.Members {
		if m.Number == n {
			return m
		}
	}
	return nil
}
