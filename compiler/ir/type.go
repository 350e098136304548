package ir

import "fmt"

// Kind is the kind of a type.
type Kind uint8

// The kinds that are no scalars, which follow the scalars.
const (
	StrKind   Kind = iota + Kind(len(scalars))
	BytesKind      // also []u8
	ListKind
	ArrayKind
	OptionalKind
	MapKind

	EnumKind
	UnionKind
	StructKind
	MessageKind
)

var kindNames = [...]string{
	StrKind: "str", BytesKind: "bytes", ListKind: "list", ArrayKind: "array",
	OptionalKind: "optional", MapKind: "map",
	EnumKind: "enum", UnionKind: "union", StructKind: "struct", MessageKind: "message",
}

// String is the kind's name; of a built-in scalar, its name in a schema.
func (k Kind) String() string {
	if int(k) < len(scalars) {
		return scalars[k].name
	}
	return kindNames[k]
}

// Type is a type expression, resolved. Types are immutable and may be shared.
type Type struct {
	Kind Kind
	// Elem is the element of a list, array or optional, and a map's value.
	Elem *Type
	Key  *Type  // a map's key
	N    uint64 // an array's length
	// LenBytes is the width of the length or count of a str, bytes, list or map:
	// 1, 2 or 4.
	LenBytes int
	// Max is the bound of @max, in bytes for str and bytes, else in elements;
	// nil where there is none.
	Max  *uint64
	Decl Decl // of an enum, union, struct or message
	// Alias is the alias that spelled this type here, else nil.
	Alias *Alias
	// Boxed is true where the source wrote Box<T>; the bytes are T's.
	Boxed bool
}

// Enum returns the declaration of an enum type.
func (t *Type) Enum() *Enum { return t.Decl.(*Enum) }

// Union returns the declaration of a union type.
func (t *Type) Union() *Union { return t.Decl.(*Union) }

// Struct returns the declaration of a struct type.
func (t *Type) Struct() *Struct { return t.Decl.(*Struct) }

// Message returns the declaration of a message type.
func (t *Type) Message() *Message { return t.Decl.(*Message) }

// Scalar is the kind of a scalar's bytes: of an enum, its base. It is 0 for
// types that aren't scalars.
func (t *Type) Scalar() Kind {
	if t.Kind == EnumKind {
		return t.Enum().Base
	}
	if t.Kind.Bytes() > 0 {
		return t.Kind
	}
	return 0
}

// Value is a constant: a const's, a default's or an attribute's argument.
type Value struct {
	Kind ValueKind
	Bool bool
	// Int holds an integer's bits; of a u64 above the signed range too, told by
	// the type that the value is of.
	Int   int64
	Float float64
	Str   string
	// Member is set where the value is an enum's member.
	Member *EnumMember
	// Const is set where the source named a constant.
	Const *Const
}

// ValueKind says which field of a Value counts.
type ValueKind uint8

// The kinds of values. A uuid default is a StrValue in lower-case hyphenated
// form; timestamps and durations are IntValues.
const (
	BoolValue ValueKind = iota + 1
	IntValue
	FloatValue
	StrValue
	EnumValue // Int and Member
)

// Text is the value as a schema has it; t is its type, or an optional of that.
func (v Value) Text(t *Type) string {
	switch v.Kind {
	case BoolValue:
		return fmt.Sprint(v.Bool)
	case FloatValue:
		return fmt.Sprint(v.Float)
	case StrValue:
		return fmt.Sprintf("%q", v.Str)
	case EnumValue:
		return v.Member.Name
	}
	if t != nil && t.Kind == OptionalKind {
		t = t.Elem
	}
	if t != nil && t.Kind.Class() == UnsignedClass {
		return fmt.Sprint(uint64(v.Int))
	}
	return fmt.Sprint(v.Int)
}
