package golang_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func toJSON(t testing.TB, v value) string {
	t.Helper()
	text, err := v.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestJSONMatchesGoldenFile fixes the bytes of every construct. The file is
// written by -update and was read by a person.
func TestJSONMatchesGoldenFile(t *testing.T) {
	golden.Compare(t, "testdata/everything.json", toJSON(t, everything())+"\n")
}

func TestJSONLosesNothing(t *testing.T) {
	eachSample(t, func(t *testing.T, v *shapes.Everything, data []byte) {
		text := toJSON(t, v)
		if !json.Valid([]byte(text)) {
			t.Fatalf("not JSON: %s", text)
		}
		got := randomEverything(99)
		must(t, got.UnmarshalJSON([]byte(text)))
		if !got.Equal(v) {
			t.Error("the value differs")
		}
		mustEqualBytes(t, "encoding", encode(t, got), data)
		if again := toJSON(t, got); again != text {
			t.Errorf("printed again: %s", again)
		}
		var indented strings.Builder
		encoder := json.NewEncoder(&indented)
		encoder.SetIndent("", "\t")
		must(t, encoder.Encode(v))
		var read shapes.Everything
		must(t, json.Unmarshal([]byte(indented.String()), &read))
		mustEqualBytes(t, "encoding of what encoding/json wrote", encode(t, &read), data)
	})
}

func TestJSONRefusalsNameOffsetAndPath(t *testing.T) {
	text := toJSON(t, everything())
	for _, c := range []struct{ name, old, new, path string }{
		{"a number for a bool", `"b":true`, `"b":1`, "scalars.b"},
		{"an unknown field", `"short":`, `"shorts":`, ""},
		{"a closed enum's number", `"mode":"Off","gain"`, `"mode":7,"gain"`, "scalars.mode"},
		{"a closed union's alternative", `{"Text":`, `{"Texts":`, "choice"},
		{"a fraction", `"u8":255`, `"u8":255.0`, "scalars.u8"},
		{"too large", `"u8":255`, `"u8":256`, "scalars.u8"},
		{"a short array", `[1,2,3,4]`, `[1,2,3]`, "channels"},
		{"a doubled key", `"-1":"minus one"`, `"300":"minus one"`, "by_number[2].key"},
		{"an alternative's field", `"Changed":{"id":9`, `"Changed":{"id":-9`, "events[0].Changed.id"},
		{"a known tag as unknown", `"tag":99`, `"tag":1`, "events[4]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(text, c.old) != 1 {
				t.Fatalf("%s is there %d times", c.old, strings.Count(text, c.old))
			}
			var v shapes.Everything
			err := v.UnmarshalJSON([]byte(strings.Replace(text, c.old, c.new, 1)))
			e, ok := err.(*sdp.Error)
			if !ok || e.Kind != sdp.ErrJSONInvalid || e.Path != c.path || e.Offset < 0 || e.Offset > len(text) {
				t.Errorf("got %v, want a refusal in %q", err, c.path)
			}
		})
	}
}

func TestJSONOfWhatHasNoEncodingIsRefused(t *testing.T) {
	for _, c := range unencodable {
		if c.kind == sdp.ErrValueTooLarge || c.kind == sdp.ErrLimitMax {
			continue // JSON has no widths
		}
		v := everything()
		c.spot(v)
		text, err := v.AppendJSON([]byte("before"))
		mustRefuse(t, err, c.kind, -1, c.path)
		if string(text) != "before" {
			t.Errorf("%s: %d bytes", c.name, len(text))
		}
	}
}
