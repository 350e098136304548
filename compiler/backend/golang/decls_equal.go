package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

// equal prints Equal of a struct or message.
func (g *generator) equal(d ir.Decl) {
	name := g.names.Of(d)
	g.Emit(emit.Vars{"name": name, "fields": func() {
		for _, f := range ir.FieldsOf(d) {
			g.unequal(f.Type, "v."+g.names.Of(f), "o."+g.names.Of(f))
		}
		if keepsUnknown(d) {
			g.Line("if string(v.unknown) != string(o.unknown) {\nreturn false\n}")
		}
	}}, `
		// Equal reports whether v and o have the same encoding: floats compare by their
		// bits; nil and empty lists, bytes and maps are the same.
		func (v *$name$) Equal(o *$name$) bool {
			if v == nil || o == nil {
				return v == o
			}
			$fields$
			return true
		}
	`)
	g.Line("")
}

// unionEqual prints Equal of a union.
func (g *generator) unionEqual(u *ir.Union) {
	const bothThere = "if !ok || a == nil || b == nil {\nreturn ok && a == b\n}"
	name := g.names.Of(u)
	other := func(alternative string) { g.Line("b, ok := o.Value.(*%s)", alternative) }
	g.Emit(emit.Vars{"name": name, "cases": func() {
		g.alternatives(func() {
			g.cases(u, func(a *ir.Alternative) {
				other(g.names.Of(a))
				switch {
				case a.Inline != nil:
					g.Line("return ok && a.Equal(b)")
				case a.Type == nil:
					g.Line("return ok && (a == nil) == (b == nil)")
				default:
					g.Line(bothThere)
					g.unequal(a.Type, "a.Value", "b.Value")
					g.Line("return true")
				}
			}, func() {
				other(name + "Unknown")
				g.Line(bothThere)
				g.Line("return a.Number == b.Number && string(a.Payload) == string(b.Payload)")
			})
		})
	}}, `
		// Equal reports whether v and o hold the same alternative and the same in it.
		func (v *$name$) Equal(o *$name$) bool {
			if v == nil || o == nil {
				return v == o
			}
			$cases$
			return o.Value == nil
		}
	`)
	g.Line("")
}

// unequal prints statements that return false unless two values are equal.
func (g *generator) unequal(t *ir.Type, a, b string) {
	comparisons.Value(spelling{g}, t, lower.Place{At: []string{a, b}})
}

// comparisons return false unless two values are equal. An array on the heap may
// be nil, which stands for zeros.
var comparisons = &lower.Operation{Leaves: lower.MustPerForm(map[lower.Form]lower.Leaf{
	lower.Scalar:  {Do: unless("$differ$")},
	lower.Enum:    {Do: unless("$v$ != $w$")},
	lower.Str:     {Do: unless("$v$ != $w$")},
	lower.Bytes:   {Do: unless("string($v$) != string($w$)")},
	lower.List:    {Do: unless("len($v$) != len($w$)"), Each: compareItems},
	lower.Numbers: {Do: unless("len($v$) != len($w$)"), Each: compareItems},
	lower.Array:   {Each: compareItems},
	lower.HeapArray: {Each: `if $x$, $y$ := sdp.ArrayOr($v$), sdp.ArrayOr($w$); $x$ != $y$ {
		array => $x$, $y$
	}`},
	lower.Optional: {
		Do:   unless("$v$.Present != $w$.Present"),
		Each: "if $v$.Present {\n=> $v$.Value, $w$.Value\n}",
	},
	lower.Boxed:        {Do: unless("!$v$.Equal($w$)")}, // nil equals nil alone
	lower.BoxedArray:   {Do: oneIsNil, Each: "if $v$ != nil {\n=> (*$v$), (*$w$)\n}"},
	lower.OptionalHeap: {Do: oneIsNil, Each: "if $v$ != nil {\n=> $v$, $w$\n}"},
	lower.Map: {Do: unless("len($v$) != len($w$)"), Each: `for $k$, $x$ := range $v$ {
		$y$, ok := $w$[$k$]
		if !ok {
			return false
		}
		=> $x$, $y$
	}`},
	lower.Declared: {Do: unless("!$v$.Equal(&$w$)")},
	lower.Message:  {Do: unless("!$v$.Equal(&$w$)")},
})}

const compareItems = "for $i$ := range $v$ {\n=> $v$[$i$], $w$[$i$]\n}"

var oneIsNil = unless("($v$ == nil) != ($w$ == nil)")

func unless(different string) string { return "if " + different + " {\nreturn false\n}" }

// differ is the condition that two scalars are not the same.
func differ(kind ir.Kind) string {
	switch kind.Class() {
	case ir.TimestampClass:
		return "!sdp.TimesEqual(%s, %s)"
	case ir.FloatClass:
		bits := fmt.Sprintf("math.Float%dbits", 8*kind.Bytes())
		return bits + "(%s) != " + bits + "(%s)"
	case ir.BoolClass, ir.UnsignedClass, ir.SignedClass, ir.DurationClass, ir.UUIDClass:
		return "%s != %s"
	}
	panic("golang: " + kind.String() + " is no scalar")
}
