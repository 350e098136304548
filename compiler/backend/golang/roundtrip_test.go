package golang_test

import (
	"errors"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// samples are values of every construct: one made by hand and some at random.
func samples() map[string]*shapes.Everything {
	all := map[string]*shapes.Everything{"by hand": everything()}
	for i, name := range []string{"seed 0", "seed 1", "seed 2", "seed 3", "seed 4", "seed 5"} {
		all[name] = randomEverything(uint64(i))
	}
	return all
}

func eachSample(t *testing.T, test func(t *testing.T, v *shapes.Everything, data []byte)) {
	t.Helper()
	for name, v := range samples() {
		t.Run(name, func(t *testing.T) { test(t, v, encode(t, v)) })
	}
}

func TestDecodingReturnsWhatWasEncoded(t *testing.T) {
	eachSample(t, func(t *testing.T, v *shapes.Everything, data []byte) {
		got := decode[shapes.Everything](t, data)
		if !got.Equal(v) {
			t.Error("the decoded value differs")
		}
		mustEqualBytes(t, "encoded again", encode(t, got), data)
		if len(data) != v.EncodedSize() {
			t.Errorf("EncodedSize is %d, the encoding has %d bytes", v.EncodedSize(), len(data))
		}
	})
}

func TestTheRegistryComesBack(t *testing.T) {
	v := registry(t)
	data := encode(t, v)
	if len(v.Plugins) != 62 || v.TotalParameterCount != 1759 || len(data) != 119150 {
		t.Errorf("%d plugins, %d parameters, %d bytes", len(v.Plugins), v.TotalParameterCount, len(data))
	}
	mustEqualBytes(t, "encoded again", encode(t, decode[plugins.PluginRegistry](t, data)), data)
}

func TestMessageModeIsAHeaderAndTheEncoding(t *testing.T) {
	eachSample(t, func(t *testing.T, v *shapes.Everything, data []byte) {
		message, err := shapes.EncodeEverythingMessage(v)
		if err != nil {
			t.Fatal(err)
		}
		n := len(data)
		header := []byte{'S', 'D', 'P', '2', 4, 0, byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
		mustEqualBytes(t, "message", message, append(header, data...))
		got, err := shapes.DecodeEverythingMessage(message)
		if err != nil || !got.Equal(v) {
			t.Errorf("decoded: %v", err)
		}
		dispatched, err := shapes.DecodeMessage(message)
		if err != nil || !dispatched.(*shapes.Everything).Equal(v) {
			t.Errorf("dispatched: %v", err)
		}
	})
}

func TestPrefixDecodingStopsBehindTheValue(t *testing.T) {
	eachSample(t, func(t *testing.T, v *shapes.Everything, data []byte) {
		var got shapes.Everything
		n, err := got.DecodePrefix(append(data[:len(data):len(data)], "behind"...), sdp.DecodeOptions{})
		if err != nil || n != len(data) || !got.Equal(v) {
			t.Errorf("%d bytes, %v", n, err)
		}
		behind := append(data[:len(data):len(data)], 0)
		mustRefuse(t, got.UnmarshalBinary(behind), sdp.ErrTrailingBytes, len(data), "")
	})
}

func TestExactDecodingTakesWhatEncodingWrites(t *testing.T) {
	v := everything()
	v.Kept.SetUnknownFields(nil)
	data := encode(t, v)
	var got shapes.Everything
	if err := got.DecodeExact(data); err != nil || !got.Equal(v) {
		t.Errorf("got %v", err)
	}
}

func TestExactDecodingRefusesWhatWouldNotComeBack(t *testing.T) {
	v := shapes.NewSettings()
	v.Mode = shapes.ModeOn
	whole := encode(t, v)
	for _, c := range []struct {
		name string
		data []byte
		kind sdp.Kind
		at   int
	}{
		{"a missing segment", whole[:4], sdp.ErrSegmentPartial, 4},
		{"a missing last segment", whole[:len(whole)-10], sdp.ErrSegmentPartial, len(whole) - 10},
		{"an unknown tail", append(whole[:len(whole):len(whole)], 1, 2), sdp.ErrTrailingBytes, len(whole)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got shapes.Settings
			if err := got.UnmarshalBinary(c.data); err != nil {
				t.Fatalf("decoding that isn't exact: %v", err)
			}
			mustRefuse(t, got.DecodeExact(c.data), c.kind, c.at, "")
		})
	}
}

// mustRefuse compares an error with the refusal that the specification demands.
func mustRefuse(t testing.TB, err error, kind sdp.Kind, offset int, path string) {
	t.Helper()
	var e *sdp.Error
	if !errors.As(err, &e) || !errors.Is(err, kind) || e.Offset != offset || e.Path != path {
		t.Errorf("got %v, want %v at byte %d in %q", err, kind, offset, path)
	}
}
