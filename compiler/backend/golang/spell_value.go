package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/memory"
)

// value prints what an operation does with v, of type t.
func (g *generator) value(op *lower.Operation, t *ir.Type, v string) {
	op.Value(spelling{g}, t, lower.Place{At: v})
}

// spelling spells operations on values.
type spelling struct{ g *generator }

func (s spelling) Costs() *memory.Costs       { return s.g.types.Costs }
func (s spelling) Index(p lower.Place) string { return local("i", p.Depth) }
func (s spelling) Print(_ int, line string)   { s.g.Line("%s", line) }

func (s spelling) Hole(name string, t *ir.Type, p lower.Place) string {
	types := s.g.types
	switch name {
	case "v":
		return p.At
	case "type":
		return types.spellUnnamed(t)
	case "i", "k", "x":
		return local(name, p.Depth)
	}
	return types.fill("$"+name+"$", t)
}

// cases prints the cases of a switch over what a union may hold: a is of an
// alternative, unknown of one that only a newer writer knows.
func (g *generator) cases(u *ir.Union, names func(a *ir.Alternative), unknown func()) {
	for _, a := range u.Alternatives {
		g.Line("case *%s:", g.names.Of(a))
		names(a)
	}
	if !u.Closed {
		g.Line("case *%sUnknown:", g.names.Of(u))
		unknown()
	}
}

// payload is what an alternative holds, which is the alternative itself where its
// fields are declared inline.
func payload(a *ir.Alternative, v string) string {
	if a.Inline != nil {
		return v
	}
	return v + ".Value"
}

// pointer reports whether an optional is a pointer in Go.
func (g *generator) pointer(optional *ir.Type) bool {
	return g.types.Boxed(optional) || g.types.OnHeap(optional.Elem)
}

// deref is the value that a pointer of an optional leads to, as an expression
// that can be assigned to. A heap array stays the pointer that it is.
func (g *generator) deref(optional *ir.Type, pointer string) string {
	if g.types.OnHeap(optional.Elem) {
		return pointer
	}
	return "(*" + pointer + ")"
}

// sortedKeys is the runtime's function for the keys of a map in the order of the
// wire.
func sortedKeys(t *ir.Type) string {
	if t.Key.Kind == ir.Bool {
		return "SortedBools"
	}
	return "SortedKeys"
}

// local names a temporary of a nested scope.
func local(name string, depth int) string {
	if depth == 0 {
		return name
	}
	return fmt.Sprintf("%s%d", name, depth)
}

func index(list, i string) string { return list + "[" + i + "]" }
