package cpp

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalar is how C++ spells one kind of scalar.
type scalar struct {
	name string // the type
	// literal has a value's digits as %s.
	literal string
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool:          {"bool", "%s"},
	ir.U8:            {"std::uint8_t", "%s"},
	ir.U16:           {"std::uint16_t", "%s"},
	ir.U32:           {"std::uint32_t", "%sU"},
	ir.U64:           {"std::uint64_t", "%sU"},
	ir.I8:            {"std::int8_t", "%s"},
	ir.I16:           {"std::int16_t", "%s"},
	ir.I32:           {"std::int32_t", "%s"},
	ir.I64:           {"std::int64_t", "%s"},
	ir.F32:           {"float", "%sF"},
	ir.F64:           {"double", "%s"},
	ir.TimestampKind: {"sdp::timestamp", "sdp::timestamp{%s}"},
	ir.DurationKind:  {"sdp::duration", "sdp::duration{%s}"},
	ir.UUIDKind:      {"sdp::uuid", "sdp::uuid{{%s}}"},
})
