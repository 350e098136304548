package python

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalars are the Python types of built-in scalars.
var scalars = ir.MustPerScalar(map[ir.Kind]string{
	ir.Bool: "bool",
	ir.U8:   "int", ir.U16: "int", ir.U32: "int", ir.U64: "int",
	ir.I8: "int", ir.I16: "int", ir.I32: "int", ir.I64: "int",
	ir.F32: "float", ir.F64: "float",
	ir.TimestampKind: "sdp.Timestamp", ir.DurationKind: "sdp.Duration", ir.UUIDKind: "uuid.UUID",
})

// builtIn are the names of Python's own types in annotations, which a field of the same name hides.
var builtIn = map[string]bool{"bool": true, "int": true, "float": true, "str": true, "bytes": true, "list": true, "dict": true}
