package cpp

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalar is how C++ spells one kind of scalar.
type scalar struct {
	name string // the type
	size uint64 // in memory
	// suffix is behind a literal.
	suffix string
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool:          {"bool", 1, ""},
	ir.U8:            {"std::uint8_t", 1, ""},
	ir.U16:           {"std::uint16_t", 2, ""},
	ir.U32:           {"std::uint32_t", 4, "U"},
	ir.U64:           {"std::uint64_t", 8, "U"},
	ir.I8:            {"std::int8_t", 1, ""},
	ir.I16:           {"std::int16_t", 2, ""},
	ir.I32:           {"std::int32_t", 4, ""},
	ir.I64:           {"std::int64_t", 8, ""},
	ir.F32:           {"float", 4, "F"},
	ir.F64:           {"double", 8, ""},
	ir.TimestampKind: {"sdp::timestamp", 8, ""},
	ir.DurationKind:  {"sdp::duration", 8, ""},
	ir.UUIDKind:      {"sdp::uuid", 16, ""},
})

// isNumber reports whether a list of the type can lie in memory as it lies on
// the wire: built-in numbers, but not what is checked or has a type of its own.
func isNumber(t *ir.Type) bool {
	return (t.Kind.IsInteger() || t.Kind.IsFloat()) && scalars.Of(t.Kind).size == uint64(t.Kind.Bytes())
}
