// Package values makes random values of Protocol Buffers.
package values

import (
	"math"
	"math/rand/v2"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Source makes random values.
type Source struct{ *rand.Rand }

// New makes the values of a seed.
func New(seed uint64) *Source { return &Source{rand.New(rand.NewPCG(seed, 0))} }

// Fill fills fields, fewer the deeper a message lies.
func (r *Source) Fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	if depth > 8 {
		return // a message may need one of its own kind
	}
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.Cardinality() != protoreflect.Required && r.IntN(2+depth) > 0 || depth > 3 && fd.Message() != nil && fd.Cardinality() != protoreflect.Required {
			continue
		}
		switch {
		case fd.Kind() == protoreflect.GroupKind:
		case fd.IsMap():
			for range r.IntN(4) {
				value := m.Mutable(fd).Map().NewValue()
				m.Mutable(fd).Map().Set(r.value(fd.MapKey(), protoreflect.Value{}, depth).MapKey(), r.value(fd.MapValue(), value, depth))
			}
		case fd.IsList():
			for range r.IntN(4) {
				list := m.Mutable(fd).List()
				list.Append(r.value(fd, list.NewElement(), depth))
			}
		default:
			m.Set(fd, r.value(fd, m.NewField(fd), depth))
		}
	}
}

// edges are what is most often wrong.
var edges = []uint64{0, 1, 127, 128, 255, 256, math.MaxInt32, math.MaxUint32, 1 << 31, 1 << 63, math.MaxInt64, math.MaxUint64}

func (r *Source) bits() uint64 {
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Uint64() >> r.IntN(64)
}

func (r *Source) text() string {
	const letters = "aZ0 é～😀\x00\"\\\n"
	runes := []rune(letters)
	made := make([]rune, r.IntN(12))
	for i := range made {
		made[i] = runes[r.IntN(len(runes))]
	}
	return string(made)
}

// value is one that is no list or map. A message is filled that is given.
func (r *Source) value(fd protoreflect.FieldDescriptor, fresh protoreflect.Value, depth int) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.EnumKind:
		if r.IntN(8) == 0 && !fd.Enum().IsClosed() {
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(r.bits()))
		}
		all := fd.Enum().Values()
		return protoreflect.ValueOfEnum(all.Get(r.IntN(all.Len())).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(r.bits()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(r.bits()))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(r.bits()))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(r.bits())
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(r.bits())))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(r.bits()))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(r.text())
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(r.text()))
	case protoreflect.MessageKind, protoreflect.GroupKind:
	}
	m := fresh.Message()
	switch m.Descriptor().FullName() {
	case "google.protobuf.Timestamp":
		r.time(m, -9_223_372_036, 9_223_372_035, false)
	case "google.protobuf.Duration":
		r.time(m, -9_223_372_036, 9_223_372_036, true)
	default:
		r.Fill(m, depth+1)
	}
	return fresh
}

// time is one in the range of 64 bits of nanoseconds.
func (r *Source) time(m protoreflect.Message, least, most int64, signed bool) {
	whole := least + 1 + r.Int64N(most-least-1)
	rest := int32(r.IntN(1_000_000_000))
	if signed && whole < 0 {
		rest = -rest
	}
	fields := m.Descriptor().Fields()
	m.Set(fields.ByNumber(1), protoreflect.ValueOfInt64(whole))
	m.Set(fields.ByNumber(2), protoreflect.ValueOfInt32(rest))
}
