package rust

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalar is how Rust spells one kind of scalar.
type scalar struct {
	name string // the type
	zero string
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool:          {"bool", "false"},
	ir.U8:            {"u8", "0"},
	ir.U16:           {"u16", "0"},
	ir.U32:           {"u32", "0"},
	ir.U64:           {"u64", "0"},
	ir.I8:            {"i8", "0"},
	ir.I16:           {"i16", "0"},
	ir.I32:           {"i32", "0"},
	ir.I64:           {"i64", "0"},
	ir.F32:           {"f32", "0.0"},
	ir.F64:           {"f64", "0.0"},
	ir.TimestampKind: {"sdp::Timestamp", "sdp::Timestamp(0)"},
	ir.DurationKind:  {"sdp::Duration", "sdp::Duration(0)"},
	ir.UUIDKind:      {"sdp::Uuid", "sdp::Uuid([0; 16])"},
})
