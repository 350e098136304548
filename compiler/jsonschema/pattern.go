package jsonschema

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Patterns are of the least that regular expressions have everywhere: classes, groups,
// alternatives and repetitions of few.

const (
	digit    = "[0-9]"
	uuidText = "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
)

// The text of base64: whole groups, and how the last one ends whose unused bits are 0.
const (
	base64Char  = "[A-Za-z0-9+/]"
	base64One   = base64Char + "[AQgw]=="               // of one byte
	base64Two   = base64Char + "{2}[AEIMQUYcgkosw048]=" // of two
	base64Text  = "^(?:" + base64Char + "{4})*(?:" + base64Two + "|" + base64One + ")?$"
	groupBytes  = 3
	groupDigits = 4
)

// whole is a pattern of all of a text.
func whole(alternatives ...string) string { return "^(?:" + strings.Join(alternatives, "|") + ")$" }

// pattern is that of a scalar's texts; a short one leaves the ends of numbers and times to the
// reader.
func (b *builder) pattern(kind ir.Kind) string {
	switch kind.Class() {
	case ir.FloatClass:
		if b.isShort {
			return whole("-?Infinity", "NaN(?::"+times("[0-9a-f]", 2*kind.Bytes(), 2*kind.Bytes())+")?")
		}
		return floatText(kind)
	case ir.TimestampClass:
		if b.isShort {
			return `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z$`
		}
		return timeText
	case ir.DurationClass:
		if b.isShort {
			return `^-?(?:0|[1-9][0-9]{0,9})(?:\.[0-9]{1,9})?s$`
		}
		return durationText
	case ir.UUIDClass:
		return uuidText
	case ir.UnsignedClass, ir.SignedClass:
		if b.isShort {
			return integerLook(kind)
		}
		return integerText(kind)
	case ir.BoolClass: // no text is
	}
	panic("jsonschema: " + kind.String() + " has no texts")
}

// integerLook is the pattern of integers with no more digits than the largest value of a kind.
func integerLook(kind ir.Kind) string {
	_, most := ends(kind)
	sign := ""
	if kind.IsSigned() {
		sign = "-?"
	}
	return whole("0", sign+"[1-9]"+times(digit, 0, len(most)-1))
}

// integerText is the pattern of the texts of an integer kind [JSON-2.3].
func integerText(kind ir.Kind) string {
	bits := 8 * kind.Bytes()
	if !kind.IsSigned() {
		return whole("0", upTo(strconv.FormatUint(math.MaxUint64>>(64-bits), 10)))
	}
	least := strconv.FormatUint(1<<(bits-1), 10)
	most := strconv.FormatUint(1<<(bits-1)-1, 10)
	return whole("0", upTo(most), "-(?:"+upTo(least)+")")
}

// upTo is the alternatives of the decimal numbers from 1 to one that has these digits.
func upTo(digits string) string {
	var shorter string
	switch n := len(digits) - 1; n {
	case 0:
	case 1:
		shorter = "[1-9]|"
	default:
		shorter = fmt.Sprintf("[1-9]%s|", times(digit, 0, n-1))
	}
	return shorter + noMore(digits, '1')
}

// noMore is the alternatives of as many digits that are no larger number, the first
// of which is at least another.
func noMore(digits string, least byte) string {
	if strings.Trim(digits, "9") == "" {
		return class(least, '9') + times(digit, len(digits)-1, len(digits)-1)
	}
	first, rest := digits[0], digits[1:]
	if rest == "" {
		return class(least, first)
	}
	same := string(first) + group(noMore(rest, '0'))
	if first == least {
		return same
	}
	return class(least, first-1) + times(digit, len(rest), len(rest)) + "|" + same
}

// class is one digit from first to last.
func class(first, last byte) string {
	switch {
	case first == last:
		return string(first)
	case first == '0' && last == '9':
		return digit
	}
	return "[" + string(first) + "-" + string(last) + "]"
}

// group sets alternatives apart from what stands beside them.
func group(alternatives string) string {
	if strings.Contains(alternatives, "|") {
		return "(?:" + alternatives + ")"
	}
	return alternatives
}

