package interp

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// The tokens that a scalar can be.
const (
	stringToken = '"'
	numberToken = '0'
	trueToken   = 't'
	falseToken  = 'f'
	nullToken   = 'n'
)

// appendParsed appends the bytes of the leaf that a JSON token is. It returns the expected form if
// the token is no value of the type.
func appendParsed(dst []byte, t *ir.Type, token byte, text string) (output []byte, want string) {
	kind := t.Scalar()
	var bits uint64
	ok := false
	if t.Kind == ir.EnumKind {
		bits, ok = parseEnum(t.Enum(), token, text)
		if !ok {
			return dst, "a member of " + t.Enum().Name + ", or a number"
		}
		return appendInt(dst, bits, kind.Bytes()), ""
	}
	switch kind.Class() {
	case ir.BoolClass:
		want = "true or false"
		ok = token == trueToken || token == falseToken
		if token == trueToken {
			bits = 1
		}
	case ir.UnsignedClass, ir.SignedClass:
		want = "a " + kind.String()
		bits, ok = parseInt(kind, token, text)
	case ir.FloatClass:
		want = "a number that an " + kind.String() + " can hold, or a string for a NaN or an infinity"
		bits, ok = parseFloat(kind, token, text)
	case ir.UUIDClass:
		u, isUUID := parseUUID(text)
		if token != stringToken || !isUUID {
			return dst, "a uuid with hyphens"
		}
		return append(dst, u[:]...), ""
	case ir.TimestampClass:
		want = `a time like "2026-11-21T03:26:00.5Z"`
		bits, ok = parseTimestamp(text)
		ok = ok && token == stringToken
	case ir.DurationClass:
		want = `a duration like "-1.5s"`
		bits, ok = parseDuration(text)
		ok = ok && token == stringToken
	}
	if !ok {
		return dst, want
	}
	return appendInt(dst, bits, kind.Bytes()), ""
}

var integerText = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// parseInt takes a number or a string that is one [JSON-2.3].
func parseInt(kind ir.Kind, token byte, text string) (uint64, bool) {
	if token != numberToken && token != stringToken || !integerText.MatchString(text) {
		return 0, false
	}
	if kind.IsSigned() {
		n, err := strconv.ParseInt(text, 10, 8*kind.Bytes())
		return uint64(n), err == nil
	}
	n, err := strconv.ParseUint(text, 10, 8*kind.Bytes())
	return n, err == nil
}

func parseEnum(e *ir.Enum, token byte, text string) (uint64, bool) {
	if token == stringToken {
		for _, m := range e.Members {
			if memberName(m) == text {
				return uint64(m.Number), true
			}
		}
	}
	n, ok := parseInt(e.Base, token, text)
	return n, ok && (!e.Closed || memberOf(e, int64(n)) != nil)
}

// parseFloat rounds once, from the text to the width of the kind [JSON-2.7].
func parseFloat(kind ir.Kind, token byte, text string) (uint64, bool) {
	if token == stringToken {
		return parseFloatName(kind, text)
	}
	if token != numberToken {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 8*kind.Bytes())
	return floatBits(kind, f), err == nil
}

func floatBits(kind ir.Kind, f float64) uint64 {
	if kind.Bytes() == 4 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// floatFrom is the number that a float's bits are.
func floatFrom(kind ir.Kind, bits uint64) float64 {
	if kind.Bytes() == 4 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

var nanText = regexp.MustCompile(`^NaN:[0-9a-f]+$`)

func parseFloatName(kind ir.Kind, text string) (uint64, bool) {
	switch text {
	case "Infinity":
		return floatBits(kind, math.Inf(1)), true
	case "-Infinity":
		return floatBits(kind, math.Inf(-1)), true
	case "NaN":
		if kind.Bytes() == 4 {
			return plainNaN32, true
		}
		return plainNaN64, true
	}
	if !nanText.MatchString(text) || len(text) != len("NaN:")+2*kind.Bytes() {
		return 0, false
	}
	bits, err := strconv.ParseUint(text[len("NaN:"):], 16, 64)
	return bits, err == nil && math.IsNaN(floatFrom(kind, bits))
}

var uuidText = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

func parseUUID(text string) (u UUID, ok bool) {
	if !uuidText.MatchString(text) {
		return u, false
	}
	_, err := hex.Decode(u[:], []byte(strings.ReplaceAll(text, "-", "")))
	return u, err == nil
}

var timestampText = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$`)

func parseTimestamp(text string) (uint64, bool) {
	if !timestampText.MatchString(text) {
		return 0, false
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	ns := at.UnixNano() // wraps around outside the range, so that it comes back as another time
	return uint64(ns), err == nil && time.Unix(0, ns).Equal(at)
}

var durationText = regexp.MustCompile(`^(-?)(0|[1-9][0-9]{0,9})(?:\.([0-9]{1,9}))?s$`)

func parseDuration(text string) (uint64, bool) {
	parts := durationText.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	seconds, err := strconv.ParseUint(parts[2], 10, 64)
	fraction, err2 := strconv.ParseUint((parts[3] + "000000000")[:9], 10, 64)
	n := seconds*1e9 + fraction // at most ten digits of seconds: fits a u64
	if parts[1] == "-" {
		return -n, err == nil && err2 == nil && n <= 1<<63
	}
	return n, err == nil && err2 == nil && n < 1<<63
}

// parseBase64 is strict: Go's own decoder passes over line breaks.
func parseBase64(text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return b, err == nil
}
