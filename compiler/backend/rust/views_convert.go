package rust

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

// viewConversions print how each form is made of a view.
func (g *generator) viewConversions(d ir.Decl) {
	for _, form := range g.forms(d) {
		impl, view := "impl", g.types.view(d, "'_")
		if form == borrowed {
			impl, view = "impl<'a>", g.types.view(d, "'a")
		}
		g.Emit(emit.Vars{"impl": impl, "view": view, "form": g.types.decl(d, form), "from": func() {
			if u, ok := d.(*ir.Union); ok {
				g.fromUnionView(u, form)
			} else {
				g.Line("wire::known_owned(view.bytes)")
			}
		}}, `
			$impl$ From<$view$> for $form$ {
				#[inline]
				fn from(view: $view$) -> Self {
					$from$
				}
			}

		`)
	}
}

// fromUnionView prints the conversion of a union's view, which has no bytes of its own, to a form;
// bytes of a struct or message are decoded once more.
func (g *generator) fromUnionView(u *ir.Union, form form) {
	view := g.types.view(u, "")
	g.Line("match view {")
	g.In(func() {
		for _, a := range u.Alternatives {
			g.convertAlternative(view, a, form)
		}
		if !u.Closed {
			g.literal(view+"::Unknown { tag, payload } => Self::Unknown", []string{"tag", pick(form, "payload: payload.to_vec()", "payload")}, ",")
		}
	})
	g.Line("}")
}

func (g *generator) convertAlternative(view string, a *ir.Alternative, form form) {
	name := g.names.Of(a)
	if a.Type == nil {
		g.arm(view+"::"+name, "Self::"+name)
		return
	}
	g.block(view+"::"+name+"(value) => ", func() {
		if g.types.lazy(a.Type) {
			g.Line("let value = value.get();")
		}
		value := g.fromView(a.Type, "value", form)
		if g.types.BoxedPayload(a.Type) {
			value = "Box::new(" + value + ")"
		}
		g.Line("Self::%s(%s)", name, value)
	}, ",")
}

// fromView prints the conversion of a view's value to a form, where it needs statements for it, and
// returns the expression of the value.
func (g *generator) fromView(t *ir.Type, value string, form form) string {
	switch seen := g.types.viewForm(t); seen {
	case lower.ViewValue:
		return value
	case lower.ViewStr, lower.ViewBytes:
		if form == borrowed {
			return value
		}
		if seen == lower.ViewStr {
			return "String::from(" + value + ")"
		}
		return value + ".to_vec()"
	case lower.ViewItems, lower.ViewList:
		if form == borrowed && lower.FormOf(t, g.types.Costs) == lower.Numbers {
			return value + ".to_cow()"
		}
		return g.fromViewList(t, value, form)
	case lower.ViewItemArray, lower.ViewArray:
		function := "wire::array_or"
		if g.types.OnHeap(t) {
			function = "wire::array_in_box_or"
		}
		list := g.fromViewList(t, value, form)
		g.block(fmt.Sprintf("let %s = %s(%s, |_| ", value, function, list), func() {
			g.Line("%s", unsized(g.types.zero(t.Elem, form)))
		}, ");")
		return value
	case lower.ViewMap:
		return g.fromViewMap(t, value, form)
	case lower.ViewOptional:
		return g.fromViewOptional(t, value, form)
	}
	return g.types.name(t.Decl, form) + "::from(" + value + ")"
}

// fromViewList is a vector of the elements that a view's iterator hands out.
func (g *generator) fromViewList(t *ir.Type, value string, form form) string {
	if elem := g.types.viewForm(t.Elem); elem == lower.ViewValue || form == borrowed && isSlice(elem) {
		return value + ".collect()"
	}
	list, item := value+"s", g.element(value)
	g.Line("let mut %s = Vec::with_capacity(%s.len());", list, value)
	g.Line("for %s in %s {", item, value)
	g.In(func() { g.Line("%s.push(%s);", list, g.fromView(t.Elem, item, form)) })
	g.Line("}")
	return list
}

func (g *generator) fromViewMap(t *ir.Type, value string, form form) string {
	item := g.element(value)
	g.Line("let mut %ss = BTreeMap::new();", value)
	g.Line("for (key, %s) in %s {", item, value)
	g.In(func() {
		key := g.fromView(t.Key, "key", form)
		g.call(value+"s.insert", []string{key, g.fromView(t.Elem, item, form)}, ";")
	})
	g.Line("}")
	return value + "s"
}

func (g *generator) fromViewOptional(t *ir.Type, value string, form form) string {
	outer := g.Printer
	g.Printer = outer.Deeper()
	made := g.fromView(t.Elem, "some", form)
	statements := g.String()
	g.Printer = outer
	if g.types.Boxed(t) {
		made = "Box::new(" + made + ")"
	}
	switch function, isCall := strings.CutSuffix(made, "(some)"); {
	case statements != "":
		g.Line("let %s = if let Some(some) = %s {", value, value)
		g.Raw(statements)
		g.In(func() { g.Line("Some(%s)", made) })
		g.Line("} else {")
		g.In(func() { g.Line("None") })
		g.Line("};")
		return value
	case made == "some":
		return value
	case made == "some.to_vec()":
		return value + ".map(<[u8]>::to_vec)"
	case made == "some.collect()":
		return value + ".map(Iterator::collect)"
	case isCall && !strings.Contains(function, "("):
		return value + ".map(" + function + ")"
	}
	return value + ".map(|some| " + made + ")"
}
