package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

// jsonMember is a member of a type's object: its row in the table of them, and
// what reads it.
type jsonMember struct {
	key, row string
	read     func()
}

// jsonMembers are those of a struct's or message's object.
func (g *generator) jsonMembers(d ir.Decl) (members []jsonMember) {
	for _, f := range ir.FieldsOf(d) {
		required := f.Since <= 1 && f.Type.Kind != ir.OptionalKind
		members = append(members, jsonMember{
			quote(f.JSONName()), fmt.Sprintf(", Name: %q, Required: %t", f.Name, required),
			func() { g.value(jsonReaders, f.Type, "v."+g.names.Of(f)) },
		})
	}
	if keepsUnknown(d) {
		members = append(members, jsonMember{quote(unknownKey), "", func() { g.Line("v.unknown = r.Bytes()") }})
	}
	return members
}

// jsonAlternatives are those of a union's object, of which a value has one.
func (g *generator) jsonAlternatives(u *ir.Union) (members []jsonMember) {
	made := func(name string, read func()) func() {
		return func() {
			g.Line("a := new(%s)", name)
			read()
			g.Line("v.Value = a")
		}
	}
	for _, a := range u.Alternatives {
		members = append(members, jsonMember{
			quote(jsonName(&a.Meta, a.Name)), fmt.Sprintf(", Name: %q", a.Name),
			made(g.names.Of(a), func() {
				if a.Type == nil {
					g.Line("r.Null()")
				} else {
					g.value(jsonReaders, a.Type, payload(a, "a"))
				}
			}),
		})
	}
	if !u.Closed {
		read := made(g.names.Of(u)+"Unknown", func() { g.Line("a.Number, a.Payload = r.Unknown()") })
		members = append(members, jsonMember{quote(unknownKey), "", read})
	}
	return members
}

// objectTable prints which members the object of a type has.
func (g *generator) objectTable(d ir.Decl, members []jsonMember) {
	kind := map[ir.Kind]string{ir.StructKind: "JSONStruct", ir.MessageKind: "JSONMessage", ir.UnionKind: "JSONUnion"}[ir.KindOf(d)]
	g.Line("var sdpJSON%s = sdp.JSONObject{\nKind: sdp.%s,\nFields: []sdp.JSONField{", g.names.Of(d), kind)
	for _, m := range members {
		g.Line("{Key: %s%s},", m.key, m.row)
	}
	g.Line("},")
	if u, ok := d.(*ir.Union); ok {
		g.Line("Tags: []uint8{")
		for _, a := range u.Alternatives {
			g.Line("%d,", a.Tag)
		}
		g.Line("},")
	}
	g.Line("}\n")
}

// readObject prints what reads a type.
func (g *generator) readObject(d ir.Decl, members []jsonMember) {
	g.Line("// SDPReadJSON reads v, which is empty. It is for generated code.")
	g.Line("func (v *%s) SDPReadJSON(r *sdp.JSONReader) {", g.names.Of(d))
	if m, ok := d.(*ir.Message); ok && len(m.Segments()) > 1 {
		g.Line("v.sdpDefaults(2)")
	}
	g.Line("for r.Object(&sdpJSON%s); r.Next(); {", g.names.Of(d))
	if len(members) > 0 {
		g.Line("switch r.Key() {")
		for _, m := range members {
			g.Line("case %s:", m.key)
			m.read()
		}
		g.Line("}")
	}
	g.Line("}\n}")
	g.Line("")
}

// jsonReaders read a value into its place. An optional with a default holds it
// already, which null takes away.
var jsonReaders = &lower.Operation{Leaves: lower.MustPerForm(map[lower.Form]lower.Leaf{
	lower.Scalar:  {Do: "$v$ = $read$"},
	lower.Enum:    {Do: "$v$ = $type$(r.Enum($members$))"},
	lower.Str:     {Do: "$v$ = r.String()"},
	lower.Bytes:   {Do: "$v$ = r.Bytes()"},
	lower.List:    {Do: readItems},
	lower.Numbers: {Do: readItems},
	lower.Array: {Do: `for r.FixedArray($N$); r.Next(); {
		$i$ := r.Index()
		=> $v$[$i$]
	}`},
	lower.HeapArray:    {Do: "$v$ = new([$N$]$elem$)\narray -> $v$"},
	lower.Optional:     {Do: unlessAbsent("$v$.Clear()", "$v$.Present = true\n-> $v$.Value")},
	lower.Boxed:        {Do: unlessAbsent("$v$ = nil", "$v$ = new($elem$)\n-> (*$v$)")},
	lower.BoxedArray:   {Do: unlessAbsent("$v$ = nil", "$v$ = new($elem$)\n-> (*$v$)")},
	lower.OptionalHeap: {Do: unlessAbsent("$v$ = nil", "-> $v$")},
	lower.Map: {Do: `$v$ = make($type$)
		for r.Map(); r.Next(); {
			if $key$ := $readKey$; sdp.NewJSONKey(r, $v$, $key$) {
				var $value$ $elem$
				=> $value$
				$v$[$key$] = $value$
			}
		}`},
	lower.Declared: {Do: "$v$.SDPReadJSON(r)"},
	lower.Message:  {Do: "$v$.SDPReadJSON(r)"},
})}

const readItems = `for r.Array(); r.Next(); {
	var $x$ $elem$
	=> $x$
	$v$ = append($v$, $x$)
}`

func unlessAbsent(clear, read string) string {
	return "if r.Absent() {\n" + clear + "\n} else {\n" + read + "\n}"
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
