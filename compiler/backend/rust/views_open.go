package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// openRecord prints what opens the view of a struct or message on bytes that are
// known to be valid.
func (g *generator) openRecord(d ir.Decl, v *view) {
	var finish func()
	if v.Tail != nil {
		finish = func() { g.generic("wire::skip", g.types.viewShape(v.Tail.Field.Type, "'_"), "s", ";") }
	}
	g.shape(d, func() { g.openParts(d, v) }, finish, nil)
	if v.Tail != nil && g.types.viewForm(v.Tail.Field.Type) == lower.ViewList {
		impl, lifetime, last := "impl", "'_", g.types.viewShape(v.Tail.Field.Type.Elem, "'a")
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
	vars := emit.Vars{"view": g.types.view(d, "'_"), "item": g.types.view(d, "'a"), "inline": "#[inline(always)]", "step": step}
	if g.program.Body(d).Recursive {
		vars["inline"] = "#[inline]"
	}
	vars["generic"], vars["bytes"] = "<'a>", "&'a [u8]"
	if vars["view"] == vars["item"] {
		vars["generic"], vars["bytes"] = "", "&[u8]"
	}
	vars["tail"] = func() {
		if finish != nil {
			g.Line("const HAS_TAIL: bool = true;")
		}
	}
	moving := func(name string, body func()) func() {
		return func() {
			if body != nil {
				g.Emit(emit.Vars{"inline": vars["inline"], "name": name, "body": body}, `

					$inline$
					fn $name$(s: &mut &[u8]) {
						$body$
					}
				`)
			}
		}
	}
	vars["finish"], vars["skip"] = moving("finish", finish), moving("skip", skip)
	g.Emit(vars, `
		impl view::Shape for $view$ {
			type Item<'a> = $item$;
			$tail$

			$inline$
			fn step$generic$(s: &mut $bytes$) -> $item$ {
				$step$
			}
			$finish$
			$skip$
		}

	`)
}

// openParts prints what finds the parts of a value at s, and the view of them.
func (g *generator) openParts(d ir.Decl, v *view) {
	g.Line("let bytes = *s;")
	segment := 1
	for _, p := range v.parts {
		for segment < p.Segment {
			segment++
			if v.Defaulted(segment) {
				g.Line("let has%d = !s.is_empty();", segment)
			}
		}
		if p.IsRun() {
			g.Line("let %s = wire::known_run::<%d>(s);", p.name, p.Bytes)
			continue
		}
		switch t := p.Field.Type; g.types.viewForm(t) {
		case lower.ViewStr, lower.ViewBytes, lower.ViewMessage:
			g.Line("let %s = wire::known_bytes::<%d>(s);", p.name, plan.Prefix(t))
		default:
			g.Line("let %s = *s;", p.name)
			if p.ViewPart != v.Last() || keeps(d) || !v.IsMessage && v.Tail == nil {
				g.generic("wire::skip", g.types.viewShape(t, "'_"), "s", ";")
			}
		}
	}
	if keeps(d) {
		g.Line("let unknown = *s;")
	}
	g.literal(g.types.view(d, ""), v.fields(), "")
}
