package golang_test

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// nested are levels of a recursive type on the wire: what opens one more, and
// what ends the innermost.
var nested = []struct {
	s          *subject
	open, last []byte
	close      []byte // behind each level but the innermost
	step       string
}{
	{&nodeSubject, []byte{7, 0, 0, 0, 1}, []byte{7, 0, 0, 0, 0, 0}, []byte{0}, "left"},
	{&nodeSubject, []byte{7, 0, 0, 0, 0, 1}, []byte{7, 0, 0, 0, 0, 0}, nil, "right"},
	{&treeSubject, []byte{1, 0, 0, 0}, []byte{0, 0, 0, 0}, nil, "kids[0]"},
}

func TestDepthIsRefusedAtTheFirstLevelOverTheLimit(t *testing.T) {
	for _, n := range nested {
		whole := func(levels int) []byte {
			return bytes.Join([][]byte{bytes.Repeat(n.open, levels-1), n.last, bytes.Repeat(n.close, levels-1)}, nil)
		}
		if got := n.s.agree(t, whole(64), true); got != "" {
			t.Errorf("64 levels of %s: %s", n.step, got)
		}
		path := n.step + strings.Repeat("."+n.step, 63)
		for _, levels := range []int{65, 66, 1_000_000} {
			for _, data := range [][]byte{whole(levels), bytes.Repeat(n.open, levels)} {
				mustRefuse(t, n.s.empty().UnmarshalBinary(data), sdp.ErrLimitDepth, 64*len(n.open), path)
				mustRefuse(t, n.s.view(data, sdp.DecodeOptions{}), sdp.ErrLimitDepth, 64*len(n.open), path)
				if levels < 100 {
					n.s.agree(t, data, false)
				}
			}
			mustKeepBound(t, n.s, whole(levels))
		}
		if n.s == &nodeSubject { // the depth counts before it matters that nothing is there
			mustRefuse(t, n.s.empty().UnmarshalBinary(bytes.Repeat(n.open, 64)), sdp.ErrLimitDepth, 64*len(n.open), path)
		}
	}
}

func TestDepthOfJSONIsLimitedTheSame(t *testing.T) {
	text := func(levels int) []byte {
		return []byte(strings.Repeat(`{"kids":[`, levels-1) + `{"kids":[]}` + strings.Repeat(`]}`, levels-1))
	}
	var v shapes.Tree
	must(t, v.UnmarshalJSON(text(64)))
	if got := toJSON(t, &v); got != string(text(64)) {
		t.Errorf("got %s", got)
	}
	for _, levels := range []int{65, 1_000_000} {
		err := v.UnmarshalJSON(text(levels))
		if e, ok := err.(*sdp.Error); !ok || e.Kind != sdp.ErrJSONInvalid {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}

// TestDecodersNeedLittleStack crashes where a decoder at the limit of depth needs
// more than 256 KiB [WIRE-8.8].
func TestDecodersNeedLittleStack(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	for _, n := range nested {
		for _, levels := range []int{64, 65} {
			data := bytes.Join([][]byte{bytes.Repeat(n.open, levels-1), n.last, bytes.Repeat(n.close, levels-1)}, nil)
			for _, decode := range []func() error{
				func() error { return n.s.empty().UnmarshalBinary(data) },
				func() error { return n.s.view(data, sdp.DecodeOptions{}) },
				func() error {
					if err := sdp.Explain(n.s.layout, data, 0, sdp.ModeWhole, sdp.Limits{}, -1); err != nil {
						return err
					}
					return nil
				},
			} {
				done := make(chan error)
				go func() { done <- decode() }() // a new stack
				if err := <-done; (err == nil) != (levels == 64) {
					t.Errorf("%d levels: %v", levels, err)
				}
			}
		}
	}
}
