package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// store is the Go statement that writes a scalar to its bytes.
func (g *generator) store(p place, t *ir.Type) string {
	v := p.expr
	if t.Kind == ir.EnumKind && !t.Scalar().IsSigned() {
		v = scalars.Of(t.Scalar()).name + "(" + v + ")"
	}
	return strings.NewReplacer("$b$[0]", p.first(), "$b$", p.from(), "$v$", v).Replace(scalars.Of(t.Scalar()).store)
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
func (g *generator) Field(p place, f *ir.Field) place { return g.within(p, []*ir.Field{f}) }

// Item is the place of an item of a run.
func (g *generator) Item(p place, item plan.Item) place {
	p = g.within(p, item.Path)
	p.offset = item.Offset
	return p
}

func (g *generator) within(p place, path []*ir.Field) place {
	for _, f := range path {
		if !p.nowhere() {
			p.expr += "." + g.names.Of(f)
		}
	}
	return p
}

// loop prints what goes through the elements of a list or array: n, where they are
// nowhere.
func (g *generator) loop(p place, n string, visit func(place)) {
	if i := local("i", p.nesting); p.nowhere() {
		g.Line("for range %s {", n)
		visit(p.element(i))
	} else {
		g.Line("for %s := range %s {", i, p.expr)
		visit(p.element(i))
	}
	g.Line("}")
}

// windows prints what goes through the elements of an array in a run with the bytes
// of each in a variable.
func (g *generator) windows(p place, t *ir.Type, elem *plan.Run, bytes string, visit func(place)) {
	i, w := local("i", p.nesting), local(bytes, p.nesting)
	all := p.expr
	if p.nowhere() {
		all = fmt.Sprint(t.N)
	}
	g.Line("for %s := range %s {", i, all)
	g.Line("%s := %s[%d+%d*%s:]", w, p.bytes, p.offset, elem.Bytes, i)
	visit(p.element(i).on(w))
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

func (r reader) Scalar(p place, t *ir.Type) {
	value := r.viewScalar(t, p.bytes, fmt.Sprint(p.offset))
	if !p.nowhere() {
		r.Line("%s = %s", p.expr, value)
		value = p.expr
	}
	if isClosed(t) {
		r.refuseIf("!%s.SDPKnown()", value)
	}
}

func (r reader) Struct(p place, body *plan.Body) {
	if !p.nowhere() || body.Traits.Checked {
		r.Line("%s", r.call(p, body.Decl, p.from()))
		r.refuseIf("d.Refused")
	}
}

func (r reader) Scalars(p place, t *ir.Type, elem *plan.Run, visit func(place)) {
	isBool := t.Elem.Kind == ir.Bool
	switch {
	case p.nowhere() && isBool:
		r.refuseIf("!sdp.BoolsValid(%s[%d:%d])", p.bytes, p.offset, p.offset+t.N)
	case p.nowhere() || !isBool && !bulk(t.Elem):
		r.Elements(p, t, elem, visit)
	default:
		r.allocateArray(p, t)
		if isBool {
			r.refuseIf("!sdp.GetBools(%s[:], %s)", p.expr, p.from())
		} else {
			r.Line("sdp.GetNumbers(%s[:], %s)", p.expr, p.from())
		}
		r.known(p, t)
	}
}

func (r reader) Elements(p place, t *ir.Type, elem *plan.Run, visit func(place)) {
	switch {
	case !p.nowhere():
		r.allocateArray(p, t)
		r.windows(p, t, elem, "w", visit)
	case elem.Checked:
		r.windows(p, t, elem, "x", visit)
	}
}
