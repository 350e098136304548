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
	// readJSON is what r, a reader of JSON, has next.
	readJSON string
	// writeJSON appends %s to b.
	writeJSON string
	// refuses is the Checker's method for values without bytes, where there are any; sdp has a
	// function of that name and Valid, which tells.
	refuses string
	// number is true for what the runtime copies in bulk.
	number bool
}

var scalars = ir.MustPerScalar(map[ir.Kind]scalar{
	ir.Bool: {
		"bool", "false",
		"$s$[$p$] == 1", "$b$[0] = sdp.PutBool($v$)",
		"r.Bool()", "sdp.AppendJSONBool(b, %s)", "", false,
	},
	ir.U8: {
		"uint8", "0",
		"$s$[$p$]", "$b$[0] = $v$",
		"uint8(r.Uint(8))", "sdp.AppendJSONUint(b, uint32(%s))", "", true,
	},
	ir.U16: {
		"uint16", "0",
		"sdp.At16($s$, $p$)", "binary.LittleEndian.PutUint16($b$, $v$)",
		"uint16(r.Uint(16))", "sdp.AppendJSONUint(b, uint32(%s))", "", true,
	},
	ir.U32: {
		"uint32", "0",
		"sdp.At32($s$, $p$)", "binary.LittleEndian.PutUint32($b$, $v$)",
		"uint32(r.Uint(32))", "sdp.AppendJSONUint(b, %s)", "", true,
	},
	ir.U64: {
		"uint64", "0",
		"sdp.At64($s$, $p$)", "binary.LittleEndian.PutUint64($b$, $v$)",
		"r.Uint(64)", "sdp.AppendJSONUint64(b, %s)", "", true,
	},
	ir.I8: {
		"int8", "0",
		"int8($s$[$p$])", "$b$[0] = uint8($v$)",
		"int8(r.Int(8))", "sdp.AppendJSONInt(b, int32(%s))", "", true,
	},
	ir.I16: {
		"int16", "0",
		"int16(sdp.At16($s$, $p$))", "binary.LittleEndian.PutUint16($b$, uint16($v$))",
		"int16(r.Int(16))", "sdp.AppendJSONInt(b, int32(%s))", "", true,
	},
	ir.I32: {
		"int32", "0",
		"int32(sdp.At32($s$, $p$))", "binary.LittleEndian.PutUint32($b$, uint32($v$))",
		"int32(r.Int(32))", "sdp.AppendJSONInt(b, %s)", "", true,
	},
	ir.I64: {
		"int64", "0",
		"int64(sdp.At64($s$, $p$))", "binary.LittleEndian.PutUint64($b$, uint64($v$))",
		"r.Int(64)", "sdp.AppendJSONInt64(b, %s)", "", true,
	},
	ir.F32: {
		"float32", "0",
		"math.Float32frombits(sdp.At32($s$, $p$))", "binary.LittleEndian.PutUint32($b$, math.Float32bits($v$))",
		"r.Float32()", "sdp.AppendJSONFloat32(b, %s)", "", true,
	},
	ir.F64: {
		"float64", "0",
		"math.Float64frombits(sdp.At64($s$, $p$))", "binary.LittleEndian.PutUint64($b$, math.Float64bits($v$))",
		"r.Float64()", "sdp.AppendJSONFloat64(b, %s)", "", true,
	},
	ir.TimestampKind: {
		"time.Time", "sdp.TimeOf(0)",
		"sdp.TimeOf(int64(sdp.At64($s$, $p$)))", "binary.LittleEndian.PutUint64($b$, uint64(sdp.Nanoseconds($v$)))",
		"r.Timestamp()", "sdp.AppendJSONTimestamp(b, %s)", "Time", false,
	},
	ir.DurationKind: {
		"time.Duration", "0",
		"time.Duration(sdp.At64($s$, $p$))", "binary.LittleEndian.PutUint64($b$, uint64($v$))",
		"r.Duration()", "sdp.AppendJSONDuration(b, %s)", "", true,
	},
	ir.UUIDKind: {
		"sdp.UUID", "sdp.UUID{}",
		"sdp.UUIDAt($s$, $p$)", "copy($b$, $v$[:])",
		"r.UUID()", "sdp.AppendJSONUUID(b, %s)", "", false,
	},
})
