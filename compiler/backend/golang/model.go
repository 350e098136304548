package golang

import "github.com/serial-data-protocol/sdp/compiler/ir"

// scalar is how Go spells one kind of scalar.
type scalar struct {
	name string // the type
	zero string
	// load has the bytes as $s$ and the position as $p$.
	load string
	// store has the bytes as $b$ and the value as $v$.
	store string
	// refuses begins the name of the runtime's function that tells values without bytes, which
	// ends in Valid, where there are any.
	refuses string
	// number is true for types that the runtime copies in bulk.
	number bool
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool: {
		"bool", "false",
		"$s$[$p$] == 1", "$b$[0] = sdp.PutBool($v$)", "", false,
	},
	ir.U8: {
		"uint8", "0",
		"$s$[$p$]", "$b$[0] = $v$", "", true,
	},
	ir.U16: {
		"uint16", "0",
		"sdp.At16($s$, $p$)", "binary.LittleEndian.PutUint16($b$, $v$)", "", true,
	},
	ir.U32: {
		"uint32", "0",
		"sdp.At32($s$, $p$)", "binary.LittleEndian.PutUint32($b$, $v$)", "", true,
	},
	ir.U64: {
		"uint64", "0",
		"sdp.At64($s$, $p$)", "binary.LittleEndian.PutUint64($b$, $v$)", "", true,
	},
	ir.I8: {
		"int8", "0",
		"int8($s$[$p$])", "$b$[0] = uint8($v$)", "", true,
	},
	ir.I16: {
		"int16", "0",
		"int16(sdp.At16($s$, $p$))", "binary.LittleEndian.PutUint16($b$, uint16($v$))", "", true,
	},
	ir.I32: {
		"int32", "0",
		"int32(sdp.At32($s$, $p$))", "binary.LittleEndian.PutUint32($b$, uint32($v$))", "", true,
	},
	ir.I64: {
		"int64", "0",
		"int64(sdp.At64($s$, $p$))", "binary.LittleEndian.PutUint64($b$, uint64($v$))", "", true,
	},
	ir.F32: {
		"float32", "0",
		"math.Float32frombits(sdp.At32($s$, $p$))", "binary.LittleEndian.PutUint32($b$, math.Float32bits($v$))", "", true,
	},
	ir.F64: {
		"float64", "0",
		"math.Float64frombits(sdp.At64($s$, $p$))", "binary.LittleEndian.PutUint64($b$, math.Float64bits($v$))", "", true,
	},
	ir.TimestampKind: {
		"time.Time", "sdp.TimeOf(0)",
		"sdp.TimeOf(int64(sdp.At64($s$, $p$)))", "binary.LittleEndian.PutUint64($b$, uint64(sdp.Nanoseconds($v$)))", "Time", false,
	},
	ir.DurationKind: {
		"time.Duration", "0",
		"time.Duration(sdp.At64($s$, $p$))", "binary.LittleEndian.PutUint64($b$, uint64($v$))", "", true,
	},
	ir.UUIDKind: {
		"sdp.UUID", "sdp.UUID{}",
		"sdp.UUIDAt($s$, $p$)", "copy($b$, $v$[:])", "", false,
	},
})
