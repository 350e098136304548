package rust

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// declarations prints constants, aliases and types.
func (g *generator) declarations() {
	g.Line("/// Identifies the schema's text without its comments and layout.")
	g.Line("pub const SOURCE_FINGERPRINT: u64 = %s;", fingerprint(plan.SourceFingerprint(g.pkg)))
	g.Line("")
	for _, c := range g.pkg.Consts {
		doc(g.Printer, &c.Meta, "A constant of the schema.")
		typ := g.types.spell(c.Type, owned)
		if c.Type.Kind == ir.StrKind {
			typ = "&str"
		}
		g.Line("pub const %s: %s = %s;", g.names.Of(c), typ, g.literalOf(c.Type, c.Value, borrowed))
		g.Line("")
	}
	for _, a := range g.pkg.Aliases {
		doc(g.Printer, &a.Meta, "Another name of a type.")
		behind := g.types.spellUnnamed(a.Type, owned)
		if a.Type.Alias != nil && a.Type.Alias != a {
			behind = g.types.spell(a.Type, owned)
		}
		g.Line("pub type %s = %s;", g.names.Of(a), behind)
		g.Line("")
	}
	for _, d := range g.pkg.Decls {
		for _, d := range ir.WithInline(d) {
			g.declaration(d)
		}
	}
}

func (g *generator) declaration(d ir.Decl) {
	if e, ok := d.(*ir.Enum); ok {
		g.enum(e)
		return
	}
	if !g.owns(d) { // its name has the constants
		g.opening(d, owned, "Clone", "Copy", "Debug")
		g.Line("pub struct %s;\n", g.types.name(d, owned))
	}
	for _, form := range g.forms(d) {
		if u, ok := d.(*ir.Union); ok {
			g.union(u, form)
			g.unionTraits(u, form)
			continue
		}
		g.record(d, form)
		g.recordTraits(d, form)
	}
}

// opening prints what stands before a type.
func (g *generator) opening(d ir.Decl, form form, derived ...string) {
	if form == owned {
		doc(g.Printer, d.DeclMeta(), "A "+ir.KindOf(d).String()+" of the schema.")
	} else {
		g.Line("/// [`%s`], borrowed from the bytes that it was decoded from.", g.names.Of(d))
	}
	g.Line("#[derive(%s)]", strings.Join(derived, ", "))
}

func fingerprint(n uint64) string {
	digits := fmt.Sprintf("%016x", n)
	return "0x" + digits[:4] + "_" + digits[4:8] + "_" + digits[8:12] + "_" + digits[12:]
}

// literalOf is a constant value in Rust, as a value of the type.
func (g *generator) literalOf(t *ir.Type, v ir.Value, form form) string {
	switch t.Kind {
	case ir.StrKind:
		return literalText(v, form)
	case ir.EnumKind:
		return g.types.name(t.Decl, owned) + "::" + g.names.Of(v.Member)
	}
	return fmt.Sprintf(scalars.Of(t.Kind).literal, digits(t.Kind, v))
}

// digits are the digits of a scalar's value.
func digits(kind ir.Kind, v ir.Value) string {
	switch kind.Class() {
	case ir.BoolClass:
		return strconv.FormatBool(v.Bool)
	case ir.FloatClass:
		return floatLiteral(v.Float, kind)
	case ir.UUIDClass:
		return uuidNumber(v)
	case ir.UnsignedClass:
		return integer(uint64(v.Int))
	case ir.SignedClass, ir.TimestampClass, ir.DurationClass:
		return signed(v.Int)
	}
	panic("rust: " + kind.String() + " has no literals")
}

func signed(n int64) string {
	if n < 0 {
		return "-" + integer(uint64(-n))
	}
	return integer(uint64(n))
}

