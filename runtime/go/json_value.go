package sdp

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// jsonValue takes a value and lets parse make something of its text. Parse is
// told whether the text is that of a string or of a number, and reports whether
// it was right. Anything else than a string or number is refused.
func jsonValue[T any](r *jsonReader, parse func(text string, isString bool) (T, bool)) T {
	var zero T
	if r.err != nil {
		return zero
	}
	at, _ := r.peek()
	var (
		v  T
		ok bool
	)
	switch token := r.token().(type) {
	case string:
		v, ok = parse(token, true)
	case json.Number:
		v, ok = parse(token.String(), false)
	}
	if !ok {
		r.refuse(at)
		return zero
	}
	return v
}

// jsonText is jsonValue for what stands in strings only.
func jsonText[T any](r *jsonReader, parse func(string) (T, bool)) T {
	return jsonValue(r, func(text string, isString bool) (v T, ok bool) {
		if isString {
			return parse(text)
		}
		return v, false
	})
}

// Absent takes a null and returns true, or leaves another value to be read.
func (r *jsonReader) Absent() bool {
	if r.err != nil {
		return true
	}
	if _, first := r.peek(); first != 'n' {
		return false
	}
	r.token()
	return true
}

// Null reads the payload of an alternative that has none.
func (r *jsonReader) Null() {
	if !r.Absent() {
		at, _ := r.peek()
		r.refuse(at)
	}
}

// Bool reads a bool.
func (r *jsonReader) Bool() bool {
	if r.err != nil {
		return false
	}
	at, _ := r.peek()
	v, ok := r.token().(bool)
	if !ok {
		r.refuse(at)
	}
	return v
}

// Int reads a signed integer of so many bits, a number or a string.
func (r *jsonReader) Int(bits int) int64 {
	return jsonValue(r, func(text string, _ bool) (int64, bool) { return parseJSONInteger(text, bits, true) })
}

// Uint reads an unsigned integer of so many bits, a number or a string.
func (r *jsonReader) Uint(bits int) uint64 {
	return jsonValue(r, func(text string, _ bool) (uint64, bool) {
		n, ok := parseJSONInteger(text, bits, false)
		return uint64(n), ok
	})
}

// Enum reads an enum, a member's name or a number, as its bits.
func (r *jsonReader) Enum(e *EnumTable) int64 {
	return jsonValue(r, func(text string, isString bool) (int64, bool) {
		if isString {
			return e.parseJSON(text)
		}
		return e.parseJSONNumber(text)
	})
}

// Float32 reads an f32.
func (r *jsonReader) Float32() float32 {
	bits := jsonValue(r, func(text string, isString bool) (uint32, bool) {
		if isString {
			bits, ok := parseJSONFloatName(text, 32)
			return uint32(bits), ok
		}
		f, err := strconv.ParseFloat(text, 32)
		return math.Float32bits(float32(f)), err == nil
	})
	return math.Float32frombits(bits)
}

// Float64 reads an f64.
func (r *jsonReader) Float64() float64 {
	bits := jsonValue(r, func(text string, isString bool) (uint64, bool) {
		if isString {
			return parseJSONFloatName(text, 64)
		}
		f, err := strconv.ParseFloat(text, 64)
		return math.Float64bits(f), err == nil
	})
	return math.Float64frombits(bits)
}

// parseJSONFloatName reads the floats that are strings in JSON, as their bits
// [JSON-2.6].
func parseJSONFloatName(text string, width int) (uint64, bool) {
	infinity, nan := uint64(0x7ff)<<52, uint64(plainNaN64)
	if width == 32 {
		infinity, nan = 0xff<<23, plainNaN32
	}
	switch text {
	case "Infinity":
		return infinity, true
	case "-Infinity":
		return infinity | 1<<(width-1), true
	case "NaN":
		return nan, true
	}
	digits, ok := strings.CutPrefix(text, "NaN:")
	if !ok || len(digits) != width/4 || strings.ToLower(digits) != digits {
		return 0, false
	}
	bits, err := strconv.ParseUint(digits, 16, width)
	return bits, err == nil && bits&(1<<(width-1)-1) > infinity
}

// String reads a str.
func (r *jsonReader) String() string {
	return jsonText(r, func(text string) (string, bool) { return text, true })
}

// Bytes reads bytes in base64. They are never nil.
func (r *jsonReader) Bytes() []byte { return jsonText(r, parseJSONBytes) }

func parseJSONBytes(text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") { // which encoding/base64 skips
		return nil, false
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	return data, err == nil
}

// Timestamp reads a timestamp.
func (r *jsonReader) Timestamp() time.Time { return jsonText(r, parseJSONTimestamp) }

// Duration reads a duration.
func (r *jsonReader) Duration() time.Duration { return jsonText(r, parseJSONDuration) }

// UUID reads a uuid.
func (r *jsonReader) UUID() UUID { return jsonText(r, parseUUID[string]) }

// jsonUnknownAlternative is what stands for an unknown alternative [JSON-4.5].
var jsonUnknownAlternative = jsonObject{
	Kind:   jsonUnknown,
	Fields: []jsonField{{Key: "tag", Required: true}, {Key: "payload", Required: true}},
}

// Unknown reads the value of a union's "$unknown". The tag is none of the
// union's alternatives'.
func (r *jsonReader) Unknown() (tag uint8, payload []byte) {
	if r.err != nil {
		return 0, nil
	}
	known := r.frames[len(r.frames)-1].object.Tags
	for r.open('{', jsonFrame{kind: objectFrame, object: &jsonUnknownAlternative}); r.Next(); {
		switch r.Key() {
		case "tag":
			tag = r.tag(known)
		case "payload":
			payload = r.Bytes()
		}
	}
	return tag, payload
}

func (r *jsonReader) tag(known []uint8) uint8 {
	return jsonValue(r, func(text string, _ bool) (uint8, bool) {
		n, ok := parseJSONInteger(text, 8, false)
		return uint8(n), ok && n > 0 && !slices.Contains(known, uint8(n))
	})
}
