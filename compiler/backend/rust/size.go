package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// sizeBody prints what counts the bytes of an encoding.
func (g *generator) sizeBody(d ir.Decl) {
	if g.program.Body(d).Fixed() {
		g.Line("let _ = depth;")
		g.Line("%s", integer(g.program.Body(d).Size.Min))
		return
	}
	g.Line("if depth > sdp::LIMIT_DEPTH {")
	g.In(func() { g.Line("return 0;") })
	g.Line("}")
	if u, ok := d.(*ir.Union); ok {
		g.sizeUnion(u)
		return
	}
	constant := uint64(0)
	var varying []*ir.Field
	for _, f := range ir.FieldsOf(d) {
		if size := g.program.SizeOf(f.Type); size.Fixed {
			constant += size.Min
		} else {
			constant += plan.Prefix(f.Type)
			varying = append(varying, f)
		}
	}
	m, isMessage := d.(*ir.Message)
	kept := isMessage && m.KeepUnknown
	if len(varying) == 0 && !kept {
		g.Line("%s", integer(constant))
		return
	}
	g.Line("let mut n = %s;", integer(constant))
	for _, f := range varying {
		g.addSize(f.Type, place{text: "self." + g.names.Of(f)})
	}
	if kept {
		g.Line("n += self.unknown_fields.len();")
	}
	g.Line("n")
}

// addSize prints what adds to n the bytes of a value but for its head.
func (g *generator) addSize(t *ir.Type, p place) {
	switch t.Kind {
	case ir.StrKind, ir.BytesKind:
		g.Line("n += %s.len();", p.text)
	case ir.ListKind:
		g.addSizes(t, p)
	case ir.ArrayKind:
		if head := t.N * plan.Prefix(t.Elem); head > 0 {
			g.Line("n += %s;", integer(head))
		}
		g.addEach(t, p)
	case ir.MapKind:
		g.addEntrySizes(t, p)
	case ir.OptionalKind:
		if size := g.program.SizeOf(t.Elem); size.Fixed {
			g.Line("if %s.is_some() {", p.text)
			g.In(func() { g.Line("n += %s;", integer(size.Min)) })
			g.Line("}")
			return
		}
		g.Line("if let Some(value) = %s {", p.shared())
		g.In(func() {
			if head := plan.Prefix(t.Elem); head > 0 {
				g.Line("n += %d;", head)
			}
			g.addSize(t.Elem, place{"value", true})
		})
		g.Line("}")
	case ir.UnionKind, ir.StructKind, ir.MessageKind:
		g.Line("n += %s.sdp_size(depth + 1);", p.text)
	default:
		panic(unspelled(t))
	}
}

// addSizes prints what adds the bytes of a list's elements.
func (g *generator) addSizes(t *ir.Type, p place) {
	each := g.program.SizeOf(t.Elem)
	if !each.Fixed {
		each.Min = plan.Prefix(t.Elem)
	}
	switch each.Min {
	case 0:
	case 1:
		g.Line("n += %s.len();", p.text)
	default:
		g.Line("n += %s * %s.len();", integer(each.Min), p.text)
	}
	if !each.Fixed {
		g.addEach(t, p)
	}
}

// addEach prints what adds the bytes of all elements but for their heads.
func (g *generator) addEach(t *ir.Type, p place) {
	item := g.element(p.text)
	g.Line("for %s in %s {", item, g.iterate(t, p))
	g.In(func() { g.addSize(t.Elem, place{item, true}) })
	g.Line("}")
}

func (g *generator) addEntrySizes(t *ir.Type, p place) {
	constant := uint64(0)
	var varying []string
	for i, part := range []*ir.Type{t.Key, t.Elem} {
		if size := g.program.SizeOf(part); size.Fixed {
			constant += size.Min
		} else {
			constant += plan.Prefix(part)
			varying = append(varying, []string{"key", "value"}[i])
		}
	}
	switch {
	case constant == 1:
		g.Line("n += %s.len();", p.text)
	case constant > 1:
		g.Line("n += %s * %s.len();", integer(constant), p.text)
	}
	switch {
	case len(varying) == 2:
		g.Line("for (key, value) in %s {", p.shared())
	case len(varying) == 1 && varying[0] == "key":
		g.Line("for key in %s.keys() {", p.text)
	case len(varying) == 1:
		g.Line("for value in %s.values() {", p.text)
	default:
		return
	}
	g.In(func() {
		for _, name := range varying {
			part := t.Key
			if name == "value" {
				part = t.Elem
			}
			g.addSize(part, place{name, true})
		}
	})
	g.Line("}")
}

func (g *generator) sizeUnion(u *ir.Union) {
	g.Line("match self {")
	head := plan.UnionHead(u)
	g.In(func() {
		for _, a := range u.Alternatives {
			switch {
			case a.Type == nil:
				g.Line("Self::%s => %d,", g.names.Of(a), head)
			case g.program.SizeOf(a.Type).Fixed:
				g.Line("Self::%s(_) => %s,", g.names.Of(a), integer(head+g.program.SizeOf(a.Type).Min))
			default:
				g.sizeAlternative(a, head)
			}
		}
		if !u.Closed {
			g.Line("Self::Unknown { payload, .. } => %d + payload.len(),", head)
		}
	})
	g.Line("}")
}

func (g *generator) sizeAlternative(a *ir.Alternative, head uint64) {
	switch kind := a.Type.Kind; kind {
	case ir.StrKind, ir.BytesKind:
		g.Line("Self::%s(value) => %d + value.len(),", g.names.Of(a), head+plan.Prefix(a.Type))
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		g.Line("Self::%s(value) => %d + value.sdp_size(depth + 1),", g.names.Of(a), head+plan.Prefix(a.Type))
	case ir.ListKind, ir.ArrayKind, ir.OptionalKind, ir.MapKind:
		g.Line("Self::%s(value) => {", g.names.Of(a))
		g.In(func() {
			g.Line("let mut n = %s;", fmt.Sprint(head+plan.Prefix(a.Type)))
			g.addSize(a.Type, place{"value", true})
			g.Line("n")
		})
		g.Line("}")
	default:
		panic(unspelled(a.Type))
	}
}
