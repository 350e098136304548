package golang

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// declarations prints constants, aliases and types.
func (g *generator) declarations() {
	for _, c := range g.pkg.Consts {
		g.constant(c)
	}
	for _, a := range g.pkg.Aliases {
		name := g.names.Of(a)
		g.doc(name, &a.Meta, "is another name of "+g.types.spellUnnamed(a.Type)+".")
		g.Line("type %s = %s\n", name, g.types.spellAliased(a))
	}
	for _, d := range g.pkg.Decls {
		switch d := d.(type) {
		case *ir.Enum:
			g.enum(d)
			g.layoutPart(d)
		case *ir.Union:
			g.union(d)
		case *ir.Struct, *ir.Message:
			g.record(d)
		}
	}
}

func (g *generator) constant(c *ir.Const) {
	name, keyword := g.names.Of(c), "const"
	var notes []string
	if isNegativeZero(c.Value) {
		keyword, notes = "var", []string{"It is a variable, since Go has no constant that is negative zero."}
	}
	g.doc(name, &c.Meta, "is a constant of the schema.", notes...)
	g.Line("%s %s %s = %s\n", keyword, name, g.types.spell(c.Type), g.literal(c.Type, c.Value))
}

// literal is a constant value in Go, as a value of the type.
func (g *generator) literal(t *ir.Type, v ir.Value) string {
	switch t.Kind {
	case ir.StrKind:
		return literalText(v)
	case ir.EnumKind:
		return g.types.qualified(t.Decl.DeclPackage(), g.names.Of(v.Member))
	}
	switch t.Kind.Class() {
	case ir.BoolClass:
		return strconv.FormatBool(v.Bool)
	case ir.FloatClass:
		return floatLiteral(v, t.Kind)
	case ir.TimestampClass:
		return fmt.Sprintf("sdp.TimeOf(%d)", v.Int)
	case ir.UUIDClass:
		return "sdp.UUID{" + uuidBytes(v) + "}"
	case ir.UnsignedClass:
		return strconv.FormatUint(uint64(v.Int), 10)
	case ir.SignedClass, ir.DurationClass:
		return strconv.FormatInt(v.Int, 10)
	}
	panic("golang: " + t.Kind.String() + " has no literals")
}

// floatLiteral is an expression of a float's type, or an untyped constant.
func floatLiteral(v ir.Value, kind ir.Kind) string {
	switch {
	case isNegativeZero(v) && kind.Bytes() == 4:
		return "float32(math.Copysign(0, -1))"
	case isNegativeZero(v):
		return "math.Copysign(0, -1)"
	}
	return strconv.FormatFloat(v.Float, 'g', -1, 8*kind.Bytes())
}

// isNegativeZero reports whether a value is the float that "-0" is not in Go,
// where it is the integer 0.
func isNegativeZero(v ir.Value) bool {
	return v.Kind == ir.FloatValue && v.Float == 0 && math.Signbit(v.Float)
}

// spellAliased is the type behind an alias, which may be spelled by a further
// alias.
func (t *types) spellAliased(a *ir.Alias) string {
	if a.Type.Alias != nil && a.Type.Alias != a {
		return t.spell(a.Type)
	}
	return t.spellUnnamed(a.Type)
}

func (g *generator) enum(e *ir.Enum) {
	name := g.names.Of(e)
	open := "It is open: numbers that have no name here are kept."
	if e.Closed {
		open = "It is closed: other numbers are refused."
	}
	g.doc(name, &e.Meta, "is an enum of the schema. "+open)
	g.Line("type %s %s\n", name, scalars.Of(e.Base).name)
	g.Line("// The members of %s.", name)
	g.Line("const (")
	g.In(func() {
		for _, m := range e.Members {
			member := g.names.Of(m)
			if hasDoc(&m.Meta) {
				g.doc(member, &m.Meta, "is a member of "+name+".")
			}
			g.Line("%s %s = %s", member, name, plan.EnumNumber(e.Base, m.Number))
		}
	})
	g.Line(")\n")
	g.enumTable(e)
	g.block(emit.Vars{"name": name}, `
		// String returns the member's name in the schema, or the number of one that
		// has none.
		func (e $name$) String() string { return sdp$name$.Text(int64(e)) }

		// MarshalText returns what String does.
		func (e $name$) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

		// UnmarshalText takes a member's name or a number.
		func (e *$name$) UnmarshalText(text []byte) error {
			n, err := sdp$name$.Parse(text)
			if err == nil {
				*e = $name$(n)
			}
			return err
		}
	`)
	if e.Closed {
		g.known(e)
	}
}

