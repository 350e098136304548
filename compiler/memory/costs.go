package memory

import (
	"math/bits"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Costs are the costs of a program's values in one language.
type Costs struct {
	Model
	program *plan.Program
	// decisive are the extents by which it is decided what lies in what holds it. A
	// type that leads back to itself is without size while it is measured.
	decisive *extents
	// taken are the extents of values after the decisions.
	taken *extents
	// fixed remembers the structs that were asked for.
	fixed map[ir.Decl]bool
	// debts remembers the debts of types, without types on the way to a cycle.
	debts map[weight]debt
}

// New returns the costs of a program's values by a language's model.
func New(program *plan.Program, model Model) *Costs {
	c := &Costs{Model: model, program: program, fixed: map[ir.Decl]bool{}, debts: map[weight]debt{}}
	c.decisive = &extents{c, map[ir.Decl]extent{}}
	c.taken = &extents{c, map[ir.Decl]extent{}}
	return c
}

// extents are the sizes and alignments of a program's types.
type extents struct {
	*Costs
	// measured remembers declared types; one that is being measured has the size 0,
	// which ends recursion.
	measured map[ir.Decl]extent
}

// extent is how many bytes a value takes where it lies, a multiple of its alignment.
type extent struct{ size, align uint64 }

func words(size uint64) extent { return extent{size, wordBytes} }

// behind is the extent of a struct that has another field.
func (e extent) behind(field extent, reordered bool) extent {
	if !reordered {
		e.size = roundUp(e.size, field.align)
	}
	return extent{e.size + field.size, max(e.align, field.align)}
}

// or is the extent of what holds the one or the other.
func (e extent) or(o extent) extent {
	return extent{max(e.size, o.size), max(e.align, o.align)}
}

// Size is at least what a value takes where it lies, padding included, without what
// it points at.
func (c *Costs) Size(t *ir.Type) uint64 { return c.extent(t).size }

// Align is the alignment of a type.
func (c *Costs) Align(t *ir.Type) uint64 { return c.extent(t).align }

// DeclSize is Size of a declared struct, message or union.
func (c *Costs) DeclSize(d ir.Decl) uint64 {
	return c.extent(&ir.Type{Kind: ir.KindOf(d), Decl: d}).size
}

// extent is that of a type, once it is decided from there on what lies where.
func (c *Costs) extent(t *ir.Type) extent {
	c.decisive.of(t)
	return c.taken.of(t)
}

// OnHeap reports whether a type is an array that is held in memory of its own.
func (c *Costs) OnHeap(t *ir.Type) bool {
	return t.Kind == ir.ArrayKind && times(t.N, c.decisive.of(t.Elem).size) > c.InlineArrayMax
}

// Boxed reports whether an optional holds its value in memory of its own: a message, whose size may
// grow in a later release, and a large or recursive value. An array on the heap is there already.
func (c *Costs) Boxed(optional *ir.Type) bool {
	held := optional.Elem
	if c.OnHeap(held) {
		return false
	}
	return c.unmeasured(held) || c.decisive.of(held).size > c.InlineOptionalMax
}

// BoxedPayload reports whether an alternative holds its payload in memory of its
// own.
func (c *Costs) BoxedPayload(payload *ir.Type) bool {
	switch {
	case c.Union > 0:
		return true
	case c.OnHeap(payload):
		return false
	case c.InlineStructs && payload.Kind == ir.StructKind && payload.Struct().Owner != nil:
		return c.program.Recursive(payload)
	}
	return c.unmeasured(payload) || c.decisive.of(payload).size > c.InlinePayloadMax
}

// InPlace is the part of a value at its own place: the type without the arrays and optionals around
// it that hold nothing in memory of its own.
func (c *Costs) InPlace(t *ir.Type) *ir.Type {
	for t.Kind == ir.ArrayKind && !c.OnHeap(t) || t.Kind == ir.OptionalKind && !c.Boxed(t) {
		t = t.Elem
	}
	return t
}

// unmeasured reports whether a value has no size that it could lie in place with: it
// may hold one of its own type, or may grow in a later release.
func (c *Costs) unmeasured(t *ir.Type) bool {
	innermost := t
	for innermost.Kind == ir.ArrayKind {
		innermost = innermost.Elem
	}
	if innermost.Kind == ir.UnionKind && c.Union > 0 {
		return false
	}
	return c.program.Recursive(t) || c.program.Grows(t)
}

// Fixed reports whether values of the type are of one size on the wire and lie in
// one piece in memory, so that they are read and written as one.
func (c *Costs) Fixed(t *ir.Type) bool {
	switch t.Kind {
	case ir.ArrayKind:
		return c.Fixed(t.Elem) && !c.OnHeap(t) && c.program.SizeOf(t).Min <= c.FixedMax
	case ir.StructKind:
		return c.FixedDecl(t.Decl)
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.OptionalKind, ir.MapKind, ir.UnionKind, ir.MessageKind:
		return false
	}
	return t.Scalar() != 0
}

// FixedDecl is Fixed of a declared type.
func (c *Costs) FixedDecl(d ir.Decl) bool {
	s, isStruct := d.(*ir.Struct)
	if !isStruct || !c.program.Body(d).Fixed() || c.program.Body(d).Size.Min > c.FixedMax {
		return false
	}
	fixed, known := c.fixed[d]
	if !known {
		fixed = !slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return !c.Fixed(f.Type) })
		c.fixed[d] = fixed
	}
	return fixed
}

