package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// equal prints Equal of a struct or message.
func (g *generator) equal(d ir.Decl) {
	name := g.names.Of(d)
	g.Emit(emit.Vars{"name": name, "fields": func() {
		for _, f := range ir.FieldsOf(d) {
			g.unequal(f.Type, "v."+g.names.Of(f), "o."+g.names.Of(f), 0)
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

// unequal prints statements that return false unless a and b, of type t, are
// equal.
func (g *generator) unequal(t *ir.Type, a, b string, depth int) {
	switch t.Kind {
	case ir.BytesKind:
		g.differ("string(%s) != string(%s)", a, b)
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		g.differ("!%s.Equal(&%s)", a, b)
	case ir.ListKind:
		g.differ("len(%s) != len(%s)", a, b)
		g.unequalElements(t, a, b, depth)
	case ir.ArrayKind:
		g.unequalArray(t, a, b, depth)
	case ir.OptionalKind:
		g.unequalOptional(t, a, b, depth)
	case ir.MapKind:
		x, y, k := local("x", depth), local("y", depth), local("k", depth)
		g.differ("len(%s) != len(%s)", a, b)
		g.Line("for %s, %s := range %s {", k, x, a)
		g.Line("%s, ok := %s[%s]", y, b, k)
		g.differ("!ok")
		g.unequal(t.Elem, x, y, depth+1)
		g.Line("}")
	case ir.StrKind, ir.EnumKind:
		g.differ("%s != %s", a, b)
	default:
		g.unequalScalars(t.Kind, a, b)
	}
}

func (g *generator) unequalScalars(kind ir.Kind, a, b string) {
	switch kind.Class() {
	case ir.TimestampClass:
		g.differ("!sdp.TimesEqual(%s, %s)", a, b)
	case ir.FloatClass:
		bits := fmt.Sprintf("math.Float%dbits", 8*kind.Bytes())
		g.differ("%s(%s) != %s(%s)", bits, a, bits, b)
	case ir.BoolClass, ir.UnsignedClass, ir.SignedClass, ir.DurationClass, ir.UUIDClass:
		g.differ("%s != %s", a, b)
	default:
		panic("golang: " + kind.String() + " is no scalar")
	}
}

func (g *generator) differ(format string, args ...any) {
	g.Line("if "+format+" {", args...)
	g.In(func() { g.Line("return false") })
	g.Line("}")
}

func (g *generator) unequalElements(t *ir.Type, a, b string, depth int) {
	i := local("i", depth)
	g.Line("for %s := range %s {", i, a)
	g.In(func() { g.unequal(t.Elem, index(a, i), index(b, i), depth+1) })
	g.Line("}")
}

// unequalArray compares arrays; one on the heap may be nil, which stands for
// zeros.
func (g *generator) unequalArray(t *ir.Type, a, b string, depth int) {
	if !g.types.OnHeap(t) {
		g.unequalElements(t, a, b, depth)
		return
	}
	x, y := local("x", depth), local("y", depth)
	g.Line("if %s, %s := sdp.ArrayOr(%s), sdp.ArrayOr(%s); %s != %s {", x, y, a, b, x, y)
	g.In(func() { g.unequalElements(t, x, y, depth+1) })
	g.Line("}")
}

func (g *generator) unequalOptional(t *ir.Type, a, b string, depth int) {
	if g.types.Boxed(t) && t.Elem.Decl != nil {
		g.differ("!%s.Equal(%s)", a, b) // nil equals nil alone
		return
	}
	if g.pointer(t) {
		g.differ("(%s == nil) != (%s == nil)", a, b)
		g.Line("if %s != nil {", a)
		g.In(func() { g.unequal(t.Elem, g.deref(t, a), g.deref(t, b), depth+1) })
		g.Line("}")
		return
	}
	g.differ("%s.Present != %s.Present", a, b)
	g.Line("if %s.Present {", a)
	g.In(func() { g.unequal(t.Elem, a+".Value", b+".Value", depth+1) })
	g.Line("}")
}

// pointer reports whether an optional is a pointer in Go.
func (g *generator) pointer(optional *ir.Type) bool {
	return g.types.Boxed(optional) || g.types.OnHeap(optional.Elem)
}

// deref is the value that a pointer of an optional leads to, as an expression
// that can be assigned to. A heap array stays the pointer that it is.
func (g *generator) deref(optional *ir.Type, pointer string) string {
	if g.types.OnHeap(optional.Elem) {
		return pointer
	}
	return "(*" + pointer + ")"
}

// local names a temporary of a nested scope.
func local(name string, depth int) string {
	if depth == 0 {
		return name
	}
	return fmt.Sprintf("%s%d", name, depth)
}

func index(list, i string) string { return list + "[" + i + "]" }

// unionEqual prints Equal of a union.
func (g *generator) unionEqual(u *ir.Union) {
	name := g.names.Of(u)
	g.Emit(emit.Vars{"name": name, "cases": func() {
		g.alternatives(func() {
			for _, a := range u.Alternatives {
				g.Line("case *%s:", g.names.Of(a))
				g.Line("b, ok := o.Value.(*%s)", g.names.Of(a))
				switch {
				case a.Inline != nil:
					g.Line("return ok && a.Equal(b)")
				case a.Type == nil:
					g.Line("return ok && (a == nil) == (b == nil)")
				default:
					g.Line("if !ok || a == nil || b == nil {\nreturn ok && a == b\n}")
					g.unequal(a.Type, "a.Value", "b.Value", 0)
					g.Line("return true")
				}
			}
			if !u.Closed {
				g.Line("case *%sUnknown:", name)
				g.Line("b, ok := o.Value.(*%sUnknown)", name)
				g.Line("if !ok || a == nil || b == nil {\nreturn ok && a == b\n}")
				g.Line("return a.Number == b.Number && string(a.Payload) == string(b.Payload)")
			}
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

// clone prints Clone of a struct or message, and what makes its memory its own.
func (g *generator) clone(d ir.Decl) {
	g.Emit(emit.Vars{"name": g.names.Of(d), "fields": func() {
		for _, f := range ir.FieldsOf(d) {
			g.detach(f.Type, "v."+g.names.Of(f), 0)
		}
		if keepsUnknown(d) {
			g.Line("v.unknown = sdp.CloneBytes(v.unknown)")
		}
	}}, `
		// Clone returns a copy that shares no memory with v but that of strings, which
		// nobody can change.
		func (v *$name$) Clone() *$name$ {
			if v == nil {
				return nil
			}
			c := *v
			c.SDPDetach()
			return &c
		}

		// SDPDetach gives v memory of its own after its fields were copied.
		func (v *$name$) SDPDetach() {
			$fields$
		}
	`)
	g.Line("")
}

// detach prints what replaces shared memory in v, of type t, by copies.
func (g *generator) detach(t *ir.Type, v string, depth int) {
	if !g.types.shares(t) {
		return
	}
	i := local("i", depth)
	switch t.Kind {
	case ir.StrKind: // never changes
	case ir.BytesKind:
		g.Line("%s = sdp.CloneBytes(%s)", v, v)
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		g.Line("%s.SDPDetach()", v)
	case ir.ListKind:
		g.Line("%s = sdp.CloneSlice(%s)", v, v)
		g.detachElements(t, v, i, depth)
	case ir.ArrayKind:
		if g.types.OnHeap(t) {
			g.Line("if %s != nil {", v)
			g.Line("%s = sdp.ClonePointer(%s)", v, v)
			g.detachElements(t, v, i, depth)
			g.Line("}")
			return
		}
		g.detachElements(t, v, i, depth)
	case ir.OptionalKind:
		switch {
		case g.types.OnHeap(t.Elem):
			g.detach(t.Elem, v, depth)
		case g.types.Boxed(t):
			g.Line("if %s != nil {", v)
			g.Line("%s = sdp.ClonePointer(%s)", v, v)
			g.detach(t.Elem, g.deref(t, v), depth+1)
			g.Line("}")
		default:
			g.detach(t.Elem, v+".Value", depth)
		}
	case ir.MapKind:
		x, k := local("x", depth), local("k", depth)
		g.Line("%s = sdp.CloneMap(%s)", v, v)
		if g.types.shares(t.Elem) {
			g.Line("for %s, %s := range %s {", k, x, v)
			g.detach(t.Elem, x, depth+1)
			g.Line("%s[%s] = %s", v, k, x)
			g.Line("}")
		}
	}
}

func (g *generator) detachElements(t *ir.Type, v, i string, depth int) {
	if !g.types.shares(t.Elem) {
		return
	}
	g.Line("for %s := range %s {", i, v)
	g.In(func() { g.detach(t.Elem, index(v, i), depth+1) })
	g.Line("}")
}

// shares reports whether copying a value leaves memory that both copies could
// change. Declared types always have SDPDetach, so they count as sharing.
func (t *types) shares(typ *ir.Type) bool {
	switch typ.Kind {
	case ir.StrKind:
		return false
	case ir.ArrayKind:
		return t.OnHeap(typ) || t.shares(typ.Elem)
	case ir.OptionalKind:
		return t.Boxed(typ) || t.shares(typ.Elem)
	}
	return typ.Scalar() == 0
}

func (g *generator) unionClone(u *ir.Union) {
	name := g.names.Of(u)
	g.Emit(emit.Vars{"name": name, "cases": func() {
		g.alternatives(func() {
			for _, a := range u.Alternatives {
				g.Line("case *%s:", g.names.Of(a))
				g.Line("if a == nil {\nreturn\n}")
				g.Line("c := *a")
				if a.Inline != nil {
					g.Line("c.SDPDetach()")
				} else if a.Type != nil {
					g.detach(a.Type, "c.Value", 0)
				}
				g.Line("v.Value = &c")
			}
			if !u.Closed {
				g.Line("case *%sUnknown:", name)
				g.Line("if a == nil {\nreturn\n}")
				g.Line("c := *a")
				g.Line("c.Payload = sdp.CloneBytes(c.Payload)")
				g.Line("v.Value = &c")
			}
		})
	}}, `
		// Clone returns a copy that shares no memory with v but that of strings, which
		// nobody can change.
		func (v *$name$) Clone() *$name$ {
			if v == nil {
				return nil
			}
			c := *v
			c.SDPDetach()
			return &c
		}

		// SDPDetach gives v memory of its own after its fields were copied.
		func (v *$name$) SDPDetach() {
			$cases$
		}
	`)
	g.Line("")
}
