package golang_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// changes each make a value one that has another encoding.
var changes = map[string]func(v *shapes.Everything){
	"a bool":                 func(v *shapes.Everything) { v.Scalars.B = false },
	"the sign of zero":       func(v *shapes.Everything) { v.Scalars.F32 = 0 },
	"the bits of a NaN":      func(v *shapes.Everything) { v.Scalars.F64 = math.Float64frombits(0x7ff8000000000002) },
	"a nanosecond":           func(v *shapes.Everything) { v.Scalars.At = v.Scalars.At.Add(1) },
	"a uuid":                 func(v *shapes.Everything) { v.Scalars.ID[7]++ },
	"a string":               func(v *shapes.Everything) { v.Names[1] = "calf" },
	"bytes":                  func(v *shapes.Everything) { v.Data[2]++ },
	"one element fewer":      func(v *shapes.Everything) { v.Points = v.Points[:1] },
	"an inner list":          func(v *shapes.Everything) { v.Grid[1] = []float32{0} },
	"an element of an array": func(v *shapes.Everything) { v.Wide[299]++ },
	"a zero array":           func(v *shapes.Everything) { v.Wide = nil },
	"an absent optional":     func(v *shapes.Everything) { v.Maybe.Clear() },
	"an optional's value":    func(v *shapes.Everything) { v.MaybePoint.Value.Y = 1 },
	"an absent pointer":      func(v *shapes.Everything) { v.MaybeLarge = nil },
	"a tree":                 func(v *shapes.Everything) { v.Tree.Right.Left.Value++ },
	"a map's key":            func(v *shapes.Everything) { delete(v.ByName, "b"); v.ByName["c"] = shapes.Point{X: 1} },
	"a map's value":          func(v *shapes.Everything) { v.ByKind[77] = []byte{0} },
	"a map's entry":          func(v *shapes.Everything) { delete(v.ByFlag, true) },
	"a message's field":      func(v *shapes.Everything) { v.History[1].Rate++ },
	"a kept tail":            func(v *shapes.Everything) { v.Kept.SetUnknownFields(nil) },
	"an alternative":         func(v *shapes.Everything) { v.Event.Value = &shapes.EventStopped{} },
	"an alternative's field": func(v *shapes.Everything) { v.Events[0].Value.(*shapes.EventChanged).ID++ },
	"an unknown's payload":   func(v *shapes.Everything) { v.Events[4].Value.(*shapes.EventUnknown).Payload[0]++ },
	"an unknown's tag":       func(v *shapes.Everything) { v.Events[4].Value.(*shapes.EventUnknown).Number++ },
	"a nested plugin": func(v *shapes.Everything) {
		v.Event.Value.(*shapes.EventLoaded).Value.Parameters[0].MaxValue = 1
	},
}

func TestEqualMeansTheSameEncoding(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			v := everything()
			change(v)
			if v.Equal(everything()) || everything().Equal(v) {
				t.Error("values with other encodings are equal")
			}
			if !v.Equal(v.Clone()) {
				t.Error("the value isn't equal to its clone")
			}
		})
	}
}

func TestEqualDoesNotTellValuesWithTheSameEncodingApart(t *testing.T) {
	for name, change := range map[string]func(v *shapes.Everything){
		"an empty list":       func(v *shapes.Everything) { v.Grid[1] = nil },
		"nil bytes":           func(v *shapes.Everything) { v.ByKind[77] = []byte{} },
		"another time zone":   func(v *shapes.Everything) { v.Scalars.At = v.Scalars.At.In(time.FixedZone("", 3600)) },
		"an empty kept tail":  func(v *shapes.Everything) { v.Events[4] = everything().Events[4] },
		"what is not present": func(v *shapes.Everything) { v.Maybes[1].Value = "hidden" },
	} {
		t.Run(name, func(t *testing.T) {
			v := everything()
			change(v)
			mustEqualBytes(t, "encoding", encode(t, v), encode(t, everything()))
			if !v.Equal(everything()) {
				t.Error("values with the same encoding differ")
			}
		})
	}
	var zeros, none shapes.Everything
	zeros.Wide = new([300]uint32)
	if !zeros.Equal(&none) || (*shapes.Everything)(nil).Equal(&none) || !(*shapes.Everything)(nil).Equal(nil) {
		t.Error("a large array of zeros, or nil")
	}
}

