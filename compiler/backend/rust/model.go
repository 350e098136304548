package rust

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalar is how Rust spells one kind of scalar.
type scalar struct {
	name string // the type
	zero string
	// literal has a value's digits as %s.
	literal string
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool:          {"bool", "false", "%s"},
	ir.U8:            {"u8", "0", "%s"},
	ir.U16:           {"u16", "0", "%s"},
	ir.U32:           {"u32", "0", "%s"},
	ir.U64:           {"u64", "0", "%s"},
	ir.I8:            {"i8", "0", "%s"},
	ir.I16:           {"i16", "0", "%s"},
	ir.I32:           {"i32", "0", "%s"},
	ir.I64:           {"i64", "0", "%s"},
	ir.F32:           {"f32", "0.0", "%s"},
	ir.F64:           {"f64", "0.0", "%s"},
	ir.TimestampKind: {"sdp::Timestamp", "sdp::Timestamp(0)", "sdp::Timestamp(%s)"},
	ir.DurationKind:  {"sdp::Duration", "sdp::Duration(0)", "sdp::Duration(%s)"},
	ir.UUIDKind:      {"sdp::Uuid", "sdp::Uuid([0; 16])", "sdp::Uuid(%s.to_be_bytes())"},
})
