package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// checker prints the slow walk over a value that names the first thing that
// can't be encoded. Encoding calls it only when a fast pass has noted that
// there is one, and Validate calls it for what encoding trusts.
func (g *generator) checker(body *plan.Body) {
	g.Line("// SDPCheck names the first thing in v that can't be encoded. It is for generated")
	g.Line("// code.")
	g.Line("func (v *%s) SDPCheck(c sdp.Checker, depth int) *sdp.Error {", g.names.Of(body.Decl))
	g.Line("if err := c.Enter(depth); err != nil {\nreturn err\n}")
	if u, ok := body.Decl.(*ir.Union); ok {
		g.checkUnion(u, body)
	} else {
		for _, f := range ir.FieldsOf(body.Decl) {
			g.check(f.Type, "v."+g.names.Of(f), fmt.Sprintf(".Field(%q)", f.Name), 0)
		}
		g.Line("return nil")
	}
	g.Line("}")
	g.Line("")
}

// check prints what checks v, of type t. Path is the calls that make an inner
// error's path one of the enclosing value.
func (g *generator) check(t *ir.Type, v, path string, nesting int) {
	switch t.Kind {
	case ir.StrKind:
		g.checkCall("c.Text(%s, %d, %d)", path, v, plan.DeclaredMax(t), plan.WidthMax(t.LenBytes))
	case ir.BytesKind:
		g.checkLength(t, v, path)
	case ir.EnumKind:
		if t.Enum().Closed {
			g.checkCall("c.Known(%s.SDPKnown())", path, v)
		}
	case ir.StructKind, ir.UnionKind:
		g.checkCall("%s.SDPCheck(c, depth+1)", path, v)
	case ir.MessageKind:
		g.checkCall("%s.SDPCheck(c, depth+1)", path, v)
		g.Line("if c.Large && sdp.TooLarge(%s.SDPSize(new(sdp.Encoder), depth+1)) {", v)
		g.In(func() { g.Line("return sdp.Oversize()%s", path) })
		g.Line("}")
	case ir.ListKind:
		g.checkLength(t, v, path)
		g.checkElements(t, v, path, nesting)
	case ir.ArrayKind:
		if g.checkable(t.Elem) {
			g.elements(t, v, nesting, func(v string) { g.checkElements(t, v, path, nesting) })
		}
	case ir.OptionalKind:
		if g.checkable(t.Elem) {
			g.present(t, v)
			g.check(t.Elem, g.content(t, v), path, nesting+1)
			g.Line("}")
		}
	case ir.MapKind:
		g.checkLength(t, v, path)
		g.checkMap(t, v, path, nesting)
	default:
		if t.Kind.Class() == ir.TimestampClass {
			g.checkCall("c.Time(%s)", path, v)
		}
	}
}

// checkable reports whether some values of the type can't be encoded.
func (g *generator) checkable(t *ir.Type) bool {
	switch t.Kind {
	case ir.EnumKind:
		return t.Enum().Closed
	case ir.ArrayKind, ir.OptionalKind:
		return g.checkable(t.Elem)
	}
	return t.Scalar() == 0 || t.Kind.Class() == ir.TimestampClass
}

func (g *generator) checkCall(call, path string, args ...any) {
	g.Line("if err := "+call+"; err != nil {", args...)
	g.In(func() { g.Line("return err%s", path) })
	g.Line("}")
}

func (g *generator) checkLength(t *ir.Type, v, path string) {
	g.checkCall("c.Length(len(%s), %d, %d)", path, v, plan.DeclaredMax(t), plan.WidthMax(t.LenBytes))
}

func (g *generator) checkElements(t *ir.Type, v, path string, nesting int) {
	if !g.checkable(t.Elem) {
		return
	}
	i := local("i", nesting)
	g.Line("for %s := range %s {", i, v)
	g.In(func() { g.check(t.Elem, index(v, i), fmt.Sprintf(".Index(%s)%s", i, path), nesting+1) })
	g.Line("}")
}

// checkMap walks a map in the order of its encoding, so that paths are those of
// the wire.
func (g *generator) checkMap(t *ir.Type, v, path string, nesting int) {
	if !g.checkable(t.Key) && !g.checkable(t.Elem) {
		return
	}
	sorted := "SortedKeys"
	if t.Key.Kind == ir.Bool {
		sorted = "SortedBools"
	}
	i, key, value := local("i", nesting), local("key", nesting), local("value", nesting)
	name := key
	if !g.checkable(t.Key) && !g.checkable(t.Elem) {
		name = "_"
	}
	g.Line("for %s, %s := range sdp.%s(nil, %s) {", i, name, sorted, v)
	g.check(t.Key, key, fmt.Sprintf(".Field(\"key\").Index(%s)%s", i, path), nesting+1)
	if g.checkable(t.Elem) {
		g.Line("%s := %s[%s]", value, v, key)
		g.check(t.Elem, value, fmt.Sprintf(".Field(\"value\").Index(%s)%s", i, path), nesting+1)
	}
	g.Line("}")
}

func (g *generator) checkUnion(u *ir.Union, body *plan.Body) {
	g.alternatives(func() {
		for _, a := range body.Alternatives {
			g.Line("case *%s:", g.names.Of(a.Alt))
			g.Line("if a == nil {\nreturn sdp.Invalid()\n}")
			path := fmt.Sprintf(".Field(%q)", a.Alt.Name)
			switch {
			case a.Op == nil:
			case a.Alt.Inline != nil:
				g.checkCall("a.SDPCheck(c, depth+1)", path)
			default:
				g.check(a.Alt.Type, "a.Value", path, 0)
			}
		}
		if !u.Closed {
			g.Line("case *%sUnknown:", g.names.Of(u))
			g.Line("if a == nil || !(%s) {\nreturn sdp.Invalid()\n}", unknownTag(u))
		}
		g.Line("default:\nreturn sdp.Invalid()")
	})
	g.Line("return nil")
}
