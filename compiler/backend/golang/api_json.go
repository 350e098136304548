package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

// jsons prints the canonical JSON of all types.
func (g *generator) jsons() {
	for _, declared := range g.pkg.Decls {
		if e, ok := declared.(*ir.Enum); ok {
			g.enumJSON(e)
			continue
		}
		g.jsonEntry(g.names.Of(declared))
		for _, d := range ir.WithInline(declared) {
			if u, ok := d.(*ir.Union); ok {
				g.unionJSON(u)
			} else {
				g.recordJSON(d)
			}
		}
	}
}

func (g *generator) jsonEntry(name string) {
	g.Emit(emit.Vars{"name": name}, `
		// AppendJSON appends the canonical JSON of v to b. An error leaves the length of
		// b as it was.
		func (v *$name$) AppendJSON(b []byte) ([]byte, error) {
			if err := v.SDPCheck(sdp.Checker{Texts: true, AnyLength: true}, 1); err != nil {
				return b, err
			}
			return v.SDPAppendJSON(b), nil
		}

		// MarshalJSON returns the canonical JSON of v. encoding/json escapes some
		// characters of it once more; AppendJSON doesn't.
		func (v $name$) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

		// String returns the canonical JSON of v, or what keeps v from having one.
		func (v $name$) String() string { return sdp.Text(&v) }

		// UnmarshalJSON reads v from JSON. It replaces all of v.
		func (v *$name$) UnmarshalJSON(text []byte) error {
			r := sdp.NewJSONReader(text)
			*v = $name${}
			v.SDPReadJSON(r)
			return r.Err()
		}
	`)
	g.Line("")
}

// enumVar names the table of an enum's members.
func (g *generator) enumVar(e *ir.Enum) string {
	return "&" + g.types.qualified(e.Package, "SDPJSON"+g.names.Of(e))
}

func (g *generator) enumJSON(e *ir.Enum) {
	name := g.names.Of(e)
	g.Line("// SDPJSON%s are the members as JSON names them. It is for generated code.", name)
	g.Line("var SDPJSON%s = sdp.JSONEnum{", name)
	g.Line("Bits: %d,", 8*e.Base.Bytes())
	if e.Base.IsSigned() {
		g.Line("Signed: true,")
	}
	if e.Closed {
		g.Line("Closed: true,")
	}
	g.Line("Members: []sdp.JSONMember{")
	for _, m := range e.Members {
		g.Line("{Name: %s, Number: %d},", quote(jsonName(&m.Meta, m.Name)), m.Number)
	}
	g.Line("},\n}")
	g.Line("")
}

func jsonName(meta *ir.Meta, name string) string {
	if given, ok := meta.Names["json"]; ok {
		return given
	}
	return name
}

// recordJSON prints writing and reading of a struct or message.
func (g *generator) recordJSON(d ir.Decl) {
	members := g.jsonMembers(d)
	g.objectTable(d, members)
	g.Line("// SDPAppendJSON appends the JSON of v, which was checked. It is for generated code.")
	g.Line("func (v *%s) SDPAppendJSON(b []byte) []byte {", g.names.Of(d))
	separator := "{"
	for _, f := range ir.FieldsOf(d) {
		g.Line("b = append(b, %s...)", plainQuote(separator+quoteJSON(f.JSONName())+":"))
		g.value(jsonWriters, f.Type, "v."+g.names.Of(f))
		separator = ","
	}
	if keepsUnknown(d) {
		g.Line("if len(v.unknown) > 0 {")
		g.Line("b = append(b, %s...)", plainQuote(separator+`"`+unknownKey+`":`))
		g.Line("b = sdp.AppendJSONBytes(b, v.unknown)")
		if separator == "{" {
			g.Line("} else {\nb = append(b, '{')")
		}
		g.Line("}")
	} else if separator == "{" {
		g.Line("b = append(b, '{')")
	}
	g.Line("return append(b, '}')\n}")
	g.Line("")
	g.readObject(d, members)
}

// shortEscapes are the characters that canonical JSON escapes by a letter
// [JSON-3.1].
var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

