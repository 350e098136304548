package rust

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// conversions prints how the owned and the borrowed form are made of each other.
func (g *generator) conversions(d ir.Decl) {
	own, ref := g.types.name(d, owned), g.types.name(d, borrowed)
	g.Emit(emit.Vars{
		"own": own, "ref": ref,
		"borrow": func() { g.converted(d, borrowed) },
		"copy":   func() { g.converted(d, owned) },
		"shorten": func() {
			g.call("fn shorten<'short, 'long: 'short>", []string{"value: &'short " + ref + "<'long>"}, " -> &'short "+ref+"<'short> {")
		},
		"value": map[bool]string{true: "value", false: "_"}[len(ir.FieldsOf(d)) > 0 || keeps(d) || isUnion(d)],
	}, `
		impl<'a> From<&'a $own$> for $ref$<'a> {
			#[inline]
			fn from($value$: &'a $own$) -> Self {
				$borrow$
			}
		}

		impl From<&$ref$<'_>> for $own$ {
			#[inline]
			fn from($value$: &$ref$<'_>) -> Self {
				$copy$
			}
		}

		impl From<$ref$<'_>> for $own$ {
			#[inline]
			fn from(value: $ref$<'_>) -> Self {
				Self::from(&value)
			}
		}

		impl sdp::Borrowed for $ref$<'static> {
			type Of<'a> = $ref$<'a>;

			#[inline]
			$shorten$
				value
			}
		}
	`)
	g.Line("")
}

func isUnion(d ir.Decl) bool {
	_, ok := d.(*ir.Union)
	return ok
}

// converted prints the value of a form made of the other form, `value`.
func (g *generator) converted(d ir.Decl, form form) {
	if u, ok := d.(*ir.Union); ok {
		g.convertedUnion(u, form)
		return
	}
	var fields []string
	for _, f := range ir.FieldsOf(d) {
		fields = append(fields, g.field(f, g.convert(f.Type, place{text: "value." + g.names.Of(f)}, g.names.Get(f, names.Local), form)))
	}
	if m, ok := d.(*ir.Message); ok {
		for _, private := range g.privateFields(m, form) {
			value := pick(form, "value.unknown_fields.to_vec()", "&value.unknown_fields")
			if private[0] == "borrowed" {
				value = "core::marker::PhantomData"
			}
			fields = append(fields, private[0]+": "+value)
		}
	}
	g.literal("Self", fields, "")
}

func (g *generator) convertedUnion(u *ir.Union, form form) {
	other := g.types.name(u, borrowed)
	if form == borrowed {
		other = g.types.name(u, owned)
	}
	g.Line("match value {")
	g.In(func() {
		for _, a := range u.Alternatives {
			name := g.names.Of(a)
			if a.Type == nil {
				g.Line("%s::%s => Self::%s,", other, name, name)
				continue
			}
			g.block(other+"::"+name+"(value) => ", func() {
				if g.types.BoxedPayload(a.Type) {
					g.Line("let value = &**value;")
				}
				value := g.convert(a.Type, place{"value", true}, "payload", form)
				if g.types.BoxedPayload(a.Type) {
					value = "Box::new(" + value + ")"
				}
				g.Line("Self::%s(%s)", name, value)
			}, ",")
		}
		if !u.Closed {
			g.literal(other+"::Unknown { tag, payload } => Self::Unknown", []string{"tag: *tag", pick(form, "payload: payload.to_vec()", "payload")}, ",")
		}
	})
	g.Line("}")
}

// convert prints what makes a value of a form of one in the other form, where it
// needs statements for it, and returns the expression of the value.
func (g *generator) convert(t *ir.Type, p place, name string, form form) string {
	if g.types.plainType(t) {
		return g.copied(t, p)
	}
	if made := g.types.shape(t).made[form]; made != "" {
		return g.placed(made, t, p, form)
	}
	more := map[ir.Kind]conversion{
		ir.ListKind: g.convertList, ir.MapKind: g.convertMap, ir.ArrayKind: g.convertArray, ir.OptionalKind: g.convertOptional,
	}
	return more[t.Kind](t, p, name, form)
}

