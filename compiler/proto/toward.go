package proto

import (
	"fmt"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const (
	nanos = 1_000_000_000
	// depthMax bounds how deep a value is followed. Values deeper than the codec's limit are
	// refused by the codec.
	depthMax = 200
)

// Encode carries a message over to bytes of SDP.
func (b *Binding) Encode(m protoreflect.Message) ([]byte, error) {
	made, err := b.message(m.Descriptor().FullName())
	if err != nil {
		return nil, err
	}
	v, err := b.toward(m, string(m.Descriptor().FullName()), 0)
	if err != nil {
		return nil, err
	}
	return made.codec.Append(nil, v, interp.ByteMode)
}

func (b *Binding) toward(m protoreflect.Message, path string, depth int) (v interp.Message, err error) {
	if depth > depthMax {
		return v, &CarryError{path, "it is nested too deeply"}
	}
	made, err := b.message(m.Descriptor().FullName())
	if err != nil {
		return v, err
	}
	if err := b.nothingElse(m, made, path); err != nil {
		return v, err
	}
	fields := m.Descriptor().Fields()
	for i := range made.fields {
		f := &made.fields[i]
		value := f.zero
		if f.oneof != "" {
			value, err = b.towardUnion(m, f, path, depth)
		} else if fd := fields.ByNumber(f.number); fd != nil {
			value, err = b.towardField(m, fd, f.kind, path+"."+string(fd.Name()), depth)
		}
		if err != nil {
			return v, err
		}
		v.Fields = append(v.Fields, value)
	}
	return v, nil
}

// nothingElse refuses a message with what there is no place for.
func (b *Binding) nothingElse(m protoreflect.Message, output *bound, path string) (err error) {
	if unknown := m.GetUnknown(); len(unknown) > 0 {
		number, _, _ := protowire.ConsumeTag(unknown)
		return &CarryError{path, fmt.Sprintf("it has the field %d, which the .proto doesn't", number)}
	}
	m.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if fd.IsExtension() || !output.numbers[fd.Number()] {
			err = &CarryError{path + "." + string(fd.Name()), "the schema has no place for it"}
		}
		return err == nil
	})
	return err
}

func (b *Binding) towardUnion(m protoreflect.Message, f *boundField, path string, depth int) (interp.Value, error) {
	od := m.Descriptor().Oneofs().ByName(f.oneof)
	if od == nil {
		return f.zero, nil
	}
	fd := m.WhichOneof(od)
	if fd == nil {
		return nil, nil
	}
	path += "." + string(fd.Name())
	a := f.tags[fd.Number()]
	if a == nil {
		return nil, &CarryError{path, "the union has no alternative for it"}
	}
	v, err := b.towardOne(m.Get(fd), fd, a.Type, path, depth)
	return interp.Union{Tag: a.Tag, Value: v}, err
}

func (b *Binding) towardField(m protoreflect.Message, fd protoreflect.FieldDescriptor, t *ir.Type, path string, depth int) (interp.Value, error) {
	switch {
	case fd.IsMap():
		entries := interp.Map{}
		var failed error
		m.Get(fd).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			at := path + "[" + k.String() + "]"
			key, err := b.towardOne(k.Value(), fd.MapKey(), t.Key, at, depth)
			if err == nil {
				v, err := b.towardOne(v, fd.MapValue(), t.Elem, at, depth)
				entries = append(entries, interp.Entry{Key: key, Value: v})
				failed = err
			} else {
				failed = err
			}
			return failed == nil
		})
		return entries, failed
	case fd.IsList():
		list := m.Get(fd).List()
		made := make(interp.List, list.Len())
		for i := range made {
			v, err := b.towardOne(list.Get(i), fd, t.Elem, fmt.Sprintf("%s[%d]", path, i), depth)
			if err != nil {
				return nil, err
			}
			made[i] = v
		}
		return made, nil
	case t.Kind != ir.OptionalKind:
		return b.towardOne(m.Get(fd), fd, t, path, depth)
	case !m.Has(fd):
		return nil, nil
	}
	return b.towardOne(m.Get(fd), fd, t.Elem, path, depth)
}

// towardOne carries over one value that is no list or map.
func (b *Binding) towardOne(v protoreflect.Value, fd protoreflect.FieldDescriptor, t *ir.Type, path string, depth int) (interp.Value, error) {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		m := v.Message()
		if times[fd.Message().FullName()] == t.Kind.String() {
			return towardTime(m, path)
		}
		if wrapped[fd.Message().FullName()] != 0 && t.Kind != ir.MessageKind {
			if len(m.GetUnknown()) > 0 {
				return nil, &CarryError{path, "it has fields that the .proto doesn't"}
			}
			inner := m.Descriptor().Fields().ByNumber(1)
			return b.towardOne(m.Get(inner), inner, t, path, depth)
		}
		return b.toward(m, path, depth+1)
	case protoreflect.EnumKind:
		return int64(v.Enum()), nil
	case protoreflect.BoolKind:
		return v.Bool(), nil
	case protoreflect.StringKind:
		if t.Kind == ir.BytesKind {
			return []byte(v.String()), nil
		}
		if !utf8.ValidString(v.String()) {
			return nil, &CarryError{path, "it is no UTF-8, which a str must be"}
		}
		return v.String(), nil
	case protoreflect.BytesKind:
		return v.Bytes(), nil
	case protoreflect.FloatKind:
		return interp.F32(math.Float32bits(float32(v.Float()))), nil
	case protoreflect.DoubleKind:
		return interp.F64(math.Float64bits(v.Float())), nil
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return v.Uint(), nil
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return v.Int(), nil
	case protoreflect.GroupKind:
	}
	return nil, &CarryError{path, "it is a group"}
}

// towardTime is the nanoseconds of a Timestamp or Duration.
func towardTime(m protoreflect.Message, path string) (interp.Value, error) {
	fields := m.Descriptor().Fields()
	whole, rest := m.Get(fields.ByNumber(1)).Int(), m.Get(fields.ByNumber(2)).Int()
	isDuration := times[m.Descriptor().FullName()] == "duration"
	switch {
	case len(m.GetUnknown()) > 0:
		return nil, &CarryError{path, "it has fields that the .proto doesn't"}
	case isDuration && (rest <= -nanos || rest >= nanos || whole > 0 && rest < 0 || whole < 0 && rest > 0),
		!isDuration && (rest < 0 || rest >= nanos):
		return nil, &CarryError{path, fmt.Sprintf("%d s and %d ns are no %s", whole, rest, m.Descriptor().Name())}
	}
	// The second below the range is within it with its nanoseconds.
	if whole < 0 && rest > 0 {
		whole, rest = whole+1, rest-nanos
	}
	const most, least = math.MaxInt64 / nanos, math.MinInt64 / nanos
	if whole > most || whole < least || whole == most && rest > math.MaxInt64%nanos || whole == least && rest < math.MinInt64%nanos {
		return nil, &CarryError{path, fmt.Sprintf("%d s are more nanoseconds than 64 bits hold", whole)}
	}
	return whole*nanos + rest, nil
}
