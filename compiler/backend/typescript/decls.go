package typescript

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// declarations prints constants, aliases and types, each type with the runtime's description of it.
func (g *generator) declarations() {
	g.Line("/** Identifies the schema's text without its comments and layout. */")
	constant := func(name, typ, value string) {
		g.Line("export %sconst %s%s%s;\n", declare, name, typed(": "+typ), code(" = "+value))
	}
	constant("sourceFingerprint$", "bigint", fingerprint(plan.SourceFingerprint(g.pkg)))
	for _, c := range g.pkg.Consts {
		g.doc(&c.Meta, "A constant of the schema.")
		constant(g.names.Of(c), g.spell(c.Type), g.literal(c.Type, c.Value))
	}
	for _, a := range g.pkg.Aliases {
		behind := g.spellUnnamed(a.Type)
		if a.Type.Alias != nil && a.Type.Alias != a {
			behind = g.spell(a.Type)
		}
		g.typed(func() {
			g.doc(&a.Meta, "Another name of a type.")
			g.Line("export type %s = %s;\n", g.names.Of(a), behind)
		})
	}
	for _, d := range g.pkg.Decls {
		for _, d := range ir.WithInline(d) {
			switch d := d.(type) {
			case *ir.Enum:
				g.enum(d)
			case *ir.Union:
				g.union(d)
			default:
				g.record(d)
			}
		}
	}
}

func fingerprint(n uint64) string { return fmt.Sprintf("0x%016xn", n) }

// enum prints the members, their type, and the descriptor.
func (g *generator) enum(e *ir.Enum) {
	name, number := g.names.Of(e), scalars.Of(e.Base).name
	open := "It is open: other numbers are kept."
	if e.Closed {
		open = "It is closed: other numbers are refused."
	}
	g.typed(func() {
		g.doc(&e.Meta, "An enum of the schema.", open)
		g.Line("export type %s = (typeof %s)[keyof typeof %s]%s;\n", name, name, name, map[bool]string{false: " | (" + number + " & {})"}[e.Closed])
	})
	g.Line("export %sconst %s%s%s {", declare, name, declared(":"), code(" ="))
	g.In(func() {
		for _, m := range e.Members {
			g.doc(&m.Meta, "")
			g.Line("%s%s: %s%s%s", declared("readonly "), g.names.Of(m), integer(e.Base, m.Number, number), declared(";"), code(","))
		}
	})
	g.Line("}%s;\n", code(typed(" as const")))
	make := "enumeration"
	if e.Closed {
		make = "closedEnum"
	}
	g.constant(name+"$", "sdp.EnumType", fmt.Sprintf("/* @__PURE__ */ sdp.%s(%s, %s, [", make, quote(ir.FullName(e)), quote(e.Base.String())), func() {
		for _, m := range e.Members {
			g.Line("[%s, %s%s],", quote(m.Name), integer(e.Base, m.Number, number), inJSON(&m.Meta, m.Name, ", "))
		}
	}, "])")
	if e.Closed {
		g.known(e)
	}
}

// known prints the function that refuses numbers that a closed enum does not name.
func (g *generator) known(e *ir.Enum) {
	name, number := g.names.Of(e), scalars.Of(e.Base).name
	g.function("known"+name+"$", []string{"value: " + number}, name, func() {
		g.Line("switch (value) {")
		g.In(func() {
			for _, m := range e.Members {
				g.Line("case %s:", integer(e.Base, m.Number, number))
			}
			if len(e.Members) > 0 {
				g.In(func() { g.Line("return value;") })
			}
			g.Line("default:")
			g.In(func() { g.Line("throw sdp.refused;") })
		})
		g.Line("}")
	})
}

// record prints a struct or message.
func (g *generator) record(d ir.Decl) {
	name := g.names.Of(d)
	what, kind := "A struct of the schema: its fields never change.", "struct"
	switch d := d.(type) {
	case *ir.Message:
		what, kind = "A message of the schema: later releases may add fields.", "message"
		if d.KeepUnknown {
			kind = "keeping"
		}
	case *ir.Struct:
		if d.Owner != nil {
			what = "The fields of an alternative of " + g.names.Of(d.Owner) + "."
		}
	}
	g.typed(func() {
		g.doc(d.DeclMeta(), what, g.factorNote(d))
		g.fields(name, d)
	})
	g.descriptorOf(d, kind, strings.ToUpper(kindOf(d)[:1])+kindOf(d)[1:]+"Type", func() {
		for _, f := range ir.FieldsOf(d) {
			g.Line("[%s, %s%s],", quote(f.Name), g.of(&f.Meta).descriptor(f.Type), g.more(f))
		}
	})
}

