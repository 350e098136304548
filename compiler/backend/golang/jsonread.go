package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// objectVar names the table of a type's members in JSON.
func (g *generator) objectVar(d ir.Decl) string { return "sdpJSON" + g.names.Of(d) }

// objectTable prints which members the object of a struct or message has.
func (g *generator) objectTable(d ir.Decl) {
	kind := "JSONStruct"
	if _, ok := d.(*ir.Message); ok {
		kind = "JSONMessage"
	}
	g.Line("var %s = sdp.JSONObject{", g.objectVar(d))
	g.Line("Kind: sdp.%s,", kind)
	g.Line("Fields: []sdp.JSONField{")
	for _, f := range ir.FieldsOf(d) {
		required := f.Since <= 1 && f.Type.Kind != ir.OptionalKind
		g.Line("{Key: %s, Name: %q, Required: %t},", quote(f.JSONName()), f.Name, required)
	}
	if keepsUnknown(d) {
		g.Line("{Key: \"$unknown\"},")
	}
	g.Line("},\n}")
	g.Line("")
}

func (g *generator) readRecord(d ir.Decl) {
	name := g.names.Of(d)
	g.Line("// SDPReadJSON reads v, which is empty. It is for generated code.")
	g.Line("func (v *%s) SDPReadJSON(r *sdp.JSONReader) {", name)
	if m, ok := d.(*ir.Message); ok && len(m.Segments()) > 1 {
		g.Line("v.sdpDefaults(2)")
	}
	g.Line("for r.Object(&%s); r.Next(); {", g.objectVar(d))
	if len(ir.FieldsOf(d)) > 0 || keepsUnknown(d) {
		g.Line("switch r.Key() {")
		for _, f := range ir.FieldsOf(d) {
			g.Line("case %s:", quote(f.JSONName()))
			g.In(func() { g.readJSON(f.Type, "v."+g.names.Of(f), 0) })
		}
		if keepsUnknown(d) {
			g.Line("case \"$unknown\":")
			g.In(func() { g.Line("v.unknown = r.Bytes()") })
		}
		g.Line("}")
	}
	g.Line("}\n}")
	g.Line("")
}

// readJSON prints what reads a value of type t into dst.
func (g *generator) readJSON(t *ir.Type, dst string, nesting int) {
	switch t.Kind {
	case ir.EnumKind:
		g.Line("%s = %s(r.Enum(%s))", dst, g.types.decl(t.Decl), g.enumVar(t.Enum()))
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		g.Line("%s.SDPReadJSON(r)", dst)
	case ir.ListKind:
		e := local("x", nesting)
		g.Line("for r.Array(); r.Next(); {")
		g.Line("var %s %s", e, g.types.spell(t.Elem))
		g.readJSON(t.Elem, e, nesting+1)
		g.Line("%s = append(%s, %s)", dst, dst, e)
		g.Line("}")
	case ir.ArrayKind:
		if g.types.OnHeap(t) {
			g.Line("%s = new([%d]%s)", dst, t.N, g.types.spell(t.Elem))
		}
		i := local("i", nesting)
		g.Line("for r.FixedArray(%d); r.Next(); {", t.N)
		g.Line("%s := r.Index()", i)
		g.readJSON(t.Elem, index(dst, i), nesting+1)
		g.Line("}")
	case ir.OptionalKind:
		g.readJSONOptional(t, dst, nesting)
	case ir.MapKind:
		g.readJSONMap(t, dst, nesting)
	case ir.StrKind:
		g.Line("%s = r.String()", dst)
	case ir.BytesKind:
		g.Line("%s = r.Bytes()", dst)
	default:
		g.Line("%s = %s", dst, scalars.Of(t.Kind).readJSON)
	}
}

