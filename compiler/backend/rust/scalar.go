package rust

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalar is how Rust spells one kind of scalar.
type scalar struct {
	name string // the type
	size uint64 // in memory
	zero string
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool:          {"bool", 1, "false"},
	ir.U8:            {"u8", 1, "0"},
	ir.U16:           {"u16", 2, "0"},
	ir.U32:           {"u32", 4, "0"},
	ir.U64:           {"u64", 8, "0"},
	ir.I8:            {"i8", 1, "0"},
	ir.I16:           {"i16", 2, "0"},
	ir.I32:           {"i32", 4, "0"},
	ir.I64:           {"i64", 8, "0"},
	ir.F32:           {"f32", 4, "0.0"},
	ir.F64:           {"f64", 8, "0.0"},
	ir.TimestampKind: {"sdp::Timestamp", 8, "sdp::Timestamp(0)"},
	ir.DurationKind:  {"sdp::Duration", 8, "sdp::Duration(0)"},
	ir.UUIDKind:      {"sdp::Uuid", 16, "sdp::Uuid([0; 16])"},
})

// isNumber reports whether a list of the type can lie in memory as it lies on
// the wire: built-in numbers, but not what is checked or has a type of its own.
func isNumber(t *ir.Type) bool {
	return (t.Kind.IsInteger() || t.Kind.IsFloat()) && scalars.Of(t.Kind).size == uint64(t.Kind.Bytes())
}
