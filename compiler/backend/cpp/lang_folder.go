package cpp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// Namespace is the namespace of a package.
func Namespace(pkg *ir.Package) string { return names.Cpp.Package(pkg.Name) }

// Header is the name of a package's header.
func Header(pkg *ir.Package) string { return names.FileStem(pkg.Name) + ".hpp" }

// literal is a constant value in C++.
func (g *generator) literal(t *ir.Type, v ir.Value) string {
	switch t.Kind {
	case ir.StrKind:
		return literalText(v)
	case ir.EnumKind:
		return g.types.qualified(t.Decl, owned) + "::" + g.names.Of(v.Member)
	}
	return fmt.Sprintf(scalars.Of(t.Kind).literal, digits(t.Kind, v))
}

// digits are the digits of a scalar's value, of a UUID its bytes.
func digits(kind ir.Kind, v ir.Value) string {
	switch kind.Class() {
	case ir.BoolClass:
		return strconv.FormatBool(v.Bool)
	case ir.FloatClass:
		return floatLiteral(v.Float, kind)
	case ir.UUIDClass:
		return uuidBytes(v)
	case ir.UnsignedClass:
		return strconv.FormatUint(uint64(v.Int), 10)
	case ir.SignedClass, ir.TimestampClass, ir.DurationClass:
		return signed(v.Int)
	}
	panic("cpp: " + kind.String() + " has no literals")
}

// defaultOf is the default of a field, which of an optional is that of its value.
func (g *generator) defaultOf(f *ir.Field) string {
	t := f.Type
	if t.Kind == ir.OptionalKind {
		t = t.Elem
	}
	return g.literal(t, *f.Default)
}

// signed is a literal that has no suffix; the smallest number has no literal.
func signed(n int64) string {
	if n == math.MinInt64 {
		return "-9223372036854775807 - 1"
	}
	return strconv.FormatInt(n, 10)
}

func floatLiteral(number float64, kind ir.Kind) string {
	text := strconv.FormatFloat(number, 'g', -1, 8*kind.Bytes())
	text = strings.Replace(text, "e+", "e", 1)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// hex is a fingerprint.
func hex(n uint64) string { return fmt.Sprintf("0x%016x", n) }

// lineMax is how long a line gets where there is a choice.
const lineMax = 100
