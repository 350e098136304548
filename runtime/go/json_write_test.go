package sdp

import (
	"encoding/json"
	"math"
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestFloatsHaveTheLayoutOfECMAScript(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "-0"}, {0.1, "0.1"}, {5, "5"}, {-1.5, "-1.5"}, {1e-6, "0.000001"}, {1e-7, "1e-7"},
		{1.5e-10, "1.5e-10"}, {9.5e-7, "9.5e-7"}, {1.0000000000000002e-6, "0.0000010000000000000002"},
		{1e20, "100000000000000000000"}, {1e21, "1e+21"},
		{123456789012345680000, "123456789012345680000"}, {999999999999999900000, "999999999999999900000"},
		{1.2345e30, "1.2345e+30"}, {1e100, "1e+100"}, {1e-100, "1e-100"}, {5e-324, "5e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"}, {4.35, "4.35"}, {9007199254740993, "9007199254740992"},
		{math.Inf(1), `"Infinity"`}, {math.Inf(-1), `"-Infinity"`},
		{math.Float64frombits(0x7ff8000000000000), `"NaN"`}, {math.Float64frombits(0x7ff8000000000001), `"NaN:7ff8000000000001"`},
		{math.Float64frombits(0xfff8000000000000), `"NaN:fff8000000000000"`}, {math.Float64frombits(0x7ff0000000000001), `"NaN:7ff0000000000001"`},
	} {
		if got := string(AppendJSONFloat64(nil, c.f)); got != c.want {
			t.Errorf("%g: got %s, want %s", c.f, got, c.want)
		}
	}
	// These bits and their texts are from RFC 8785, appendix B.
	for bits, want := range map[uint64]string{
		0x0000000000000001: "5e-324", 0x7fefffffffffffff: "1.7976931348623157e+308", 0x4340000000000000: "9007199254740992",
		0x4430000000000000: "295147905179352830000", 0x44b52d02c7e14af5: "9.999999999999997e+22", 0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23", 0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000", 0x444b1ae4d6e2ef50: "1e+21", 0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001", 0x41b3de4355555553: "333333333.3333332", 0x41b3de4355555554: "333333333.33333325",
		0xbecbf647612f3696: "-0.0000033333333333333333", 0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		if got := string(AppendJSONFloat64(nil, math.Float64frombits(bits))); got != want {
			t.Errorf("%016x: got %s, want %s", bits, got, want)
		}
	}
	for _, c := range []struct {
		bits uint32
		want string
	}{
		{math.Float32bits(0.1), "0.1"}, {math.Float32bits(16777216), "16777216"}, {math.Float32bits(1e-6), "0.000001"},
		{math.Float32bits(1e-6) - 1, "9.999999e-7"}, {math.Float32bits(1e-7), "1e-7"}, {math.Float32bits(1e20), "100000000000000000000"},
		{math.Float32bits(1e21), "1e+21"}, {math.Float32bits(1e21) - 1, "999999950000000000000"}, {1, "1e-45"}, {0x80000000, "-0"},
		{math.Float32bits(math.MaxFloat32), "3.4028235e+38"}, {0x7f800000, `"Infinity"`}, {0xff800000, `"-Infinity"`},
		{0x7fc00000, `"NaN"`}, {0x7fc00001, `"NaN:7fc00001"`}, {0x7f800001, `"NaN:7f800001"`}, {0xffffffff, `"NaN:ffffffff"`},
		{0x39800000, "0.00024414062"}, {0xb9800000, "-0.00024414062"}, {0x39800001, "0.00024414065"},
	} {
		if got := string(AppendJSONFloat32(nil, math.Float32frombits(c.bits))); got != c.want {
			t.Errorf("%08x: got %s, want %s", c.bits, got, c.want)
		}
	}
}

