package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// validator prints the decoder without a value: it says whether bytes are valid
// and stores nothing. Views are opened by it.
func (g *generator) validator(body *plan.Body) {
	g.Line("// SDPValid%s reports whether s starts with a valid value, and returns what is", g.names.Of(body.Decl))
	g.Line("// behind it. It is for generated code.")
	g.function(fmt.Sprintf("func SDPValid%s(d *sdp.Decoder, s string, depth int) (string, bool)", g.names.Of(body.Decl)), decoderLocals, func() {
		g.Line("if depth > d.Depth {\nreturn s, false\n}")
		switch decl := body.Decl.(type) {
		case *ir.Struct:
			g.validOps(body.Segments[0].Ops)
			g.Line("return s, true")
		case *ir.Message:
			for i, s := range body.Segments {
				if i > 0 {
					g.Line("if len(s) == 0 {\nreturn s, !d.Exact\n}")
				}
				g.validOps(s.Ops)
			}
			g.Line("return s[len(s):], !d.Exact || len(s) == 0")
		case *ir.Union:
			g.validUnion(decl, body)
		}
	})
}

func (g *generator) validOps(ops []plan.Op) {
	for _, op := range ops {
		g.valid(op, 0)
	}
}

func (g *generator) valid(op plan.Op, nesting int) {
	switch op := op.(type) {
	case *plan.Run:
		g.validRun(op, nesting)
	case *plan.Text:
		g.try("n, s, ok = sdp.Length%d(s, %d)", op.Type.LenBytes, plan.LengthMax(op.Type))
		g.refuseUnless("sdp.ValidText(s, n)")
		g.Line("s = s[n:]")
	case *plan.Blob:
		g.try("n, s, ok = sdp.Length%d(s, %d)", op.Type.LenBytes, plan.LengthMax(op.Type))
		g.Line("s = s[n:]")
	case *plan.List:
		g.try("n, s, ok = d.Count%d(s, %d, %d)", op.Type.LenBytes, plan.LengthMax(op.Type), op.ElemSize.Min)
		g.validElements(op.Elem, "n", nesting)
	case *plan.Array:
		g.refuseUnless(fmt.Sprintf("d.Elements(%d)", plan.ArrayElements(op.Type)))
		g.validElements(op.Elem, fmt.Sprint(op.Type.N), nesting)
	case *plan.Optional:
		g.Line("if len(s) < 1 || s[0] > 1 {\nreturn s, false\n}")
		g.Line("if s[0] == 0 {\ns = s[1:]\n} else {\ns = s[1:]")
		g.valid(op.Elem, nesting)
		g.Line("}")
	case *plan.Map:
		g.validMap(op, nesting)
	case *plan.Nested:
		if op.Type.Kind == ir.MessageKind {
			g.try("w, s, ok = sdp.Window(s)")
			g.try("_, ok = %s(d, w, depth+1)", g.validFunc(op.Type.Decl))
		} else {
			g.try("s, ok = %s(d, s, depth+1)", g.validFunc(op.Type.Decl))
		}
	}
}

func (g *generator) validFunc(d ir.Decl) string {
	return g.types.qualified(d.DeclPackage(), "SDPValid"+g.names.Of(d))
}

// validElements prints the loop over elements; where no bytes of them can be
// refused, it steps over all of them.
func (g *generator) validElements(elem plan.Op, n string, nesting int) {
	run, isRun := elem.(*plan.Run)
	switch {
	case isRun && !run.Checked && run.Levels == 0 && run.Elements == 0:
		g.Line("s = s[%s*%d:]", n, run.Bytes)
	case isRun && len(run.Items) == 1 && run.Items[0].Type.Kind == ir.Bool && run.Levels == 0:
		g.refuseUnless(fmt.Sprintf("sdp.BoolsValid(s[:%s])", n))
		g.Line("s = s[%s:]", n)
	default:
		g.Line("for range %s {", n)
		g.valid(elem, nesting+1)
		g.Line("}")
	}
}