// readJSONOptional prints the reading of an optional. One with a default holds
// it already, which null takes away.
func (g *generator) readJSONOptional(t *ir.Type, dst string, nesting int) {
	g.Line("if r.Absent() {")
	if g.pointer(t) {
		g.Line("%s = nil", dst)
	} else {
		g.Line("%s.Clear()", dst)
	}
	g.Line("} else {")
	switch {
	case g.types.OnHeap(t.Elem):
		g.readJSON(t.Elem, dst, nesting)
	case g.pointer(t):
		g.Line("%s = new(%s)", dst, g.types.spell(t.Elem))
		g.readJSON(t.Elem, g.deref(t, dst), nesting)
	default:
		g.Line("%s.Present = true", dst)
		g.readJSON(t.Elem, dst+".Value", nesting)
	}
	g.Line("}")
}

func (g *generator) readJSONMap(t *ir.Type, dst string, nesting int) {
	key, value := local("key", nesting), local("value", nesting)
	g.Emit(emit.Vars{
		"dst": dst, "key": key, "value": value, "read": g.readJSONKey(t.Key), "type": g.types.spellUnnamed(t), "V": g.types.spell(t.Elem),
		"elem": func() { g.readJSON(t.Elem, value, nesting+1) },
	}, `
		$dst$ = make($type$)
		for r.Map(); r.Next(); {
			if $key$ := $read$; sdp.NewJSONKey(r, $dst$, $key$) {
				var $value$ $V$
				$elem$
				$dst$[$key$] = $value$
			}
		}
	`)
}

func (g *generator) readJSONKey(t *ir.Type) string {
	switch t.Kind {
	case ir.StrKind:
		return "r.Key()"
	case ir.EnumKind:
		return fmt.Sprintf("%s(r.KeyEnum(%s))", g.types.decl(t.Decl), g.enumVar(t.Enum()))
	}
	switch t.Kind.Class() {
	case ir.BoolClass:
		return "r.KeyBool()"
	case ir.SignedClass:
		return fmt.Sprintf("%s(r.KeyInt(%d))", scalars.Of(t.Kind).name, 8*t.Kind.Bytes())
	case ir.UnsignedClass:
		return fmt.Sprintf("%s(r.KeyUint(%d))", scalars.Of(t.Kind).name, 8*t.Kind.Bytes())
	}
	panic("golang: " + t.Kind.String() + " is no key")
}

func (g *generator) readUnionJSON(u *ir.Union) {
	name := g.names.Of(u)
	g.Line("var %s = sdp.JSONObject{", g.objectVar(u))
	g.Line("Kind: sdp.JSONUnion,")
	g.Line("Fields: []sdp.JSONField{")
	for _, a := range u.Alternatives {
		g.Line("{Key: %s, Name: %q},", quote(jsonName(&a.Meta, a.Name)), a.Name)
	}
	if !u.Closed {
		g.Line("{Key: \"$unknown\"},")
	}
	g.Line("},")
	g.Line("Tags: []uint8{")
	for _, a := range u.Alternatives {
		g.Line("%d,", a.Tag)
	}
	g.Line("},\n}")
	g.Line("")
	g.Emit(emit.Vars{"name": name, "object": g.objectVar(u), "cases": func() { g.readAlternatives(u) }}, `
		// SDPReadJSON reads v, which is empty. It is for generated code.
		func (v *$name$) SDPReadJSON(r *sdp.JSONReader) {
			for r.Object(&$object$); r.Next(); {
				switch r.Key() {
					$cases$
				}
			}
		}
	`)
	g.Line("")
}

func (g *generator) readAlternatives(u *ir.Union) {
	for _, a := range u.Alternatives {
		g.Line("case %s:", quote(jsonName(&a.Meta, a.Name)))
		g.Line("a := new(%s)", g.names.Of(a))
		switch {
		case a.Type == nil:
			g.Line("r.Null()")
		case a.Inline != nil:
			g.Line("a.SDPReadJSON(r)")
		default:
			g.readJSON(a.Type, "a.Value", 0)
		}
		g.Line("v.Value = a")
	}
	if !u.Closed {
		g.Line("case \"$unknown\":")
		g.Line("a := new(%sUnknown)", g.names.Of(u))
		g.Line("a.Number, a.Payload = r.Unknown()")
		g.Line("v.Value = a")
	}
}