// ecmaScript lays out a float's shortest digits by the steps of ECMAScript's
// Number::toString.
func ecmaScript(f float64, width int) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(f), 'e', -1, width), "e")
	digits := strings.ReplaceAll(mantissa, ".", "")
	n, _ := strconv.Atoi(exponent)
	n++
	k := len(digits)
	sign := ""
	if f < 0 {
		sign = "-"
	}
	switch {
	case k <= n && n <= 21:
		return sign + digits + strings.Repeat("0", n-k)
	case 0 < n && n <= 21:
		return sign + digits[:n] + "." + digits[n:]
	case -6 < n && n <= 0:
		return sign + "0." + strings.Repeat("0", -n) + digits
	}
	if k > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	if n-1 < 0 {
		return sign + digits + "e-" + strconv.Itoa(1-n)
	}
	return sign + digits + "e+" + strconv.Itoa(n-1)
}

func TestRandomFloatsHaveTheLayoutOfECMAScriptAndComeBack(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for i := range 40_000 {
		bits := random.Uint64()
		if i%2 == 0 { // in the range where layouts differ most
			bits = math.Float64bits(random.NormFloat64() * math.Pow10(random.Intn(32)-8))
		}
		f := math.Float64frombits(bits)
		text := AppendJSONFloat64(nil, f)
		if f != 0 && !math.IsNaN(f) && !math.IsInf(f, 0) && string(text) != ecmaScript(f, 64) {
			t.Fatalf("%x: got %s, want %s", bits, text, ecmaScript(f, 64))
		}
		r := newJSONReader(text)
		if got := r.Float64(); r.Err() != nil || math.Float64bits(got) != bits {
			t.Fatalf("%x: %s came back as %x, %v", bits, text, math.Float64bits(got), r.Err())
		}
		small := math.Float32frombits(uint32(bits))
		if i%2 == 0 {
			small = float32(f)
			bits = uint64(math.Float32bits(small))
		}
		text = AppendJSONFloat32(nil, small)
		if small != 0 && small == small && !math.IsInf(float64(small), 0) && string(text) != ecmaScript(float64(small), 32) {
			t.Fatalf("%x: got %s, want %s", uint32(bits), text, ecmaScript(float64(small), 32))
		}
		r = newJSONReader(text)
		if got := r.Float32(); r.Err() != nil || math.Float32bits(got) != uint32(bits) {
			t.Fatalf("%x: %s came back as %x, %v", uint32(bits), text, math.Float32bits(got), r.Err())
		}
	}
}

func TestStringsEscapeOnlyWhatTheyMust(t *testing.T) {
	for text, want := range map[string]string{
		"":                     `""`,
		"EQ":                   `"EQ"`,
		"\"\\\b\f\n\r\t":       `"\"\\\b\f\n\r\t"`,
		"\x00\x01\x1f":         `"\u0000\u0001\u001f"`,
		"/<>&\x7f":             "\"/<>&\x7f\"",
		"ä\u2028\u2029😀\ufffd": "\"ä\u2028\u2029😀\ufffd\"",
		"a\nb\"c":              `"a\nb\"c"`,
	} {
		got := appendJSONString(nil, text)
		if string(got) != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != text {
			t.Errorf("%q came back from encoding/json as %q, %v", text, back, err)
		}
	}
}

func TestDurationsAreDecimalSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "0.000000001s", -1: "-0.000000001s", time.Hour: "3600s", -1500 * time.Millisecond: "-1.5s",
		123456789 * time.Nanosecond: "0.123456789s", 10 * time.Millisecond: "0.01s", 100_000_001: "0.100000001s",
		math.MaxInt64: "9223372036.854775807s", math.MinInt64: "-9223372036.854775808s",
	} {
		text := appendJSONDuration(nil, d)
		if string(text) != `"`+want+`"` {
			t.Errorf("%d: got %s, want %s", d, text, want)
		}
		r := newJSONReader(text)
		if got := r.Duration(); got != d || r.Err() != nil {
			t.Errorf("%s came back as %d, %v", text, got, r.Err())
		}
	}
}

