package interp_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

func TestValuesWithoutEncodingAreRefused(t *testing.T) {
	point := func(level int64) interp.Struct { return interp.Struct{interp.F64(0), interp.F64(0), level} }
	bounded := func(change func(interp.Struct)) interp.Struct {
		s := interp.Struct{"", []byte{}, []byte{}, interp.List{}, interp.Map{}}
		change(s)
		return s
	}
	registry := interp.Message{Fields: []interp.Value{interp.List{}, uint64(0), "", nil}}
	cases := []struct {
		about, decl string
		value       interp.Value
		kind        interp.Kind
		path        string
	}{
		{"string over its width", "Plugin", interp.Struct{strings.Repeat("x", 256), interp.F32(0), true, nil}, interp.ErrValueTooLarge, "name"},
		{"string over its bound and width", "Bounded", bounded(func(s interp.Struct) { s[0] = strings.Repeat("x", 256) }), interp.ErrLimitMax, "name"},
		{"bytes over their bound", "Bounded", bounded(func(s interp.Struct) { s[1] = make([]byte, 3) }), interp.ErrLimitMax, "blob"},
		{"list over its bound", "Bounded", bounded(func(s interp.Struct) { s[3] = make(interp.List, 3) }), interp.ErrLimitMax, "items"},
		{"map over its bound", "Bounded", bounded(func(s interp.Struct) { s[4] = make(interp.Map, 2) }), interp.ErrLimitMax, "pairs"},
		{"key twice", "Levels", interp.Struct{interp.Map{{"b", int64(1)}, {"a", int64(1)}, {"b", int64(2)}},
			interp.Map{}, interp.Map{}, interp.Map{}, interp.Map{}, interp.Map{}}, interp.ErrValueInvalid, "m[2].key"},
		{"number of no member", "Point", point(1), interp.ErrValueInvalid, "level"},
		{"number out of range", "Point", point(1 << 20), interp.ErrValueInvalid, "level"},
		{"integer out of range", "Old", interp.Message{Fields: []interp.Value{uint64(256)}}, interp.ErrValueInvalid, "a"},
		{"unset union", "HostEvent", nil, interp.ErrValueInvalid, ""},
		{"unset union in a union", "HostEvent", interp.Union{Tag: 250}, interp.ErrValueInvalid, "Again"},
		{"unknown tag 0", "HostEvent", interp.Unknown{Tag: 0}, interp.ErrValueInvalid, ""},
		{"unknown tag that is known", "HostEvent", interp.Unknown{Tag: 3}, interp.ErrValueInvalid, ""},
		{"unknown tag in a closed union", "Shape", interp.Unknown{Tag: 3}, interp.ErrValueInvalid, ""},
		{"alternative that isn't there", "Shape", interp.Union{Tag: 3}, interp.ErrValueInvalid, ""},
		{"payload where there is none", "Shape", interp.Union{Tag: 9, Value: ""}, interp.ErrValueInvalid, ""},
		{"elements too few", "Large", largeWith(interp.List{uint64(1)}), interp.ErrValueInvalid, "q"},
		{"fields too few", "Plugin", interp.Struct{""}, interp.ErrValueInvalid, ""},
		{"tail that isn't kept", "Registry", interp.Message{Fields: registry.Fields, Tail: []byte{1}}, interp.ErrValueInvalid, ""},
		{"another type of value", "Plugin", interp.Struct{"", "0", true, nil}, interp.ErrValueInvalid, "gain"},
		{"a struct for a message", "Registry", interp.Struct{}, interp.ErrValueInvalid, ""},
	}
	program := compile(t, everything)
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			before := []byte("before")
			after, err := codecOf(t, program, c.decl).Append(before, c.value, interp.ByteMode)
			checkRefusal(t, err, c.kind, -1, c.path)
			if !bytes.Equal(after, before) {
				t.Errorf("the buffer is %q", after)
			}
		})
	}
}

func largeWith(q interp.Value) interp.Struct {
	return interp.Struct{
		uint64(0), uint64(0), uint64(0), uint64(0), int64(0), int64(0), int64(0), int64(0), interp.F32(0), interp.F64(0), false,
		uint64(0), int64(0), int64(0), int64(0), interp.UUID{}, q, uint64(math.MaxUint64),
	}
}

func TestEncodingDepthLimitAllowsExactlyItsNumber(t *testing.T) {
	c := codecOf(t, compile(t, `struct Node { next: ?Node }`), "Node")
	nested := func(n int) interp.Value {
		v := interp.Struct{nil}
		for range n - 1 {
			v = interp.Struct{v}
		}
		return v
	}
	if _, err := c.Append(nil, nested(64), interp.ByteMode); err != nil {
		t.Error(err)
	}
	_, err := c.Append(nil, nested(65), interp.ByteMode)
	checkRefusal(t, err, interp.ErrLimitDepth, -1, strings.Repeat(".next", 64)[1:])
}

func TestMessageModeHasTheHeader(t *testing.T) {
	program := compile(t, everything)
	c := codecOf(t, program, "Old")
	want := []byte("before" + "SDP2\x0b\x00\x01\x00\x00\x00\x05")
	got, err := c.Append([]byte("before"), interp.Message{Fields: []interp.Value{uint64(5)}}, interp.MessageMode)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := c.ParseJSON([]byte(`{"a":5}`), interp.MessageMode); err != nil || !bytes.Equal(got, want[len("before"):]) {
		t.Errorf("from JSON %q, %v", got, err)
	}
	if _, err := codecOf(t, program, "Plugin").Append(nil, nil, interp.MessageMode); err == nil {
		t.Error("a type without an id has a message")
	}
}

func TestEnumsHaveNoCodec(t *testing.T) {
	program := compile(t, everything)
	if _, err := interp.New(program, declOf(t, program, "Kind")); err == nil {
		t.Error("an enum has a codec")
	}
}

func TestValuesAreEqualByTheirBytes(t *testing.T) {
	c := codecOf(t, compile(t, `struct F { v: f32 }`), "F")
	cases := []struct {
		a, b uint32
		want bool
	}{
		{0x7fc00000, 0x7fc00000, true},
		{0x7fc00000, 0x7fc00001, false},
		{0, 1 << 31, false},
	}
	for _, test := range cases {
		got, err := c.Equal(interp.Struct{interp.F32(test.a)}, interp.Struct{interp.F32(test.b)})
		if err != nil || got != test.want {
			t.Errorf("%x and %x: %v, %v", test.a, test.b, got, err)
		}
	}
}
