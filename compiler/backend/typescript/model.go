package typescript

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalar is how TypeScript spells one kind of scalar.
type scalar struct {
	name string // the type
	zero string
	// load is an expression with the position as $p$.
	load string
	// store is the writer's method that stores a value.
	store string
	// array is the typed array of a list; empty where there is none.
	array string
}

// number and wide are scalars that are numbers, and scalars that need a bigint.
func number(load, store, array string) scalar {
	return scalar{"number", "0", "r.view." + load + "($p$, true)", store, array}
}

func wide(load, store, array string) scalar {
	return scalar{"bigint", "0n", "r.view." + load + "($p$, true)", store, array}
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool:          {"boolean", "false", "r.bool($p$)", "bool", ""},
	ir.U8:            {"number", "0", "r.view.getUint8($p$)", "u8", "Uint8Array"},
	ir.U16:           number("getUint16", "u16", "Uint16Array"),
	ir.U32:           number("getUint32", "u32", "Uint32Array"),
	ir.U64:           wide("getBigUint64", "u64", "BigUint64Array"),
	ir.I8:            {"number", "0", "r.view.getInt8($p$)", "i8", "Int8Array"},
	ir.I16:           number("getInt16", "i16", "Int16Array"),
	ir.I32:           number("getInt32", "i32", "Int32Array"),
	ir.I64:           wide("getBigInt64", "i64", "BigInt64Array"),
	ir.F32:           number("getFloat32", "f32", "Float32Array"),
	ir.F64:           number("getFloat64", "f64", "Float64Array"),
	ir.TimestampKind: wide("getBigInt64", "i64", "BigInt64Array"),
	ir.DurationKind:  wide("getBigInt64", "i64", "BigInt64Array"),
	ir.UUIDKind:      {"string", `"00000000-0000-0000-0000-000000000000"`, "r.uuid($p$)", "uuid", ""},
})

// arrayOf is the typed array that a list or array of a type is; empty for others.
func (t *types) arrayOf(elem *ir.Type) string {
	if elem.Kind.Bytes() == 0 {
		return ""
	}
	return t.scalar(elem).array
}
