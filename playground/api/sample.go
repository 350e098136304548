package api

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// SampleQuestion asks for a value to begin with.
type SampleQuestion struct {
	Schema Schema `json:"schema"`
	Type   string `json:"type"`
}

// Sample makes a value that has something in each of its parts, as JSON. A type whose
// smallest value is too long for a page gets a text that is refused.
func (c *Compiler) Sample(q SampleQuestion) (*ValueResult, error) {
	codec, mode, err := c.codec(ValueQuestion{Schema: q.Schema, Type: q.Type})
	if err != nil {
		return nil, err
	}
	s := &sampler{left: sampleValuesMax}
	value, ok := s.declared(codec.Decl(), nil)
	if s.left <= 0 || !ok {
		value = nil
	}
	encoded, err := codec.Append(nil, value, mode)
	if err != nil {
		return &ValueResult{JSON: "{}", Spans: []Span{}}, nil
	}
	text, err := jsonOf(codec, mode, encoded)
	return &ValueResult{JSON: text, Spans: []Span{}}, err
}

// sampleValuesMax is how many values a sample is made of at most: arrays have as many as
// they say.
const sampleValuesMax = 20_000

// sampler makes values.
type sampler struct{ left int }

// someTime is a time that is easily seen to be one, in nanoseconds.
const someTime = 1_700_000_000_000_000_000

// value makes one of a type. Parts that would lead back to a declaration around them are left out;
// its second result is false where that is impossible.
func (s *sampler) value(t *ir.Type, name string, around []ir.Decl) (interp.Value, bool) {
	if s.left--; s.left < 0 {
		return nil, false
	}
	switch t.Kind {
	case ir.StrKind:
		return name[:min(len(name), s.most(t, len(name)))], true
	case ir.BytesKind:
		return []byte{1, 2, 3}[:s.most(t, 3)], true
	case ir.OptionalKind:
		v, ok := s.value(t.Elem, name, around)
		if !ok {
			return nil, true
		}
		return v, true
	case ir.ListKind:
		if v, ok := s.value(t.Elem, name, around); ok && s.most(t, 1) == 1 {
			return interp.List{v}, true
		}
		return interp.List{}, true
	case ir.ArrayKind:
		return s.array(t, name, around)
	case ir.MapKind:
		key, _ := s.value(t.Key, name, around)
		if v, ok := s.value(t.Elem, name, around); ok && s.most(t, 1) == 1 {
			return interp.Map{{Key: key, Value: v}}, true
		}
		return interp.Map{}, true
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return s.declared(t.Decl, around)
	}
	return scalar(t), true
}

// most is how many bytes or elements there are where so many are wanted.
func (s *sampler) most(t *ir.Type, wanted int) int {
	if t.Max != nil && *t.Max < uint64(wanted) {
		return int(*t.Max)
	}
	return wanted
}

func (s *sampler) array(t *ir.Type, name string, around []ir.Decl) (interp.Value, bool) {
	if t.N > sampleValuesMax {
		s.left = 0
		return nil, false
	}
	list := interp.List{}
	for range t.N {
		v, ok := s.value(t.Elem, name, around)
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// declared makes a value of a declared type.
func (s *sampler) declared(d ir.Decl, around []ir.Decl) (interp.Value, bool) {
	if slices.Contains(around, d) {
		return nil, false
	}
	around = append(slices.Clip(around), d)
	switch d := d.(type) {
	case *ir.Struct:
		fields, ok := s.fields(d.Fields, around)
		return interp.Struct(fields), ok
	case *ir.Message:
		fields, ok := s.fields(d.Fields, around)
		return interp.Message{Fields: fields}, ok
	case *ir.Union:
		for _, a := range d.Alternatives {
			if a.Type == nil {
				continue
			}
			if v, ok := s.value(a.Type, a.Name, around); ok {
				return interp.Union{Tag: a.Tag, Value: v}, true
			}
		}
		for _, a := range d.Alternatives {
			if a.Type == nil {
				return interp.Union{Tag: a.Tag}, true
			}
		}
	}
	return nil, false
}

func (s *sampler) fields(fields []*ir.Field, around []ir.Decl) ([]interp.Value, bool) {
	values := []interp.Value{}
	for _, f := range fields {
		v, ok := s.value(f.Type, f.Name, around)
		if !ok {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// scalar is a value of a scalar, or an enum's last member.
func scalar(t *ir.Type) interp.Value {
	number := int64(1)
	if t.Kind == ir.EnumKind {
		number = t.Enum().Members[len(t.Enum().Members)-1].Number
	}
	kind := t.Scalar()
	switch kind.Class() {
	case ir.BoolClass:
		return true
	case ir.UnsignedClass:
		return uint64(number)
	case ir.SignedClass:
		return number
	case ir.FloatClass:
		return half(kind)
	case ir.UUIDClass:
		return interp.UUID{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x42, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0x00}
	case ir.TimestampClass:
		return int64(someTime)
	}
	return int64(1_500_000_000) // one and a half seconds
}

// half is 0.5 as the bits of a float.
func half(kind ir.Kind) interp.Value {
	if kind.Bytes() == 4 {
		return interp.F32(0x3f000000)
	}
	return interp.F64(0x3fe0000000000000)
}
