// Package ir holds a resolved schema: every name looked up, every constant
// evaluated, every attribute understood. The checker makes it of source text, and every later phase
// starts from it. It knows no syntax, no byte layout and no target language.
//
// A schema is built once, by the checker, and never changed afterwards; readers
// may share it between goroutines.
package ir

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Schema is a compiled program: the packages named on the command line and all
// that they import.
type Schema struct {
	// Packages is in dependency order: a package comes after those it imports.
	Packages []*Package
	// Roots are the packages that were asked for, in the order asked.
	Roots []*Package
}

// Package is one schema file.
type Package struct {
	Name string // dotted: "audio.host"
	Path string // the file as the user named it
	Doc  Doc    // the file's own //! comment
	// Legacy is true for a file that uses nothing newer than SDP 0.2.0. Its
	// structs have positional type ids and its nested options are flattened.
	Legacy bool

	Imports  []*Import
	Consts   []*Const   // in declaration order
	Aliases  []*Alias   // in declaration order
	Decls    []Decl     // enums, unions, structs, messages in declaration order
	Services []*Service // in declaration order

	ReservedIDs []Range // retired type ids
	Custom      []Custom
	Waivers     []Waiver    // lints that are waived for the whole file
	Span        source.Span // the package statement, or the file's first byte
	// Canonical is the file in canonical format without comments: the text that
	// the source fingerprint is taken over.
	Canonical string
}

// Import is one import statement.
type Import struct {
	Name    string // the local name
	Package *Package
	Used    bool
	Span    source.Span
}

// Doc is a documentation comment, one element a line, markers removed. It is
// nil where there is none.
type Doc []string

// Const is a named constant.
type Const struct {
	Name  string
	Type  *Type // a bool, integer, float or str
	Value Value
	Used  bool // by this schema's own text
	Meta
}

// Alias is another spelling of a type. Types keep the alias that the source names; the bytes are
// the bytes of Type.
type Alias struct {
	Name string
	Type *Type
	Used bool
	Meta
}

// Decl is a declared type: *Enum, *Union, *Struct or *Message.
type Decl interface {
	// DeclName is the name within its package.
	DeclName() string
	// DeclPackage is the package that declares it.
	DeclPackage() *Package
	// DeclMeta is what all declarations have.
	DeclMeta() *Meta
	isDecl()
}

// Meta is what every declaration and member may carry.
type Meta struct {
	Package    *Package
	Doc        Doc
	Deprecated *string           // the reason; nil where not deprecated
	Names      map[string]string // @name: target ("go", "rust", "json", …) to name
	Custom     []Custom          // @x.* attributes
	Waivers    []Waiver          // lints that the source waives here
	Span       source.Span       // the name
	Full       source.Span       // the whole declaration with its attributes
}

// Custom is an @x.* attribute, carried to generators untouched.
type Custom struct {
	Name string // without "@", for instance "x.gui.slider"
	Args []Arg
	Span source.Span
}

// Arg is one argument of an attribute; Name is empty for a positional one.
type Arg struct {
	Name  string
	Value Value
}

// Waiver is a lint that the schema's author switched off for one declaration or
// for the whole file, with the reason.
type Waiver struct {
	Code   string
	Reason string
	Span   source.Span
}

// TypeID is a message-mode id. A declaration without one has no message mode.
type TypeID struct {
	Value      uint16
	Positional bool // given by position in a legacy file, not written
	Span       source.Span
}

// Enum is a named set of numbers over a base integer.
type Enum struct {
	Name    string
	Base    Kind // an integer kind
	Closed  bool
	Members []*EnumMember
	// Reserved numbers and names must not come back.
	Reserved Reserved
	Used     bool
	Meta
}

// EnumMember is one named number. Negative numbers of a signed base are held as
// the two's complement bits, sign-extended to 64.
type EnumMember struct {
	Name   string
	Number int64 // for a u64 base: the same bits
	Meta
}

// Union is a set of tagged alternatives.
type Union struct {
	Name         string
	ID           *TypeID
	Closed       bool
	Alternatives []*Alternative // in declaration order
	Reserved     Reserved
	Used         bool
	Meta
}

// Alternative is one case of a union.
type Alternative struct {
	Name string
	Tag  uint8
	// Type is the payload; nil for none. For an inline alternative it is the
	// struct type of Inline.
	Type *Type
	// Inline is the anonymous struct of `Changed { id: u32 } = 2`, else nil. Its
	// Name is the union's and the alternative's joined by a dot.
	Inline *Struct
	Meta
}