// record prints a struct or message: the type, its constructor, Equal and
// Clone.
func (g *generator) record(d ir.Decl) {
	name, meta := g.names.Of(d), d.DeclMeta()
	what := "is a struct of the schema: frozen, its fields never change."
	if _, ok := d.(*ir.Message); ok {
		what = "is a message of the schema: later releases may add fields."
	}
	g.doc(name, meta, what)
	g.factorNote(d)
	g.Line("type %s struct {", name)
	g.In(func() {
		g.fields(ir.FieldsOf(d))
		if keepsUnknown(d) {
			g.Line("// unknown holds the segments of a newer writer.")
			g.Line("unknown []byte")
		}
	})
	g.Line("}\n")
	g.constructor(d)
	if keepsUnknown(d) {
		g.unknownFields(name)
	}
	g.equal(d)
	g.clone(d)
}

// fields prints the fields of a struct type.
func (g *generator) fields(fields []*ir.Field) {
	for _, f := range fields {
		if hasDoc(&f.Meta) {
			g.doc(g.names.Of(f), &f.Meta, "is deprecated.")
		}
		g.Line("%s %s %s", g.names.Of(f), g.types.spell(f.Type), tag(f))
	}
}

func keepsUnknown(d ir.Decl) bool {
	m, ok := d.(*ir.Message)
	return ok && m.KeepUnknown
}

func (g *generator) constructor(d ir.Decl) {
	name := g.names.Of(d)
	g.Line("// New%s returns a value with the defaults that the schema declares.", name)
	g.Line("func New%s() *%s {", name, name)
	g.In(func() {
		g.Line("v := &%s{}", name)
		for _, f := range ir.FieldsOf(d) {
			if f.Since <= 1 {
				g.setNew(f.Type, "v."+g.names.Of(f), 0)
			}
		}
		if m, ok := d.(*ir.Message); ok && hasDefaults(m) {
			g.Line("v.SDPDefaults(2)")
		}
		g.Line("return v")
	})
	g.Line("}\n")
	if m, ok := d.(*ir.Message); ok {
		g.defaults(m)
	}
}

// setNew prints what gives a value the defaults of the messages in it, where
// those are not Go's zero values.
func (g *generator) setNew(t *ir.Type, v string, nesting int) {
	if !hasDefaultsWithin(t, map[ir.Decl]bool{}) {
		return
	}
	if t.Kind != ir.ArrayKind {
		g.Line("%s = *%s()", v, g.newFunc(t.Decl))
		return
	}
	if g.types.OnHeap(t) {
		g.Line("%s = new(%s)", v, strings.TrimPrefix(g.types.spellUnnamed(t), "*"))
	}
	i := local("i", nesting)
	g.Line("for %s := range %s {", i, v)
	g.setNew(t.Elem, index(v, i), nesting+1)
	g.Line("}")
}

// hasDefaultsWithin reports whether the zero value of a type holds a message
// with defaults, not behind an optional, list or map.
func hasDefaultsWithin(t *ir.Type, visited map[ir.Decl]bool) bool {
	switch t.Kind {
	case ir.ArrayKind:
		return hasDefaultsWithin(t.Elem, visited)
	case ir.StructKind, ir.MessageKind:
		if visited[t.Decl] {
			return false
		}
		visited[t.Decl] = true
		for _, f := range ir.FieldsOf(t.Decl) {
			if f.Default != nil || hasDefaultsWithin(f.Type, visited) {
				return true
			}
		}
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.OptionalKind, ir.MapKind, ir.UnionKind:
	}
	return false
}

// hasDefaults reports whether a later segment's fields are not all zero where
// the segment is missing.
func hasDefaults(m *ir.Message) bool {
	for _, f := range m.Fields {
		if f.Since > 1 && (f.Default != nil || hasDefaultsWithin(f.Type, map[ir.Decl]bool{})) {
			return true
		}
	}
	return false
}

// defaults prints what fills the segments that an older writer doesn't know.
func (g *generator) defaults(m *ir.Message) {
	segments := m.Segments()
	g.Line("// SDPDefaults sets the fields of a segment and of the later segments to their missing")
	g.Line("// values. It is for generated code.")
	if len(segments) == 1 {
		g.Line("func (*%s) SDPDefaults(int) {}\n", g.names.Of(m))
		return
	}
	g.Line("func (v *%s) SDPDefaults(segment int) {", g.names.Of(m))
	for i, fields := range segments[1:] {
		if i < len(segments)-2 {
			g.Line("if segment <= %d {", i+2)
			g.setDefaults(fields)
			g.Line("}")
		} else {
			g.setDefaults(fields)
		}
	}
	g.Line("}\n")
}