func TestTimestampsAreUTCWithoutTrailingZeros(t *testing.T) {
	for n, want := range map[int64]string{
		0: "1970-01-01T00:00:00Z", 1: "1970-01-01T00:00:00.000000001Z", -1: "1969-12-31T23:59:59.999999999Z",
		1795231560_500000000: "2026-11-21T03:26:00.5Z", 951782400_000000000: "2000-02-29T00:00:00Z",
		math.MaxInt64: "2262-04-11T23:47:16.854775807Z", math.MinInt64: "1677-09-21T00:12:43.145224192Z",
	} {
		text := appendJSONTimestamp(nil, TimeOf(n))
		if string(text) != `"`+want+`"` {
			t.Errorf("%d: got %s, want %s", n, text, want)
		}
		r := newJSONReader(text)
		if got := r.Timestamp(); got != TimeOf(n) || r.Err() != nil {
			t.Errorf("%s came back as %v, %v", text, got, r.Err())
		}
	}
	if got := string(appendJSONTimestamp(nil, time.Time{})); got != `"1970-01-01T00:00:00Z"` {
		t.Errorf("the zero time: %s", got)
	}
	zone := time.FixedZone("", 3600)
	if got := string(appendJSONTimestamp(nil, time.Date(2020, 1, 1, 0, 30, 0, 0, zone))); got != `"2019-12-31T23:30:00Z"` {
		t.Errorf("another zone: %s", got)
	}
}

func TestSmallValuesAreWrittenAsTheSpecSays(t *testing.T) {
	kind := &EnumTable{Bits: 8, Members: []EnumMember{{Name: "Effect"}, {Name: "Instrument", Number: 1}}}
	wide := &EnumTable{Bits: 64, Members: []EnumMember{{Name: "ALL", Key: "All", Number: -1}}}
	signed := &EnumTable{Bits: 16, Signed: true, Members: []EnumMember{{Name: "Low", Number: -1}}}
	uuid := UUID{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6}
	for _, c := range []struct {
		got  []byte
		want string
	}{
		{scalar(true), "true"}, {scalar(false), "false"}, {key(true), `"true"`}, {key(int8(-1)), `"-1"`}, {key(uint8(1)), `"1"`},
		{scalar[int32](math.MinInt32), "-2147483648"}, {scalar[uint32](math.MaxUint32), "4294967295"},
		{scalar[int64](math.MinInt64), `"-9223372036854775808"`}, {scalar[uint64](math.MaxUint64), `"18446744073709551615"`},
		{appendJSONBytes(nil, nil), `""`}, {appendJSONBytes(nil, []byte{0xfb, 0xff}), `"+/8="`},
		{appendJSONUUID(nil, uuid), `"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`},
		{appendJSONUnknown(nil, 9, []byte{0xaa, 0xbb}), `{"$unknown":{"tag":9,"payload":"qrs="}}`},
		{appendJSONEnum(nil, 1, kind), `"Instrument"`}, {appendJSONEnum(nil, 200, kind), "200"}, {appendJSONEnumKey(nil, 200, kind), `"200"`},
		{appendJSONEnum(nil, -1, wide), `"All"`}, {appendJSONEnum(nil, -2, wide), `"18446744073709551614"`},
		{appendJSONEnum(nil, -1, signed), `"Low"`}, {appendJSONEnum(nil, -2, signed), "-2"}, {appendJSONEnumKey(nil, -2, signed), `"-2"`},
		{appendJSONEnumKey(nil, 0, kind), `"Effect"`},
	} {
		if string(c.got) != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// scalar is the JSON of a scalar.
func scalar[T any](v T) []byte {
	var s shape
	s.scalar(reflect.TypeFor[T]())
	return appendJSON(nil, &s, reflect.ValueOf(&v).Elem())
}

// key is the JSON of a map's key.
func key[T any](v T) []byte {
	var s shape
	s.scalar(reflect.TypeFor[T]())
	return appendJSONKey(nil, &s, reflect.ValueOf(&v).Elem())
}
