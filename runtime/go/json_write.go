package sdp

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"
)

// The functions of this file append canonical JSON [JSON] of values that were checked:
// strings are UTF-8 here, and times are in range.

// appendJSONString appends a string, also as a member's key [JSON-3.1].
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0 // what is not written yet starts here
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			b = append(b, s[plain:i]...)
			b = appendJSONEscape(b, c)
			plain = i + 1
		}
	}
	b = append(b, s[plain:]...)
	return append(b, '"')
}

func appendJSONEscape(b []byte, c byte) []byte {
	const hexDigits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendJSONBytes appends bytes in base64 [JSON-3.2].
func appendJSONBytes(b []byte, data []byte) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, '"')
}

// The bits of the NaN that is written without its bits [JSON-2.6].
const (
	plainNaN32 = 0x7fc00000
	plainNaN64 = 0x7ff8000000000000
)

// AppendJSONFloat32 appends an f32 [JSON-2.4] to [JSON-2.6]. It looks at the
// float's bits alone until it knows that it isn't a NaN: some machines change a
// NaN when they convert it.
func AppendJSONFloat32(b []byte, f float32) []byte {
	bits := math.Float32bits(f)
	if bits<<1 > 0xff<<24 {
		return appendJSONNaN(b, uint64(bits), plainNaN32, 8)
	}
	return appendJSONFloat(b, float64(f), 32)
}

// AppendJSONFloat64 appends an f64 [JSON-2.4] to [JSON-2.6].
func AppendJSONFloat64(b []byte, f float64) []byte {
	if f != f {
		return appendJSONNaN(b, math.Float64bits(f), plainNaN64, 16)
	}
	return appendJSONFloat(b, f, 64)
}

func appendJSONNaN(b []byte, bits, plain uint64, digits int) []byte {
	if bits == plain {
		return append(b, `"NaN"`...)
	}
	b = append(b, `"NaN:`...)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = strconv.AppendUint(b, bits>>shift&15, 16)
	}
	return append(b, '"')
}

// appendJSONFloat lays the shortest digits out as ECMAScript does. Go writes an
// exponent of at least two digits, ECMAScript without leading zeros.
func appendJSONFloat(b []byte, f float64, width int) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	if f == 0 || jsonPlain(math.Abs(f), width) {
		return strconv.AppendFloat(b, f, 'f', jsonDecimals(f, width), width)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, width)
	if n := len(b); b[n-4] == 'e' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// jsonDecimals is how many decimals strconv is asked for: the fewest that read
// back, but for the one float32 where it takes the odd of two digits that are
// equally near. 2⁻¹² is 0.000244140625, and both …062 and …063 read back.
func jsonDecimals(f float64, width int) int {
	if width == 32 && math.Abs(f) == 0x1p-12 {
		return 11
	}
	return -1
}

// jsonPlain reports whether a positive float is written without an exponent. The digits depend on
// the width, so the bounds do too.
func jsonPlain(f float64, width int) bool {
	if width == 32 {
		return float32(f) >= 1e-6 && float32(f) < 1e21
	}
	return f >= 1e-6 && f < 1e21
}

// appendJSONTimestamp appends a time as the wire holds it [JSON-2.8].
func appendJSONTimestamp(b []byte, t time.Time) []byte {
	return TimeOf(Nanoseconds(t)).AppendFormat(b, `"2006-01-02T15:04:05.999999999Z"`)
}

// appendJSONDuration appends a duration in seconds [JSON-2.10].
func appendJSONDuration(b []byte, d time.Duration) []byte {
	b = append(b, '"')
	n := uint64(d)
	if d < 0 {
		b = append(b, '-')
		n = -n
	}
	b = strconv.AppendUint(b, n/1e9, 10)
	if n %= 1e9; n > 0 {
		b = append(b, '.')
		for ; n > 0; n = n % 1e8 * 10 {
			b = append(b, '0'+byte(n/1e8))
		}
	}
	return append(b, 's', '"')
}

// appendJSONUUID appends a uuid.
func appendJSONUUID(b []byte, u UUID) []byte {
	b = append(b, '"')
	b = u.appendText(b)
	return append(b, '"')
}

// appendJSONUnknown appends a union's unknown alternative [JSON-4.5].
func appendJSONUnknown(b []byte, tag uint8, payload []byte) []byte {
	b = append(b, `{"$unknown":{"tag":`...)
	b = strconv.AppendUint(b, uint64(tag), 10)
	b = append(b, `,"payload":`...)
	b = appendJSONBytes(b, payload)
	return append(b, '}', '}')
}