// Entry is what an entry of a map may cost, without what it points at.
func (c *Costs) Entry(t *ir.Type) uint64 {
	return c.MapEntry*(c.Size(t.Key)+c.Size(t.Elem)+1) + c.MapNode
}

// Behind is what an array, or an optional, takes in memory of its own; 0 where it
// lies in what holds it.
func (c *Costs) Behind(t *ir.Type) uint64 {
	switch {
	case c.OnHeap(t):
		return times(t.N, c.Size(t.Elem))
	case t.Kind == ir.OptionalKind && c.Boxed(t):
		return c.Size(t.Elem)
	}
	return 0
}

func (s *extents) of(t *ir.Type) extent {
	switch t.Kind {
	case ir.StrKind:
		return words(s.String)
	case ir.BytesKind:
		return words(s.Bytes)
	case ir.ListKind:
		if IsNumber(t.Elem) {
			return words(s.Numbers)
		}
		return words(s.List)
	case ir.MapKind:
		return words(s.Map)
	case ir.ArrayKind:
		return s.array(t)
	case ir.OptionalKind:
		return s.optional(t)
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return s.declared(t.Decl)
	}
	return s.scalar(t.Scalar())
}

func (c *Costs) scalar(kind ir.Kind) extent {
	if c.Number > 0 {
		return words(c.Number)
	}
	n := uint64(kind.Bytes())
	switch kind.Class() {
	case ir.TimestampClass:
		return words(c.Timestamp)
	case ir.UUIDClass:
		return extent{n, 1}
	case ir.BoolClass, ir.UnsignedClass, ir.SignedClass, ir.FloatClass, ir.DurationClass:
		n = widened(n)
		return extent{n, n}
	}
	panic("memory: " + kind.String() + " is no scalar")
}

// widened is the width of a number of so many bytes: a machine has no other widths.
func widened(n uint64) uint64 { return 1 << bits.Len64(n-1) }

// IsNumber reports whether a list of the type can lie in memory as it lies on the
// wire: built-in numbers, but not what is checked or has a type of its own.
func IsNumber(t *ir.Type) bool {
	n := uint64(t.Kind.Bytes())
	return (t.Kind.IsInteger() || t.Kind.IsFloat()) && widened(n) == n
}

func (s *extents) array(t *ir.Type) extent {
	if s.OnHeap(t) {
		return words(s.Pointer)
	}
	elem := s.of(t.Elem)
	switch {
	case s.Object > 0 && t.Elem.Kind.Bytes() > 0:
		return words(s.Numbers + roundUp(times(t.N, uint64(t.Elem.Kind.Bytes())), wordBytes))
	case s.Object > 0:
		return words(s.List + times(t.N, elem.size))
	}
	return extent{times(t.N, elem.size), elem.align}
}

func (s *extents) optional(t *ir.Type) extent {
	if s.Boxed(t) {
		return words(s.Pointer)
	}
	elem := s.of(t.Elem)
	if slices.Contains(s.Niches, t.Elem.Kind) && (t.Elem.Kind != ir.ArrayKind || s.OnHeap(t.Elem)) {
		return elem
	}
	return extent{elem.size + elem.align, elem.align}
}

func (s *extents) declared(d ir.Decl) extent {
	if known, ok := s.measured[d]; ok {
		return known
	}
	e := extent{align: 1}
	s.measured[d] = e
	switch d := d.(type) {
	case *ir.Struct:
		e = s.fields(d.Fields)
	case *ir.Message:
		e = s.fields(d.Fields)
		if d.KeepUnknown {
			e = e.behind(words(s.Bytes), s.Reordered)
		}
	case *ir.Union:
		e = s.union(d)
	}
	if _, isUnion := d.(*ir.Union); !isUnion {
		e.size += s.Object
	}
	e.size = max(s.Empty, roundUp(e.size, e.align))
	s.measured[d] = e
	return e
}

func (s *extents) fields(fields []*ir.Field) extent {
	all := extent{align: 1}
	for _, f := range fields {
		all = all.behind(s.of(f.Type), s.Reordered)
	}
	return all
}

// union is as large as its largest alternative, and the tag.
func (s *extents) union(u *ir.Union) extent {
	if s.Union > 0 {
		return words(s.Union)
	}
	all := extent{s.Empty, 1}
	if !u.Closed {
		all = words(s.Unknown)
	}
	for _, a := range u.Alternatives {
		switch {
		case a.Type == nil:
		case s.BoxedPayload(a.Type):
			all = all.or(words(s.Pointer))
		default:
			all = all.or(s.of(a.Type))
		}
	}
	return extent{roundUp(all.size, all.align) + all.align, all.align}
}

func roundUp(n, limit uint64) uint64 { return (n + limit - 1) / limit * limit }

// times multiplies without overflow; what is too large for any machine stays so.
func times(a, b uint64) uint64 {
	if b != 0 && a > 1<<62/b {
		return 1 << 62
	}
	return a * b
}
