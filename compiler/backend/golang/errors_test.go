package golang_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func TestRefusalsAreErrorsOfOneType(t *testing.T) {
	var v plugins.PluginRegistry
	err := fmt.Errorf("reading: %w", plugins.DecodePluginRegistry(&v, []byte{1, 0, 0, 0, 9, 0, 0, 0}))
	var e *sdp.DecodeError
	if !errors.As(err, &e) {
		t.Fatalf("%v is no DecodeError", err)
	}
	if !errors.Is(err, sdp.ErrCountExceedsInput) || errors.Is(err, sdp.ErrTruncated) || e.Kind != sdp.ErrCountExceedsInput {
		t.Errorf("the kind is %v", e.Kind)
	}
	if e.Error() != "sdp: count_exceeds_input at byte 0 in plugins" {
		t.Errorf("the text is %q", e)
	}
}

func TestEncodingRefusalsHaveNoOffset(t *testing.T) {
	v := everything()
	v.Events[1].Value = nil
	_, err := v.MarshalBinary()
	if err == nil || err.Error() != "sdp: value_invalid in events[1]" {
		t.Errorf("got %v", err)
	}
}

func TestDecodingReturnsAnUntypedNil(t *testing.T) {
	var v shapes.Absent
	for _, err := range []error{
		v.UnmarshalBinary([]byte{0}), v.DecodeExact([]byte{0}), v.UnmarshalMessage([]byte("SDP2\x05\x00\x01\x00\x00\x00\x00")),
		v.Validate(), v.UnmarshalJSON([]byte(`{"point":null}`)),
	} {
		if err != nil {
			t.Errorf("got %#v", err)
		}
	}
}

func TestMessageModeRefusesByNameAndOffset(t *testing.T) {
	message, err := shapes.EncodeAbsentMessage(&shapes.Absent{})
	must(t, err)
	change := func(at int, b ...byte) []byte {
		changed := append([]byte(nil), message...)
		copy(changed[at:], b)
		return changed
	}
	var v shapes.Absent
	for _, c := range []struct {
		name string
		data []byte
		kind sdp.Kind
		at   int
		path string
	}{
		{"nothing", nil, sdp.ErrTruncated, 0, ""},
		{"a cut type id", message[:5], sdp.ErrTruncated, 4, ""},
		{"a cut length", message[:9], sdp.ErrTruncated, 6, ""},
		{"another magic", change(2, 'Q'), sdp.ErrMagicInvalid, 0, ""},
		{"another version", change(3, '3'), sdp.ErrVersionUnsupported, 3, ""},
		{"another type", change(4, 1), sdp.ErrTypeIDMismatch, 4, ""},
		{"a payload that isn't there", change(6, 2), sdp.ErrPayloadLength, 6, ""},
		{"a payload over the limit", change(6, 1, 0, 0, 8), sdp.ErrLimitMessageBytes, 6, ""},
		{"bytes behind", append(message[:11:11], 0), sdp.ErrTrailingBytes, 11, ""},
		{"a damaged payload", change(10, 2), sdp.ErrPresenceInvalid, 10, "point"},
		{"a damaged payload and bytes behind", append(change(10, 2), 0), sdp.ErrPresenceInvalid, 10, "point"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mustRefuse(t, v.UnmarshalMessage(c.data), c.kind, c.at, c.path)
			mustRefuse(t, v.UnmarshalMessageWith(c.data, sdp.DecodeOptions{}), c.kind, c.at, c.path)
			_, err := shapes.ViewAbsentMessage(c.data)
			mustRefuse(t, err, c.kind, c.at, c.path)
		})
	}
	_, err = shapes.DecodeMessage(change(4, 77))
	mustRefuse(t, err, sdp.ErrTypeIDUnknown, 4, "")
}

func TestLimitsAllowExactlyTheirNumber(t *testing.T) {
	v := everything()
	data := encode(t, v)
	spent := func(limits sdp.Limits) error {
		return new(shapes.Everything).DecodeWith(data, sdp.DecodeOptions{Limits: limits})
	}
	if err := spent(sdp.Limits{MessageBytes: len(data)}); err != nil {
		t.Errorf("message_bytes: %v", err)
	}
	mustRefuse(t, spent(sdp.Limits{MessageBytes: len(data) - 1}), sdp.ErrLimitMessageBytes, 0, "")
	const elements = 4 + 2 + 3 + 4 + 9 + 2 + 2 + 2 + 3 + 3 + 3 + 3 + 2 + 2 + 2 + 1 + 5
	if err := spent(sdp.Limits{Elements: elements}); err != nil {
		t.Errorf("elements: %v", err)
	}
	if err := spent(sdp.Limits{Elements: elements - 1}); !errors.Is(err, sdp.ErrLimitElements) {
		t.Errorf("one element fewer: %v", err)
	}
	if err := spent(sdp.Limits{Depth: 4}); err != nil {
		t.Errorf("depth: %v", err)
	}
	if err := spent(sdp.Limits{Depth: 3}); !errors.Is(err, sdp.ErrLimitDepth) {
		t.Errorf("depth 3: %v", err)
	}
	if err := spent(sdp.Limits{MemoryBytes: 500}); !errors.Is(err, sdp.ErrLimitMemoryBytes) {
		t.Errorf("memory: %v", err)
	}
}
