package vectors

import (
	"fmt"
	"math"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

const (
	// longMax is the longest length or count that is filled to the last byte.
	longMax = 300
	// longBytes is about how many bytes the elements of a long list may take.
	longBytes = 4096
	// variantsMax is how many values of one type are tried.
	variantsMax = 48
	// variedMost is how many types within each other vary; what lies deeper has its default.
	variedMost = 3
)

// variants lists values of a type that differ in what breaks codecs; the first is its
// default. Fields of a struct vary together, so that a struct has as many variants as its
// richest field. A type within itself has its default alone, and so has what lies deep: it
// varies where it has vectors of its own.
type variants struct {
	program *plan.Program
	around  []ir.Decl
	// known are the variants of declared types, by the path around them: fields of one type have
	// the same.
	known map[string][]interp.Value
}

func (v *variants) of(t *ir.Type) []interp.Value {
	all := v.kind(t)
	if len(all) > variantsMax {
		all = all[:variantsMax]
	}
	return all
}

func (v *variants) kind(t *ir.Type) []interp.Value {
	switch t.Kind {
	case ir.StrKind:
		return texts(t)
	case ir.BytesKind:
		return blobs(t)
	case ir.OptionalKind:
		return append([]interp.Value{nil}, v.of(t.Elem)...)
	case ir.ListKind:
		return v.lists(t)
	case ir.ArrayKind:
		return v.arrays(t)
	case ir.MapKind:
		return v.maps(t)
	case ir.EnumKind:
		return enums(t.Enum())
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return v.declared(t)
	}
	return scalars(t.Kind)
}

// declared are the variants of a struct, message or union.
func (v *variants) declared(t *ir.Type) []interp.Value {
	first := interp.DefaultOf(t)
	if slices.Contains(v.around, t.Decl) || len(v.around) >= variedMost {
		return []interp.Value{first}
	}
	v.around = append(v.around, t.Decl)
	defer func() { v.around = v.around[:len(v.around)-1] }()
	key := ""
	for _, d := range v.around {
		key += fmt.Sprintf("%p ", d)
	}
	if all, known := v.known[key]; known {
		return all
	}
	all := v.inside(t, first)
	v.known[key] = all
	return all
}

// inside are the variants of a declared type that is not around itself.
func (v *variants) inside(t *ir.Type, first interp.Value) []interp.Value {
	all := []interp.Value{first}
	switch d := t.Decl.(type) {
	case *ir.Struct:
		for _, fields := range v.fields(d.Fields) {
			all = append(all, interp.Struct(fields))
		}
	case *ir.Message:
		for _, fields := range v.fields(d.Fields) {
			all = append(all, interp.Message{Fields: fields})
		}
		if d.KeepUnknown {
			all = append(all, interp.Message{Fields: all[len(all)-1].(interp.Message).Fields, Tail: []byte{1, 2, 3}})
		}
	case *ir.Union:
		all = append(all, v.alternatives(d)...)
	}
	return all
}

// fields varies all fields together. Each begins at another of its variants, so that
// neighbours of one type differ and changing places shows.
func (v *variants) fields(fields []*ir.Field) [][]interp.Value {
	choices, most := make([][]interp.Value, len(fields)), 0
	for i, f := range fields {
		choices[i] = v.of(f.Type)
		most = max(most, len(choices[i]))
	}
	all := make([][]interp.Value, most)
	for n := range all {
		all[n] = make([]interp.Value, len(fields))
		for i, c := range choices {
			all[n][i] = c[(n+i)%len(c)]
		}
	}
	return all
}

func (v *variants) alternatives(u *ir.Union) []interp.Value {
	var all, more []interp.Value
	for _, a := range u.Alternatives {
		if len(all) >= variantsMax {
			break // the others would be left out
		}
		if a.Type == nil {
			all = append(all, interp.Union{Tag: a.Tag})
			continue
		}
		for i, payload := range v.of(a.Type) {
			one := interp.Union{Tag: a.Tag, Value: payload}
			// Each alternative comes early, and none crowds out the others.
			if i < 2 {
				all = append(all, one)
			} else {
				more = append(more, one)
			}
		}
	}
	if tag, ok := unknownTag(u); ok && !u.Closed {
		all = append(all, interp.Unknown{Tag: tag, Payload: []byte{}}, interp.Unknown{Tag: tag, Payload: []byte{7, 0, 255}})
	}
	return append(all, more...)
}

// unknownTag is the largest tag that a union does not name.
func unknownTag(u *ir.Union) (uint8, bool) {
	for tag := interp.UnionTagMax; tag >= interp.UnionTagMin; tag-- {
		if !slices.ContainsFunc(u.Alternatives, func(a *ir.Alternative) bool { return int(a.Tag) == tag }) {
			return uint8(tag), true
		}
	}
	return 0, false
}

// lengthMost is the largest length that is filled: that of the type, or less.
func lengthMost(t *ir.Type, visit uint64) int {
	most := plan.LengthMax(t)
	if most > longMax {
		most = 3
	}
	return int(min(most, max(2, longBytes/max(visit, 1))))
}

func (v *variants) lists(t *ir.Type) []interp.Value {
	all, most := []interp.Value{interp.List{}}, int(min(plan.LengthMax(t), 3))
	elems := v.of(t.Elem)
	if most == 0 {
		return all
	}
	for i := range elems {
		l := interp.List{}
		for k := range 1 + i%most {
			l = append(l, elems[(i+k)%len(elems)])
		}
		all = append(all, l)
	}
	if long := lengthMost(t, v.program.SizeOf(t.Elem).Min); long > most {
		l := make(interp.List, long)
		for i := range l {
			l[i] = elems[0]
		}
		all = append(all, l)
	}
	return all
}

func (v *variants) arrays(t *ir.Type) []interp.Value {
	elems := v.of(t.Elem)
	// A large array in full variety would take too much.
	rounds := len(elems)
	if t.N*max(1, v.program.SizeOf(t.Elem).Min) > longBytes {
		rounds = min(rounds, 2)
	}
	var all []interp.Value
	for i := range rounds {
		l := make(interp.List, t.N)
		for k := range l {
			l[k] = elems[(i+k)%len(elems)]
		}
		all = append(all, l)
	}
	return all
}

func (v *variants) maps(t *ir.Type) []interp.Value {
	all := []interp.Value{interp.Map{}}
	keys, values := v.of(t.Key), v.of(t.Elem)
	most := int(min(plan.LengthMax(t), 3))
	for i := range max(len(keys), len(values)) {
		m, known := interp.Map{}, map[interp.Value]bool{}
		for k := range min(1+i, most) {
			if key := keys[(i+k)%len(keys)]; !known[key] {
				known[key] = true
				m = append(m, interp.Entry{Key: key, Value: values[(i+k)%len(values)]})
			}
		}
		all = append(all, m)
	}
	return all
}

func texts(t *ir.Type) []interp.Value {
	most := plan.LengthMax(t)
	all := []interp.Value{""}
	for _, s := range []string{"a", "é漢😀", "\x00\x1f\"\\/\u2028\u007f", "\ufeff\U0010ffff\ufffd", "the quick brown fox"} {
		if uint64(len(s)) <= most {
			all = append(all, s)
		}
	}
	if long := lengthMost(t, 1); long > 3 {
		all = append(all, string(fill(long, func(i int) byte { return 'a' + byte(i%26) })))
	}
	return all
}

func blobs(t *ir.Type) []interp.Value {
	all := []interp.Value{[]byte{}}
	for _, b := range [][]byte{{0}, {0xff, 0x80, 0, 1}} {
		if uint64(len(b)) <= plan.LengthMax(t) {
			all = append(all, b)
		}
	}
	if long := lengthMost(t, 1); long > 3 {
		all = append(all, fill(long, func(i int) byte { return byte(i) }))
	}
	return all
}

func fill(n int, char func(int) byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = char(i)
	}
	return b
}