// times is a pattern, least to most times.
func times(pattern string, least, most int) string {
	switch {
	case most == 0:
		return ""
	case least == 1 && most == 1:
		return pattern
	case least == most:
		return fmt.Sprintf("%s{%d}", pattern, most)
	}
	return fmt.Sprintf("%s{%d,%d}", pattern, least, most)
}

// The ends of 64 bits of nanoseconds, as timestamps and durations have them.
const (
	firstTime   = "1677-09-21T00:12:43.145224192"
	lastTime    = "2262-04-11T23:47:16.854775807"
	mostSeconds = "9223372036"
	mostNanos   = "854775807" // of a positive duration of so many seconds
	leastNanos  = "854775808"
)

// The pattern of a time without its ends, and the patterns of times behind its first and before its
// last [JSON-2.8].
var (
	timeText = "^(?:" + digit + "{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|" +
		"(?:" + digit + "{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)" +
		`T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\.` + digit + "{1,9})?Z$"
	timeFirst = "^" + group(beyond(firstTime, true))
	timeLast  = "^" + group(beyond(lastTime, false))
)

// beyond is the alternatives of how a time begins that is not before another one, or
// not behind it. The time has nine digits of a fraction.
func beyond(time string, lookbehind bool) string {
	if time == "" {
		return "Z"
	}
	first := time[0]
	same := group(beyond(time[1:], lookbehind))
	switch {
	case first == '.':
		if lookbehind {
			return `\.` + same // what ends here is before it
		}
		return `\.` + same + "|Z"
	case first < '0' || first > '9':
		return string(first) + same
	}
	all := []string{string(first) + same}
	if lookbehind && first < '9' {
		all = append(all, class(first+1, '9'))
	}
	if !lookbehind && first > '0' {
		all = append(all, class('0', first-1))
	}
	if !strings.ContainsAny(time, ".T:-") { // within the fraction
		if !lookbehind || strings.Trim(time, "0") == "" {
			all = append(all, "Z")
		}
	}
	return strings.Join(all, "|")
}

// durationText is the pattern of a duration [JSON-2.11].
var durationText = func() string {
	below := strconv.FormatInt(9223372036-1, 10)
	return whole(
		`-?(?:0|`+upTo(below)+`)(?:\.`+digit+`{1,9})?s`,
		mostSeconds+`(?:\.`+fractionUpTo(mostNanos)+`)?s`,
		"-"+mostSeconds+`(?:\.`+fractionUpTo(leastNanos)+`)?s`,
	)
}()

// fractionUpTo is the one to nine digits of fractions that are no more than another
// one, which has nine.
func fractionUpTo(digits string) string {
	first, rest := digits[0], digits[1:]
	same := string(first)
	if rest != "" {
		same += "(?:" + fractionUpTo(rest) + ")?"
	}
	if first == '0' {
		return same
	}
	return "(?:" + same + "|" + class('0', first-1) + times(digit, 0, len(rest)) + ")"
}

// floatText is the pattern of a float that is no number [JSON-2.7].
func floatText(kind ir.Kind) string {
	const hex = "[0-9a-f]"
	// The sign and the exponent's ones, then the mantissa, which is not 0.
	start, free := "[7f]f", 5
	first := "(?:8" // the highest bit is still the exponent's
	rest := "[9a-f]" + times(hex, free, free) + ")"
	if kind.Bytes() == 8 {
		start, free = "[7f]ff", 13
		return whole("-?Infinity", "NaN(?::"+start+notZero(hex, free)+")?")
	}
	return whole("-?Infinity", "NaN(?::"+start+first+notZero(hex, free)+"|"+rest+")?")
}

// notZero is so many digits that are not all 0.
func notZero(hex string, n int) string {
	var all []string
	for zeros := range n {
		all = append(all, strings.Repeat("0", zeros)+"[1-9a-f]"+times(hex, n-1-zeros, n-1-zeros))
	}
	return "(?:" + strings.Join(all, "|") + ")"
}