// conversion prints what makes a value of a form of one in the other form, and
// returns what holds it.
type conversion func(t *ir.Type, p place, name string, form form) string

// placed is an expression of a value at a place.
func (g *generator) placed(text string, t *ir.Type, p place, form form) string {
	places := map[string]string{"v": p.text, "value": p.value(), "ref": p.shared()}
	return lower.FillHoles(g.types.fill(text, t, form), func(hole string) string {
		filled, known := places[hole]
		if !known {
			panic("rust: unknown hole " + hole)
		}
		return filled
	})
}

// inside prints what converts the parts of a value, which needs names of its own
// for a part, its index, and what is made of it.
func (g *generator) inside(body func(part, index, made string)) {
	g.nesting++
	number := map[bool]string{true: fmt.Sprint(g.nesting)}[g.nesting > 1]
	body("item"+number, "i"+number, "items"+number)
	g.nesting--
}

func (g *generator) convertList(t *ir.Type, p place, name string, form form) string {
	g.Line("let mut %s = Vec::with_capacity(%s.len());", name, p.text)
	g.inside(func(part, _, made string) {
		g.Line("for %s in %s {", part, p.shared())
		g.In(func() { g.Line("%s.push(%s);", name, g.convert(t.Elem, place{part, true}, made, form)) })
	})
	g.Line("}")
	return name
}

func (g *generator) convertMap(t *ir.Type, p place, name string, form form) string {
	g.Line("let mut %s = BTreeMap::new();", name)
	g.inside(func(part, _, made string) {
		g.Line("for (key, %s) in %s {", part, p.shared())
		g.In(func() {
			key := g.convert(t.Key, place{"key", true}, "key", form)
			g.call(name+".insert", []string{key, g.convert(t.Elem, place{part, true}, made, form)}, ";")
		})
	})
	g.Line("}")
	return name
}

func (g *generator) convertArray(t *ir.Type, p place, name string, form form) string {
	make := "core::array::from_fn"
	if g.types.OnHeap(t) {
		make = "wire::boxed_array"
	}
	g.inside(func(_, index, made string) {
		g.block(fmt.Sprintf("let %s = %s(|%s| ", name, make, index), func() {
			g.Line("%s", g.convert(t.Elem, place{text: p.text + "[" + index + "]"}, made, form))
		}, ");")
	})
	return name
}

func (g *generator) convertOptional(t *ir.Type, p place, name string, form form) string {
	const unboxed = "let value = &**value;"
	var value string
	statements := g.apart(func() {
		if g.types.Boxed(t) {
			g.Line(unboxed)
		}
		g.inside(func(_, _, made string) { value = g.convert(t.Elem, place{"value", true}, made, form) })
	})
	if strings.Count(statements, "\n") == strings.Count(statements, unboxed) {
		g.Line("let %s = %s%s;", name, p.text, g.mapped(t, value, form))
		return name
	}
	if g.types.Boxed(t) {
		value = "Box::new(" + value + ")"
	}
	g.Line("let %s = if let Some(value) = %s {", name, p.shared())
	g.Raw(statements)
	g.In(func() { g.Line("Some(%s)", value) })
	g.Line("} else {")
	g.In(func() { g.Line("None") })
	g.Line("};")
	return name
}

// mapped is the calls that make an optional value of a form of one in the other
// form, where an expression of `value` does it.
func (g *generator) mapped(t *ir.Type, expression string, form form) string {
	if g.types.Boxed(t) {
		return ".as_deref().map(|value| Box::new(" + expression + "))"
	}
	if mapped := g.types.shape(t.Elem).mapped[form]; mapped != "" {
		return g.types.fill(mapped, t.Elem, form)
	}
	return ".as_ref().map(" + strings.TrimSuffix(expression, "(value)") + ")"
}
