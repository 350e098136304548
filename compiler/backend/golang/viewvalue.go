package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// viewType is what a view hands out for a value within another: a list in a
// list, say.
func (g *generator) viewType(t *ir.Type) string {
	switch t.Kind {
	case ir.ListKind, ir.ArrayKind:
		return fmt.Sprintf("sdp.ListView[%s]", g.viewType(t.Elem))
	case ir.MapKind:
		return fmt.Sprintf("sdp.MapView[%s, %s]", g.viewType(t.Key), g.viewType(t.Elem))
	case ir.OptionalKind:
		return fmt.Sprintf("sdp.Optional[%s]", g.viewType(t.Elem))
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return g.types.viewDecl(t.Decl)
	}
	return g.types.spell(t)
}

// viewField is the result of a field's accessor and what prints its body, which
// reads the field from the start of b.
func (g *generator) viewField(t *ir.Type) (result string, read func()) {
	switch t.Kind {
	case ir.ListKind, ir.ArrayKind:
		elem := g.viewType(t.Elem)
		return "iter.Seq[" + elem + "]", func() {
			g.Line("return func(yield func(%s) bool) {", elem)
			g.eachElement(t, func() { g.Line("if !yield(e) {\nreturn\n}") })
			g.Line("}")
		}
	case ir.MapKind:
		key, value := g.viewType(t.Key), g.viewType(t.Elem)
		return fmt.Sprintf("iter.Seq2[%s, %s]", key, value), func() {
			g.Line("return func(yield func(%s, %s) bool) {", key, value)
			g.Line("n, b := sdp.Open%d(b)", t.LenBytes)
			g.Line("for range n {")
			g.readNext(t.Key, "key", 1)
			g.readNext(t.Elem, "e", 1)
			g.Line("if !yield(key, e) {\nreturn\n}\n}\n}")
		}
	case ir.OptionalKind:
		elem := g.viewType(t.Elem)
		return "(" + elem + ", bool)", func() {
			g.Line("if b[0] == 0 {\nvar none %s\nreturn none, false\n}", elem)
			g.Line("b = b[1:]")
			g.Line("return %s, true", g.viewValue(t.Elem, 0))
		}
	}
	return g.viewType(t), func() { g.Line("return %s", g.viewValue(t, 0)) }
}

// eachElement prints a loop over the elements of a list or array at the start
// of b; body finds each in e.
func (g *generator) eachElement(t *ir.Type, body func()) {
	if t.Kind == ir.ArrayKind {
		g.Line("b := b")
		g.Line("for range %d {", t.N)
	} else {
		g.Line("n, b := sdp.Open%d(b)", t.LenBytes)
		g.Line("for range n {")
	}
	g.readNext(t.Elem, "e", 1)
	body()
	g.Line("}")
}

// viewValue prints what is needed to read a value from the start of b, and
// returns the expression for it.
func (g *generator) viewValue(t *ir.Type, nesting int) string {
	switch t.Kind {
	case ir.StrKind:
		return fmt.Sprintf("sdp.String%d(b)", t.LenBytes)
	case ir.BytesKind:
		return fmt.Sprintf("sdp.Bytes%d(b)", t.LenBytes)
	case ir.StructKind, ir.UnionKind:
		return g.types.viewFunc(t.Decl) + "(b)"
	case ir.MessageKind:
		return g.types.viewFunc(t.Decl) + "(sdp.Bytes4(b))"
	case ir.ListKind, ir.ArrayKind, ir.MapKind:
		list := local("list", nesting)
		g.container(t, list, nesting)
		return list
	case ir.OptionalKind:
		o := local("o", nesting)
		g.readOptional(t, o, nesting)
		return o
	}
	return g.load(t, "b", 0)
}

// container prints a variable that is the view of a list, array or map at the
// start of b.
func (g *generator) container(t *ir.Type, name string, nesting int) {
	n, body := local("n", nesting), local("body", nesting)
	if t.Kind == ir.ArrayKind {
		g.Line("%s, %s := %d, b", n, body, t.N)
	} else {
		g.Line("%s, %s := sdp.Open%d(b)", n, body, t.LenBytes)
	}
	if t.Kind == ir.MapKind {
		g.Emit(emit.Vars{
			"name": name, "body": body, "n": n, "K": g.viewType(t.Key), "V": g.viewType(t.Elem),
			"key":   func() { g.readNext(t.Key, "key", nesting+1) },
			"value": func() { g.readNext(t.Elem, "e", nesting+1) },
		}, `
			$name$ := sdp.NewMapView($body$, $n$, func(b []byte) ($K$, $V$, []byte) {
				$key$
				$value$
				return key, e, b
			})
		`)
		return
	}
	g.Emit(emit.Vars{
		"name": name, "body": body, "n": n, "T": g.viewType(t.Elem),
		"elem": func() { g.readNext(t.Elem, "e", nesting+1) },
	}, `
		$name$ := sdp.NewListView($body$, $n$, func(b []byte) ($T$, []byte) {
			$elem$
			return e, b
		})
	`)
}

