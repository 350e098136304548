package jsonschema

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// value is the schema of a value of a type.
func (b *builder) value(t *ir.Type) *node {
	switch t.Kind {
	case ir.StrKind:
		return b.text(t)
	case ir.BytesKind:
		return b.bytes(t)
	case ir.ListKind:
		return &node{Type: "array", Items: b.value(t.Elem), MaxItems: length(t)}
	case ir.ArrayKind:
		return &node{Type: "array", Items: b.value(t.Elem), MinItems: number(t.N), MaxItems: number(t.N)}
	case ir.OptionalKind:
		return &node{AnyOf: []*node{b.value(t.Elem), {Type: "null"}}}
	case ir.MapKind:
		return b.mapping(t)
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return b.ref(t.Decl)
	}
	if t.Kind.Class() == ir.BoolClass {
		return &node{Type: "boolean"}
	}
	return b.builtin(t.Kind.String())
}

// text is a string. Its limits count bytes, and JSON Schema characters, which are fewer.
func (b *builder) text(t *ir.Type) *node {
	made := &node{Type: "string", MaxLength: length(t)}
	if made.MaxLength != nil {
		made.Description = fmt.Sprintf("No more than %d bytes of UTF-8.", *made.MaxLength)
	}
	return made
}

// length is the largest length or count of a type; nil where no text reaches it.
func length(t *ir.Type) *uint64 {
	if most := plan.LengthMax(t); most < math.MaxUint32 {
		return number(min(most, plan.WidthMax(t.LenBytes)))
	}
	return nil
}

// bytes is base64 of no more than so many bytes [JSON-3.2].
func (b *builder) bytes(t *ir.Type) *node {
	made := b.builtin(bytesName)
	most := length(t)
	if most == nil {
		return made
	}
	made.Type = "string"
	made.Description = fmt.Sprintf("No more than %d bytes.", *most)
	groups, over := *most/groupBytes, *most%groupBytes
	switch over {
	case 0:
		made.MaxLength = number(groups * groupDigits)
	case 1:
		made.AnyOf = lastGroup(groups, "==$")
	case 2:
		made.AnyOf = lastGroup(groups, "=$")
	}
	return made
}

// lastGroup is texts of whole groups, or of one more that ends like this.
func lastGroup(groups uint64, end string) []*node {
	return []*node{
		{Type: "string", MaxLength: number(groups * groupDigits)},
		{Type: "string", MaxLength: number((groups + 1) * groupDigits), Pattern: end},
	}
}

// mapping is an object with a member for each entry [JSON-4.6].
func (b *builder) mapping(t *ir.Type) *node {
	made := &node{Type: "object", AdditionalProperties: b.value(t.Elem), MaxProperties: length(t)}
	switch {
	case t.Key.Kind == ir.StrKind:
		if most := length(t.Key); most != nil {
			made.PropertyNames = &node{Type: "string", MaxLength: most}
		}
	case t.Key.Kind == ir.EnumKind:
		e := t.Key.Enum()
		made.PropertyNames = b.enumKey(e)
		for _, m := range e.Members {
			// The name and the number are the same key [JSON-4.7].
			twice := &node{Properties: members{{string(digits(e.Base, m.Number)), nil}}}
			made.DependentSchemas = append(made.DependentSchemas, member{nameOf(&m.Meta, m.Name), twice})
		}
	case t.Key.Kind.Class() == ir.BoolClass:
		made.PropertyNames = &node{Enum: []any{"true", "false"}}
	default:
		made.PropertyNames = b.builtin(textName(t.Key.Kind))
	}
	return made
}

// enumKey is the texts that name a member [JSON-2.14].
func (b *builder) enumKey(e *ir.Enum) *node {
	var names, numbers []any
	for _, m := range e.Members {
		names = append(names, nameOf(&m.Meta, m.Name))
		numbers = append(numbers, string(digits(e.Base, m.Number)))
	}
	if e.Closed {
		return &node{Enum: append(names, numbers...)}
	}
	if len(names) == 0 {
		return b.builtin(textName(e.Base))
	}
	return &node{AnyOf: []*node{{Enum: names}, b.builtin(textName(e.Base))}}
}

