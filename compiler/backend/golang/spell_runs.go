package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// store is the Go statement that writes a scalar to its bytes.
func (g *generator) store(at place, t *ir.Type) string {
	v := at.expr
	if t.Kind == ir.EnumKind && !t.Scalar().IsSigned() {
		v = scalars.Of(t.Scalar()).name + "(" + v + ")"
	}
	return strings.NewReplacer("$b$[0]", at.first(), "$b$", at.from(), "$v$", v).Replace(scalars.Of(t.Scalar()).store)
}

// bulk reports whether an array or list of t is copied as a whole.
func bulk(elem *ir.Type) bool {
	return elem.Scalar() != 0 && scalars.Of(elem.Scalar()).number
}

// place is where a value is: an expression, or nowhere if it is only looked at. One
// in a run has bytes.
type place struct {
	expr   string
	bytes  string
	offset uint64 // in bytes
	// nesting numbers the temporaries.
	nesting int
	// isField is true for a body as a whole, and for its fields.
	isField bool
}

func (p place) nowhere() bool { return p.expr == "" }

// on is the place with the bytes that its value's run is in.
func (p place) on(bytes string) place {
	p.bytes, p.offset = bytes, 0
	return p
}

// temporary is a variable for a part of the value.
func (p place) temporary(name string) place {
	return place{expr: local(name, p.nesting), nesting: p.nesting + 1}
}

// from is the bytes from the place on.
func (p place) from() string {
	if p.offset == 0 {
		return p.bytes
	}
	return fmt.Sprintf("%s[%d:]", p.bytes, p.offset)
}

// first is the byte at the place.
func (p place) first() string { return fmt.Sprintf("%s[%d]", p.bytes, p.offset) }

// element is the place of an element by the variable that counts them.
func (p place) element(i string) place {
	if !p.nowhere() {
		p.expr = index(p.expr, i)
	}
	p.nesting++
	p.isField = false
	return p
}

// Field is the place of a field.
func (g *generator) Field(at place, f *ir.Field) place { return g.within(at, []*ir.Field{f}) }

// Item is the place of an item of a run.
func (g *generator) Item(at place, item plan.Item) place {
	at = g.within(at, item.Path)
	at.offset = item.Offset
	return at
}

func (g *generator) within(at place, path []*ir.Field) place {
	for _, f := range path {
		if !at.nowhere() {
			at.expr += "." + g.names.Of(f)
		}
	}
	return at
}

// loop prints what goes through the elements of a list or array: n, where they are
// nowhere.
func (g *generator) loop(at place, n string, each func(place)) {
	if i := local("i", at.nesting); at.nowhere() {
		g.Line("for range %s {", n)
		each(at.element(i))
	} else {
		g.Line("for %s := range %s {", i, at.expr)
		each(at.element(i))
	}
	g.Line("}")
}

// windows prints what goes through the elements of an array in a run with the bytes
// of each in a variable.
func (g *generator) windows(at place, t *ir.Type, elem *plan.Run, bytes string, each func(place)) {
	i, w := local("i", at.nesting), local(bytes, at.nesting)
	all := at.expr
	if at.nowhere() {
		all = fmt.Sprint(t.N)
	}
	g.Line("for %s := range %s {", i, all)
	g.Line("%s := %s[%d+%d*%s:]", w, at.bytes, at.offset, elem.Bytes, i)
	each(at.element(i).on(w))
	g.Line("}")
}

// isClosed reports whether a type is an enum that has no values but its members.
func isClosed(t *ir.Type) bool { return t.Kind == ir.EnumKind && t.Enum().Closed }

// Bools prints the check that a run's bools are 0 or 1.
func (r reader) Bools(bools []place) {
	var bytes []string
	for _, b := range bools {
		bytes = append(bytes, b.first())
	}
	r.refuseIf("%s > 1", strings.Join(bytes, "|"))
}

func (r reader) Scalar(at place, t *ir.Type) {
	value := r.viewScalar(t, at.bytes, fmt.Sprint(at.offset))
	if !at.nowhere() {
		r.Line("%s = %s", at.expr, value)
		value = at.expr
	}
	if isClosed(t) {
		r.refuseIf("!%s.SDPKnown()", value)
	}
}

func (r reader) Struct(at place, body *plan.Body) {
	if !at.nowhere() || body.Traits.Checked {
		r.Line("%s", r.call(at, body.Decl, at.from()))
		r.refuseIf("d.Refused")
	}
}

func (r reader) Scalars(at place, t *ir.Type, elem *plan.Run, each func(place)) {
	isBool := t.Elem.Kind == ir.Bool
	switch {
	case at.nowhere() && isBool:
		r.refuseIf("!sdp.BoolsValid(%s[%d:%d])", at.bytes, at.offset, at.offset+t.N)
	case at.nowhere() || !isBool && !bulk(t.Elem):
		r.Elements(at, t, elem, each)
	default:
		r.allocateArray(at, t)
		if isBool {
			r.refuseIf("!sdp.GetBools(%s[:], %s)", at.expr, at.from())
		} else {
			r.Line("sdp.GetNumbers(%s[:], %s)", at.expr, at.from())
		}
		r.known(at, t)
	}
}

func (r reader) Elements(at place, t *ir.Type, elem *plan.Run, each func(place)) {
	switch {
	case !at.nowhere():
		r.allocateArray(at, t)
		r.windows(at, t, elem, "w", each)
	case elem.Checked:
		r.windows(at, t, elem, "x", each)
	}
}
