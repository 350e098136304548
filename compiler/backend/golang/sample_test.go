package golang_test

import (
	"bytes"
	"math"
	"os"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// everything is a value of every construct, filled by hand.
func everything() *shapes.Everything {
	v := shapes.NewEverything()
	v.Scalars = shapes.Scalars{
		B: true, U8: 255, U16: 65535, U32: 1 << 31, U64: math.MaxUint64,
		I8: -128, I16: -32768, I32: math.MinInt32, I64: math.MinInt64,
		F32: float32(math.Copysign(0, -1)), F64: math.Float64frombits(0x7ff8000000000001),
		At: time.Date(2026, 11, 21, 5, 18, 19, 123456789, time.UTC), Took: -1500 * time.Millisecond,
		ID: sdp.UUID{0x01, 0x93, 15: 0xff}, Kind: 200, Mode: shapes.ModeOff, Gain: 0.1,
	}
	v.Names = []string{"", "Calf", "Kompressor für Gitarre", "和太鼓"}
	v.Short, v.Bounded, v.Data = "EQ", "four", []byte{0, 1, 0xff}
	v.Points = []shapes.Point{{X: 1, Y: -2}, {X: float32(math.Inf(1))}}
	v.Grid = [][]float32{{1, 2, 3}, {}, {0.5}}
	v.Flags = []bool{true, false, true, true, false, true, false, true, true}
	v.Modes = []shapes.Mode{shapes.ModeOn, shapes.ModeOff}
	v.Corner = [2]shapes.Point{{X: 3}, {Y: 4}}
	v.Channels = [4]float32{1, 2, 3, 4}
	v.Wide = new([300]uint32)
	for i := range v.Wide {
		v.Wide[i] = uint32(i * i)
	}
	v.Texts = [2]string{"left", "right"}
	v.Maybe, v.MaybePoint = sdp.Some[uint32](7), sdp.Some(shapes.Point{X: 9})
	v.MaybeLarge = &shapes.Large{A: [16]float64{15: math.Pi}, Name: "large"}
	v.MaybeList = sdp.Some([]uint16{1, 2, 3})
	v.Maybes = []sdp.Optional[string]{sdp.Some("a"), {}, sdp.Some("")}
	v.Tree = &shapes.Node{Value: 1, Left: &shapes.Node{Value: 2}, Right: &shapes.Node{Value: 3, Left: &shapes.Node{Value: 4}}}
	v.ByName = map[string]shapes.Point{"b": {X: 1}, "a": {Y: 2}, "ab": {}}
	v.ByNumber = map[int16]string{-1: "minus one", 300: "", 0: "zero"}
	v.ByKind = map[shapes.Kind][]byte{shapes.KindInstrument: {1, 2}, 77: nil}
	v.ByFlag = map[bool]uint8{true: 1, false: 0}
	v.Settings.Rate = 48000
	v.History = []shapes.Settings{*shapes.NewSettings(), {Title: "second", Mode: shapes.ModeOff}}
	v.Kept = shapes.Kept{A: 1, B: 2}
	v.Kept.SetUnknownFields([]byte("from a newer release"))
	v.Event.Value = &shapes.EventLoaded{Value: plugins.Plugin{Name: "EQ", Parameters: []plugins.Parameter{{Address: 1, Unit: "dB", MinValue: -24}}}}
	v.Events = []shapes.Event{
		{Value: &shapes.EventChanged{ID: 9, Value: -0.5}}, {Value: &shapes.EventStopped{}}, {Value: &shapes.EventRenamed{Value: "x"}},
		{Value: &shapes.EventApplied{Value: *shapes.NewSettings()}}, {Value: &shapes.EventUnknown{Number: 99, Payload: []byte{0xaa, 0xbb}}},
	}
	v.Choice.Value = &shapes.ChoiceText{Value: "chosen"}
	v.MaybeEvent = sdp.Some(shapes.Event{Value: &shapes.EventUnknown{Number: 255}})
	v.Err, v.Len, v.R, v.Equal_, v.String_, v.Type, v.B, v.EncodedSize_ = 1, 2, 3, 4, 5, 6, 7, 8
	return v
}

// registry is the plugin registry of 62 real plugins.
func registry(t testing.TB) *plugins.PluginRegistry {
	t.Helper()
	text, err := os.ReadFile("../../../examples/registry/lv2-62.json")
	if err != nil {
		t.Fatal(err)
	}
	v := plugins.NewPluginRegistry()
	if err := v.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	return v
}

// value is what all generated types have.
type value interface {
	AppendBinary(b []byte) ([]byte, error)
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(data []byte) error
	DecodeExact(data []byte) error
	DecodeWith(data []byte, options sdp.DecodeOptions) error
	DecodePrefix(data []byte, options sdp.DecodeOptions) (int, error)
	EncodedSize() int
	Validate() error
	AppendJSON(b []byte) ([]byte, error)
	UnmarshalJSON(text []byte) error
}

// encode returns the encoding of a value that has one.
func encode(t testing.TB, v value) []byte {
	t.Helper()
	b, err := v.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decode decodes bytes that are valid.
func decode[T any, P interface {
	*T
	value
}](t testing.TB, data []byte) P {
	t.Helper()
	v := P(new(T))
	if err := v.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	return v
}

// mustEqualBytes compares two encodings.
func mustEqualBytes(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	n := 0
	for n < len(got) && n < len(want) && got[n] == want[n] {
		n++
	}
	t.Fatalf("%s: %d bytes, want %d; they differ from byte %d on", what, len(got), len(want), n)
}
