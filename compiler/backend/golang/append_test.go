package golang_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func TestAppendingKeepsWhatIsBefore(t *testing.T) {
	want := encode(t, everything())
	for _, room := range []int{0, 3, len(want), 2 * len(want)} {
		before := append(make([]byte, 0, 6+room), "before"...)
		got, err := everything().AppendBinary(before)
		if err != nil {
			t.Fatal(err)
		}
		mustEqualBytes(t, "bytes", got, append([]byte("before"), want...))
		message, err := everything().AppendMessage(before)
		if err != nil || !bytes.HasPrefix(message, []byte("beforeSDP2")) || !bytes.HasSuffix(message, want) {
			t.Errorf("message: %v", err)
		}
	}
}

func TestAppendingToABufferWithRoomWritesThere(t *testing.T) {
	buffer := make([]byte, 0, 4<<10)
	got, err := everything().AppendBinary(buffer)
	if err != nil || &got[0] != &buffer[:1][0] {
		t.Errorf("other memory, %v", err)
	}
}

// unencodable are values that have no encoding, with the refusal of each.
var unencodable = []struct {
	name string
	spot func(v *shapes.Everything)
	kind sdp.Kind
	path string
}{
	{"an unset union", func(v *shapes.Everything) { v.Event.Value = nil }, sdp.ErrValueInvalid, "event"},
	{"an unset union in a list", func(v *shapes.Everything) { v.Events[2].Value = nil }, sdp.ErrValueInvalid, "events[2]"},
	{"a nil alternative", func(v *shapes.Everything) { v.Event.Value = (*shapes.EventLoaded)(nil) }, sdp.ErrValueInvalid, "event"},
	{"a nil unknown alternative", func(v *shapes.Everything) { v.Event.Value = (*shapes.EventUnknown)(nil) }, sdp.ErrValueInvalid, "event"},
	{"an unknown tag 0", func(v *shapes.Everything) { v.Event.Value = &shapes.EventUnknown{} }, sdp.ErrValueInvalid, "event"},
	{"an unknown tag that is known", func(v *shapes.Everything) { v.Event.Value = &shapes.EventUnknown{Number: 5} }, sdp.ErrValueInvalid, "event"},
	{"an unset closed union", func(v *shapes.Everything) { v.Choice.Value = nil }, sdp.ErrValueInvalid, "choice"},
	{"a closed enum", func(v *shapes.Everything) { v.Scalars.Mode = 7 }, sdp.ErrValueInvalid, "scalars.mode"},
	{"a closed enum in a list", func(v *shapes.Everything) { v.Modes[1] = 0 }, sdp.ErrValueInvalid, "modes[1]"},
	{"a closed enum in a message", func(v *shapes.Everything) { v.History[1].Mode = 2 }, sdp.ErrValueInvalid, "history[1].mode"},
	{"a time before 1677", func(v *shapes.Everything) { v.Scalars.At = time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC) }, sdp.ErrValueInvalid, "scalars.at"},
	{"a time after 2262", func(v *shapes.Everything) { v.Scalars.At = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC) }, sdp.ErrValueInvalid, "scalars.at"},
	{"a string over its width", func(v *shapes.Everything) { v.Short = string(make([]byte, 256)) }, sdp.ErrValueTooLarge, "short"},
	{"a string over its bound", func(v *shapes.Everything) { v.Bounded = "fives" }, sdp.ErrLimitMax, "bounded"},
	{"a string over its width in a map", func(v *shapes.Everything) { v.ByNumber = map[int16]string{5: "", 7: string(make([]byte, 256))} }, sdp.ErrValueTooLarge, "by_number[1].value"},
	{"a tree of 65 levels", func(v *shapes.Everything) { v.Tree = chain(64) }, sdp.ErrLimitDepth, "tree" + repeat(".left", 63)},
}

func repeat(s string, n int) string { return string(bytes.Repeat([]byte(s), n)) }

// chain is a tree of n levels, each but the last with a left branch.
func chain(n int) *shapes.Node {
	root := &shapes.Node{Value: 1}
	for range n - 1 {
		root = &shapes.Node{Left: root}
	}
	return root
}

func TestARefusedValueLeavesTheBufferAlone(t *testing.T) {
	for _, c := range unencodable {
		t.Run(c.name, func(t *testing.T) {
			v := everything()
			c.spot(v)
			for _, room := range []int{0, 1 << 16} {
				before := append(make([]byte, 0, 6+room), "before"...)
				got, err := v.AppendBinary(before)
				mustRefuse(t, err, c.kind, -1, c.path)
				if string(got) != "before" {
					t.Errorf("the buffer holds %d bytes", len(got))
				}
				got, err = v.AppendMessage(before)
				mustRefuse(t, err, c.kind, -1, c.path)
				if string(got) != "before" {
					t.Errorf("after AppendMessage the buffer holds %d bytes", len(got))
				}
			}
			mustRefuse(t, v.Validate(), c.kind, -1, c.path)
			if err := shapes.EncodeEverythingToWriter(v, new(bytes.Buffer)); !errors.Is(err, c.kind) {
				t.Errorf("writer: %v", err)
			}
		})
	}
}

func TestATreeOfAsManyLevelsAsAllowedIsEncoded(t *testing.T) {
	v := everything()
	v.Tree = chain(63)
	if got := decode[shapes.Everything](t, encode(t, v)); !got.Equal(v) {
		t.Error("the tree differs")
	}
}

func TestValidateFindsTextThatIsNotUTF8(t *testing.T) {
	v := everything()
	if err := v.Validate(); err != nil {
		t.Fatal(err)
	}
	v.Event.Value.(*shapes.EventLoaded).Value.Parameters = []plugins.Parameter{{}, {Unit: "\xff"}}
	mustRefuse(t, v.Validate(), sdp.ErrUTF8Invalid, -1, "event.Loaded.parameters[1].unit")
	v = everything()
	v.ByName["\xc3"] = shapes.Point{}
	mustRefuse(t, v.Validate(), sdp.ErrUTF8Invalid, -1, "by_name[3].key")
}