func scalars(kind ir.Kind) []interp.Value {
	var all []interp.Value
	switch kind.Class() {
	case ir.BoolClass:
		return []interp.Value{false, true}
	case ir.UUIDClass:
		return []interp.Value{
			interp.UUID{}, interp.UUID(fill(16, func(i int) byte { return 0x10 + byte(i) })),
			interp.UUID(fill(16, func(int) byte { return 0xff })),
		}
	case ir.FloatClass:
		if kind.Bytes() == 4 {
			for _, bits := range []uint32{0, 0x3fc00000, 1 << 31, 1, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00001, 0xffc00002} {
				all = append(all, interp.F32(bits))
			}
			return all
		}
		for _, bits := range []uint64{0, 0x3ff8 << 48, 1 << 63, 1, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 0x7ff8<<48 | 1, 0xfff8<<48 | 2} {
			all = append(all, interp.F64(bits))
		}
		return all
	case ir.TimestampClass, ir.DurationClass:
		for _, n := range []int64{0, 1, -1, 1_500_000_000, -1_500_000_000, 86_400_000_000_000, math.MaxInt64, math.MinInt64} {
			all = append(all, n)
		}
		return all
	case ir.SignedClass:
		for _, n := range []int64{0, 1, -1, 0x0102030405060708, math.MaxInt64, math.MinInt64} {
			all = append(all, n>>(64-8*kind.Bytes()))
		}
		// Shifting has made 0 of small numbers.
		all[1], all[2] = int64(1), int64(-1)
		return all
	case ir.UnsignedClass:
		for _, n := range []uint64{0, 1, 0x8001020304050607, math.MaxUint64 >> 1, math.MaxUint64} {
			all = append(all, n>>(64-8*kind.Bytes()))
		}
		all[1] = uint64(1)
		return all
	}
	panic("vectors: " + kind.String() + " is no scalar")
}

func enums(e *ir.Enum) []interp.Value {
	all := []interp.Value{interp.DefaultOf(&ir.Type{Kind: ir.EnumKind, Decl: e})}
	number := func(n int64) interp.Value {
		if e.Base.IsSigned() {
			return n
		}
		return uint64(n)
	}
	for _, m := range e.Members {
		all = append(all, number(m.Number))
	}
	if n, ok := undeclared(e); ok && !e.Closed {
		all = append(all, number(n))
	}
	return all
}

// undeclared is a number of an enum's base that no member has, from the base's ends.
func undeclared(e *ir.Enum) (int64, bool) {
	unused := 64 - 8*e.Base.Bytes()
	for back := range 256 {
		n := int64(uint64(math.MaxUint64)>>unused) - int64(back)
		if e.Base.IsSigned() {
			n = math.MaxInt64>>unused - int64(back)
		}
		if !slices.ContainsFunc(e.Members, func(m *ir.EnumMember) bool { return m.Number == n }) {
			return n, true
		}
	}
	return 0, false
}
