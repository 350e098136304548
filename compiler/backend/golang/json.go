package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// jsons prints the canonical JSON of all types.
func (g *generator) jsons() {
	for _, d := range g.pkg.Decls {
		switch d := d.(type) {
		case *ir.Enum:
			g.enumJSON(d)
		case *ir.Union:
			g.jsonEntry(g.names.Of(d))
			g.writeUnionJSON(d)
			g.readUnionJSON(d)
			for _, a := range d.Alternatives {
				if a.Inline != nil {
					g.recordJSON(a.Inline)
				}
			}
		default:
			g.jsonEntry(g.names.Of(d))
			g.recordJSON(d)
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
	name := g.names.Of(d)
	g.objectTable(d)
	g.Line("// SDPAppendJSON appends the JSON of v, which was checked. It is for generated code.")
	g.Line("func (v *%s) SDPAppendJSON(b []byte) []byte {", name)
	separator := "{"
	for _, f := range ir.FieldsOf(d) {
		g.Line("b = append(b, %s...)", plainQuote(separator+quoteJSON(f.JSONName())+":"))
		g.writeJSON(f.Type, "v."+g.names.Of(f), 0)
		separator = ","
	}
	if keepsUnknown(d) {
		g.Line("if len(v.unknown) > 0 {")
		g.Line("b = append(b, %s...)", plainQuote(separator+`"$unknown":`))
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
	g.readRecord(d)
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

// writeJSON prints what appends v, of type t, to b.
func (g *generator) writeJSON(t *ir.Type, v string, nesting int) {
	switch t.Kind {
	case ir.EnumKind:
		g.Line("b = sdp.AppendJSONEnum(b, int64(%s), %s)", v, g.enumVar(t.Enum()))
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		g.Line("b = %s.SDPAppendJSON(b)", v)
	case ir.ListKind:
		g.writeJSONElements(t, v, nesting)
	case ir.ArrayKind:
		if g.types.OnHeap(t) {
			v = "sdp.ArrayOr(" + v + ")"
		}
		g.writeJSONElements(t, v, nesting)
	case ir.OptionalKind:
		g.present(t, v)
		g.writeJSON(t.Elem, g.content(t, v), nesting+1)
		g.Line("} else {\nb = append(b, `null`...)\n}")
	case ir.MapKind:
		g.writeJSONMap(t, v, nesting)
	case ir.StrKind:
		g.Line("b = sdp.AppendJSONString(b, %s)", v)
	case ir.BytesKind:
		g.Line("b = sdp.AppendJSONBytes(b, %s)", v)
	default:
		g.Line("b = "+scalars.Of(t.Kind).writeJSON, v)
	}
}

func (g *generator) writeJSONElements(t *ir.Type, v string, nesting int) {
	i, e := local("i", nesting), local("x", nesting)
	g.Emit(emit.Vars{"i": i, "e": e, "v": v, "elem": func() { g.writeJSON(t.Elem, e, nesting+1) }}, `
		b = append(b, '[')
		for $i$, $e$ := range $v$ {
			if $i$ > 0 {
				b = append(b, ',')
			}
			$elem$
		}
		b = append(b, ']')
	`)
}

func (g *generator) writeJSONMap(t *ir.Type, v string, nesting int) {
	sorted := "SortedKeys"
	if t.Key.Kind == ir.Bool {
		sorted = "SortedBools"
	}
	key, value := local("key", nesting), local("value", nesting)
	g.Emit(emit.Vars{
		"i": local("i", nesting), "key": key, "value": value, "v": v, "sorted": sorted, "write": g.writeJSONKey(t.Key, key),
		"elem": func() { g.writeJSON(t.Elem, value, nesting+1) },
	}, `
		b = append(b, '{')
		for $i$, $key$ := range sdp.$sorted$(nil, $v$) {
			if $i$ > 0 {
				b = append(b, ',')
			}
			$write$
			b = append(b, ':')
			$value$ := $v$[$key$]
			$elem$
		}
		b = append(b, '}')
	`)
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

func (g *generator) writeUnionJSON(u *ir.Union) {
	name := g.names.Of(u)
	g.Emit(emit.Vars{"name": name, "cases": func() {
		g.alternatives(func() {
			for _, a := range u.Alternatives {
				key := quoteJSON(jsonName(&a.Meta, a.Name))
				g.Line("case *%s:", g.names.Of(a))
				if a.Type == nil {
					g.Line("return append(b, %s...)", plainQuote("{"+key+":null}"))
					continue
				}
				g.Line("b = append(b, %s...)", plainQuote("{"+key+":"))
				if a.Inline != nil {
					g.Line("b = a.SDPAppendJSON(b)")
				} else {
					g.writeJSON(a.Type, "a.Value", 0)
				}
				g.Line("return append(b, '}')")
			}
			if !u.Closed {
				g.Line("case *%sUnknown:", name)
				g.Line("return sdp.AppendJSONUnknown(b, a.Number, a.Payload)")
			}
		})
	}}, `
		// SDPAppendJSON appends the JSON of v, which was checked. It is for generated code.
		func (v *$name$) SDPAppendJSON(b []byte) []byte {
			$cases$
			return b
		}
	`)
	g.Line("")
}
