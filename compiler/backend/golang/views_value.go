package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// viewSpelling is how Go spells a value within a view: the type that a view hands
// out for a value within another, what reads one at position $p$ of $s$, and what
// moves s behind one at its start. The latter two are empty for values that take more.
type viewSpelling struct{ handed, value, next string }

const listView, restOf = "sdp.ListView[$elem$]", "s = $name$.Rest()"

var viewSpellings = lower.MustPerViewForm(map[lower.ViewForm]viewSpelling{
	lower.ViewValue:     {"$type$", "$scalar$", "s = s[$bytes$:]"},
	lower.ViewStr:       {"$type$", "sdp.String$width$($s$, $p$)", "s = s[sdp.Skip$width$(s, 0):]"},
	lower.ViewBytes:     {"$type$", "sdp.Bytes$width$($s$, $p$)", "s = s[sdp.Skip$width$(s, 0):]"},
	lower.ViewItems:     {listView, "", restOf},
	lower.ViewList:      {listView, "", restOf},
	lower.ViewItemArray: {listView, "", restOf},
	lower.ViewArray:     {listView, "", restOf},
	lower.ViewMap:       {"sdp.MapView[$key$, $elem$]", "", restOf},
	lower.ViewOptional:  {"sdp.Optional[$elem$]", "", ""},
	lower.ViewDeclared:  {"$view$", "$open$($tail$)", "s = s[$name$.SDPEnd():]"},
	lower.ViewMessage:   {"$view$", "$open$(sdp.String$width$($s$, $p$))", "s = s[sdp.Skip$width$(s, 0):]"},
})

func viewForm(t *ir.Type) lower.ViewForm {
	return lower.ViewFormOf(t, func(t *ir.Type) bool { return t.Scalar() != 0 })
}

// viewText fills the holes of a text about a value called name, or at position p of s.
func (g *generator) viewText(text string, t *ir.Type, s, p, name string) string {
	holes := map[string]func() string{
		"type":   func() string { return g.types.spell(t) },
		"elem":   func() string { return g.viewType(t.Elem) },
		"key":    func() string { return g.viewType(t.Key) },
		"view":   func() string { return g.types.viewDecl(t.Decl) },
		"open":   func() string { return g.types.viewFunc(t.Decl) },
		"scalar": func() string { return g.viewScalar(t, s, p) },
		"width":  func() string { return fmt.Sprint(plan.Prefix(t)) },
		"bytes":  func() string { return fmt.Sprint(g.program.SizeOf(t).Min) },
		"s":      func() string { return s },
		"p":      func() string { return p },
		"tail":   func() string { return tail(s, p) },
		"name":   func() string { return name },
	}
	return lower.FillHoles(text, func(hole string) string { return holes[hole]() })
}

// viewType is the type that a view hands out for a value within another: a list in a list, say.
func (g *generator) viewType(t *ir.Type) string {
	return g.viewText(viewSpellings.Of(viewForm(t)).handed, t, "", "", "")
}

// viewField is the result of a field's accessor and what prints its body, which
// reads the field at position p of s.
func (g *generator) viewField(t *ir.Type) (result string, body func(s, p string)) {
	switch viewForm(t) {
	case lower.ViewItems, lower.ViewList, lower.ViewItemArray, lower.ViewArray:
		elem := g.viewType(t.Elem)
		return "iter.Seq[" + elem + "]", func(s, p string) {
			g.Line("list := %s", tail(s, p))
			g.Line("return func(yield func(%s) bool) {", elem)
			g.eachElement(t, func() { g.Line("if !yield(e) {\nreturn\n}") })
			g.Line("}")
		}
	case lower.ViewMap:
		key, value := g.viewType(t.Key), g.viewType(t.Elem)
		return fmt.Sprintf("iter.Seq2[%s, %s]", key, value), func(s, p string) {
			g.Line("list := %s", tail(s, p))
			g.Line("return func(yield func(%s, %s) bool) {", key, value)
			g.Line("n, s := sdp.Open%d(list)", t.LenBytes)
			g.Line("for ; n > 0; n-- {")
			g.readNext(t.Key, "key", 1)
			g.readNext(t.Elem, "e", 1)
			g.Line("if !yield(key, e) {\nreturn\n}\n}\n}")
		}
	case lower.ViewOptional:
		elem := g.viewType(t.Elem)
		return "(" + elem + ", bool)", func(s, p string) {
			g.Line("if %s == 0 {\nvar none %s\nreturn none, false\n}", index(s, p), elem)
			g.Line("return %s, true", g.viewValue(t.Elem, s, p+"+1", 0))
		}
	}
	return g.viewType(t), func(s, p string) { g.Line("return %s", g.viewValue(t, s, p, 0)) }
}

