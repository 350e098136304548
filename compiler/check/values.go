package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// number is an integer before its type is known.
type number struct {
	negative  bool
	magnitude uint64
	constant  *ir.Const
}

// bits is the number in two's complement, sign-extended.
func (n number) bits() int64 {
	if n.negative {
		return -int64(n.magnitude)
	}
	return int64(n.magnitude)
}

// fits tells whether an integer kind holds the number.
func (n number) fits(k ir.Kind) bool {
	width := uint(8 * k.Bytes())
	switch {
	case n.magnitude == 0:
		return true
	case !k.IsSigned():
		return !n.negative && n.magnitude <= math.MaxUint64>>(64-width)
	case n.negative:
		return n.magnitude <= 1<<(width-1)
	}
	return n.magnitude < 1<<(width-1)
}

// float is the number in a kind of float, rounded once.
func (n number) float(k ir.Kind) float64 {
	f := float64(n.magnitude)
	if k.Bytes() == 4 {
		f = float64(float32(n.magnitude))
	}
	if n.negative {
		f = -f
	}
	return f
}

// rangeOf spells the range of an integer kind.
func rangeOf(k ir.Kind) string {
	width := uint(8 * k.Bytes())
	if k.IsSigned() {
		half := uint64(1) << (width - 1)
		return "-" + decimal(half) + " to " + decimal(half-1)
	}
	return "0 to " + decimal(math.MaxUint64>>(64-width))
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// numberOf is the value of an integer constant.
func numberOf(c *ir.Const) number {
	n := number{magnitude: uint64(c.Value.Int), constant: c}
	if c.Type.Kind.IsSigned() && c.Value.Int < 0 {
		n.negative, n.magnitude = true, -n.magnitude
	}
	return n
}

// integer evaluates an integer literal or constant; `what` names it in a
// report.
func (u *unit) integer(v *syntax.Value, subject string) (number, bool) {
	switch v.Kind {
	case syntax.IntegerValue:
		return number{negative: v.Negative && v.Magnitude > 0, magnitude: v.Magnitude}, true
	case syntax.PathValue:
		s := u.constantAt(v.Path)
		if s == nil {
			return number{}, false
		}
		if s.constant.Type.Kind.IsInteger() {
			return numberOf(s.constant), true
		}
		u.valueKind(v, subject+" is an integer", s)
		return number{}, false
	}
	u.valueKind(v, subject+" is an integer", nil)
	return number{}, false
}

func (u *unit) valueKind(v *syntax.Value, message string, constant *symbol) *diag.Diagnostic {
	d := u.problems.Error(codeValueKind, v.Span, "%s", message)
	if constant != nil {
		d.WithRelated(constant.span, "this constant is "+constant.constant.Type.Kind.String())
	}
	return d
}

// constantAt looks up a constant whose value is known, nil after a report or
// where the reason was reported at the constant.
func (u *unit) constantAt(path syntax.Path) *symbol {
	s := u.lookup(path, "constant", u.constantNames)
	if s == nil {
		return nil
	}
	if s.constant == nil {
		u.problems.Error(codeWrongKind, path.Span, "%s is %s, not a constant", quote(path.String()), s.kind()).
			WithRelated(s.span, "declared here")
		return nil
	}
	if !s.evaluated {
		return nil
	}
	return s
}

// value evaluates a literal or constant of a type that is bool, an integer, a
// float or str.
func (u *unit) value(v *syntax.Value, t *ir.Type) (ir.Value, bool) {
	k := t.Kind
	if k.IsInteger() {
		n, ok := u.integer(v, fmt.Sprintf("a value of type %s", k))
		if !ok {
			return ir.Value{}, false
		}
		if !n.fits(k) {
			u.outOfRange(v, k)
			return ir.Value{}, false
		}
		return ir.Value{Kind: ir.IntValue, Int: n.bits(), Const: n.constant}, true
	}
	if k.IsFloat() {
		return u.floatValue(v, k)
	}
	var literal ir.Value
	switch {
	case v.Kind == syntax.PathValue:
		s := u.constantAt(v.Path)
		if s == nil {
			return ir.Value{}, false
		}
		if s.constant.Type.Kind == k {
			literal = s.constant.Value
			literal.Const = s.constant
			return literal, true
		}
		u.valueKind(v, fmt.Sprintf("a value of type %s is a %s", k, k), s)
		return ir.Value{}, false
	case v.Kind == syntax.BoolValue && k == ir.Bool:
		return ir.Value{Kind: ir.BoolValue, Bool: v.Bool}, true
	case v.Kind == syntax.StringValue && k == ir.StrKind:
		return ir.Value{Kind: ir.StrValue, Str: v.Text}, true
	case k == ir.Bool:
		u.valueKind(v, "a value of type bool is `true` or `false`", nil)
	default:
		u.valueKind(v, "a value of type str is a string in quotation marks", nil)
	}
	return ir.Value{}, false
}

func (u *unit) outOfRange(v *syntax.Value, k ir.Kind) {
	u.problems.Error(codeValueRange, v.Span, "%s is out of the range of %s", quote(v.Span.Text()), k).
		WithHelp(fmt.Sprintf("%s holds %s", k, rangeOf(k)))
}

// floatValue evaluates a float; integers are floats too.
func (u *unit) floatValue(v *syntax.Value, k ir.Kind) (ir.Value, bool) {
	var f float64
	var constant *ir.Const
	switch v.Kind {
	case syntax.FloatValue:
		f = nearestFloat(v, k)
	case syntax.IntegerValue:
		n, _ := u.integer(v, "")
		f = n.float(k)
	case syntax.PathValue:
		s := u.constantAt(v.Path)
		if s == nil {
			return ir.Value{}, false
		}
		constant = s.constant
		switch of := constant.Type.Kind; {
		case of.IsFloat():
			f = constant.Value.Float
		case of.IsInteger():
			f = numberOf(constant).float(k)
		default:
			u.valueKind(v, fmt.Sprintf("a value of type %s is a number", k), s)
			return ir.Value{}, false
		}
	default:
		u.valueKind(v, fmt.Sprintf("a value of type %s is a number", k), nil)
		return ir.Value{}, false
	}
	if k.Bytes() == 4 {
		f = float64(float32(f))
	}
	if math.IsInf(f, 0) {
		u.problems.Error(codeValueRange, v.Span, "%s is out of the range of %s", quote(v.Span.Text()), k)
		return ir.Value{}, false
	}
	return ir.Value{Kind: ir.FloatValue, Float: f, Const: constant}, true
}

// nearestFloat is a literal's value in a kind, rounded once: by way of a f64 it
// could become the neighbour of the nearest f32. A literal that the kind cannot
// hold is an infinity.
func nearestFloat(v *syntax.Value, k ir.Kind) float64 {
	if k.Bytes() == 8 {
		return v.Float
	}
	f, _ := strconv.ParseFloat(strings.ReplaceAll(v.Span.Text(), "_", ""), 8*k.Bytes())
	return f
}

// carried is an argument of an attribute that only a generator understands. A
// name that is no constant is carried as its text.
func (u *unit) carried(v *syntax.Value) ir.Value {
	switch v.Kind {
	case syntax.IntegerValue:
		n := number{negative: v.Negative, magnitude: v.Magnitude}
		if !n.fits(ir.I64) {
			u.outOfRange(v, ir.I64)
		}
		return ir.Value{Kind: ir.IntValue, Int: n.bits()}
	case syntax.FloatValue:
		return ir.Value{Kind: ir.FloatValue, Float: v.Float}
	case syntax.BoolValue:
		return ir.Value{Kind: ir.BoolValue, Bool: v.Bool}
	case syntax.StringValue:
		return ir.Value{Kind: ir.StrValue, Str: v.Text}
	}
	if len(v.Path.Parts) == 1 {
		if s := u.symbols[v.Path.Parts[0].Text]; s != nil && s.constant != nil && s.evaluated {
			s.markUsed()
			carried := s.constant.Value
			carried.Const = s.constant
			return carried
		}
	}
	return ir.Value{Kind: ir.StrValue, Str: v.Path.String()}
}
