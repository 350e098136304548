package meeting

import (
	"math"
	"math/rand/v2"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// valueMaker makes random values of a schema: small ones, values at bounds, unknown numbers and
// tags, and reserved ones.
type valueMaker struct {
	*rand.Rand
	depth int
}

// deep tells whether what need not be there is left out, because edits can make
// types hold themselves.
func (m *valueMaker) deep() bool { return m.depth > 12 }

// root makes a value of a top-level type.
func (m *valueMaker) root(d ir.Decl) interp.Value {
	switch d := d.(type) {
	case *ir.Struct:
		return interp.Struct(m.fields(d.Fields))
	case *ir.Message:
		return interp.Message{Fields: m.fields(d.Fields)}
	default:
		return m.union(d.(*ir.Union))
	}
}

func (m *valueMaker) fields(fields []*ir.Field) []interp.Value {
	values := make([]interp.Value, len(fields))
	for i, f := range fields {
		values[i] = m.value(f.Type)
	}
	return values
}

func (m *valueMaker) value(t *ir.Type) interp.Value {
	m.depth++
	defer func() { m.depth-- }()
	switch t.Kind {
	case ir.Bool:
		return m.IntN(2) == 0
	case ir.F32:
		return interp.F32(m.Uint32())
	case ir.F64:
		return interp.F64(m.Uint64())
	case ir.TimestampKind, ir.DurationKind:
		return int64(m.bits(64))
	case ir.UUIDKind:
		var id interp.UUID
		for i := range id {
			id[i] = byte(m.IntN(256))
		}
		return id
	case ir.StrKind:
		return string(m.content(t, 'a', 26))
	case ir.BytesKind:
		return m.content(t, 0, 256)
	case ir.ListKind:
		list := interp.List{}
		for range m.length(t) {
			list = append(list, m.value(t.Elem))
		}
		return list
	case ir.ArrayKind:
		list := interp.List{}
		for range t.N {
			list = append(list, m.value(t.Elem))
		}
		return list
	case ir.OptionalKind:
		if m.IntN(3) == 0 || m.deep() {
			return nil
		}
		return m.value(t.Elem)
	case ir.MapKind:
		return m.mapping(t)
	case ir.EnumKind:
		return integer(t.Enum().Base, m.enum(t.Enum()))
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return m.root(t.Decl)
	}
	return integer(t.Kind, m.bits(8*t.Kind.Bytes()))
}

// integer gives the low bits the form that a value of the kind has.
func integer(k ir.Kind, bits uint64) interp.Value {
	shift := 64 - 8*k.Bytes()
	if k.IsSigned() {
		return int64(bits<<shift) >> shift
	}
	return bits << shift >> shift
}

// bits makes a number that is often at an end of its range.
func (m *valueMaker) bits(width int) uint64 {
	switch m.IntN(4) {
	case 0:
		return uint64(m.IntN(4))
	case 1:
		return math.MaxUint64 - uint64(m.IntN(2))
	}
	return m.Uint64() >> (64 - width)
}

func (m *valueMaker) length(t *ir.Type) int {
	n := m.IntN(3)
	if m.deep() {
		return 0
	}
	if m.depth > 4 {
		return n / 2
	}
	if m.depth < 4 && m.IntN(4) == 0 {
		n = 4 + m.IntN(5)
	}
	if t.Max != nil && (n > int(*t.Max) || m.IntN(3) == 0) {
		return int(*t.Max)
	}
	return n
}

func (m *valueMaker) content(t *ir.Type, first byte, count int) []byte {
	content := make([]byte, m.length(t))
	for i := range content {
		content[i] = first + byte(m.IntN(count))
	}
	return content
}

func (m *valueMaker) mapping(t *ir.Type) interp.Value {
	entries, seen := interp.Map{}, map[interp.Value]bool{}
	for n, tries := m.length(t), 0; len(entries) < n && tries < 50; tries++ {
		key := m.value(t.Key)
		if !seen[key] {
			seen[key] = true
			entries = append(entries, interp.Entry{Key: key, Value: m.value(t.Elem)})
		}
	}
	return entries
}

func (m *valueMaker) enum(e *ir.Enum) uint64 {
	if !e.Closed {
		switch m.IntN(4) {
		case 0:
			return m.bits(64)
		case 1:
			if len(e.Reserved.Numbers) > 0 {
				return uint64(e.Reserved.Numbers[0].First)
			}
		}
	}
	return uint64(e.Members[m.IntN(len(e.Members))].Number)
}

// union makes an alternative, or an unknown one: of a tag that no Version has,
// or of one that an earlier release had.
func (m *valueMaker) union(u *ir.Union) interp.Value {
	if !u.Closed && m.IntN(4) == 0 {
		tag := uint8(200 + m.IntN(50))
		if len(u.Reserved.Numbers) > 0 && m.IntN(2) == 0 {
			tag = uint8(u.Reserved.Numbers[0].First)
		}
		payload := make([]byte, m.IntN(6))
		for i := range payload {
			payload[i] = byte(m.IntN(256))
		}
		return interp.Unknown{Tag: tag, Payload: payload}
	}
	a := u.Alternatives[m.IntN(len(u.Alternatives))]
	for _, other := range u.Alternatives {
		if m.deep() && other.Type == nil {
			a = other
		}
	}
	if a.Type == nil {
		return interp.Union{Tag: a.Tag}
	}
	return interp.Union{Tag: a.Tag, Value: m.value(a.Type)}
}