// tail is s from position p on.
func tail(s, p string) string {
	if p == "0" {
		return s
	}
	return s + "[" + p + ":]"
}

// eachElement prints a loop over the elements of a list or array that starts
// with the string list; body finds each in e.
func (g *generator) eachElement(t *ir.Type, body func()) {
	if viewForm(t).IsArray() {
		g.Line("s := list")
		g.Line("for range %d {", t.N)
	} else {
		g.Line("n, s := sdp.Open%d(list)", t.LenBytes)
		g.Line("for ; n > 0; n-- {")
	}
	if s, ok := t.Elem.Decl.(*ir.Struct); ok && s.Package == g.pkg {
		g.openElement(s)
	} else {
		g.readNext(t.Elem, "e", 1)
	}
	body()
	g.Line("}")
}

// openElement prints the opening of an element's view in place, which the
// compiler would not do for a call, and moves s behind it.
func (g *generator) openElement(d ir.Decl) {
	v := g.newView(d)
	fields := []string{"s: s"}
	v.findMarks(func(mark int) {
		fields = append(fields, fmt.Sprintf("o%d: uint32(o%d)", mark, mark))
		g.Line("o%d := p", mark)
	})
	g.Line("e := %sView{%s}", g.names.Of(d), strings.Join(fields, ", "))
	g.Line("s = s[e.SDPEnd():]")
}

// viewValue prints what is needed to read a value at position p of s, and
// returns the expression for it.
func (g *generator) viewValue(t *ir.Type, s, p string, nesting int) string {
	switch form := viewForm(t); {
	case form == lower.ViewOptional:
		o := local("o", nesting)
		g.Line("var %s sdp.Optional[%s]", o, g.viewType(t.Elem))
		g.Line("if %s == 1 {", index(s, p))
		g.Line("%s.Set(%s)", o, g.viewValue(t.Elem, s, p+"+1", nesting+1))
		g.Line("}")
		return o
	case viewSpellings.Of(form).value == "":
		list := local("list", nesting)
		g.container(t, list, s, p, nesting)
		return list
	default:
		return g.viewText(viewSpellings.Of(form).value, t, s, p, "")
	}
}

// viewScalar is the expression for a scalar at position p of s.
func (g *generator) viewScalar(t *ir.Type, s, p string) string {
	value := strings.NewReplacer("$s$", s, "$p$", p).Replace(scalars.Of(t.Scalar()).load)
	if t.Decl != nil { // an enum
		return g.types.decl(t.Decl) + "(" + value + ")"
	}
	return value
}

// container prints a variable that is the view of a list, array or map.
func (g *generator) container(t *ir.Type, name, s, p string, nesting int) {
	n, body := local("n", nesting), local("body", nesting)
	if viewForm(t).IsArray() {
		g.Line("%s, %s := %d, %s", n, body, t.N, tail(s, p))
	} else {
		g.Line("%s, %s := sdp.Open%d(%s)", n, body, t.LenBytes, tail(s, p))
	}
	if t.Key != nil {
		g.Emit(emit.Vars{
			"name": name, "body": body, "n": n, "K": g.viewType(t.Key), "V": g.viewType(t.Elem),
			"key":   func() { g.readNext(t.Key, "key", nesting+1) },
			"value": func() { g.readNext(t.Elem, "e", nesting+1) },
		}, `
			$name$ := sdp.NewMapView($body$, $n$, func(s string) ($K$, $V$, string) {
				$key$
				$value$
				return key, e, s
			})
		`)
		return
	}
	g.Emit(emit.Vars{
		"name": name, "body": body, "n": n, "T": g.viewType(t.Elem),
		"elem": func() { g.readNext(t.Elem, "e", nesting+1) },
	}, `
		$name$ := sdp.NewListView($body$, $n$, func(s string) ($T$, string) {
			$elem$
			return e, s
		})
	`)
}

