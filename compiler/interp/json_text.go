package interp

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// appendScalar writes a leaf as JSON [JSON-2].
func appendScalar(dst []byte, t *ir.Type, raw []byte) []byte {
	kind := t.Scalar()
	if t.Kind == ir.EnumKind {
		if m := memberOf(t.Enum(), loadInt(kind, raw)); m != nil {
			return appendString(dst, []byte(memberName(m)))
		}
	}
	switch kind.Class() {
	case ir.BoolClass:
		return strconv.AppendBool(dst, raw[0] == 1)
	case ir.FloatClass:
		bits := loadLength(raw)
		return appendFloat(dst, floatFrom(kind, bits), 8*kind.Bytes(), bits)
	case ir.UUIDClass:
		return append(appendUUID(append(dst, '"'), UUID(raw)), '"')
	case ir.TimestampClass:
		dst = time.Unix(0, loadInt(kind, raw)).UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano)
		return append(dst, '"')
	case ir.DurationClass:
		return append(appendDuration(append(dst, '"'), loadInt(kind, raw)), '"')
	case ir.UnsignedClass, ir.SignedClass:
		return appendInteger(dst, kind, loadInt(kind, raw))
	}
	panic("interp: " + kind.String() + " is no scalar")
}

// appendInteger writes an integer, one of 64 bits as a string [JSON-2.2].
func appendInteger(dst []byte, kind ir.Kind, n int64) []byte {
	text := decimal(kind, n)
	if kind.Bytes() == 8 {
		return append(append(append(dst, '"'), text...), '"')
	}
	return append(dst, text...)
}

// appendKey writes a map's key: always a string [JSON-4.6].
func appendKey(dst []byte, t *ir.Type, raw []byte) []byte {
	text := appendScalar(nil, t, raw)
	if text[0] == '"' {
		return append(dst, text...)
	}
	return append(append(append(dst, '"'), text...), '"')
}

// memberName is an enum member's name in JSON.
func memberName(m *ir.EnumMember) string { return jsonName(m.Names, m.Name) }

func alternativeName(a *ir.Alternative) string { return jsonName(a.Names, a.Name) }

func jsonName(names map[string]string, name string) string {
	if n, ok := names["json"]; ok {
		return n
	}
	return name
}

// The quiet NaN that JSON calls NaN without its bits.
const (
	plainNaN32 = 0x7fc00000
	plainNaN64 = 0x7ff8000000000000
)

// appendFloat writes a float of a width in bits as ECMAScript lays it out
// [JSON-2.4].
func appendFloat(dst []byte, f float64, width int, bits uint64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	case math.IsNaN(f):
		return appendNaN(dst, width, bits)
	}
	var buffer [32]byte
	text := strconv.AppendFloat(buffer[:0], f, 'e', -1, width)
	mantissa, exponent, _ := strings.Cut(string(text), "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		panic("interp: a float without exponent: " + string(text))
	}
	if f == 0 || -7 < e && e < 21 {
		decimals := -1
		if width == 32 && math.Abs(f) == 0x1p-12 {
			decimals = 11 // strconv takes the odd of the two last digits that are equally near
		}
		return strconv.AppendFloat(dst, f, 'f', decimals, width)
	}
	dst = append(append(dst, mantissa...), 'e')
	if e > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(e), 10)
}

func appendNaN(dst []byte, width int, bits uint64) []byte {
	if width == 32 && bits == plainNaN32 || width == 64 && bits == plainNaN64 {
		return append(dst, `"NaN"`...)
	}
	digits := strconv.FormatUint(bits, 16) // a NaN has no leading zeros but the sign's
	dst = append(dst, `"NaN:`...)
	dst = append(dst, strings.Repeat("0", width/4-len(digits))...)
	return append(append(dst, digits...), '"')
}

func appendUUID(dst []byte, u UUID) []byte {
	for i, b := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, []byte{b})
	}
	return dst
}

func appendDuration(dst []byte, ns int64) []byte {
	n := uint64(ns)
	if ns < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = strconv.AppendUint(dst, n/1e9, 10)
	if fraction := n % 1e9; fraction != 0 {
		digits := strconv.FormatUint(1e9+fraction, 10)[1:]
		dst = append(append(dst, '.'), strings.TrimRight(digits, "0")...)
	}
	return append(dst, 's')
}

var shortEscapes = [utf8.RuneSelf]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

// appendString writes well-formed UTF-8 as a JSON string [JSON-3.1].
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	done := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		if e := shortEscapes[c]; e != 0 {
			dst = append(dst, '\\', e)
			continue
		}
		const digits = "0123456789abcdef"
		dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

func appendBase64(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
}
