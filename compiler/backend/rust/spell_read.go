package rust

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// reader spells reading: what makes a value of a form, what reads into one that is
// there, and what validates and finds the parts of a view.
type reader struct {
	*generator
	form form
	// into is true while a value is read into one that is there.
	into bool
	// source is the expression of the bytes that are read from, and rest the expression of the rest
	// of them.
	source, rest string
	// read is where fields were read to.
	read map[*ir.Field]*target
	// parts are the parts of the view that are still to be found, and bind the text before their
	// names.
	view  *view
	parts []part
	bind  string
	// steps is how many ops of the segment were spelled, and maps how many maps are
	// being read inside each other.
	steps, maps int
}

// target is where a value goes that is read. Nil is nowhere.
type target struct {
	// at is the place of a value that is there; otherwise a variable is made.
	at   *place
	name string // the variable
	// value is the expression of a value that was read into a variable.
	value string
	// isView is true for a view as a whole, and for a part whose bytes are kept.
	isView bool
}

func there(p place) *target { return &target{at: &p} }

// isThere reports whether there is a value that is read into.
func (t *target) isThere() bool { return t != nil && t.at != nil }

func (r *reader) Field(dst *target, f *ir.Field) *target {
	r.steps++
	switch {
	case dst.isThere():
		return there(place{text: dst.at.text + "." + r.names.Of(f)})
	case r.form == viewed:
		return r.part(dst, f)
	}
	r.read[f] = &target{name: r.names.Get(f, names.Local)}
	return r.read[f]
}

// part finds a field of a view. A field without a length before it is kept with all bytes behind
// it.
func (r *reader) part(dst *target, f *ir.Field) *target {
	if r.types.Fixed(f.Type) {
		return dst // it has no bytes
	}
	name := r.nextPart()
	if k := f.Type.Kind; k == ir.StrKind || k == ir.BytesKind || k == ir.MessageKind {
		return &target{name: name, isView: true}
	}
	r.Line("%s%s = %s;", r.bind, name, r.rest)
	return nil
}

func (r *reader) nextPart() string {
	name := r.parts[0].name
	r.parts = r.parts[1:]
	return name
}

func (r *reader) Charge(_ *target, traits plan.Traits) {
	if traits.Levels > 0 {
		r.Line("d.enter(depth + %d)?;", traits.Levels)
	}
	if traits.Elements > 0 {
		r.Line("d.elements(%s)?;", integer(traits.Elements))
	}
}

func (r *reader) Run(dst *target, run *plan.Run) {
	if run.Type != nil {
		r.fixed(dst, run.Type)
		return
	}
	name, bind := "run", "let "
	if r.steps++; r.steps > 1 {
		name = fmt.Sprintf("run%d", r.steps)
	}
	if r.form == viewed {
		name, bind = r.nextPart(), r.bind
	}
	r.Line("%s%s = wire::run::<%d>(%s)?;", bind, name, run.Bytes, r.source)
	for _, p := range run.Parts {
		bytes := slice(name, p.Offset, p.Bytes)
		if p.Checked {
			r.Line("wire::valid::<%s>(%s)?;", r.types.spell(p.Field.Type, owned), bytes)
		}
		switch {
		case dst.isThere():
			r.Line("self.%s = %s;", r.names.Of(p.Field), r.fromBytes(p.Field.Type, bytes))
		case r.form != viewed:
			r.read[p.Field] = &target{value: r.fromBytes(p.Field.Type, bytes)}
		}
	}
}

// fixed prints what reads a value of fixed size by itself.
func (r *reader) fixed(dst *target, t *ir.Type) {
	switch {
	case dst.isThere():
		r.Line("%s = wire::fixed(%s)?;", dst.at.value(), r.source)
	case dst == nil || !dst.isView:
		r.leaf(dst, fmt.Sprintf("wire::fixed::<%s>(%s)?", r.types.spell(t, owned), r.source), "%s")
	}
}

// leaf prints what reads a value by one expression, of which an owned one is made.
func (r *reader) leaf(dst *target, source, output string) {
	if dst == nil {
		r.Line("%s;", source)
		return
	}
	r.Line("let %s = %s;", dst.name, source)
	dst.value = fmt.Sprintf(pick(r.form, output, "%s"), dst.name)
}

func (r *reader) Text(dst *target, t *ir.Type) {
	r.framed(dst, t, "text", ".as_bytes()", "wire::assign", "wire::string(%s)")
}

func (r *reader) Blob(dst *target, t *ir.Type) {
	r.framed(dst, t, "bytes", "", "wire::assign_bytes", "%s.to_vec()")
}

