package rust

import (
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// integer is a literal with underscores between its thousands, as clippy wants
// them.
func integer(n uint64) string { return fromRight(strconv.FormatUint(n, 10)) }

// floatLiteral is the shortest literal of a number.
func floatLiteral(number float64, kind ir.Kind) string {
	text := strconv.FormatFloat(number, 'g', -1, 8*kind.Bytes())
	text = strings.Replace(text, "e+", "e", 1)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	digits, exponent, scientific := strings.Cut(text, "e")
	whole, fraction, fractional := strings.Cut(digits, ".")
	text = strings.TrimSuffix(whole, strings.TrimLeft(whole, "-")) + fromRight(strings.TrimLeft(whole, "-"))
	if fractional {
		text += "." + fromLeft(fraction)
	}
	if scientific {
		text += "e" + exponent
	}
	return text
}

// digitsMax is how many digits clippy finds readable without separators.
const digitsMax = 5

// fromRight puts separators into the digits before a point.
func fromRight(digits string) string {
	if len(digits) <= digitsMax {
		return digits
	}
	at := (len(digits)-1)%3 + 1
	return digits[:at] + separated(digits[at:])
}

// fromLeft puts separators into the digits behind a point.
func fromLeft(digits string) string {
	if len(digits) <= digitsMax {
		return digits
	}
	return separated(digits)[1:]
}

// separated are groups of three digits, each behind a separator.
func separated(digits string) (text string) {
	for group := range slices.Chunk([]byte(digits), 3) {
		text += "_" + string(group)
	}
	return text
}
