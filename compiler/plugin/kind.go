package plugin

import "github.com/serial-data-protocol/sdp/compiler/ir"

// Kind is a member of the enum of that name.
type Kind uint8

// scalarKinds are the numbers of scalars, which stay when spec/scalars.toml changes.
var scalarKinds = ir.MustPerScalar(map[ir.Kind]Kind{
	ir.Bool: 1, ir.U8: 2, ir.U16: 3, ir.U32: 4, ir.U64: 5, ir.I8: 6, ir.I16: 7, ir.I32: 8, ir.I64: 9, ir.F32: 10, ir.F64: 11,
	ir.TimestampKind: 12, ir.DurationKind: 13, ir.UUIDKind: 14,
})

// otherKinds are the numbers of all other kinds.
var otherKinds = map[ir.Kind]Kind{
	ir.StrKind: 32, ir.BytesKind: 33, ir.ListKind: 34, ir.ArrayKind: 35, ir.OptionalKind: 36, ir.MapKind: 37,
	ir.EnumKind: 64, ir.UnionKind: 65, ir.StructKind: 66, ir.MessageKind: 67,
}

// kinds leads back from the numbers.
var kinds = func() map[Kind]ir.Kind {
	all := map[Kind]ir.Kind{}
	for kind, number := range otherKinds {
		all[number] = kind
	}
	for _, kind := range ir.Scalars() {
		all[scalarKinds.Of(kind)] = kind
	}
	return all
}()

func kindOf(kind ir.Kind) Kind {
	if number, found := otherKinds[kind]; found {
		return number
	}
	return scalarKinds.Of(kind)
}
