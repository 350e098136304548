package typescript

import (
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// AttributeName is the attribute by which a schema tells TypeScript of a field: @x.ts(number).
const AttributeName = "x.ts"

// safe are the integers of 64 bits as numbers, which are exact up to 2^53-1 in size.
var safe = map[ir.Kind]scalar{
	ir.U64: {"number", "0", "r.safeU64($p$)", "safeU64", ""},
	ir.I64: {"number", "0", "r.safeI64($p$)", "safeI64", ""},
}

// safeMax is the largest integer up to which numbers are exact.
const safeMax = 1<<53 - 1

// asNumbers tells whether a field's or payload's integers of 64 bits are numbers.
func asNumbers(meta *ir.Meta) bool { return meta.HasCustom(AttributeName) }

// of are the types as a field or payload spells them.
func (t *types) of(meta *ir.Meta) *types { return t.as(asNumbers(meta)) }

// as are the types with integers of 64 bits as numbers, or as bigints.
func (t *types) as(numbers bool) *types {
	if t.numbers == numbers {
		return t
	}
	other := *t
	other.numbers = numbers
	return &other
}

// scalar is how a scalar is spelled here.
func (t *types) scalar(typ *ir.Type) scalar {
	if number, ok := safe[typ.Kind]; ok && t.numbers {
		return number
	}
	return scalars.Of(typ.Scalar())
}

// hasWide tells whether a type has integers of 64 bits outside of declared types.
func hasWide(t *ir.Type) bool {
	if _, ok := safe[t.Kind]; ok {
		return true
	}
	return t.Elem != nil && hasWide(t.Elem) || t.Key != nil && hasWide(t.Key)
}

// numberProblems refuses @x.ts where it says nothing.
func (g *generator) numberProblems(problems *diag.List) {
	for _, one := range ir.CustomsOf(g.pkg, AttributeName) {
		for i, custom := range one.Customs {
			problem := ""
			switch {
			case !custom.Says("number"):
				problem = "says something other than `number`"
			case i > 0:
				problem = "stands here twice"
			case one.Type == nil || !hasWide(one.Type):
				problem = "stands on a field without a u64 or i64 of its own"
			case one.Default != nil && !isSafe(one.Type, *one.Default):
				problem = "stands on a field whose default is beyond 2^53-1"
			default:
				continue
			}
			problems.Error("T0103", custom.Span, "@x.ts %s", problem).
				WithHelp("`@x.ts(number)` makes the integers of 64 bits of a field or payload numbers in TypeScript")
		}
	}
}

// scalarUnder is the kind of a type that may be optional.
func scalarUnder(t *ir.Type) ir.Kind {
	if t.Kind == ir.OptionalKind {
		t = t.Elem
	}
	return t.Scalar()
}

// isSafe tells whether an integer's bits are the bits of a number that is exact.
func isSafe(t *ir.Type, v ir.Value) bool {
	if scalarUnder(t) == ir.U64 {
		return uint64(v.Int) <= safeMax
	}
	return v.Int >= -safeMax && v.Int <= safeMax
}
