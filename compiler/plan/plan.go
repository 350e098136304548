// Package plan turns a resolved schema into wire steps: for every declared type
// the list of ops that encode and decode it, with neighbouring fixed-size
// fields merged into runs, offsets, smallest and largest sizes, the canonical
// layout text and the fingerprints. Only this package knows the bytes: backends and the interpreter
// render its ops and decide nothing about them. It knows no target language.
package plan

import "github.com/serial-data-protocol/sdp/compiler/ir"

// Program is the plan of a whole schema. It is immutable once made.
type Program struct {
	Schema *ir.Schema
	bodies map[ir.Decl]*Body
}

// New plans every declaration of a checked schema.
func New(schema *ir.Schema) *Program {
	p := &Program{Schema: schema, bodies: map[ir.Decl]*Body{}}
	b := builder{program: p}
	b.declare()
	b.measure()
	b.build()
	return p
}

// Body returns the plan of a struct, message or union; nil for an enum, which
// has no steps beyond its base integer.
func (p *Program) Body(d ir.Decl) *Body { return p.bodies[d] }

// BodyBy plans a body for a language that reads not all values of fixed size as one
// piece of bytes: others than whole says interrupt a run, and have an op of their
// own. The parts of a whole value are whole too. A field without bytes is no part of a run then,
// and the last of its segment.
func (p *Program) BodyBy(d ir.Decl, whole func(*ir.Type) bool) *Body {
	body := *p.bodies[d]
	(&builder{program: p, whole: whole}).fill(&body)
	return &body
}

// Bodies returns the plans of a package's own types in declaration order, each
// union followed by its inline alternatives.
func (p *Program) Bodies(pkg *ir.Package) []*Body {
	var bodies []*Body
	for _, d := range pkg.Decls {
		for _, d := range ir.WithInline(d) {
			if b := p.bodies[d]; b != nil {
				bodies = append(bodies, b)
			}
		}
	}
	return bodies
}

// Body is the plan of one struct, message or union: what lies between its first
// and its last byte. The u32 length before a nested message isn't part of it.
type Body struct {
	Decl ir.Decl
	// Segments holds the steps: one segment for a struct, one or more for a
	// message, none for a union.
	Segments []*Segment
	// Alternatives holds a union's cases by ascending tag.
	Alternatives []*Alternative
	// Size is the body's own size. A message's smallest is that of segment 1
	// alone, since an older writer knows no more; its largest has all segments.
	Size Size
	// Recursive is true for a type that can contain itself.
	Recursive bool
	// Grows is true for a message, and for a struct that has one as a part.
	Grows bool
	// Traits are the traits of a struct of fixed size.
	Traits Traits
}

// Fixed reports whether every value of the body has the same size, so that it
// can be part of a run. A message never is: it may grow.
func (b *Body) Fixed() bool {
	_, isStruct := b.Decl.(*ir.Struct)
	return isStruct && b.Size.Fixed
}

// Segment is the fields that one release of a message added.
type Segment struct {
	Number int // from 1
	Fields []*ir.Field
	Ops    []Op
	Size   Size
}

// Alternative is one case of a union.
type Alternative struct {
	Alt *ir.Alternative
	Op  Op // nil where the alternative has no payload
	// Size is the payload's.
	Size Size
}

// Size bounds how many bytes a value takes on the wire.
type Size struct {
	Min uint64
	// Max is the largest size if Bounded.
	Max     uint64
	Bounded bool
	// Fixed is true if all values have the same size, by construction: made of
	// scalars, arrays and structs alone.
	Fixed bool
}

// Op is one wire step. It is one of *Run, *Text, *Blob, *List, *Array,
// *Optional, *Map and *Nested.
//
// An op works on one value. Within a segment that value is the field Field of the
// body's, or the body's itself for a *Run of several fields; as an element, an
// optional's content, a map's key or value or a union's payload it is that value
// itself, and Field is nil.
type Op interface {
	// OpSize is the size of the bytes that the step reads or writes.
	OpSize() Size
	// OpField is the field that the step stands for; nil for runs and elements.
	OpField() *ir.Field
}

// common is the common part of the ops.
type common struct {
	Field *ir.Field
	Type  *ir.Type
	Size  Size
}

// OpSize is the size of the bytes that the step reads or writes.
func (c *common) OpSize() Size { return c.Size }

// OpField is the field the step stands for, or nil.
func (c *common) OpField() *ir.Field { return c.Field }

// Run is a stretch of fixed size: one bounds check, then loads and stores at
// known offsets.
type Run struct {
	// Field and Type are set for a run that is one value, as in common.
	Field *ir.Field
	Type  *ir.Type
	// Parts are the fields of a run that is no one value.
	Parts []Part
	Items []Item
	Bytes uint64
	Traits
}

// OpSize is the run's size, which is fixed.
func (r *Run) OpSize() Size { return fixedSize(r.Bytes) }

// OpField is nil for a run that stands for several fields.
func (r *Run) OpField() *ir.Field { return r.Field }

// Part is one field of a run, of any type.
type Part struct {
	Field  *ir.Field
	Offset uint64 // from the run's first byte
	Bytes  uint64
	Traits
}

// Item is one value in a run.
type Item struct {
	// Path leads from the value that the run belongs to to this one. It is empty
	// for an element that is itself the run.
	Path   []*ir.Field
	Offset uint64 // from the run's first byte
	// Type is a scalar, an array, or a struct that is too large to be flattened
	// into the run.
	Type *ir.Type
	// Elem is the run of one element of an array; nil otherwise.
	Elem *Run
	// Body is the plan of a struct that isn't flattened; nil otherwise.
	Body *Body
}

// Text is a str: a length and UTF-8.
type Text struct{ common }

// Blob is bytes: a length and anything.
type Blob struct{ common }

// List is a count and elements.
type List struct {
	common
	Elem     Op
	ElemSize Size
}

// Array is N elements that aren't of fixed size; elements of fixed size are items of runs.
type Array struct {
	common
	Elem     Op
	ElemSize Size
	// Traits are what is known of all elements together where they are runs, else of
	// their number alone.
	Traits
}

// Optional is a presence byte and perhaps a value.
type Optional struct {
	common
	Elem     Op
	ElemSize Size
}

// Map is a count and pairs in ascending key order.
type Map struct {
	common
	Key, Value Op
	EntrySize  Size
}

// NestedType is a struct of varying size, a message with its length before it, or
// a union.
type NestedType struct {
	common
	Body *Body
}

// Op returns the step for one value of a type, by itself.
func (p *Program) Op(t *ir.Type) Op {
	b := builder{program: p}
	return b.op(nil, t)
}