// Struct is a frozen sequence of fields.
type Struct struct {
	Name   string
	ID     *TypeID
	Fields []*Field
	// Owner is the union whose inline alternative this is, else nil. Inline
	// structs aren't in Package.Decls.
	Owner *Union
	Used  bool
	Meta
}

// Message is a growing sequence of fields, in segments.
type Message struct {
	Name        string
	ID          *TypeID
	KeepUnknown bool
	Fields      []*Field // all segments, in wire order
	Used        bool
	Meta
}

// Segments splits the fields by segment; the first is segment 1 and may be
// empty, the others are never.
func (m *Message) Segments() [][]*Field {
	segments := [][]*Field{nil}
	for _, f := range m.Fields {
		for len(segments) < f.Since {
			segments = append(segments, nil)
		}
		segments[f.Since-1] = append(segments[f.Since-1], f)
	}
	return segments
}

// Field is one field of a struct or message.
type Field struct {
	Name  string
	Type  *Type
	Since int // the segment, from 1
	// Inline is true for a field of an inline alternative.
	Inline bool
	// Default is the value of a field whose segment is missing; nil means zero,
	// empty or absent. For ?T it is a value of T.
	Default *Value
	Meta
}

// JSONName is the field's key in JSON.
func (f *Field) JSONName() string {
	if n, ok := f.Names["json"]; ok {
		return n
	}
	return f.Name
}

// Service is a set of methods.
type Service struct {
	Name     string
	Methods  []*Method
	Reserved Reserved
	Meta
}

// MethodKind says how a method's messages flow.
type MethodKind uint8

// The kinds of methods.
const (
	Call MethodKind = iota
	Stream
	Event
)

// Method is one operation of a service.
type Method struct {
	Name          string
	Kind          MethodKind
	Number        uint16
	Request       *Type // a struct, message or union
	Response      *Type // nil for an event
	RequestFlows  bool  // `stream` before the request
	ResponseFlows bool  // `stream` before the response
	Idempotent    bool
	Meta
}

// Reserved are the retired numbers and names of a declaration.
type Reserved struct {
	Numbers []Range
	Names   []string
}

// Range is an inclusive range of numbers.
type Range struct{ First, Last int64 }

// Contains reports whether n is in the range.
func (r Range) Contains(n int64) bool { return r.First <= n && n <= r.Last }

// DeclName returns the enum's name.
func (e *Enum) DeclName() string { return e.Name }

// DeclName returns the union's name.
func (u *Union) DeclName() string { return u.Name }

// DeclName returns the struct's name; an inline one's is "Union.Alternative".
func (s *Struct) DeclName() string { return s.Name }

// DeclName returns the message's name.
func (m *Message) DeclName() string { return m.Name }

// DeclPackage returns the declaring package.
func (m *Meta) DeclPackage() *Package { return m.Package }

// DeclMeta returns m itself, so that code can treat all declarations alike.
func (m *Meta) DeclMeta() *Meta { return m }

func (*Enum) isDecl()    {}
func (*Union) isDecl()   {}
func (*Struct) isDecl()  {}
func (*Message) isDecl() {}

// FullName is the package and the name, joined by a dot.
func FullName(d Decl) string { return d.DeclPackage().Name + "." + d.DeclName() }

// KindOf returns the kind of types that a declaration declares.
func KindOf(d Decl) Kind {
	switch d.(type) {
	case *Enum:
		return EnumKind
	case *Union:
		return UnionKind
	case *Struct:
		return StructKind
	case *Message:
		return MessageKind
	}
	panic(fmt.Sprintf("ir: %T declares no type", d))
}

// IDOf returns the type id of a declaration, nil where it has none.
func IDOf(d Decl) *TypeID {
	switch d := d.(type) {
	case *Struct:
		return d.ID
	case *Message:
		return d.ID
	case *Union:
		return d.ID
	}
	return nil
}

// FieldsOf returns the fields of a struct or message, all segments in wire order;
// other declarations have none.
func FieldsOf(d Decl) []*Field {
	switch d := d.(type) {
	case *Struct:
		return d.Fields
	case *Message:
		return d.Fields
	}
	return nil
}

// WithInline returns a declaration and the structs of a union's inline alternatives.
func WithInline(d Decl) []Decl {
	decls := []Decl{d}
	if u, ok := d.(*Union); ok {
		for _, a := range u.Alternatives {
			if a.Inline != nil {
				decls = append(decls, a.Inline)
			}
		}
	}
	return decls
}