// quoteJSON is a name as a canonical JSON string.
func quoteJSON(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range name {
		if escape, ok := shortEscapes[r]; ok {
			b.WriteString(escape)
		} else if r < ' ' {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unknownKey is the key of what the schema doesn't know.
const unknownKey = "$unknown"

// unionJSON prints writing and reading of a union.
func (g *generator) unionJSON(u *ir.Union) {
	g.Emit(emit.Vars{"name": g.names.Of(u), "cases": func() {
		g.alternatives(func() {
			g.cases(u, func(a *ir.Alternative) {
				key := quoteJSON(jsonName(&a.Meta, a.Name))
				if a.Type == nil {
					g.Line("return append(b, %s...)", plainQuote("{"+key+":null}"))
					return
				}
				g.Line("b = append(b, %s...)", plainQuote("{"+key+":"))
				g.value(jsonWriters, a.Type, payload(a, "a"))
				g.Line("return append(b, '}')")
			}, func() { g.Line("return sdp.AppendJSONUnknown(b, a.Number, a.Payload)") })
		})
	}}, `
		// SDPAppendJSON appends the JSON of v, which was checked. It is for generated code.
		func (v *$name$) SDPAppendJSON(b []byte) []byte {
			$cases$
			return b
		}
	`)
	g.Line("")
	members := g.jsonAlternatives(u)
	g.objectTable(u, members)
	g.readObject(u, members)
}

// jsonWriters append the JSON of a value to b.
var jsonWriters = &lower.Operation{Leaves: lower.MustPerForm(map[lower.Form]lower.Leaf{
	lower.Scalar:       {Do: "b = $append$"},
	lower.Enum:         {Do: "b = sdp.AppendJSONEnum(b, int64($v$), $members$)"},
	lower.Str:          {Do: "b = sdp.AppendJSONString(b, $v$)"},
	lower.Bytes:        {Do: "b = sdp.AppendJSONBytes(b, $v$)"},
	lower.List:         {Do: listed("[", "$i$, $x$ := range $v$", "=> $x$", "]")},
	lower.Numbers:      {Do: listed("[", "$i$, $x$ := range $v$", "=> $x$", "]")},
	lower.Array:        {Do: listed("[", "$i$, $x$ := range $v$", "=> $x$", "]")},
	lower.HeapArray:    {Do: "array -> sdp.ArrayOr($v$)"},
	lower.Optional:     {Do: orNull("$v$.Present", "=> $v$.Value")},
	lower.Boxed:        {Do: orNull("$v$ != nil", "=> (*$v$)")},
	lower.BoxedArray:   {Do: orNull("$v$ != nil", "=> (*$v$)")},
	lower.OptionalHeap: {Do: orNull("$v$ != nil", "=> $v$")},
	lower.Map: {Do: listed("{", "$i$, $key$ := range sdp.$sorted$(nil, $v$)", `$appendKey$
		b = append(b, ':')
		=> $value$ := $v$[$key$]`, "}")},
	lower.Declared: {Do: "b = $v$.SDPAppendJSON(b)"},
	lower.Message:  {Do: "b = $v$.SDPAppendJSON(b)"},
})}

func orNull(present, value string) string {
	return "if " + present + " {\n" + value + "\n} else {\nb = append(b, `null`...)\n}"
}

// listed appends items with commas between them.
func listed(first, loop, item, last string) string {
	return "b = append(b, '" + first + "')\nfor " + loop + " {\nif $i$ > 0 {\nb = append(b, ',')\n}\n" + item + "\n}\nb = append(b, '" + last + "')"
}

// writeJSONKey is the statement that appends a key, which is a string in JSON.
func (g *generator) writeJSONKey(t *ir.Type, key string) string {
	switch t.Kind {
	case ir.StrKind:
		return fmt.Sprintf("b = sdp.AppendJSONString(b, %s)", key)
	case ir.EnumKind:
		return fmt.Sprintf("b = sdp.AppendJSONEnumKey(b, int64(%s), %s)", key, g.enumVar(t.Enum()))
	}
	switch t.Kind.Class() {
	case ir.BoolClass:
		return fmt.Sprintf("b = sdp.AppendJSONBoolKey(b, %s)", key)
	case ir.SignedClass:
		return fmt.Sprintf("b = sdp.AppendJSONInt64(b, int64(%s))", key)
	case ir.UnsignedClass:
		return fmt.Sprintf("b = sdp.AppendJSONUint64(b, uint64(%s))", key)
	}
	panic("golang: " + t.Kind.String() + " is no key")
}
