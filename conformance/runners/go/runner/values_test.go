package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"runner/gen/budgets/budgets"
	"runner/gen/defaults/defaults"
	"runner/gen/depths/depths"
	"runner/gen/enums/enums"
	"runner/gen/framed/framed"
	"runner/gen/maps/maps"
	"runner/gen/optionals/optionals"
	"runner/gen/scalars/scalars"
	"runner/gen/sdp"
	"runner/gen/texts/texts"
	"runner/gen/unions/unions"
)

// Cases that no vector can have, because no bytes and no JSON text give such a value.

// refused is a value that has no encoding.
type refused struct {
	about string
	value value
	kind  sdp.Kind
	path  string
}

func (c refused) check(t *testing.T, err error) {
	t.Helper()
	var refusal *sdp.Error
	if !errors.As(err, &refusal) || *refusal != (sdp.Error{Kind: c.kind, Offset: -1, Path: c.path}) {
		t.Errorf("%s: %v, want %s in %q", c.about, err, c.kind, c.path)
	}
}

func union(number uint8, payload []byte) *unions.Event {
	return &unions.Event{Value: &unions.EventUnknown{Number: number, Payload: payload}}
}

// [WIRE-9.5] [JSON-7.1]
func TestInvalidValuesAreRefused(t *testing.T) {
	cases := []refused{
		{"a new union", unions.NewEvent(), sdp.ErrValueInvalid, ""},
		{"a new closed union", unions.NewChoice(), sdp.ErrValueInvalid, ""},
		{"a union in a new struct", unions.NewHolder(), sdp.ErrValueInvalid, "event"},
		{"a union in a list", &unions.Many{Events: []unions.Event{{Value: &unions.EventStopped{}}, {}}}, sdp.ErrValueInvalid, "events[1]"},
		{"a union in an optional", &optionals.Chosen{V: sdp.Some(optionals.Shape{})}, sdp.ErrValueInvalid, "v"},
		{"tag 0", union(0, nil), sdp.ErrValueInvalid, ""},
		{"the tag of a known alternative", union(3, nil), sdp.ErrValueInvalid, ""},
		{"a union inside a union", &unions.Event{Value: &unions.EventOther{}}, sdp.ErrValueInvalid, "Other"},
		{"a closed enum out of its range", &enums.ClosedUnsigned{A: 3, B: 1}, sdp.ErrValueInvalid, "a"},
		{"a closed enum without a member 0", enums.NewClosedSigned(), sdp.ErrValueInvalid, "a"},
		{"a closed enum as key", &maps.ByGate{M: map[maps.Gate]uint8{11: 1}}, sdp.ErrValueInvalid, "m[0].key"},
		{"a year that i64 nanoseconds do not reach", &scalars.Times{At: time.Date(2263, 1, 1, 0, 0, 0, 0, time.UTC)}, sdp.ErrValueInvalid, "at"},
		{"a year before them", &scalars.Times{At: time.Date(1677, 1, 1, 0, 0, 0, 0, time.UTC)}, sdp.ErrValueInvalid, "at"},
	}
	for _, c := range cases {
		_, err := c.value.MarshalBinary()
		c.check(t, err)
		_, err = c.value.MarshalJSON()
		c.check(t, err)
	}
}

// deep nests a value 64 times.
func deep[T any](inner T, wrap func(T) T) T {
	for range 64 {
		inner = wrap(inner)
	}
	return inner
}

// [WIRE-12.37]
func TestDepthIsRefusedBeforeAnUnsetUnion(t *testing.T) {
	open := deep(depths.U{}, func(u depths.U) depths.U { return depths.U{Value: &depths.UNext{Value: u}} })
	closed := deep(depths.C{}, func(c depths.C) depths.C { return depths.C{Value: &depths.CNext{Value: c}} })
	path := "Next" + string(bytes.Repeat([]byte(".Next"), 63))
	for _, c := range []refused{
		{"an unset open union at 65", &open, sdp.ErrLimitDepth, path},
		{"an unset closed union at 65", &closed, sdp.ErrLimitDepth, path},
	} {
		_, err := c.value.MarshalBinary()
		c.check(t, err)
		_, err = c.value.MarshalJSON()
		c.check(t, err)
	}
}

// [WIRE-12.37]
func TestDepthIsRefusedBeforeAnUnknownAlternativeWithAKnownTag(t *testing.T) {
	open := deep(depths.U{Value: &depths.UUnknown{Number: 1}}, func(u depths.U) depths.U { return depths.U{Value: &depths.UNext{Value: u}} })
	c := refused{"a contradicting union at 65", &open, sdp.ErrLimitDepth, "Next" + string(bytes.Repeat([]byte(".Next"), 63))}
	_, err := open.MarshalBinary()
	c.check(t, err)
}

// [WIRE-12.37]
func TestDepthIsRefusedBeforeTagZero(t *testing.T) {
	open := deep(depths.U{Value: &depths.UUnknown{}}, func(u depths.U) depths.U { return depths.U{Value: &depths.UNext{Value: u}} })
	c := refused{"tag 0 at 65", &open, sdp.ErrLimitDepth, "Next" + string(bytes.Repeat([]byte(".Next"), 63))}
	_, err := open.MarshalBinary()
	c.check(t, err)
}

// validator is what generated code offers to check text.
type validator interface {
	value
	Validate() error
}