// enum is a name, or a number in one of its forms [JSON-2.14].
func (b *builder) enum(e *ir.Enum) *node {
	var names, numbers, texts []any
	described := false
	for _, m := range e.Members {
		names = append(names, nameOf(&m.Meta, m.Name))
		numbers = append(numbers, digits(e.Base, m.Number))
		texts = append(texts, string(digits(e.Base, m.Number)))
		described = described || m.Doc != nil || m.Deprecated != nil
	}
	made := &node{}
	switch {
	case described:
		for _, m := range e.Members {
			name := nameOf(&m.Meta, m.Name)
			one := &node{Const: &name}
			describe(one, &m.Meta)
			made.AnyOf = append(made.AnyOf, one)
		}
	case len(names) > 0:
		made.AnyOf = append(made.AnyOf, &node{Type: "string", Enum: names})
	}
	if !e.Closed {
		made.AnyOf = append(made.AnyOf, b.builtin(e.Base.String()))
		return made
	}
	if len(e.Members) == 0 {
		made.Not = &node{}
		return made
	}
	made.AnyOf = append(made.AnyOf, &node{Type: "integer", Enum: numbers})
	if b.hasTexts(e.Base) {
		made.AnyOf = append(made.AnyOf, &node{Type: "string", Enum: texts})
	}
	return made
}

// digits are the digits of an integer of a kind.
func digits(kind ir.Kind, n int64) json.Number {
	if kind.IsSigned() {
		return json.Number(strconv.FormatInt(n, 10))
	}
	return json.Number(strconv.FormatUint(uint64(n), 10))
}

// hasTexts tells whether values of an integer kind may be texts, too. Where schemas are short,
// only integers may that are written as texts [JSON-2.2].
func (b *builder) hasTexts(kind ir.Kind) bool { return !b.isShort || kind.Bytes() > 4 }

const bytesName = "bytes"

// textName is the definition of the texts of an integer kind. No type has a name with a
// hyphen.
func textName(kind ir.Kind) string { return kind.String() + "-text" }

// definition is that of a scalar, or of bytes.
func (b *builder) definition(name string) *node {
	if name == bytesName {
		return &node{Type: "string", Pattern: base64Text, ContentEncoding: "base64"}
	}
	for _, kind := range ir.Scalars() {
		switch name {
		case kind.String():
			return b.scalar(kind)
		case textName(kind):
			return &node{Type: "string", Pattern: b.pattern(kind)}
		}
	}
	panic("jsonschema: " + name + " is no scalar")
}

// scalar is the schema of a scalar's values.
func (b *builder) scalar(kind ir.Kind) *node {
	switch kind.Class() {
	case ir.BoolClass:
		return &node{Type: "boolean"}
	case ir.UnsignedClass, ir.SignedClass: // [JSON-2.3]
		least, most := ends(kind)
		number := &node{Type: "integer", Minimum: least, Maximum: most}
		if !b.hasTexts(kind) {
			return number
		}
		return &node{AnyOf: []*node{number, b.builtin(textName(kind))}}
	case ir.FloatClass: // [JSON-2.7]
		number := &node{Type: "number"}
		if kind.Bytes() == 4 {
			number.ExclusiveMinimum, number.ExclusiveMaximum = "-"+infinity32, infinity32
		}
		return &node{AnyOf: []*node{number, {Type: "string", Pattern: b.pattern(kind)}}}
	case ir.TimestampClass: // [JSON-2.9]
		made := &node{Description: `A time in UTC, such as "2026-11-21T03:26:00.5Z".`, Type: "string", Pattern: b.pattern(kind)}
		if !b.isShort {
			made.AllOf = []*node{{Pattern: timeFirst}, {Pattern: timeLast}}
		}
		return made
	case ir.DurationClass: // [JSON-2.11]
		return &node{Description: `Seconds, such as "-1.5s".`, Type: "string", Pattern: b.pattern(kind)}
	case ir.UUIDClass: // [JSON-2.12]
		return &node{Type: "string", Pattern: b.pattern(kind)}
	}
	panic("jsonschema: " + kind.String() + " is no scalar")
}

// infinity32 is the least number that an f32 rounds to an infinity: half of a last place
// above its largest, and a tie goes to the even one.
const infinity32 = "340282356779733661637539395458142568448"

// ends are the least and the largest of an integer kind.
func ends(kind ir.Kind) (least, most json.Number) {
	bits := 8 * kind.Bytes()
	if kind.IsSigned() {
		return digits(kind, math.MinInt64>>(64-bits)), digits(kind, math.MaxInt64>>(64-bits))
	}
	return "0", digits(kind, int64(uint64(math.MaxUint64)>>(64-bits)))
}