// missing is the value of a field whose segment is missing.
func (g *generator) missing(f *ir.Field, form form) string {
	if f.Default == nil {
		return g.zero(f.Type, form)
	}
	if f.Type.Kind == ir.OptionalKind {
		return "Some(" + g.literalOf(f.Type.Elem, *f.Default, form) + ")"
	}
	return g.literalOf(f.Type, *f.Default, form)
}

// zero is the zero value of a type.
func (g *generator) zero(t *ir.Type, form form) string { return g.types.zero(t, form) }

// record prints a struct or message.
func (g *generator) record(d ir.Decl, form form) {
	g.opening(d, form, g.derived(d, form)...)
	m, isMessage := d.(*ir.Message)
	if isMessage {
		g.Line("#[non_exhaustive]")
	}
	private := g.privateFields(m, form)
	g.Line("pub struct %s {%s", g.ownName(d, form), map[bool]string{true: "}"}[len(ir.FieldsOf(d))+len(private) == 0])
	if len(ir.FieldsOf(d))+len(private) == 0 {
		g.Line("")
		return
	}
	g.In(func() {
		for _, f := range ir.FieldsOf(d) {
			doc(g.Printer, &f.Meta, "The field `"+f.Name+"`.")
			g.Line("pub %s: %s,", g.names.Of(f), g.types.spell(f.Type, form))
		}
		for _, line := range private {
			g.Line("%s: %s,", line[0], line[1])
		}
	})
	g.Line("}")
	g.Line("")
}

// privateFields are the names and types of a message's own fields.
func (g *generator) privateFields(m *ir.Message, form form) [][2]string {
	var fields [][2]string
	if m != nil && m.KeepUnknown {
		fields = append(fields, [2]string{"unknown_fields", pick(form, "Vec<u8>", "&'a [u8]")})
	}
	if m != nil && form == borrowed && !m.KeepUnknown {
		fields = append(fields, [2]string{"borrowed", "core::marker::PhantomData<&'a ()>"})
	}
	return fields
}

// ownName is the type's name with the parameter that its form has.
func (g *generator) ownName(d ir.Decl, form form) string { return g.types.decl(d, form) }

// anonymous is the type with its lifetime left open, for an impl that does not
// name it.
func (g *generator) anonymous(d ir.Decl, form form) string {
	if form == owned {
		return g.types.name(d, form)
	}
	return g.types.name(d, form) + "<'_>"
}

// union prints a union as an enum.
func (g *generator) union(u *ir.Union, form form) {
	g.opening(u, form, g.derived(u, form)...)
	g.enumOf(u, g.ownName(u, form), func(t *ir.Type) string { return g.payload(t, form) }, func() {
		g.Emit(emit.Vars{"payload": pick(form, "Vec<u8>", "&'a [u8]")}, `
			/// An alternative that has no name here, as it was decoded. With the tag 0 the
			/// union is not set, which encoding refuses.
			Unknown {
			    /// Says which alternative it is.
			    tag: u8,
			    /// The encoding of the alternative's payload.
			    payload: $payload$,
			},
		`)
	})
}

// enumOf prints the enum of a union's alternatives, and of an open union what holds
// one that is unknown.
func (g *generator) enumOf(u *ir.Union, name string, payload func(*ir.Type) string, unknown func()) {
	if !u.Closed {
		g.Line("#[non_exhaustive]")
	}
	g.Line("pub enum %s {", name)
	g.In(func() {
		for _, a := range u.Alternatives {
			doc(g.Printer, &a.Meta, "The alternative `"+a.Name+"`.")
			if a.Type == nil {
				g.Line("%s,", g.names.Of(a))
			} else {
				g.Line("%s(%s),", g.names.Of(a), payload(a.Type))
			}
		}
		if !u.Closed {
			unknown()
		}
	})
	g.Line("}")
	g.Line("")
}

// payload is the type of what an alternative holds.
func (g *generator) payload(t *ir.Type, form form) string {
	if g.types.BoxedPayload(t) {
		return "Box<" + g.types.spell(t, form) + ">"
	}
	return g.types.spell(t, form)
}
