package typescript

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// types spells the schema's types in TypeScript.
type types struct {
	*memory.Costs
	program *plan.Program
	pkg     *ir.Package
	names   *names.Table
	// numbers is whether integers of 64 bits are numbers here, as @x.ts(number) says.
	numbers bool
}

func newTypes(program *plan.Program, pkg *ir.Package, table *names.Table) *types {
	return &types{Costs: memory.New(program, memory.TypeScript), program: program, pkg: pkg, names: table}
}

// importName is the name that generated code gives to an imported package. With its
// dollar it is nobody else's.
func (t *types) importName(pkg *ir.Package) string { return Module(pkg) + "$" }

// qualified is a name with its package, where that isn't the one generated.
func (t *types) qualified(pkg *ir.Package, name string) string {
	if pkg == t.pkg {
		return name
	}
	return t.importName(pkg) + "." + name
}

// decl is the name of a declared type.
func (t *types) decl(d ir.Decl) string { return t.qualified(d.DeclPackage(), t.names.Of(d)) }

// own is the name of a generated function of a declared type, as readPlugin$.
func (t *types) own(verb string, d ir.Decl) string {
	return t.qualified(d.DeclPackage(), verb+t.names.Of(d)+"$")
}

// spell is the TypeScript type of typ.
func (t *types) spell(typ *ir.Type) string {
	if typ.Alias != nil && !(t.numbers && hasWide(typ)) {
		return t.qualified(typ.Alias.Package, t.names.Of(typ.Alias))
	}
	return t.spellUnnamed(typ)
}

// spellUnnamed is the TypeScript type of typ without its alias.
func (t *types) spellUnnamed(typ *ir.Type) string {
	switch typ.Kind {
	case ir.StrKind:
		return "string"
	case ir.BytesKind:
		return "Uint8Array"
	case ir.ListKind, ir.ArrayKind:
		if array := t.arrayOf(typ.Elem); array != "" {
			return array
		}
		if elem := t.spell(typ.Elem); strings.HasSuffix(elem, " | null") {
			return "Array<" + elem + ">"
		}
		return t.spell(typ.Elem) + "[]"
	case ir.OptionalKind:
		return t.spell(typ.Elem) + " | null"
	case ir.MapKind:
		return "Map<" + t.spell(typ.Key) + ", " + t.spell(typ.Elem) + ">"
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.decl(typ.Decl)
	}
	return t.scalar(typ).name
}

// zero is an expression of a type's zero value.
func (t *types) zero(typ *ir.Type) string {
	switch typ.Kind {
	case ir.StrKind:
		return `""`
	case ir.BytesKind:
		return "new Uint8Array(0)"
	case ir.ListKind, ir.ArrayKind:
		n := uint64(0)
		if typ.Kind == ir.ArrayKind {
			n = typ.N
		}
		switch array := t.arrayOf(typ.Elem); {
		case array != "":
			return fmt.Sprintf("new %s(%d)", array, n)
		case n == 0:
			return "[]"
		}
		return fmt.Sprintf("Array.from({ length: %d }, () => %s)", n, t.zero(typ.Elem))
	case ir.OptionalKind:
		return "null"
	case ir.MapKind:
		return "new Map" + typed("<"+t.spell(typ.Key)+", "+t.spell(typ.Elem)+">") + "()"
	case ir.StructKind, ir.MessageKind:
		return "sdp.zero(" + t.decl(typ.Decl) + ")"
	case ir.UnionKind:
		panic("typescript: a union has no zero value") // the checker lets no field miss one
	}
	return t.scalar(typ).zero
}

// missing is an expression of the value of a field whose segment is missing.
func (t *types) missing(f *ir.Field) string {
	t = t.of(&f.Meta)
	switch {
	case f.Default == nil:
		return t.zero(f.Type)
	case f.Type.Kind == ir.OptionalKind:
		return t.literal(f.Type.Elem, *f.Default)
	}
	return t.literal(f.Type, *f.Default)
}

// leftOut is an expression of the value of a field that a value leaves out, where that is not
// absent; empty for a field that no value may leave out.
func (t *types) leftOut(f *ir.Field) string {
	if f.Since <= 1 || isOptional(f.Type) && f.Default == nil {
		return ""
	}
	return t.missing(f)
}

func isOptional(t *ir.Type) bool { return t.Kind == ir.OptionalKind }

