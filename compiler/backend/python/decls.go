package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// declarations prints constants, and classes: of enums first, since defaults name them. Aliases come last, since they name classes.
func (g *generator) declarations() {
	for _, c := range g.pkg.Consts {
		g.Line("%s: %s = %s", g.names.Of(c), g.spell(c.Type), g.literal(c.Type, c.Value))
		g.doc(&c.Meta, "")
	}
	for _, d := range g.pkg.Decls {
		if e, isEnum := d.(*ir.Enum); isEnum {
			g.enum(e)
		}
	}
	for _, d := range g.pkg.Decls {
		switch d := d.(type) {
		case *ir.Enum:
		case *ir.Union:
			g.union(d)
		case *ir.Message:
			g.record(d, "Message", "A message of the schema: later releases may add fields.")
		default:
			g.record(d, "Struct", "A struct of the schema: its fields never change.")
		}
	}
	if len(g.pkg.Aliases) > 0 {
		g.Line("\n")
	}
	for _, a := range g.pkg.Aliases {
		g.Line("%s: typing.TypeAlias = %s", g.names.Of(a), g.spellWhole(a.Type))
		g.doc(&a.Meta, "")
	}
}

// class prints a class, whose options stand behind its bases.
func (g *generator) class(name string, bases []string, body func()) {
	g.Line("\n")
	g.Line("class %s(%s):", name, strings.Join(bases, ", "))
	g.In(body)
}

// option is an option of a class that is not what it is without one.
func option(name, value string) []string {
	if value == "" {
		return nil
	}
	return []string{name + "=" + value}
}

// schemaName is the name of a declared type in its schema, as a literal, where the class has another.
func (g *generator) schemaName(d ir.Decl) string {
	if name := d.DeclName(); name != g.names.Of(d) {
		return quote(name)
	}
	return ""
}

func (g *generator) enum(e *ir.Enum) {
	base, note := "sdp.OpenEnum", "It is open: other numbers are kept."
	if e.Closed {
		base, note = "sdp.ClosedEnum", "It is closed: other numbers are refused."
	}
	g.class(g.names.Of(e), append([]string{base}, option("schema", g.schemaName(e))...), func() {
		g.doc(&e.Meta, "An enum of the schema.", note)
		g.Line("")
		for _, m := range e.Members {
			g.Line("%s = %s", g.names.Of(m), plan.EnumNumber(e.Base, m.Number))
			g.doc(&m.Meta, "")
		}
	})
}

// record prints a struct or message.
func (g *generator) record(d ir.Decl, base, title string) {
	bases := append([]string{"sdp." + base}, option("schema", g.schemaName(d))...)
	if id := ir.IDOf(d); id != nil {
		bases = append(bases, fmt.Sprintf("id=%d", id.Value))
	}
	if keeps(d) {
		bases = append(bases, "keep=True")
	}
	g.class(g.names.Of(d), bases, func() {
		g.doc(d.DeclMeta(), title, g.factorNote(d))
		if len(ir.FieldsOf(d)) > 0 {
			g.Line("")
		}
		g.fields(ir.FieldsOf(d))
	})
}

// fields prints the fields of a class.
func (g *generator) fields(fields []*ir.Field) {
	g.hidden = map[string]bool{}
	for _, f := range fields {
		if name := g.names.Of(f); builtIn[name] {
			g.hidden[name] = true
		}
	}
	for _, f := range fields {
		value := g.leftOut(f)
		if json := inJSON(&f.Meta, f.Name); json != "" {
			value = "sdp.field(" + strings.Join(append(option("default", value), "json="+json), ", ") + ")"
		}
		if value != "" {
			value = " = " + value
		}
		g.Line("%s: %s%s", g.names.Of(f), g.spell(f.Type), value)
		g.doc(&f.Meta, "")
	}
	g.hidden = nil
}

// union prints the class of a union, and a class for each alternative.
func (g *generator) union(u *ir.Union) {
	name := g.names.Of(u)
	bases := append([]string{"sdp.Union"}, option("schema", g.schemaName(u))...)
	if u.ID != nil {
		bases = append(bases, fmt.Sprintf("id=%d", u.ID.Value))
	}
	g.class(name, bases, func() {
		g.doc(&u.Meta, "A union of the schema.", g.factorNote(u))
		g.Line("")
		g.shortNames(u)
	})
	for _, a := range u.Alternatives {
		g.alternative(u, a)
	}
	if !u.Closed {
		g.class(unknown(name), []string{name, "sdp.Unknown", "tag=0", "kw_only=False"}, func() {
			g.Line(`"""An alternative of a newer release, which is kept."""`)
			g.Line("")
			g.Line("tag: int")
			g.Line("payload: bytes")
		})
	}
}

// shortNames prints the names without the union's in front by which a union has the classes of its alternatives, but for
// names that are keywords, or would hide such a class.
func (g *generator) shortNames(u *ir.Union) {
	name := g.names.Of(u)
	var classes []string
	for _, a := range u.Alternatives {
		classes = append(classes, g.names.Of(a))
	}
	if !u.Closed {
		classes = append(classes, unknown(name))
	}
	for _, class := range classes {
		short := strings.TrimPrefix(class, name)
		if !slices.Contains([]string{"None", "True", "False"}, short) && !slices.Contains(classes, short) {
			g.Line("%s: typing.ClassVar[type[%s]]", short, class)
		}
	}
}

// unknown is the class of the alternatives that a union does not name.
func unknown(union string) string {
	if base, ok := strings.CutSuffix(union, "_"); ok {
		return base + "Unknown_"
	}
	return union + "Unknown"
}

func (g *generator) alternative(u *ir.Union, a *ir.Alternative) {
	bases := []string{g.names.Of(u), fmt.Sprintf("tag=%d", a.Tag)}
	bases = append(bases, option("json", inJSON(&a.Meta, a.Name))...)
	var fields []*ir.Field
	if a.Inline != nil {
		fields = a.Inline.Fields
	}
	if a.Type != nil && isPositional(fields) {
		bases = append(bases, "kw_only=False")
	}
	g.class(g.names.Of(a), bases, func() {
		documented := g.doc(&a.Meta, "")
		isEmpty := a.Type == nil || a.Inline != nil && len(fields) == 0
		if documented && !isEmpty {
			g.Line("")
		}
		switch {
		case !isEmpty && a.Inline != nil:
			g.fields(fields)
		case !isEmpty:
			g.Line("value: %s", g.spell(a.Type))
		case !documented:
			g.Line("pass")
		}
	})
}

// isPositional tells whether no field that may be left out stands in front of one that may not.
func isPositional(fields []*ir.Field) bool {
	first := slices.IndexFunc(fields, func(f *ir.Field) bool { return f.Type.Kind == ir.OptionalKind })
	return first < 0 || !slices.ContainsFunc(fields[first:], func(f *ir.Field) bool { return f.Type.Kind != ir.OptionalKind })
}

// factorNote says what decoding a type may allocate.
func (g *generator) factorNote(d ir.Decl) string {
	return fmt.Sprintf("Decoding n bytes takes at most %d·n bytes of memory and 64 KiB.", g.costs.Factor(d))
}