// [WIRE-9.7] [JSON-7.2]
func TestTextThatIsNotUTF8IsFoundByValidationAndJSON(t *testing.T) {
	cases := []refused{
		{"a string", &texts.Text{V: "a\xff"}, sdp.ErrUTF8Invalid, "v"},
		{"the second string", &texts.Pair{Name: "a", Note: "\xed\xa0\x80"}, sdp.ErrUTF8Invalid, "note"},
		{"an optional string", &optionals.Text{V: sdp.Some("\xc3")}, sdp.ErrUTF8Invalid, "v"},
		{"a key", &maps.ByText{M: map[string]int16{"a": 1, "b\x80": 2}}, sdp.ErrUTF8Invalid, "m[1].key"},
		{"a string in a union", &unions.Event{Value: &unions.EventText{Value: "\xff"}}, sdp.ErrUTF8Invalid, "Text"},
	}
	for _, c := range cases {
		c.check(t, c.value.(validator).Validate())
		_, err := c.value.MarshalJSON()
		c.check(t, err)
		if _, err := c.value.MarshalBinary(); err != nil {
			t.Errorf("%s: encoding trusts text, and refuses it: %v", c.about, err)
		}
	}
}

// [WIRE-9.8]
func TestRefusedAppendingLeavesTheBufferAsItWas(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), 256))
	for _, v := range []interface {
		AppendBinary([]byte) ([]byte, error)
	}{
		unions.NewHolder(),
		&texts.Pair{Name: long},
		&maps.Texts{M: map[uint8]string{1: "a", 2: long}},
		&enums.ClosedUnsigned{A: 1, B: 7},
	} {
		buffer := append(make([]byte, 0, 4096), "before"...)
		got, err := v.AppendBinary(buffer)
		if err == nil || string(got) != "before" || &got[0] != &buffer[0] {
			t.Errorf("%T: %q, %v", v, got, err)
		}
	}
}

// [EVO-2.5]
func TestNewValuesHaveZerosThenMissingValues(t *testing.T) {
	fresh, missing := defaults.NewDeclared(), new(defaults.Declared)
	if err := missing.UnmarshalBinary([]byte{0}); err != nil {
		t.Fatal(err)
	}
	if !fresh.Equal(missing) || fresh.Small != 7 || fresh.Kind != defaults.KindInstrument {
		t.Errorf("%+v is not %+v", fresh, missing)
	}
	if v := unions.NewHolder(); v.Before != 0 || v.Event.Value != nil || v.After {
		t.Errorf("%+v is not zero", v)
	}
	if v := defaults.NewZeros(); v.Note.Stars != 3 {
		t.Errorf("a nested message has %+v instead of its missing values", v.Note)
	}
}

// huge is memory that is never touched, so that the system need not provide it.
func huge(n int) []byte { return make([]byte, n) }

// [WIRE-9.3]
func TestPayloadsBeyond32BitsAreRefused(t *testing.T) {
	most := huge(math.MaxUint32 + 1)
	message := defaults.NewZeros()
	message.Note.Text = unsafe.String(&most[0], math.MaxUint32)
	for _, c := range []refused{
		{"a union's payload", union(15, most), sdp.ErrValueTooLarge, ""},
		{"a nested message's body", message, sdp.ErrValueTooLarge, "note"},
		{"a string", &texts.Text{V: unsafe.String(&most[0], len(most))}, sdp.ErrValueTooLarge, "v"},
	} {
		_, err := c.value.MarshalBinary()
		c.check(t, err)
	}
	c := refused{"a payload in message mode", nil, sdp.ErrValueTooLarge, ""}
	_, err := (&framed.Event{Value: &framed.EventUnknown{Number: 9, Payload: most[:math.MaxUint32]}}).AppendMessage(nil)
	c.check(t, err)
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// [WIRE-11.6]
func TestStreamBuffersGrowWithWhatIsReceived(t *testing.T) {
	header := binary.LittleEndian.AppendUint32([]byte{'S', 'D', 'P', '2', 2, 0}, 128<<20)
	var err error
	cost := allocated(func() {
		_, err = budgets.NewMessageReader(io.MultiReader(bytes.NewReader(header), bytes.NewReader(make([]byte, 100)))).Next()
	})
	if !errors.Is(err, sdp.ErrTruncated) {
		t.Errorf("%v, want %v", err, sdp.ErrTruncated)
	}
	if cost > 1<<20 {
		t.Errorf("%d bytes were allocated for a declared length that never came", cost)
	}
}

// [WIRE-3.6]
func TestCountsAreRefusedBeforeMemoryIsAllocated(t *testing.T) {
	for _, v := range []value{&texts.Text{}, &texts.Blob{}, &budgets.Many{}, &unions.Many{}, &maps.ByU8{}, &budgets.Dictionary{}} {
		var err error
		cost := allocated(func() { err = v.DecodeWith([]byte{0xff, 0xff, 0xff, 0xff, 0}, sdp.DecodeOptions{}) })
		if err == nil || cost > 64<<10 {
			t.Errorf("%T: %v, and %d bytes were allocated", v, err, cost)
		}
	}
}

// Decoding into a used value keeps a string whose bytes are the same, and no other.
func TestReusedStringsFollowTheInput(t *testing.T) {
	for n := 1; n <= 40; n++ {
		first := append([]byte{byte(n), 0, 0, 0}, bytes.Repeat([]byte("a"), n)...)
		for at := 4; at < len(first); at++ {
			for _, other := range []byte{'b', 'A', 0, 0xff} {
				second := bytes.Clone(first)
				second[at] = other
				var v texts.Text
				if err := v.UnmarshalBinary(first); err != nil {
					t.Fatal(err)
				}
				err := v.UnmarshalBinary(second)
				if other == 0xff {
					if !errors.Is(err, sdp.ErrUTF8Invalid) {
						t.Fatalf("byte %d of %d is %#x: %v", at-4, n, other, err)
					}
				} else if err != nil || v.V != string(second[4:]) {
					t.Fatalf("byte %d of %d is %#x: %q, %v", at-4, n, other, v.V, err)
				}
			}
		}
	}
}
