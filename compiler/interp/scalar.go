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

// signed reports whether values of the kind are an int64 here.
func signed(kind ir.Kind) bool {
	switch kind.Class() {
	case ir.SignedClass, ir.TimestampClass, ir.DurationClass:
		return true
	case ir.BoolClass, ir.UnsignedClass, ir.FloatClass, ir.UUIDClass:
		return false
	}
	panic("interp: " + kind.String() + " is no scalar")
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
	switch kind.Class() {
	case ir.BoolClass:
		return raw[0] == 1
	case ir.FloatClass:
		return floatOf(kind, loadLength(raw))
	case ir.UUIDClass:
		return UUID(raw)
	case ir.SignedClass, ir.TimestampClass, ir.DurationClass:
		return loadInt(kind, raw)
	case ir.UnsignedClass:
		return uint64(loadInt(kind, raw))
	}
	panic("interp: " + kind.String() + " is no scalar")
}

// floatOf is the value of a float's bits.
func floatOf(kind ir.Kind, bits uint64) Value {
	if kind.Bytes() == 4 {
		return F32(bits)
	}
	return F64(bits)
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