// fields prints the type of a record's values. An interface without members would be that
// of anything.
func (g *generator) fields(name string, d ir.Decl) {
	if len(ir.FieldsOf(d)) == 0 && !g.keeps(d) {
		g.Line("export type %s = Record<string, never>;\n", name)
		return
	}
	g.Line("export interface %s {", name)
	g.In(func() {
		for _, f := range ir.FieldsOf(d) {
			g.doc(&f.Meta, "")
			g.Line("%s", g.property(f))
		}
		if g.keeps(d) {
			g.Line("/** The bytes of segments that a newer writer sent, which are written back. */")
			g.Line("$unknown?: Uint8Array;")
		}
	})
	g.Line("}\n")
}

func kindOf(d ir.Decl) string { return ir.KindOf(d).String() }

// descriptorOf prints what the runtime knows of a type, and its fingerprints.
func (g *generator) descriptorOf(d ir.Decl, make, typ string, parts func()) {
	name, id, own := g.names.Of(d), "", "sdp."+typ+"<"+g.names.Of(d)+">"
	if typeID := ir.IDOf(d); typeID != nil {
		id = fmt.Sprintf(", %d", typeID.Value)
		own += fmt.Sprintf(" & { readonly id: %d }", typeID.Value)
	}
	g.constant(name, own, fmt.Sprintf("/* @__PURE__ */ sdp.%s(%s, () => [", make, quote(ir.FullName(d))), parts, "]"+id+")")
	if s, isStruct := d.(*ir.Struct); isStruct && s.Owner != nil {
		return
	}
	prints := plan.FingerprintsOf(d)
	list := func(numbers []uint64) string {
		var texts []string
		for _, n := range numbers {
			texts = append(texts, fingerprint(n))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	g.Line("/** Identifies the layout of %s: of each segment, and up to and with each. */", name)
	g.constant("fingerprintsOf"+name+"$", "sdp.Fingerprints", "{", func() {
		g.Line("segments: %s,", list(prints.Segments))
		g.Line("cumulative: %s,", list(prints.Cumulative))
	}, "}")
}

// more is the unusual properties of a field.
func (g *generator) more(f *ir.Field) string {
	var parts []string
	if name := g.names.Of(f); name != f.Name {
		parts = append(parts, "property: "+quote(name))
	}
	if json := inJSON(&f.Meta, f.Name, "json: "); json != "" {
		parts = append(parts, json)
	}
	if f.Since > 1 {
		parts = append(parts, fmt.Sprintf("since: %d", f.Since))
	}
	if f.Default != nil {
		parts = append(parts, "missing: "+g.missing(f))
	}
	if len(parts) == 0 {
		return ""
	}
	return ", { " + strings.Join(parts, ", ") + " }"
}

// union prints a union: one object type for each alternative.
func (g *generator) union(u *ir.Union) {
	g.typed(func() { g.alternatives(u) })
	make := "union"
	if u.Closed {
		make = "closedUnion"
	}
	g.descriptorOf(u, make, "UnionType", func() {
		for _, a := range u.Alternatives {
			payload, more := "", ""
			if a.Type != nil {
				payload = ", " + g.of(&a.Meta).descriptor(a.Type)
			}
			if kind := g.names.Of(a); kind != a.Name {
				more = "kind: " + quote(kind)
			}
			if json := inJSON(&a.Meta, a.Name, "json: "); json != "" {
				more = strings.TrimPrefix(more+", "+json, ", ")
			}
			if more != "" {
				if payload == "" {
					payload = ", undefined"
				}
				more = ", { " + more + " }"
			}
			g.Line("[%s, %d%s%s],", quote(a.Name), a.Tag, payload, more)
		}
	})
}

// alternatives prints the type of a union's values.
func (g *generator) alternatives(u *ir.Union) {
	g.doc(&u.Meta, "A union of the schema.", g.factorNote(u))
	g.Line("export type %s =", g.names.Of(u))
	g.In(func() {
		for _, a := range u.Alternatives {
			g.doc(&a.Meta, "")
			payload := ""
			if a.Type != nil {
				payload = "; value: " + g.of(&a.Meta).spell(a.Type)
			}
			g.Line("| { kind: %s%s }", quote(g.names.Of(a)), payload)
		}
		if !u.Closed {
			g.Line("| sdp.Unknown;\n")
		} else {
			g.CutSuffix("\n")
			g.Raw(";\n\n")
		}
	})
}

// factorNote says what decoding a type may allocate.
func (g *generator) factorNote(d ir.Decl) string {
	return fmt.Sprintf("Decoding n bytes takes at most %d·n bytes of memory and 64 KiB.", g.Factor(d))
}
