package python

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// types spells the schema's types in Python.
type types struct {
	pkg   *ir.Package
	names *names.Table
	// hidden are built-in names that fields of the class at hand have, so that others are spelled with their module.
	hidden map[string]bool
}

// importName is the name that generated code gives to an imported package. With its underscore it is nobody else's.
func (t *types) importName(pkg *ir.Package) string { return "_" + Module(pkg) }

// qualified is a name with its package, where that isn't the one generated.
func (t *types) qualified(pkg *ir.Package, name string) string {
	if pkg == t.pkg {
		return name
	}
	return t.importName(pkg) + "." + name
}

// decl is the name of a declared type.
func (t *types) decl(d ir.Decl) string { return t.qualified(d.DeclPackage(), t.names.Of(d)) }

// own is the name of a built-in type.
func (t *types) own(name string) string {
	if t.hidden[name] {
		return "builtins." + name
	}
	return name
}

// spell is the Python type of typ.
func (t *types) spell(typ *ir.Type) string {
	if typ.Alias != nil {
		return t.qualified(typ.Alias.Package, t.names.Of(typ.Alias))
	}
	return t.spellUnnamed(typ, t.spell)
}

// spellWhole is the Python type of typ without any alias.
func (t *types) spellWhole(typ *ir.Type) string { return t.spellUnnamed(typ, t.spellWhole) }

func (t *types) spellUnnamed(typ *ir.Type, spell func(*ir.Type) string) string {
	switch typ.Kind {
	case ir.StrKind:
		return t.own("str")
	case ir.BytesKind:
		return t.own("bytes")
	case ir.ArrayKind:
		if typ.Elem.Kind == ir.U8 {
			return t.own("bytes")
		}
		return t.own("list") + "[" + spell(typ.Elem) + "]"
	case ir.ListKind:
		return t.own("list") + "[" + spell(typ.Elem) + "]"
	case ir.OptionalKind:
		return spell(typ.Elem) + " | None"
	case ir.MapKind:
		return t.own("dict") + "[" + spell(typ.Key) + ", " + spell(typ.Elem) + "]"
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.decl(typ.Decl)
	}
	return t.own(scalars.Of(typ.Kind))
}

// leftOut is the expression of a field that a constructor may leave out; empty for one that it may not.
func (t *types) leftOut(f *ir.Field) string {
	switch {
	case f.Default != nil && f.Type.Kind == ir.OptionalKind:
		return t.literal(f.Type.Elem, *f.Default)
	case f.Default != nil:
		return t.literal(f.Type, *f.Default)
	case f.Type.Kind == ir.OptionalKind:
		return "None"
	case f.Since > 1:
		return t.zero(f.Type)
	}
	return ""
}

// zero is an expression of the zero value of a type, which the runtime makes where it can change.
func (t *types) zero(typ *ir.Type) string {
	switch {
	case typ.Kind == ir.StrKind:
		return `""`
	case typ.Kind == ir.BytesKind:
		return `b""`
	case typ.Kind == ir.Bool:
		return "False"
	case typ.Kind.IsFloat():
		return "0.0"
	case typ.Kind.IsInteger():
		return "0"
	}
	return "sdp.ZERO"
}

// literal is a constant of a type.
func (t *types) literal(typ *ir.Type, v ir.Value) string {
	switch {
	case v.Kind == ir.EnumValue && v.Member != nil:
		return t.decl(typ.Decl) + "." + t.names.Of(v.Member)
	case v.Kind == ir.BoolValue:
		return map[bool]string{true: "True", false: "False"}[v.Bool]
	case v.Kind == ir.StrValue && typ.Kind == ir.UUIDKind:
		return "uuid.UUID(" + literalText(v) + ")"
	case v.Kind == ir.StrValue:
		return literalText(v)
	case v.Kind == ir.FloatValue:
		return float(v.Float)
	}
	text := strconv.FormatInt(v.Int, 10)
	if typ.Scalar().Class() == ir.UnsignedClass {
		text = strconv.FormatUint(uint64(v.Int), 10)
	}
	switch {
	case typ.Kind == ir.TimestampKind || typ.Kind == ir.DurationKind:
		return fmt.Sprintf("%s(%s)", scalars.Of(typ.Kind), text)
	case typ.Kind.IsFloat():
		return text + ".0"
	}
	return text
}

// float is a literal of a float.
func float(value float64) string {
	if math.IsInf(value, 0) {
		return `float("` + strings.TrimPrefix(strconv.FormatFloat(value, 'g', -1, 64), "+") + `")`
	}
	text := strconv.FormatFloat(value, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// keeps tells whether a type is a message that keeps bytes of segments that it does not know.
func keeps(d ir.Decl) bool {
	m, isMessage := d.(*ir.Message)
	return isMessage && m.KeepUnknown
}
