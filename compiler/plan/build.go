package plan

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// flattenItemsMax is how many values a fixed-size struct may hold to be
// flattened into the run that it lies in. It bounds the code that backends make
// of structs within structs.
const flattenItemsMax = 16

type builder struct {
	program *Program
	// whole says which values of fixed size are parts of runs; nil means all.
	whole func(*ir.Type) bool
	order []*Body
	// groups are all declarations, with declarations that hold each other in one group.
	groups [][]ir.Decl
}

// declare makes an empty body for every type, so that they can refer to each
// other.
func (b *builder) declare() {
	var decls []ir.Decl
	for _, pkg := range b.program.Schema.Packages {
		for _, d := range pkg.Decls {
			for _, d := range ir.WithInline(d) {
				if _, isEnum := d.(*ir.Enum); isEnum {
					continue
				}
				body := &Body{Decl: d}
				b.program.bodies[d] = body
				b.order = append(b.order, body)
				decls = append(decls, d)
			}
		}
	}
	b.groups = Components(decls, Mentions)
	for _, group := range b.groups {
		if isCircle(group) {
			for _, d := range group {
				b.program.bodies[d].Recursive = true
			}
		}
	}
}

// build fills in the ops.
func (b *builder) build() {
	for _, body := range b.order {
		b.fill(body)
	}
}

func (b *builder) fill(body *Body) {
	body.Segments = b.bodySegments(body.Decl)
	if u, ok := body.Decl.(*ir.Union); ok {
		body.Alternatives = b.alternatives(u)
	}
}

// bodySegments plans a struct's fields, or a message's.
func (b *builder) bodySegments(d ir.Decl) []*Segment {
	switch d := d.(type) {
	case *ir.Struct:
		return []*Segment{b.segment(1, d.Fields)}
	case *ir.Message:
		var segments []*Segment
		for i, fields := range d.Segments() {
			segments = append(segments, b.segment(i+1, fields))
		}
		return segments
	}
	return nil
}

func (b *builder) alternatives(u *ir.Union) []*Alternative {
	var alternatives []*Alternative
	for _, a := range u.Alternatives {
		alt := &Alternative{Alt: a, Size: fixedSize(0)}
		if a.Type != nil {
			alt.Op = b.op(nil, a.Type)
			alt.Size = alt.Op.OpSize()
		}
		alternatives = append(alternatives, alt)
	}
	slices.SortFunc(alternatives, func(a, b *Alternative) int { return int(a.Alt.Tag) - int(b.Alt.Tag) })
	return alternatives
}

// segment merges neighbouring fields of fixed size into runs and makes an op of
// every other field.
func (b *builder) segment(number int, fields []*ir.Field) *Segment {
	s := &Segment{Number: number, Fields: fields, Size: b.fieldsSize(fields)}
	fields, apart := b.apart(fields)
	for len(fields) > 0 {
		n := b.fixedPrefix(fields)
		if n == 0 {
			s.Ops = append(s.Ops, b.op(fields[0], fields[0].Type))
			fields = fields[1:]
			continue
		}
		run := &Run{}
		for _, f := range fields[:n] {
			traits := b.program.Traits(f.Type)
			run.Parts = append(run.Parts, Part{f, run.Bytes, b.program.SizeOf(f.Type).Min, traits})
			run.Traits = run.With(traits)
			b.place(run, []*ir.Field{f}, f.Type)
		}
		s.Ops = append(s.Ops, run)
		fields = fields[n:]
	}
	for _, f := range apart {
		s.Ops = append(s.Ops, b.op(f, f.Type))
	}
	return s
}

// apart takes the fields without bytes out, where values of fixed size are read whole: they have no
// place in a run.
func (b *builder) apart(fields []*ir.Field) (rest, empty []*ir.Field) {
	for _, f := range fields {
		if b.whole != nil && b.inRun(f.Type) && b.program.SizeOf(f.Type).Min == 0 {
			empty = append(empty, f)
		} else {
			rest = append(rest, f)
		}
	}
	return rest, empty
}

func (b *builder) fixedPrefix(fields []*ir.Field) int {
	for i, f := range fields {
		if !b.inRun(f.Type) {
			return i
		}
	}
	return len(fields)
}

func (b *builder) inRun(t *ir.Type) bool {
	return b.program.SizeOf(t).Fixed && (b.whole == nil || b.whole(t))
}

// op makes the step for one value, which is a field's or an element.
func (b *builder) op(field *ir.Field, t *ir.Type) Op {
	if b.inRun(t) {
		run := &Run{Field: field, Type: t, Traits: b.program.Traits(t)}
		b.place(run, nil, t)
		return run
	}
	c := common{Field: field, Type: t, Size: b.program.SizeOf(t)}
	switch t.Kind {
	case ir.StrKind:
		return &Text{c}
	case ir.BytesKind:
		return &Blob{c}
	case ir.ListKind:
		return &List{c, b.op(nil, t.Elem), b.program.SizeOf(t.Elem)}
	case ir.ArrayKind:
		return b.array(c)
	case ir.OptionalKind:
		return &Optional{c, b.op(nil, t.Elem), b.program.SizeOf(t.Elem)}
	case ir.MapKind:
		return &Map{c, b.op(nil, t.Key), b.op(nil, t.Elem), b.program.EntrySize(t)}
	case ir.UnionKind, ir.StructKind, ir.MessageKind:
		return &NestedType{c, b.program.bodies[t.Decl]}
	}
	panic("plan: no op is for a " + t.Kind.String())
}

func (b *builder) array(c common) *Array {
	a := &Array{c, b.op(nil, c.Type.Elem), b.program.SizeOf(c.Type.Elem), Traits{Elements: ArrayElements(c.Type)}}
	if _, isRun := a.Elem.(*Run); isRun {
		a.Traits = b.program.Traits(c.Type)
	}
	return a
}

// place lays out a value behind the items that are there, a small struct as its
// fields.
func (b *builder) place(run *Run, path []*ir.Field, t *ir.Type) {
	size := b.program.SizeOf(t).Min
	if size == 0 {
		return
	}
	item := Item{Path: path, Offset: run.Bytes, Type: t}
	switch t.Kind {
	case ir.StructKind:
		if b.leaves(t) <= flattenItemsMax {
			for _, f := range t.Struct().Fields {
				b.place(run, append(slices.Clone(path), f), f.Type)
			}
			return
		}
		item.Body = b.program.bodies[t.Decl]
	case ir.ArrayKind:
		item.Elem = b.op(nil, t.Elem).(*Run)
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.OptionalKind, ir.MapKind, ir.UnionKind, ir.MessageKind:
		panic("plan: no run has a " + t.Kind.String())
	}
	run.Items = append(run.Items, item)
	run.Bytes = add(run.Bytes, size)
}

// leaves counts the values that a type flattens to. A type without bytes has none, and isn't looked
// into: structs of nothing but each other may be any number.
func (b *builder) leaves(t *ir.Type) int {
	if b.program.SizeOf(t).Min == 0 {
		return 0
	}
	if t.Kind != ir.StructKind {
		return 1
	}
	n := 0
	for _, f := range t.Struct().Fields {
		n += b.leaves(f.Type)
		if n > flattenItemsMax {
			break
		}
	}
	return n
}
