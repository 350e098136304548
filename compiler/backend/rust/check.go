package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// checkBody prints what names the first thing that can't be encoded.
func (g *generator) checkBody(d ir.Decl) {
	g.Line("wire::check_depth(depth)?;")
	if u, ok := d.(*ir.Union); ok {
		g.checkUnion(u)
		g.Line("Ok(())")
		return
	}
	usesLarge := false
	for _, f := range ir.FieldsOf(d) {
		if g.refusable(f.Type) {
			usesLarge = usesLarge || g.nests(f.Type)
			g.checkValue(f.Type, place{text: "self." + g.names.Of(f)}, quote(f.Name))
		}
	}
	if !usesLarge {
		g.Line("let _ = large;")
	}
	g.Line("Ok(())")
}

// refusable reports whether a value of the type may have no encoding.
func (g *generator) refusable(t *ir.Type) bool {
	switch t.Kind {
	case ir.ArrayKind, ir.OptionalKind:
		return g.refusable(t.Elem)
	}
	return t.Scalar() == 0
}

// nests reports whether checking a value of the type needs to know how large the
// whole is.
func (g *generator) nests(t *ir.Type) bool {
	switch t.Kind {
	case ir.ArrayKind, ir.OptionalKind, ir.ListKind:
		return g.nests(t.Elem)
	case ir.MapKind:
		return g.nests(t.Elem)
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return true
	case ir.StrKind, ir.BytesKind:
	}
	return false
}

// checkValue prints the checks of a value. Steps are those of its path, from the
// outside in: a quoted name, or the variable of an index.
func (g *generator) checkValue(t *ir.Type, p place, steps ...string) {
	switch t.Kind {
	case ir.StrKind, ir.BytesKind:
		g.checkLength(t, p, steps)
	case ir.ListKind:
		g.checkLength(t, p, steps)
		g.checkElements(t, p, steps)
	case ir.ArrayKind:
		g.checkElements(t, p, steps)
	case ir.MapKind:
		g.checkLength(t, p, steps)
		g.checkEntries(t, p, steps)
	case ir.OptionalKind:
		g.Line("if let Some(value) = %s {", p.shared())
		g.In(func() { g.checkValue(t.Elem, place{"value", true}, steps...) })
		g.Line("}")
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		g.tried(p.text+".sdp_check(large, depth + 1)", steps)
		if t.Kind == ir.MessageKind {
			g.Line("if large {")
			g.In(func() { g.tried("wire::check_window("+p.text+".sdp_size(depth + 1))", steps) })
			g.Line("}")
		}
	default:
		panic(unspelled(t))
	}
}

func (g *generator) checkLength(t *ir.Type, p place, steps []string) {
	g.tried(fmt.Sprintf("wire::check_length::<%d>(%s.len(), %s)", t.LenBytes, p.text, bound(t.Max)), steps)
}

// tried prints an expression that may refuse, with the path of what it looks at.
func (g *generator) tried(expression string, steps []string) {
	if len(steps) == 0 {
		g.Line("%s?;", expression)
		return
	}
	var list []string
	for _, step := range steps {
		if step[0] == '"' {
			list = append(list, "wire::Step::Field("+step+")")
		} else {
			list = append(list, "wire::Step::Element("+step+")")
		}
	}
	g.arguments("wire::within", []string{expression}, list, nil, "?;")
}

func (g *generator) checkElements(t *ir.Type, p place, steps []string) {
	if !g.refusable(t.Elem) {
		return
	}
	i, item := g.index(steps), g.element(p.text)
	g.Line("for (%s, %s) in %s.iter().enumerate() {", i, item, p.text)
	g.In(func() { g.checkValue(t.Elem, place{item, true}, append(steps[:len(steps):len(steps)], i)...) })
	g.Line("}")
}

// index is the name of the variable for an index inside the elements of the path.
func (g *generator) index(steps []string) string {
	used := 0
	for _, step := range steps {
		if step[0] != '"' {
			used++
		}
	}
	return []string{"i", "j", "k"}[min(used, 2)] + map[bool]string{true: fmt.Sprint(used)}[used > 2]
}

func (g *generator) checkEntries(t *ir.Type, p place, steps []string) {
	key, value := g.refusable(t.Key), g.refusable(t.Elem)
	i := g.index(steps)
	names := "(key, value)"
	switch {
	case key && !value:
		names = "key"
	case value && !key:
		names = "value"
	case !key:
		return
	}
	method := map[string]string{"(key, value)": "iter", "key": "keys", "value": "values"}[names]
	g.Line("for (%s, %s) in %s.%s().enumerate() {", i, names, p.text, method)
	g.In(func() {
		inner := append(steps[:len(steps):len(steps)], i)
		if key {
			g.checkValue(t.Key, place{"key", true}, append(inner[:len(inner):len(inner)], `"key"`)...)
		}
		if value {
			g.checkValue(t.Elem, place{"value", true}, append(inner[:len(inner):len(inner)], `"value"`)...)
		}
	})
	g.Line("}")
}

// choose prints a match of the value itself; all says that it has all patterns.
func (g *generator) choose(patterns []string, bodies []func(), all bool) {
	switch {
	case len(patterns) == 0:
	case len(patterns) == 1 && !all:
		g.Line("if let %s = self {", patterns[0])
		g.In(bodies[0])
		g.Line("}")
	default:
		g.Line("match self {")
		g.In(func() {
			for i, pattern := range patterns {
				g.Line("%s => {", pattern)
				g.In(bodies[i])
				g.Line("}")
			}
			if !all {
				g.Line("_ => {}")
			}
		})
		g.Line("}")
	}
}

func (g *generator) checkUnion(u *ir.Union) {
	usesLarge := false
	var patterns []string
	var bodies []func()
	for _, a := range u.Alternatives {
		if a.Type == nil || !g.refusable(a.Type) {
			continue
		}
		usesLarge = usesLarge || g.nests(a.Type)
		patterns = append(patterns, "Self::"+g.names.Of(a)+"(value)")
		bodies = append(bodies, func() { g.checkValue(a.Type, place{"value", true}, quote(a.Name)) })
	}
	all := len(patterns) == len(u.Alternatives)
	if !u.Closed {
		patterns = append(patterns, "Self::Unknown { tag, .. }")
		bodies = append(bodies, func() { g.arguments("wire::check_unknown", []string{"*tag"}, tags(u), nil, "?;") })
	}
	g.choose(patterns, bodies, all)
	if !u.Closed {
		g.Line("if large {")
		g.In(func() { g.Line("wire::check_window(self.sdp_size(depth) - %d)?;", plan.UnionHead(u)) })
		g.Line("}")
	} else if !usesLarge {
		g.Line("let _ = large;")
	}
}
