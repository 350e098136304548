package rust

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// openRecord prints what opens the view of a struct or message on bytes that are
// known to be valid.
func (g *generator) openRecord(d ir.Decl) {
	parts := g.parts(d)
	tail := g.tail(d, parts)
	var finish func()
	if tail != nil {
		finish = func() { g.generic("wire::skip", g.viewShape(tail.Type, "'_"), "s", ";") }
	}
	g.shape(d, func() { g.openParts(d, parts, tail) }, finish, nil)
	if tail != nil && tail.Type.Kind == ir.ListKind {
		impl, lifetime, last := "impl", "'_", g.viewShape(tail.Type.Elem, "'a")
		if strings.Contains(last, "'a") {
			impl, lifetime = "impl<'a>", "'a"
		}
		g.Emit(emit.Vars{"impl": impl, "view": g.types.view(d, lifetime), "last": last}, `
			$impl$ view::EndsInList for $view$ {
				type Last = $last$;
			}
		`)
		g.Line("")
	}
}

// shape prints how a view is opened; finish moves from its tail behind a value that
// has one, and skip behind a value without opening it, where that is less.
func (g *generator) shape(d ir.Decl, step, finish, skip func()) {
	inline := "#[inline(always)]"
	if g.program.Body(d).Recursive {
		inline = "#[inline]"
	}
	lifetime, generic := "'a ", "<'a>"
	if g.types.view(d, "'a") == g.types.view(d, "") {
		lifetime, generic = "", ""
	}
	g.Line("impl view::Shape for %s {", g.types.view(d, "'_"))
	g.In(func() {
		g.Line("type Item<'a> = %s;", g.types.view(d, "'a"))
		if finish != nil {
			g.Line("const HAS_TAIL: bool = true;")
		}
		g.Line("")
		g.Line("%s", inline)
		g.call("fn step"+generic, []string{"s: &mut &" + lifetime + "[u8]"}, " -> "+g.types.view(d, "'a")+" {")
		g.In(step)
		g.Line("}")
		for _, function := range []struct {
			name string
			body func()
		}{{"finish", finish}, {"skip", skip}} {
			if function.body == nil {
				continue
			}
			g.Line("")
			g.Line("%s", inline)
			g.Line("fn %s(s: &mut &[u8]) {", function.name)
			g.In(function.body)
			g.Line("}")
		}
	})
	g.Line("}")
	g.Line("")
}

// tail is the last field of a struct if its end has to be looked for. The end of a
// message is known.
func (g *generator) tail(d ir.Decl, parts []part) *ir.Field {
	last := parts[max(len(parts)-1, 0):]
	if _, isMessage := d.(*ir.Message); isMessage || len(last) == 0 || last[0].IsRun() || !g.hasTail(last[0].Field.Type) {
		return nil
	}
	return last[0].Field
}

// hasTail reports whether the end of a value isn't known from its first bytes.
func (g *generator) hasTail(t *ir.Type) bool {
	switch t.Kind {
	case ir.ListKind, ir.ArrayKind:
		return !g.types.Fixed(t.Elem)
	case ir.StrKind, ir.BytesKind, ir.MessageKind:
		return false
	case ir.UnionKind:
		return t.Union().Closed
	case ir.OptionalKind, ir.MapKind, ir.StructKind:
	}
	return !g.types.Fixed(t)
}

// openParts prints what finds the parts of a value at s, and the view of them.
func (g *generator) openParts(d ir.Decl, parts []part, tail *ir.Field) {
	_, isMessage := d.(*ir.Message)
	g.Line("let bytes = *s;")
	segment := 1
	for i, p := range parts {
		for segment < p.segment {
			segment++
			if isDefaulted(d, segment) {
				g.Line("let has%d = !s.is_empty();", segment)
			}
		}
		ends := p.Field == tail && tail != nil || i == len(parts)-1 && isMessage && !keeps(d)
		switch {
		case p.IsRun():
			g.Line("let %s = wire::known_run::<%d>(s);", p.name, p.Bytes)
		case p.Field.Type.Kind == ir.StrKind || p.Field.Type.Kind == ir.BytesKind:
			g.Line("let %s = wire::known_bytes::<%d>(s);", p.name, p.Field.Type.LenBytes)
		case p.Field.Type.Kind == ir.MessageKind:
			g.Line("let %s = wire::known_bytes::<%d>(s);", p.name, plan.WindowBytes)
		default:
			g.Line("let %s = *s;", p.name)
			if !ends {
				g.generic("wire::skip", g.viewShape(p.Field.Type, "'_"), "s", ";")
			}
		}
	}
	if keeps(d) {
		g.Line("let unknown = *s;")
	}
	g.literal(g.types.view(d, ""), viewFields(d, parts), "")
}

// viewFields are the fields of a view's literal.
func viewFields(d ir.Decl, parts []part) []string {
	fields := []string{"bytes"}
	for _, p := range parts {
		fields = append(fields, p.name)
	}
	for _, number := range defaulted(d) {
		fields = append(fields, fmt.Sprintf("has%d", number))
	}
	if keeps(d) {
		fields = append(fields, "unknown")
	}
	return fields
}