// framed prints what reads a length and as many bytes by a function. A view keeps
// them as bytes, assign puts them into the value that is there, and made makes an owned
// one of them.
func (r *reader) framed(dst *target, t *ir.Type, function, bytes, assign, output string) {
	read := fmt.Sprintf("wire::%s::<%d>(%s, %s)?", function, t.LenBytes, r.source, most(t.Max))
	switch {
	case dst.isThere():
		r.call(assign, []string{dst.at.mut(), read}, ";")
	case dst != nil && dst.isView:
		r.Line("%s%s = %s%s;", r.bind, dst.name, read, bytes)
	default:
		r.leaf(dst, read, output)
	}
}

func (r *reader) Items(dst *target, t *ir.Type, _ *plan.Run, _ func(*target)) {
	args := []string{r.source, most(t.Max), "depth"}
	elem := r.types.spell(t.Elem, owned)
	switch {
	case dst == nil:
		r.call(fmt.Sprintf("d.items::<%d, %s>", t.LenBytes, elem), args, "?;")
		return
	case dst.isThere():
		r.call(fmt.Sprintf("d.fixed_list_into::<%d, _>", t.LenBytes), append([]string{dst.at.mut()}, args...), "?;")
		return
	case r.form == borrowed && memory.IsNumber(t.Elem):
		read := fmt.Sprintf("let %s = d.numbers::<%d, %s>", dst.name, t.LenBytes, scalars.Of(t.Elem.Kind).name)
		r.call(read, args[:2], "?;")
	default:
		r.call(fmt.Sprintf("let %s = d.fixed_list::<%d, %s>", dst.name, t.LenBytes, elem), args, "?;")
	}
	dst.value = dst.name
}

func (r *reader) count(t *ir.Type, least uint64) {
	r.Line("let n = d.count::<%d>(%s, %s, %s)?;", t.LenBytes, r.source, most(t.Max), integer(least))
}

// replaced prints code that reads a value without use of the present one.
func (r *reader) replaced(dst *target, body func(dst *target)) {
	made := &target{name: "decoded"}
	body(made)
	r.Line("%s = %s;", dst.at.value(), made.value)
}

// hasDefault reports whether the owned form of a type has a Default, as all but long
// arrays have.
func hasDefault(t *ir.Type) bool {
	return t.Kind != ir.ArrayKind || t.N <= defaultArrayMax && hasDefault(t.Elem)
}

// defaultArrayMax is how long arrays may be that Rust has a Default for.
const defaultArrayMax = 32

func (r *reader) List(dst *target, t *ir.Type, least uint64, visit func(*target)) {
	if dst.isThere() && !hasDefault(t.Elem) { // which new elements would have
		r.replaced(dst, func(output *target) { r.List(output, t, least, visit) })
		return
	}
	r.count(t, least)
	switch {
	case dst.isThere():
		r.Line("wire::resize(d, %s, n, %s)?;", dst.at.mut(), r.rest)
		item := r.element(dst.at.text)
		r.Line("for %s in %s {", item, dst.at.mut())
		r.In(func() { visit(there(place{item, true})) })
		r.Line("}")
	case dst != nil && (t.Elem.Kind == ir.StructKind || t.Elem.Kind == ir.UnionKind):
		r.call("let "+dst.name+" = wire::list", []string{"n", "d", r.source, "depth + 1"}, "?;")
		dst.value = dst.name
	default:
		r.push(dst, "n", visit)
	}
}

// push prints the loop that reads n elements, into a new list if not nowhere.
func (r *reader) push(dst *target, n string, visit func(*target)) {
	var elem *target
	if dst != nil {
		elem, dst.value = &target{name: r.element(dst.name)}, dst.name
		r.Line("let mut %s = d.list(%s, %s)?;", dst.name, n, r.rest)
	}
	r.Line("for _ in 0..%s {", n)
	r.In(func() {
		visit(elem)
		if dst != nil {
			r.Line("%s.push(%s);", dst.name, elem.value)
		}
	})
	r.Line("}")
}

func (r *reader) Array(dst *target, t *ir.Type, visit func(*target)) {
	isFixed := r.types.Fixed(t.Elem)
	switch {
	case dst.isThere() && isFixed && r.types.OnHeap(t):
		r.call("wire::array_into", []string{dst.at.mut(), r.source}, "?;")
	case dst.isThere():
		r.replaced(dst, func(output *target) { r.Array(output, t, visit) })
	case dst == nil && isFixed:
		bytes := fmt.Sprintf("wire::take(%s, %s)?", r.source, integer(r.program.SizeOf(t).Min))
		r.call("wire::all_valid::<"+r.types.spell(t.Elem, owned)+">", []string{bytes}, "?;")
	case dst == nil:
		r.push(dst, integer(t.N), visit)
	case isFixed && r.types.OnHeap(t):
		r.leaf(dst, "d.boxed_array("+r.source+")?", "%s")
	default:
		r.push(dst, integer(t.N), visit)
		function := "wire::array"
		if r.types.OnHeap(t) {
			function = "wire::array_in_box"
		}
		r.Line("let %s = %s(%s)?;", dst.name, function, dst.name)
	}
}

