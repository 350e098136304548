package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

// equal prints Equal of a struct or message.
func (g *generator) equal(d ir.Decl) {
	condition := "v == o || v != nil && o != nil"
	for _, f := range ir.FieldsOf(d) {
		condition += " &&\n" + g.same(f.Type, "v."+g.names.Of(f), "o."+g.names.Of(f), 0)
	}
	if keepsUnknown(d) {
		condition += " &&\nstring(v.unknown) == string(o.unknown)"
	}
	g.Line("// Equal reports whether v and o have the same encoding: floats compare by their")
	g.Line("// bits; nil and empty lists, bytes and maps are the same.")
	g.Line("func (v *%s) Equal(o *%s) bool {\nreturn %s\n}\n", g.names.Of(d), g.names.Of(d), condition)
}

// unionEqual prints Equal of a union.
func (g *generator) unionEqual(u *ir.Union) {
	name := g.names.Of(u)
	alike := func(alternative, condition string) {
		g.Line("b, ok := o.Value.(*%s)", alternative)
		g.Line("return ok && (a == b || a != nil && b != nil && %s)", condition)
	}
	g.block(emit.Vars{"name": name, "cases": func() {
		g.alternatives(func() {
			g.cases(u, func(a *ir.Alternative) {
				switch {
				case a.Inline != nil:
					alike(g.names.Of(a), "a.Equal(b)")
				case a.Type == nil:
					alike(g.names.Of(a), "true")
				default:
					alike(g.names.Of(a), g.same(a.Type, "a.Value", "b.Value", 0))
				}
			}, func() { alike(name+"Unknown", "a.Number == b.Number && string(a.Payload) == string(b.Payload)") })
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
}

// comparison is the condition that two values of a form are equal, $each$ that what
// they hold is, which lies at v and w.
type comparison struct{ condition, v, w string }

// comparisons is by form. An array on the heap may be nil, which stands for zeros.
var comparisons = lower.MustPerForm(map[lower.Form]comparison{
	lower.Scalar:       {condition: "$same$"},
	lower.Enum:         {condition: "$v$ == $w$"},
	lower.Str:          {condition: "$v$ == $w$"},
	lower.Bytes:        {condition: "string($v$) == string($w$)"},
	lower.List:         {"$equal$($v$, $w$$by$)", "(*$x$)", "(*$y$)"},
	lower.Numbers:      {"$equal$($v$, $w$$by$)", "(*$x$)", "(*$y$)"},
	lower.Array:        {"$equal$($v$[:], $w$[:]$by$)", "(*$x$)", "(*$y$)"},
	lower.HeapArray:    {"($v$ == $w$ || $equal$(sdp.ArrayOr($v$)[:], sdp.ArrayOr($w$)[:]$by$))", "(*$x$)", "(*$y$)"},
	lower.Optional:     {"$v$.Present == $w$.Present && (!$v$.Present || $each$)", "$v$.Value", "$w$.Value"},
	lower.Boxed:        {condition: "$v$.Equal($w$)"}, // nil equals nil alone
	lower.BoxedArray:   {"($v$ == $w$ || $v$ != nil && $w$ != nil && $each$)", "(*$v$)", "(*$w$)"},
	lower.OptionalHeap: {"($v$ == $w$ || $v$ != nil && $w$ != nil && $each$)", "$v$", "$w$"},
	lower.Map:          {"sdp.MapsEqual($v$, $w$, func($x$, $y$ $elem$) bool { return $each$ })", "$x$", "$y$"},
	lower.Declared:     {condition: "$v$.Equal($to$)"},
	lower.Message:      {condition: "$v$.Equal($to$)"},
})

// same is the condition that two values are equal.
func (g *generator) same(t *ir.Type, v, w string, depth int) string {
	row := comparisons.Of(lower.FormOf(t, g.types.Costs))
	var fill func(text string) string
	hole := func(name string) string {
		switch name {
		case "v":
			return v
		case "w":
			return w
		case "to":
			if pointer, ok := strings.CutPrefix(w, "(*"); ok && strings.Index(w, ")") == len(w)-1 {
				return strings.TrimSuffix(pointer, ")")
			}
			return "&" + w
		case "x", "y":
			return local(name, depth)
		case "same":
			return fmt.Sprintf(sameScalar(t.Kind), v, w)
		case "each":
			return g.same(t.Elem, fill(row.v), fill(row.w), depth+1)
		case "equal":
			return equalItems(t.Elem)
		case "by":
			if equalItems(t.Elem) != listsEqual {
				return ""
			}
			return fill(", func($x$, $y$ *$elem$) bool { return $each$ }")
		}
		return g.types.fill("$"+name+"$", t)
	}
	fill = func(text string) string { return lower.FillHoles(text, hole) }
	return fill(row.condition)
}

const listsEqual = "sdp.ListsEqual"

// equalItems is the function that compares lists of a type.
func equalItems(t *ir.Type) string {
	switch {
	case bulk(t):
		return "sdp.NumbersEqual"
	case t.Kind == ir.StrKind || t.Kind.Class() != 0 && sameScalar(t.Kind) == plainly:
		return "slices.Equal"
	}
	return listsEqual
}

const plainly = "%s == %s"

// sameScalar is the condition that two scalars are the same.
func sameScalar(kind ir.Kind) string {
	switch kind.Class() {
	case ir.TimestampClass:
		return "sdp.TimesEqual(%s, %s)"
	case ir.FloatClass:
		bits := fmt.Sprintf("math.Float%dbits", 8*kind.Bytes())
		return bits + "(%s) == " + bits + "(%s)"
	case ir.BoolClass, ir.UnsignedClass, ir.SignedClass, ir.DurationClass, ir.UUIDClass:
		return plainly
	}
	panic("golang: " + kind.String() + " is no scalar")
}
