package cpp

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// equalities prints the comparisons of types in forms. All are declared first: types
// may contain each other.
func (g *generator) equalities(forms ...form) {
	var compared []comparison
	for _, d := range g.decls {
		for _, form := range g.forms(d) {
			if slices.Contains(forms, form) {
				compared = append(compared, g.compared(d, form)...)
			}
		}
	}
	for _, c := range compared {
		g.Line("[[nodiscard]] bool operator==(const %s& a, const %s& b);", c.name, c.name)
	}
	g.Line("")
	for _, c := range compared {
		g.compare(c)
	}
}

// comparison is a type that is compared, and the expressions of its parts: of a
// and b alike.
type comparison struct {
	name  string
	parts []string
}

// compared are the comparisons of a type and of the alternatives in it.
func (g *generator) compared(d ir.Decl, form form) []comparison {
	name := g.types.name(d, form)
	u, ok := d.(*ir.Union)
	if !ok {
		return []comparison{{name, g.parts(d)}}
	}
	list := []comparison{{name, []string{"value"}}}
	for _, a := range u.Alternatives {
		inner := comparison{name: name + "::" + g.names.Of(a)}
		switch {
		case a.Inline != nil:
			inner.parts = g.parts(a.Inline)
		case a.Type != nil:
			inner.parts = []string{"value"}
		}
		list = append(list, inner)
	}
	return list
}

func (g *generator) parts(d ir.Decl) []string {
	var parts []string
	for _, f := range ir.FieldsOf(d) {
		parts = append(parts, g.names.Of(f))
	}
	if keeps(d) {
		parts = append(parts, "unknown_fields")
	}
	return parts
}

func (g *generator) compare(c comparison) {
	used := len(c.parts) > 0
	g.Line("inline bool operator==(const %s&%s, const %s&%s) {", c.name, parameter(used, "a"), c.name, parameter(used, "b"))
	g.In(func() {
		var same []string
		for _, part := range c.parts {
			same = append(same, fmt.Sprintf("sdp::wire::same(a.%s, b.%s)", part, part))
		}
		g.conjunction(same)
	})
	g.Line("}")
	g.Line("[[nodiscard]] inline bool operator!=(const %s& a, const %s& b) {", c.name, c.name)
	g.In(func() { g.Line("return !(a == b);") })
	g.Line("}")
	g.Line("")
}