// literal is a constant of a type.
func (t *types) literal(typ *ir.Type, v ir.Value) string {
	switch {
	case v.Kind == ir.EnumValue && v.Member != nil:
		return t.decl(typ.Decl) + "." + t.names.Of(v.Member)
	case v.Kind == ir.BoolValue:
		return strconv.FormatBool(v.Bool)
	case v.Kind == ir.StrValue:
		return literalText(v) // also of a uuid
	case v.Kind == ir.FloatValue && v.Float == 0 && math.Signbit(v.Float):
		return "-0"
	case v.Kind == ir.FloatValue:
		return strings.NewReplacer("+Inf", "Infinity", "-Inf", "-Infinity").Replace(strconv.FormatFloat(v.Float, 'g', -1, 64))
	}
	return integer(typ.Scalar(), v.Int, t.scalar(typ).name)
}

// integer is a literal of an integer's kind, by its bits, of a type of TypeScript's.
func integer(kind ir.Kind, n int64, name string) string {
	text := strconv.FormatInt(n, 10)
	if kind.Class() == ir.UnsignedClass {
		text = strconv.FormatUint(uint64(n), 10)
	}
	if name == "bigint" {
		text += "n"
	}
	return text
}

// bound is a bound that a length or count has, as a further argument; empty for none.
func bound(t *ir.Type) string {
	if t.Max == nil {
		return ""
	}
	return fmt.Sprintf(", %d", *t.Max)
}

// descriptor is an expression of the runtime's description of a type.
func (t *types) descriptor(typ *ir.Type) string {
	switch typ.Kind {
	case ir.StrKind, ir.BytesKind:
		return fmt.Sprintf("sdp.%s(%d%s)", typ.Kind, typ.LenBytes, bound(typ))
	case ir.ListKind:
		return fmt.Sprintf("sdp.list(%s, %d, %d%s)", t.descriptor(typ.Elem), t.program.SizeOf(typ.Elem).Min, typ.LenBytes, bound(typ))
	case ir.ArrayKind:
		return fmt.Sprintf("sdp.array(%s, %d)", t.descriptor(typ.Elem), typ.N)
	case ir.OptionalKind:
		return "sdp.optional(" + t.descriptor(typ.Elem) + ")"
	case ir.MapKind:
		return fmt.Sprintf("sdp.map(%s, %s, %d, %d%s)", t.descriptor(typ.Key), t.descriptor(typ.Elem), t.program.EntrySize(typ).Min, typ.LenBytes, bound(typ))
	case ir.EnumKind:
		return t.own("", typ.Decl)
	case ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.decl(typ.Decl)
	}
	if number, ok := safe[typ.Kind]; ok && t.numbers {
		return "sdp." + number.store
	}
	return "sdp." + typ.Kind.String()
}

// property is the mark by which a field may be left out, and its type.
func (t *types) property(f *ir.Field) string {
	mark := ""
	if f.Since > 1 || f.Type.Kind == ir.OptionalKind {
		mark = "?"
	}
	return t.names.Of(f) + mark + ": " + t.of(&f.Meta).spell(f.Type) + ";"
}

func (t *types) keeps(d ir.Decl) bool {
	m, isMessage := d.(*ir.Message)
	return isMessage && m.KeepUnknown
}

// whole reports types that are read as one piece of bytes: scalars that stand side by side.
func whole(t *ir.Type) bool { return t.Scalar() != 0 }

// withID are the package's types that have a type id.
func (t *types) withID() []ir.Decl {
	return slices.DeleteFunc(slices.Clone(t.pkg.Decls), func(d ir.Decl) bool { return ir.IDOf(d) == nil })
}

// reuses tells whether there is something in a value of a declared type, to which one may lead
// back, that a later value may use again: the value itself, unless that is a union.
func reuses(d ir.Decl, visited map[ir.Decl]bool) bool {
	u, isUnion := d.(*ir.Union)
	if !isUnion {
		m, isMessage := d.(*ir.Message)
		return len(ir.FieldsOf(d)) > 0 || isMessage && m.KeepUnknown
	}
	if visited[d] {
		return false
	}
	visited[d] = true
	return slices.ContainsFunc(u.Alternatives, func(a *ir.Alternative) bool { return a.Type != nil && holdsReused(a.Type, visited) })
}

func holdsReused(t *ir.Type, visited map[ir.Decl]bool) bool {
	switch t.Kind {
	case ir.BytesKind, ir.ListKind, ir.ArrayKind:
		return true
	case ir.StrKind, ir.EnumKind:
		return false
	case ir.OptionalKind, ir.MapKind:
		return holdsReused(t.Elem, visited)
	case ir.UnionKind, ir.StructKind, ir.MessageKind:
		return reuses(t.Decl, visited)
	}
	return false
}