func TestEqualAgreesWithEncodingOnRandomValues(t *testing.T) {
	for seed := range uint64(30) {
		a, b := randomEverything(seed), randomEverything(seed)
		if !a.Equal(b) {
			t.Fatalf("seed %d: two fillings differ", seed)
		}
		data := encode(t, a)
		data[rand.New(rand.NewPCG(seed, 1)).IntN(len(data))] ^= 1
		var c shapes.Everything
		if c.UnmarshalBinary(data) == nil && string(encode(t, &c)) != string(encode(t, a)) && c.Equal(a) {
			t.Fatalf("seed %d: values with other encodings are equal", seed)
		}
	}
}

// TestACloneSharesNoMemory compares the addresses of all that can be written to.
func TestACloneSharesNoMemory(t *testing.T) {
	for name, v := range samples() {
		addresses := map[uintptr]string{}
		collect(reflect.ValueOf(v), "v", addresses)
		clone := v.Clone()
		cloned := map[uintptr]string{}
		collect(reflect.ValueOf(clone), "v", cloned)
		if len(cloned) < 5 {
			t.Errorf("%s: the clone has %d places", name, len(cloned))
		}
		for address, path := range cloned {
			if shared, ok := addresses[address]; ok {
				t.Errorf("%s: the clone's %s is the memory of %s", name, path, shared)
			}
		}
		if !clone.Equal(v) {
			t.Errorf("%s: the clone differs", name)
		}
	}
}

// collect notes the addresses of slices, maps and pointers.
func collect(v reflect.Value, path string, into map[uintptr]string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map:
		if !v.IsNil() && v.Type().Elem().Size() > 0 && v.Type() != reflect.TypeFor[*time.Location]() {
			into[v.Pointer()] = path
		}
	case reflect.Slice:
		if v.Cap() > 0 && v.Type().Elem().Size() > 0 {
			into[v.Pointer()] = path
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*time.Location]() {
			collect(v.Elem(), path, into)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			collect(v.Index(i), path+"[]", into)
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			collect(entry.Value(), path+"[]", into)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			collect(v.Field(i), path+"."+v.Type().Field(i).Name, into)
		}
	}
}

func TestNewValuesHaveTheDeclaredDefaults(t *testing.T) {
	want := shapes.Settings{Title: "untitled", Limit: sdp.Some[uint32](7), Mode: shapes.ModeOn}
	if got := shapes.NewSettings(); *got != want {
		t.Errorf("got %+v", *got)
	}
	if got := shapes.NewEverything().Settings; got != want {
		t.Errorf("a nested message is %+v", got)
	}
	if got := plugins.NewPluginRegistry(); !got.Equal(&plugins.PluginRegistry{}) {
		t.Errorf("a registry is %+v", got)
	}
	if shapes.CHANNELS != 4 {
		t.Errorf("the constant is %d", shapes.CHANNELS)
	}
}

func TestMissingSegmentsHaveTheDeclaredDefaults(t *testing.T) {
	v := shapes.Settings{Rate: 1, Title: "x", Mode: shapes.ModeOff, Origin: shapes.Point{X: 1}}
	data := encode(t, &v)
	first := v
	must(t, first.UnmarshalBinary(data[:4]))
	if first != (shapes.Settings{Rate: 1, Title: "untitled", Limit: sdp.Some[uint32](7), Mode: shapes.ModeOn}) {
		t.Errorf("without segments 2 and 3: %+v", first)
	}
	second := v
	must(t, second.UnmarshalBinary(data[:len(data)-10]))
	if second != (shapes.Settings{Rate: 1, Title: "x", Mode: shapes.ModeOn}) {
		t.Errorf("without segment 3: %+v", second)
	}
	kept := everything().Kept
	must(t, kept.UnmarshalBinary([]byte{9}))
	if kept.A != 9 || kept.B != 0 || len(kept.UnknownFields()) != 0 {
		t.Errorf("without segment 2: %+v", kept)
	}
}