// readNext prints what reads a value from the start of s into a new variable
// and moves s behind it.
func (g *generator) readNext(t *ir.Type, name string, nesting int) {
	g.Line("%s := %s", name, g.viewValue(t, "s", "0", nesting))
	form := viewForm(t)
	if form != lower.ViewOptional {
		g.Line("%s", g.viewText(viewSpellings.Of(form).next, t, "s", "0", name))
		return
	}
	g.Line("{\np := 0")
	g.skip(g.program.Op(t))
	g.Line("s = s[p:]\n}")
}

// zeroBytes is the encoding of a type's zero value, for a field whose segment
// isn't there.
func (g *generator) zeroBytes(t *ir.Type) string {
	switch form := viewForm(t); {
	case form == lower.ViewDeclared: // no union, which has none
		return "sdp.EncodingOf(" + g.newFunc(t.Decl) + "())"
	case form == lower.ViewMessage:
		return "sdp.FramedEncodingOf(" + g.newFunc(t.Decl) + "())"
	case form.IsArray():
		return fmt.Sprintf("sdp.Repeat(%s, %d)", g.zeroBytes(t.Elem), t.N)
	}
	return fmt.Sprintf("make([]byte, %d)", g.program.SizeOf(t).Min)
}

func (g *generator) newFunc(d ir.Decl) string {
	return g.types.qualified(d.DeclPackage(), "New"+g.names.Of(d))
}

// union prints the view of a union.
func (v *view) union(u *ir.Union) {
	v.block(emit.Vars{"name": v.name, "skip": func() { lower.Body(skipper{generator: v.generator}, place{}, v.Body) }}, `
		// $name$View is a window on a validated $name$.
		type $name$View struct{ s string }

		// SDPView$name$ makes a view of validated bytes that start with a value. It is
		// for generated code.
		func SDPView$name$(s string) $name$View { return $name$View{s} }

		// Tag is the number of the alternative that is there.
		func (v $name$View) Tag() uint8 { return v.s[0] }

		// SDPEnd is the number of bytes that the value has. It is for generated code.
		func (v $name$View) SDPEnd() int { return SDPSkip$name$(v.s, 0) }

		// SDPSkip$name$ returns the position behind a value at p. It is for generated
		// code.
		func SDPSkip$name$(s string, p int) int {
			$skip$
		}
	`)
	if !u.Closed {
		v.block(emit.Vars{"name": v.name, "window": plan.WindowBytes, "tag": plan.TagBytes}, `
			// Payload is the bytes of the alternative, also of one that is not known here.
			func (v $name$View) Payload() []byte { return sdp.Bytes$window$(v.s, $tag$) }
		`)
	}
	for _, a := range u.Alternatives {
		v.alternativeAccessor(u, a)
	}
}

func (v *view) alternativeAccessor(u *ir.Union, a *ir.Alternative) {
	method := v.names.Get(a, names.Reader)
	if a.Type == nil {
		v.Line("// %s reports whether the alternative is %s.", method, a.Name)
		v.Line("func (v %sView) %s() bool { return v.s[0] == %d }", v.name, method, a.Tag)
		v.Line("")
		return
	}
	result := v.viewType(a.Type)
	v.Line("// %s returns the content of %s, and whether that is the alternative.", method, a.Name)
	v.Line("func (v %sView) %s() (%s, bool) {", v.name, method, result)
	v.Line("if v.s[0] != %d {\nvar none %s\nreturn none, false\n}", a.Tag, result)
	if s, ok := a.Type.Decl.(*ir.Struct); ok && len(s.Fields) == 0 {
		v.Line("return %s(``), true", v.types.viewFunc(a.Type.Decl))
	} else {
		v.Line("return %s, true", v.viewValue(a.Type, "v.s", fmt.Sprint(plan.UnionHead(u)), 0))
	}
	v.Line("}\n")
}
