package syntax

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Span is a place in a source file. Readers of trees need no other name of
// package source.
type Span = source.Span

// File is one parsed schema file. Where the text is not of the grammar, the
// tree holds what could be understood.
type File struct {
	Source *source.File
	// Docs are the `//!` comments before the first token.
	Docs []Comment
	// Attributes stand before the package statement.
	Attributes []*Attribute
	// Package is nil where the file has no package statement.
	Package      *Package
	Imports      []*Import
	Declarations []Declaration
	// ReservedIDs are the reserved statements at the top level.
	ReservedIDs []*Reserved
	// Comments are all comments of the file in order, documentation too.
	Comments []Comment
	// Incomplete is true if a declaration was not understood at all, so that a
	// name that seems to be missing may well be there.
	Incomplete bool
}

// CommentKind tells comments apart by how they are written.
type CommentKind uint8

// The kinds of comments.
const (
	LineComment    CommentKind = iota // //
	BlockComment                      // /* */
	DocComment                        // ///
	FileDocComment                    // //!
)

// Comment is a comment with its markers, without white space at its end.
type Comment struct {
	Kind CommentKind
	Span Span
	// OwnLine is true if no token stands before it on its line.
	OwnLine bool
}

// Text returns a documentation comment without its marker and one space.
func (c Comment) Text() string {
	return strings.TrimPrefix(c.Span.Text()[len("///"):], " ")
}

// Ident is a name with its place.
type Ident struct {
	Text string
	Span Span
}

// Path is one or more names joined by dots.
type Path struct {
	Parts []Ident
	Span  Span
}

// String joins the parts with dots.
func (p Path) String() string {
	names := make([]string, len(p.Parts))
	for i, part := range p.Parts {
		names[i] = part.Text
	}
	return strings.Join(names, ".")
}

// Attribute is `@name` or `@name(arguments)`.
type Attribute struct {
	Name Path
	Args []Argument
	// HasParens tells `@name()` from `@name`.
	HasParens bool
	Span      Span
}

// Argument is `value` or `name = value`.
type Argument struct {
	// Name is nil for a positional argument.
	Name  *Ident
	Value *Value
}

// ValueKind tells values apart by how they are written.
type ValueKind uint8

// The kinds of values.
const (
	IntegerValue ValueKind = iota
	FloatValue
	StringValue
	BoolValue
	PathValue
)

// Value is a literal or the name of a constant or member.
type Value struct {
	Kind ValueKind
	// Negative and Magnitude are an integer's sign and size.
	Negative  bool
	Magnitude uint64
	Float     float64
	// Text is a string with its escapes replaced.
	Text string
	Bool bool
	Path Path
	Span Span
}

// TypeKind tells type expressions apart by how they are written.
type TypeKind uint8

// The kinds of type expressions.
const (
	NameType     TypeKind = iota // T, a.T
	ListType                     // []T
	ArrayType                    // [N]T
	OptionalType                 // ?T
	OptionType                   // Option<T>
	BoxType                      // Box<T>
	MapType                      // map<K, V>
)

// Type is a type expression.
type Type struct {
	Kind       TypeKind
	Attributes []*Attribute
	Name       Path   // of a NameType
	Key        *Type  // of a MapType
	Elem       *Type  // of all but a NameType
	Length     *Value // of an ArrayType: an integer or a path
	// Span leaves the attributes out.
	Span Span
}

// Package is `package a.b;`.
type Package struct {
	Name Path
	Span Span
}

// Import is `import "path" as name;`.
type Import struct {
	Path     string
	PathSpan Span
	// Name is nil without `as`.
	Name *Ident
	Span Span
}

// Head is what every declaration and everything named inside one has.
type Head struct {
	Docs       []Comment
	Attributes []*Attribute
	Name       Ident
	// Span is all of it, attributes too, documentation and separator not.
	Span Span
	// Broken is true if the rest was not understood. The name is right.
	Broken bool
}

// Declaration is a *Const, *Alias, *Enum, *Struct, *Union or *Service.
type Declaration interface {
	// DeclarationHead returns what all declarations have.
	DeclarationHead() *Head
}

// DeclarationHead returns h itself.
func (h *Head) DeclarationHead() *Head { return h }

// Const is `const NAME: T = value;`.
type Const struct {
	Head
	Type  *Type
	Value *Value
}

// Alias is `type NAME = T;`.
type Alias struct {
	Head
	Type *Type
}

// Enum is `enum NAME: base { … }`.
type Enum struct {
	Head
	Base     *Type
	Members  []*Member
	Reserved []*Reserved
	Body     Span
}

// Member is `NAME = number` in an enum.
type Member struct {
	Head
	Value *Value
}

// Struct is `struct NAME { … }`, `message NAME { … }` or the body of an inline
// alternative.
type Struct struct {
	Head
	Message bool
	Fields  []*Field
	Body    Span
}

// Field is `name: T = default`.
type Field struct {
	Head
	Type *Type
	// Default is nil where there is none.
	Default *Value
}

// Union is `union NAME { … }`.
type Union struct {
	Head
	Alternatives []*Alternative
	Reserved     []*Reserved
	Body         Span
}

// Alternative is `NAME = tag`, `NAME(T) = tag` or `NAME { … } = tag`.
type Alternative struct {
	Head
	// Type is nil without a payload in parentheses.
	Type *Type
	// Inline is nil without a body of its own.
	Inline *Struct
	Tag    *Value
}

// Service is `service NAME { … }`.
type Service struct {
	Head
	Methods  []*Method
	Reserved []*Reserved
	Body     Span
}

// MethodKind tells methods apart by their keyword.
type MethodKind uint8

// The kinds of methods.
const (
	CallMethod MethodKind = iota
	StreamMethod
	EventMethod
)

// Method is `call a(T) -> U = n;` and its like.
type Method struct {
	Head
	Kind           MethodKind
	Request        *Type
	RequestStream  bool
	Response       *Type // nil for an event
	ResponseStream bool
	Number         *Value
}

// Reserved is one `reserved …;` statement.
type Reserved struct {
	Items []ReservedItem
	Span  Span
}

// ReservedItem is a number, a range of numbers or a name.
type ReservedItem struct {
	// First is nil for a name. Last is nil for a single number.
	First, Last *Value
	Name        Ident
	// Quoted tells whether the name was written as a string.
	Quoted bool
	Span   Span
}