func (g *generator) validRun(run *plan.Run, nesting int) {
	if run.Levels > 0 {
		g.Line("if depth+%d > d.Depth {\nreturn s, false\n}", run.Levels)
	}
	if run.Elements > 0 {
		g.refuseUnless(fmt.Sprintf("d.Elements(%d)", run.Elements))
	}
	if run.Bytes == 0 {
		return
	}
	g.Line("if len(s) < %d {\nreturn s, false\n}", run.Bytes)
	g.validItems(run, "s", nesting)
	g.Line("s = s[%d:]", run.Bytes)
}

// validItems prints the checks of a run's bools and closed enums.
func (g *generator) validItems(run *plan.Run, b string, nesting int) {
	if !run.Checked {
		return
	}
	g.refuseUnless(boolsValid(run, b))
	for _, item := range run.Items {
		t := item.Type
		switch {
		case t.Kind == ir.EnumKind && t.Enum().Closed:
			g.refuseUnless(fmt.Sprintf("%s.SDPKnown()", g.load(t, b, item.Offset)))
		case t.Kind == ir.StructKind && item.Body.Traits.Checked:
			g.try("_, ok = %s(d, %s, depth+1)", g.validFunc(t.Decl), from(b, item.Offset))
		case t.Kind == ir.ArrayKind:
			g.validArray(item, b, nesting)
		}
	}
}

func (g *generator) validArray(item plan.Item, s string, nesting int) {
	t := item.Type
	w, i := local("x", nesting), local("i", nesting)
	switch elem := item.Elem; {
	case t.Elem.Kind == ir.Bool:
		g.refuseUnless(fmt.Sprintf("sdp.BoolsValid(%s[%d:%d])", s, item.Offset, item.Offset+t.N))
	case elem == nil && (t.Elem.Kind != ir.EnumKind || !t.Elem.Enum().Closed):
	default:
		if elem == nil {
			elem = g.program.Op(t.Elem).(*plan.Run)
		}
		if !elem.Checked {
			return
		}
		g.Line("for %s := range %d {", i, t.N)
		g.Line("%s := %s[%d+%d*%s:]", w, s, item.Offset, elem.Bytes, i)
		g.validItems(elem, w, nesting+1)
		g.Line("}")
	}
}

func (g *generator) validMap(op *plan.Map, nesting int) {
	t := op.Type
	i, key, last := local("i", nesting), local("key", nesting), local("last", nesting)
	g.try("n, s, ok = d.Count%d(s, %d, %d)", t.LenBytes, plan.LengthMax(t), op.EntrySize.Min)
	g.Line("{\nvar %s %s", last, g.types.spell(t.Key))
	g.Line("for %s := range n {", i)
	g.Line("var %s %s", key, g.types.spell(t.Key))
	g.get(op.Key, key, nesting+1)
	order := fmt.Sprintf("%s <= %s", key, last)
	if t.Key.Kind == ir.Bool {
		order = fmt.Sprintf("!%s || bool(%s)", key, last)
	}
	g.Line("if %s > 0 && (%s) {\nreturn s, false\n}", i, order)
	g.Line("%s = %s", last, key)
	g.valid(op.Value, nesting+1)
	g.Line("}\n}")
}

func (g *generator) validUnion(u *ir.Union, body *plan.Body) {
	g.Line("if len(s) < 1 {\nreturn s, false\n}")
	g.Line("tag := s[0]")
	if u.Closed {
		g.Line("s = s[1:]")
	} else {
		g.Line("s, rest, ok := sdp.Window(s[1:])")
		g.Line("if !ok {\nreturn s, false\n}")
	}
	g.Line("switch tag {")
	for _, a := range body.Alternatives {
		g.Line("case %d:", a.Alt.Tag)
		if a.Op != nil {
			g.valid(a.Op, 0)
		}
	}
	if u.Closed {
		g.Line("default:\nreturn s, false\n}\nreturn s, true")
		return
	}
	g.Line("case 0:\nreturn s, false")
	g.Line("default:\nreturn rest, true\n}")
	g.Line("return rest, len(s) == 0")
}
