package cpp

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// equalities prints how types in forms are compared: by the runtime's operators, which go by codecs, and by one
// of its own each alternative that has no codec.
func (g *generator) equalities(forms ...form) {
	g.Line("using sdp::wire::operator==;")
	g.Line("using sdp::wire::operator!=;")
	for _, d := range g.decls {
		u, ok := d.(*ir.Union)
		if !ok {
			continue
		}
		for _, form := range g.forms(d) {
			if slices.Contains(forms, form) {
				g.equalAlternatives(u, g.types.name(d, form))
			}
		}
	}
}

func (g *generator) equalAlternatives(u *ir.Union, name string) {
	for _, a := range u.Alternatives {
		if a.Inline != nil {
			continue
		}
		var parts []string
		if a.Type != nil {
			parts = []string{"value"}
		}
		g.Line("")
		alternative := name + "::" + g.names.Of(a)
		g.equality("inline bool operator==", alternative, parts)
		g.Line("[[nodiscard]] inline bool operator!=(const %s& a, const %s& b) {", alternative, alternative)
		g.In(func() { g.Line("return !(a == b);") })
		g.Line("}")
	}
}

// equality prints a function that compares the parts of two values.
func (g *generator) equality(function, typ string, parts []string) {
	used := len(parts) > 0
	g.Line("[[nodiscard]] %s(const %s&%s, const %s&%s) {", function, typ, parameter(used, "a"), typ, parameter(used, "b"))
	g.In(func() {
		var same []string
		for _, part := range parts {
			same = append(same, "sdp::wire::same(a."+part+", b."+part+")")
		}
		g.conjunction(same)
	})
	g.Line("}")
}

// equal prints how a codec's values of any form are compared.
func (g *generator) equal(d ir.Decl) {
	var parts []string
	for _, f := range ir.FieldsOf(d) {
		parts = append(parts, g.names.Of(f))
	}
	if keeps(d) {
		parts = append(parts, "unknown_fields")
	}
	if _, ok := d.(*ir.Union); ok {
		parts = []string{"value"}
	}
	g.Line("")
	g.Line("template <class T>")
	g.equality("static bool equal", "T", parts)
}