func (g *generator) readOptional(t *ir.Type, name string, nesting int) {
	inner := local("some", nesting)
	g.Line("var %s sdp.Optional[%s]", name, g.viewType(t.Elem))
	g.Line("if b[0] == 1 {")
	g.Line("b := b[1:]")
	g.Line("%s := %s", inner, g.viewValue(t.Elem, nesting+1))
	g.Line("%s.Set(%s)", name, inner)
	g.Line("}")
}

// readNext prints what reads a value from the start of b into a new variable
// and moves b behind it.
func (g *generator) readNext(t *ir.Type, name string, nesting int) {
	g.Line("%s := %s", name, g.viewValue(t, nesting))
	switch t.Kind {
	case ir.StrKind, ir.BytesKind:
		g.Line("b = b[sdp.Skip%d(b, 0):]", t.LenBytes)
	case ir.MessageKind:
		g.Line("b = b[sdp.Skip4(b, 0):]")
	case ir.StructKind, ir.UnionKind:
		g.Line("b = b[%s.SDPEnd():]", name)
	case ir.ListKind, ir.ArrayKind, ir.MapKind:
		g.Line("b = %s.Rest()", name)
	case ir.OptionalKind:
		g.Line("{\np := 0")
		g.skip(g.program.Op(t), nesting)
		g.Line("b = b[p:]\n}")
	default:
		g.Line("b = b[%d:]", t.Scalar().Bytes())
	}
}

// zeroBytes is the encoding of a type's zero value, for a field whose segment
// isn't there.
func (g *generator) zeroBytes(t *ir.Type) string {
	switch t.Kind {
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.MapKind:
		return fmt.Sprintf("make([]byte, %d)", t.LenBytes)
	case ir.OptionalKind:
		return "make([]byte, 1)"
	case ir.StructKind:
		return "sdp.EncodingOf(" + g.newFunc(t.Decl) + "())"
	case ir.MessageKind:
		return "sdp.FramedEncodingOf(" + g.newFunc(t.Decl) + "())"
	case ir.ArrayKind:
		return fmt.Sprintf("sdp.Repeat(%s, %d)", g.zeroBytes(t.Elem), t.N)
	}
	return fmt.Sprintf("make([]byte, %d)", t.Scalar().Bytes())
}

func (g *generator) newFunc(d ir.Decl) string {
	return g.types.qualified(d.DeclPackage(), "New"+declName(d))
}

// union prints the view of a union.
func (v *view) union(u *ir.Union) {
	name := declName(u)
	head := 5
	if u.Closed {
		head = 1
	}
	v.Emit(emit.Vars{"name": name, "skip": func() { v.unionSkip(u) }}, `
		// $name$View is a window on a validated $name$.
		type $name$View struct{ b []byte }

		// SDPView$name$ makes a view of validated bytes that start with a value. It is
		// for generated code.
		func SDPView$name$(b []byte) $name$View { return $name$View{b} }

		// Tag is the number of the alternative that is there.
		func (v $name$View) Tag() uint8 { return v.b[0] }

		// SDPEnd is the number of bytes that the value has. It is for generated code.
		func (v $name$View) SDPEnd() int { return SDPSkip$name$(v.b, 0) }

		// SDPSkip$name$ returns the position behind a value at p. It is for generated
		// code.
		func SDPSkip$name$(b []byte, p int) int {
			$skip$
		}
	`)
	v.Line("")
	if !u.Closed {
		v.Emit(emit.Vars{"name": name}, `
			// Payload is the bytes of the alternative, also of one that is not known here.
			func (v $name$View) Payload() []byte { return sdp.Bytes4(v.b[1:]) }
		`)
		v.Line("")
	}
	for _, a := range u.Alternatives {
		v.alternativeAccessor(u, a, head)
	}
}

func (v *view) unionSkip(u *ir.Union) {
	if !u.Closed {
		v.Line("return sdp.Skip4(b, p+1)")
		return
	}
	v.Line("p++")
	v.Line("switch b[p-1] {")
	for _, a := range v.body.Alternatives {
		if a.Op != nil {
			v.Line("case %d:", a.Alt.Tag)
			v.skip(a.Op, 0)
		}
	}
	v.Line("}")
	v.Line("return p")
}

func (v *view) alternativeAccessor(u *ir.Union, a *ir.Alternative, head int) {
	name, method := declName(u), nameOf(&a.Meta, a.Name)
	if method == "Tag" || method == "Payload" || method == "SDPEnd" {
		method += "_"
	}
	if a.Type == nil {
		v.Line("// %s reports whether the alternative is %s.", method, a.Name)
		v.Line("func (v %sView) %s() bool { return v.b[0] == %d }", name, method, a.Tag)
		v.Line("")
		return
	}
	result := v.viewType(a.Type)
	v.Line("// %s returns the content of %s, and whether that is the alternative.", method, a.Name)
	v.Line("func (v %sView) %s() (%s, bool) {", name, method, result)
	v.Line("if v.b[0] != %d {\nvar none %s\nreturn none, false\n}", a.Tag, result)
	if a.Type.Kind == ir.StructKind && len(a.Type.Struct().Fields) == 0 {
		v.Line("return %s(nil), true", v.types.viewFunc(a.Type.Decl))
	} else {
		v.Line("b := v.b[%d:]", head)
		v.Line("return %s, true", v.viewValue(a.Type, 0))
	}
	v.Line("}")
	v.Line("")
}
