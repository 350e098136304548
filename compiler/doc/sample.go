package doc

import (
	"math"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// sampler makes values that are small and tell fields apart: a text is its field's name, a
// number its field's place, an option is there, a list has an element or two. A declared
// default is taken as it is. Members that lead back to the type around them are left out.
type sampler struct {
	program *plan.Program
	// left is how many more values may be made before lists, maps and options stay empty.
	left int
}

const (
	sampleValues = 40
	// sampleMax is how many values a type that has no empty one may have beyond that.
	sampleMax = 2000
	// elementMax is the least size of elements, in bytes, from which on there are none.
	elementMax = 256
	// depthMax is how many declared types lie in each other, below which nothing is that may
	// as well not be there.
	depthMax = 3
)

// sampleOf makes a value of a struct, message or union.
func sampleOf(program *plan.Program, d ir.Decl) (interp.Value, bool) {
	s := &sampler{program, sampleValues}
	return s.value(&ir.Type{Kind: ir.KindOf(d), Decl: d}, "", 1, nil)
}

// value makes one of a type for the field of a name at a place. There is none where the
// type leads back to one around it, or has too many parts.
func (s *sampler) value(t *ir.Type, name string, place int, around []ir.Decl) (interp.Value, bool) {
	if s.left--; s.left < -sampleMax {
		return nil, false
	}
	switch t.Kind {
	case ir.StrKind:
		text := strings.ReplaceAll(name, "_", " ")
		return text[:min(uint64(len(text)), plan.LengthMax(t))], true
	case ir.BytesKind:
		return []byte{1, 2, 3}[:min(3, plan.LengthMax(t))], true
	case ir.ListKind:
		return s.list(t, name, around), true
	case ir.ArrayKind:
		return s.array(t, name, around)
	case ir.OptionalKind:
		if v, found := s.element(t.Elem, name, place, around); found {
			return v, true
		}
		return nil, true
	case ir.MapKind:
		return s.entries(t, name, around), true
	case ir.EnumKind:
		return sampleMember(t), true
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return s.declared(t, around)
	}
	return sampleScalar(t.Kind, place), true
}

func (s *sampler) declared(t *ir.Type, around []ir.Decl) (interp.Value, bool) {
	if slices.Contains(around, t.Decl) {
		return nil, false
	}
	around = append(slices.Clip(around), t.Decl)
	if t.Kind == ir.UnionKind {
		return s.union(t.Union(), around)
	}
	fields := ir.FieldsOf(t.Decl)
	values := make([]interp.Value, len(fields))
	for i, f := range fields {
		if f.Default != nil {
			values[i] = interp.MissingValue(f)
			continue
		}
		v, found := s.value(f.Type, f.Name, i+1, around)
		if !found {
			return nil, false
		}
		values[i] = v
	}
	if t.Kind == ir.MessageKind {
		return interp.Message{Fields: values}, true
	}
	return interp.Struct(values), true
}

// union makes the first alternative that has a payload, else the first there is.
func (s *sampler) union(u *ir.Union, around []ir.Decl) (interp.Value, bool) {
	empty := slices.IndexFunc(u.Alternatives, func(a *ir.Alternative) bool { return a.Type == nil })
	for _, a := range u.Alternatives {
		if a.Type == nil || empty >= 0 && (s.left <= 0 || s.program.SizeOf(a.Type).Min > elementMax) {
			continue
		}
		if v, found := s.value(a.Type, a.Name, 1, around); found {
			return interp.Union{Tag: a.Tag, Value: v}, true
		}
	}
	if empty < 0 {
		return nil, false
	}
	return interp.Union{Tag: u.Alternatives[empty].Tag}, true
}

// element makes what may as well not be there.
func (s *sampler) element(t *ir.Type, name string, place int, around []ir.Decl) (interp.Value, bool) {
	if s.left <= 0 || len(around) > depthMax || s.program.SizeOf(t).Min > elementMax {
		return nil, false
	}
	return s.value(t, name, place, around)
}

func (s *sampler) list(t *ir.Type, name string, around []ir.Decl) interp.List {
	count := uint64(1)
	if t.Elem.Decl == nil && t.Elem.Scalar() != 0 {
		count = 2
	}
	all := interp.List{}
	for i := range min(count, plan.LengthMax(t)) {
		if v, found := s.element(t.Elem, name, int(i)+1, around); found {
			all = append(all, v)
		}
	}
	return all
}

func (s *sampler) array(t *ir.Type, name string, around []ir.Decl) (interp.Value, bool) {
	if t.N > sampleMax {
		return nil, false
	}
	all := make(interp.List, t.N)
	for i := range all {
		v, found := s.value(t.Elem, name, i+1, around)
		if !found {
			return nil, false
		}
		all[i] = v
	}
	return all, true
}

func (s *sampler) entries(t *ir.Type, name string, around []ir.Decl) interp.Map {
	if plan.LengthMax(t) == 0 {
		return interp.Map{}
	}
	key, hasKey := s.element(t.Key, "key", 1, around)
	v, hasValue := s.element(t.Elem, name, 1, around)
	if !hasKey || !hasValue {
		return interp.Map{}
	}
	return interp.Map{{Key: key, Value: v}}
}

// sampleMember is the first member that is not zero, which shows where it lies.
func sampleMember(t *ir.Type) interp.Value {
	var number int64
	for i, m := range t.Enum().Members {
		if i == 0 || number == 0 {
			number = m.Number
		}
	}
	if t.Enum().Base.IsSigned() {
		return number
	}
	return uint64(number)
}

// sampleScalar is a value of a built-in scalar.
func sampleScalar(k ir.Kind, place int) interp.Value {
	small := min(place, 100)
	switch k.Class() {
	case ir.BoolClass:
		return true
	case ir.UnsignedClass:
		return uint64(small)
	case ir.SignedClass:
		return int64(-small)
	case ir.FloatClass:
		if k.Bytes() == 4 {
			return interp.F32(math.Float32bits(float32(small) + 0.5))
		}
		return interp.F64(math.Float64bits(float64(small) + 0.5))
	case ir.TimestampClass:
		return int64(1_700_000_000_000_000_000)
	case ir.DurationClass:
		return int64(small) * 1_500_000_000
	case ir.UUIDClass:
		return interp.UUID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}
	}
	panic("doc: no sample of a " + k.String())
}
