package cpp

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalar is how C++ spells one kind of scalar.
type scalar struct {
	name string // the type
	// suffix is behind a literal.
	suffix string
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool:          {"bool", ""},
	ir.U8:            {"std::uint8_t", ""},
	ir.U16:           {"std::uint16_t", ""},
	ir.U32:           {"std::uint32_t", "U"},
	ir.U64:           {"std::uint64_t", "U"},
	ir.I8:            {"std::int8_t", ""},
	ir.I16:           {"std::int16_t", ""},
	ir.I32:           {"std::int32_t", ""},
	ir.I64:           {"std::int64_t", ""},
	ir.F32:           {"float", "F"},
	ir.F64:           {"double", ""},
	ir.TimestampKind: {"sdp::timestamp", ""},
	ir.DurationKind:  {"sdp::duration", ""},
	ir.UUIDKind:      {"sdp::uuid", ""},
})