func (g *generator) setDefaults(fields []*ir.Field) {
	for _, f := range fields {
		v := "v." + g.names.Of(f)
		if f.Type.Kind != ir.StructKind && f.Type.Kind != ir.MessageKind {
			g.Line("%s = %s", v, g.defaultValue(f))
		} else if !hasDefaultsWithin(f.Type, map[ir.Decl]bool{}) {
			g.Line("%s = %s", v, g.types.zero(f.Type))
		}
		g.setNew(f.Type, v, 0)
	}
}

func (g *generator) defaultValue(f *ir.Field) string {
	t := f.Type
	switch {
	case f.Default == nil:
		return g.types.zero(t)
	case t.Kind == ir.OptionalKind:
		return fmt.Sprintf("sdp.Some[%s](%s)", g.types.spell(t.Elem), g.literal(t.Elem, *f.Default))
	}
	return g.literal(t, *f.Default)
}

func (g *generator) unknownFields(name string) {
	g.block(emit.Vars{"name": name}, `
		// UnknownFields returns the bytes of segments that a newer writer sent and this
		// schema does not know. They are written back when v is encoded.
		func (v *$name$) UnknownFields() []byte { return v.unknown }

		// SetUnknownFields replaces the bytes of unknown segments; nil drops them. The
		// value refers to b, it makes no copy.
		func (v *$name$) SetUnknownFields(b []byte) { v.unknown = b }
	`)
}

// union prints a union as a struct that holds one of its alternatives, so that
// it can have methods and a zero value that is plainly unset.
func (g *generator) union(u *ir.Union) {
	name := g.names.Of(u)
	g.doc(name, &u.Meta, "is a union of the schema.")
	g.factorNote(u)
	g.block(emit.Vars{
		"name": name,
		"list": func() {
			for _, a := range u.Alternatives {
				g.Line("//   - *%s", g.names.Of(a))
			}
			if !u.Closed {
				g.Line("//   - *%sUnknown", name)
			}
		},
	}, `
		type $name$ struct {
			// Value is one of the alternatives below, or nil, which can't be encoded.
			Value $name$Alternative
		}

		// $name$Alternative is what $name$ may hold:
		//
		$list$
		type $name$Alternative interface {
			// Tag is the alternative's number on the wire.
			Tag() uint8
			isSDP$name$()
		}
	`)
	for _, a := range u.Alternatives {
		g.alternative(u, a)
	}
	if !u.Closed {
		g.block(emit.Vars{"name": name}, `
			// $name$Unknown is an alternative that a newer writer knows. Its payload is
			// kept as it is and written back.
			type $name$Unknown struct {
				Number  uint8
				Payload []byte
			}

			// Tag is the alternative's number on the wire.
			func (a *$name$Unknown) Tag() uint8 { return a.Number }

			func (*$name$Unknown) isSDP$name$() {}
		`)
	}
	g.block(emit.Vars{"name": name}, `
		// New$name$ returns a union that holds nothing yet.
		func New$name$() *$name$ { return &$name${} }
	`)
	g.unionTable(u)
	g.unionEqual(u)
	g.clone(u)
}

func (g *generator) alternative(u *ir.Union, a *ir.Alternative) {
	name := g.names.Of(a)
	what := fmt.Sprintf("is alternative %d of %s.", a.Tag, g.names.Of(u))
	if a.Inline != nil {
		g.alternativeDoc(name, a, what)
		g.Line("type %s struct {", name)
		g.fields(a.Inline.Fields)
		g.Line("}\n")
		g.equal(a.Inline)
		g.clone(a.Inline)
	} else {
		g.doc(name, &a.Meta, what)
		if a.Type == nil {
			g.Line("type %s struct{}", name)
		} else {
			g.Line("type %s struct {\nValue %s %s\n}", name, g.types.spell(a.Type), plainQuote(fieldTag(a.Name, a.Type)))
		}
		g.Line("")
	}
	g.block(emit.Vars{"name": name, "union": g.names.Of(u), "tag": a.Tag}, `
		// Tag is the alternative's number on the wire.
		func (*$name$) Tag() uint8 { return $tag$ }

		func (*$name$) isSDP$union$() {}
	`)
}