func (r *reader) Map(dst *target, t *ir.Type, least uint64, key, value func(*target)) {
	if dst.isThere() {
		r.replaced(dst, func(output *target) { r.Map(output, t, least, key, value) })
		return
	}
	r.count(t, least)
	k, v := &target{name: "key"}, &target{name: "value"}
	if dst == nil {
		r.Line("let mut last = None;")
		r.Line("for _ in 0..n {")
		r.In(func() {
			key(k)
			r.Line("wire::follows(&mut last, key)?;")
			value(nil)
		})
		r.Line("}")
		return
	}
	entries := "entries"
	if r.maps++; r.maps > 1 {
		entries = fmt.Sprintf("entries%d", r.maps)
	}
	r.Line("let mut %s = d.entries(n, %s)?;", entries, r.rest)
	r.Line("for _ in 0..n {")
	r.In(func() {
		key(k)
		if k.value != "key" {
			r.Line("let key = %s;", k.value)
		}
		r.Line("wire::ascending(&%s, &key)?;", entries)
		value(v)
		r.Line("%s.push((key, %s));", entries, v.value)
	})
	r.Line("}")
	r.Line("let %s = wire::map(%s);", dst.name, entries)
	dst.value = dst.name
	r.maps--
}

func (r *reader) Optional(dst *target, t *ir.Type, value func(*target)) {
	before, otherwise := "", ""
	switch {
	case dst.isThere():
		otherwise = dst.at.value() + " = None;"
	case dst != nil:
		before, otherwise, dst.value = "let "+dst.name+" = ", "None", dst.name
	}
	r.Line("%sif wire::present(%s)? {", before, r.source)
	r.In(func() {
		switch {
		case dst == nil:
			value(nil)
		case dst.isThere():
			r.presentInto(dst, t, value)
		default:
			made := &target{name: "value"}
			value(made)
			if r.types.Boxed(t) {
				r.boxed(t.Elem, r.rest, made)
			}
			r.Line("Some(%s)", made.value)
		}
	})
	if dst != nil {
		r.Line("} else {")
		r.In(func() { r.Line("%s", otherwise) })
	}
	r.Line("}%s", map[bool]string{true: ";"}[before != ""])
}

// boxed prints the bound on memory that a value in a box has, and puts it into one.
func (r *reader) boxed(t *ir.Type, rest string, output *target) {
	r.Line("d.boxed::<%s>(%s)?;", r.types.spell(t, r.form), rest)
	output.value = "Box::new(" + output.value + ")"
}

// presentInto prints code that reads the value of an optional: into the present one, if its kind
// has memory that can be used again.
func (r *reader) presentInto(dst *target, t *ir.Type, value func(*target)) {
	if r.types.Boxed(t) {
		r.Line("d.boxed::<%s>(%s)?;", r.types.spell(t.Elem, owned), r.rest)
	}
	again := []ir.Kind{ir.StrKind, ir.BytesKind, ir.ListKind, ir.StructKind, ir.MessageKind}
	if slices.Contains(again, t.Elem.Kind) && !r.types.Fixed(t.Elem) {
		r.Line("let value = %s.get_or_insert_with(Default::default);", dst.at.text)
		value(there(place{"value", true}))
		return
	}
	made := &target{name: "value"}
	value(made)
	if r.types.Boxed(t) {
		made.value = "Box::new(" + made.value + ")"
	}
	r.Line("%s = Some(%s);", dst.at.value(), made.value)
}

func (r *reader) Call(dst *target, t *ir.Type) {
	if dst.isThere() && t.Kind == ir.UnionKind {
		r.replaced(dst, func(output *target) { r.Call(output, t) })
		return
	}
	r.declared(dst, t, r.source)
}

func (r *reader) Window(dst *target, t *ir.Type) {
	body := "body"
	if r.rest == "body" || dst != nil && dst.name == "body" {
		body = "inner"
	}
	r.Line("let mut %s = wire::window(%s)?;", body, r.source)
	if dst != nil && dst.isView {
		r.Line("%s%s = %s;", r.bind, dst.name, body)
		dst = nil
	}
	r.declared(dst, t, "&mut "+body)
}

// declared prints the call of a declared type's own procedure.
func (r *reader) declared(dst *target, t *ir.Type, source string) {
	switch {
	case dst.isThere():
		r.Line("%s.sdp_decode_into(d, %s, depth + 1)?;", dst.at.text, source)
	case r.form == viewed:
		r.leaf(dst, fmt.Sprintf("wire::part_of::<%s>(d, %s, depth + 1)?", r.types.view(t.Decl, "'_"), source), "%s")
	default:
		function := r.types.name(t.Decl, r.form)
		if r.into { // where its trait is not in scope, and the variable's use says its type
			function = "wire::Decode"
		}
		r.leaf(dst, fmt.Sprintf("%s::sdp_decode(d, %s, depth + 1)?", function, source), "%s")
	}
}
