package proto

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Decode carries bytes of SDP back to a message.
func (b *Binding) Decode(d protoreflect.MessageDescriptor, data []byte) (protoreflect.Message, error) {
	made, err := b.message(d.FullName())
	if err != nil {
		return nil, err
	}
	v, err := made.codec.Decode(data, interp.Options{})
	if err != nil {
		return nil, err
	}
	m := dynamicpb.NewMessage(d)
	return m, b.back(v.(interp.Message), m, string(d.FullName()))
}

func (b *Binding) back(v interp.Message, m protoreflect.Message, path string) error {
	made, err := b.message(m.Descriptor().FullName())
	if err != nil {
		return err
	}
	for i := range made.fields {
		f, value := &made.fields[i], v.Fields[i]
		if value == nil {
			continue
		}
		number, kind := f.number, f.kind
		if f.oneof != "" {
			u, known := value.(interp.Union)
			number = f.alternatives[u.Tag]
			if !known || number == 0 {
				return &CarryError{path + "." + string(f.oneof), "no field was made of this alternative"}
			}
			value, kind = u.Value, f.tags[number].Type
		}
		if fd := m.Descriptor().Fields().ByNumber(number); fd != nil {
			if err := b.backField(value, m, fd, kind, path+"."+string(fd.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Binding) backField(v interp.Value, m protoreflect.Message, fd protoreflect.FieldDescriptor, t *ir.Type, path string) error {
	switch {
	case fd.IsMap():
		entries := m.Mutable(fd).Map()
		for _, e := range v.(interp.Map) {
			key, err := b.backOne(e.Key, fd.MapKey(), t.Key, nil, path)
			if err != nil {
				return err
			}
			value, err := b.backOne(e.Value, fd.MapValue(), t.Elem, entries.NewValue, path)
			if err != nil {
				return err
			}
			entries.Set(key.MapKey(), value)
		}
		return nil
	case fd.IsList():
		list := m.Mutable(fd).List()
		for i, e := range v.(interp.List) {
			value, err := b.backOne(e, fd, t.Elem, list.NewElement, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return err
			}
			list.Append(value)
		}
		return nil
	case t.Kind == ir.OptionalKind:
		t = t.Elem
	}
	value, err := b.backOne(v, fd, t, func() protoreflect.Value { return m.NewField(fd) }, path)
	if err == nil {
		m.Set(fd, value)
	}
	return err
}

// backOne carries one value back. A message is filled that fresh makes.
func (b *Binding) backOne(v interp.Value, fd protoreflect.FieldDescriptor, t *ir.Type, fresh func() protoreflect.Value, path string) (protoreflect.Value, error) {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		made := fresh()
		m := made.Message()
		fields := m.Descriptor().Fields()
		switch {
		case times[m.Descriptor().FullName()] == t.Kind.String():
			backTime(v.(int64), m)
			return made, nil
		case wrapped[m.Descriptor().FullName()] != 0 && t.Kind != ir.MessageKind:
			inner, err := b.backOne(v, fields.ByNumber(1), t, nil, path)
			if err == nil {
				m.Set(fields.ByNumber(1), inner)
			}
			return made, err
		}
		return made, b.back(v.(interp.Message), m, path)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(v.(int64))), nil
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(v.(bool)), nil
	case protoreflect.StringKind:
		if t.Kind == ir.BytesKind {
			return protoreflect.ValueOfString(string(v.([]byte))), nil
		}
		return protoreflect.ValueOfString(v.(string)), nil
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(v.([]byte)), nil
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(v.(interp.F32)))), nil
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(uint64(v.(interp.F64)))), nil
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(v.(uint64))), nil
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(v.(uint64)), nil
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(v.(int64))), nil
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(v.(int64)), nil
	case protoreflect.GroupKind:
	}
	return protoreflect.Value{}, &CarryError{path, "it is a group"}
}

// backTime makes a Timestamp or Duration of nanoseconds.
func backTime(v int64, m protoreflect.Message) {
	whole, rest := v/nanos, v%nanos
	if rest < 0 && times[m.Descriptor().FullName()] == "timestamp" {
		whole, rest = whole-1, rest+nanos
	}
	fields := m.Descriptor().Fields()
	m.Set(fields.ByNumber(1), protoreflect.ValueOfInt64(whole))
	m.Set(fields.ByNumber(2), protoreflect.ValueOfInt32(int32(rest)))
}
