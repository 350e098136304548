package golang_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// valid are encodings that hostile input is made from.
func valid(t testing.TB) map[*subject][][]byte {
	t.Helper()
	v := registry(t)
	few := &plugins.PluginRegistry{Plugins: v.Plugins[:2]}
	few.Plugins[0].Parameters = few.Plugins[0].Parameters[:4]
	few.Plugins[1].Parameters = few.Plugins[1].Parameters[:3]
	return map[*subject][][]byte{
		&everythingSubject: {encode(t, everything()), encode(t, randomEverything(3)), encode(t, randomEverything(4))},
		&registrySubject:   {encode(t, few)},
	}
}

func eachValid(t *testing.T, test func(t *testing.T, s *subject, data []byte)) {
	t.Helper()
	for s, encodings := range valid(t) {
		t.Run(s.name, func(t *testing.T) {
			for _, data := range encodings {
				test(t, s, data)
			}
		})
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	eachValid(t, func(t *testing.T, s *subject, data []byte) {
		for n := range len(data) {
			if s.agree(t, data[:n], false) == "" {
				t.Fatalf("the first %d of %d bytes are accepted", n, len(data))
			}
		}
	})
}

// item is one that a mutation changes.
type item struct {
	kind   interp.EventKind
	offset int
	width  int
	path   string
	isBool bool
	rest   int // bytes behind it in the slice
}

// items walks a valid encoding.
func items(t testing.TB, s *subject, data []byte) (all []item) {
	t.Helper()
	_, err := codecs()[s.name].Walk(interp.FromBytes(data), interp.Options{}, func(e *interp.Event) error {
		if e.Missing || len(e.Raw) == 0 {
			return nil
		}
		width := len(e.Raw)
		if e.Kind == interp.TextEvent || e.Kind == interp.BlobEvent {
			width -= len(e.Content)
		}
		all = append(all, item{
			e.Kind, int(e.Offset), width, e.Path(), e.Type != nil && e.Type.Kind == ir.Bool, len(data) - int(e.Offset) - width,
		})
		return nil
	})
	must(t, err)
	return all
}

// with returns data with other bytes at a place.
func with(data []byte, at int, b ...byte) []byte {
	changed := bytes.Clone(data)
	copy(changed[at:], b)
	return changed
}

func TestEveryCountAndLengthSetToTheLargestIsRefused(t *testing.T) {
	eachValid(t, func(t *testing.T, s *subject, data []byte) {
		counts := 0
		for _, i := range items(t, s, data) {
			kind := map[interp.EventKind]string{
				interp.ListEvent: "count_exceeds_input", interp.MapEvent: "count_exceeds_input", interp.TextEvent: "length_exceeds_input",
				interp.BlobEvent: "length_exceeds_input", interp.MessageEvent: "length_exceeds_input", interp.PayloadLengthEvent: "length_exceeds_input",
			}[i.kind]
			if kind == "" || i.width < 4 && i.rest >= 1<<(8*i.width) {
				continue
			}
			counts++
			if i.path == "bounded" {
				kind = "limit_max"
			}
			changed := with(data, i.offset, []byte{0xff, 0xff, 0xff, 0xff}[:i.width]...)
			got := s.agree(t, changed, false)
			if want := kind + " at byte "; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " in \""+i.path+"\"") {
				t.Errorf("the count at byte %d: %s, want %s in %q", i.offset, got, kind, i.path)
			}
			mustKeepBound(t, s, changed)
		}
		if counts < 10 {
			t.Errorf("%d counts", counts)
		}
	})
}

func TestEveryBoolAndPresenceOver1IsRefused(t *testing.T) {
	eachValid(t, func(t *testing.T, s *subject, data []byte) {
		n := 0
		for _, i := range items(t, s, data) {
			kind := sdp.ErrBoolInvalid
			switch {
			case i.kind == interp.PresenceEvent:
				kind = sdp.ErrPresenceInvalid
			case i.kind != interp.ScalarEvent || !i.isBool:
				continue
			}
			n++
			for b := 2; b < 256; b++ {
				changed := with(data, i.offset, byte(b))
				mustRefuse(t, s.empty().UnmarshalBinary(changed), kind, i.offset, i.path)
			}
			s.agree(t, with(data, i.offset, 2), false)
			s.agree(t, with(data, i.offset, 255), false)
		}
		if n < 10 {
			t.Errorf("%d bools and optionals", n)
		}
	})
}

func TestTrailingBytesAreRefused(t *testing.T) {
	eachValid(t, func(t *testing.T, s *subject, data []byte) {
		for _, n := range []int{1, 2, 1000} {
			mustRefuse(t, s.empty().UnmarshalBinary(append(bytes.Clone(data), make([]byte, n)...)), sdp.ErrTrailingBytes, len(data), "")
			s.agree(t, append(bytes.Clone(data), make([]byte, n)...), false)
		}
	})
}

func TestTextThatIsNotUTF8IsRefusedAtItsFirstBadByte(t *testing.T) {
	eachValid(t, func(t *testing.T, s *subject, data []byte) {
		n := 0
		for _, i := range items(t, s, data) {
			if i.kind != interp.TextEvent {
				continue
			}
			length := int(data[i.offset]) // the texts are short
			for at := range length {
				n++
				changed := with(data, i.offset+i.width+at, 0xff)
				if got := s.agree(t, changed, false); !strings.HasPrefix(got, "utf8_invalid") {
					t.Errorf("a bad byte at %d of %s: %s", at, i.path, got)
				}
			}
		}
		if n < 20 {
			t.Errorf("%d bytes of text", n)
		}
	})
}

func TestAnyOtherByteIsReadAsTheInterpreterReadsIt(t *testing.T) {
	eachValid(t, func(t *testing.T, s *subject, data []byte) {
		random := rand.New(rand.NewPCG(5, uint64(len(data))))
		for at := range data {
			changed := with(data, at, byte(random.Uint32()))
			s.agree(t, changed, at%2 == 0)
			mutated := with(data, at, byte(random.Uint32()>>28), byte(random.Uint32()>>30))
			s.agree(t, mutated[:len(mutated)-random.IntN(3)], at%2 == 1)
		}
	})
}

func TestExactDecodingAgreesWithTheInterpreter(t *testing.T) {
	eachValid(t, func(t *testing.T, s *subject, data []byte) {
		s.agree(t, data, true)
		for n := 0; n < len(data); n += 7 {
			s.agree(t, data[:n], true)
		}
	})
}

// TestCountsWhoseProductOverflowsAreRefused claims elements whose sizes together
// wrap around in 32 bits or in 64.
func TestCountsWhoseProductOverflowsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     *subject
		data  []byte
		path  string
		count uint32
	}{
		{"parameters of 42 bytes", &registrySubject, append([]byte{1, 0, 0, 0}, make([]byte, 16)...), "plugins[0].parameters", 1<<32/42 + 1},
		{"plugins of 20 bytes", &registrySubject, nil, "plugins", 1<<32/20 + 1},
		{"the same, larger", &registrySubject, nil, "plugins", 1<<32 - 1},
		{"events of 5 bytes", &logSubject, nil, "events", 1<<32/5 + 1},
		{"rows of 4 bytes", &gridSubject, nil, "cells", 1 << 30},
		{"more than an int has on 32 bits", &gridSubject, nil, "cells", 1 << 31},
	} {
		data := binary.LittleEndian.AppendUint32(c.data, c.count)
		at := len(c.data)
		data = append(data, make([]byte, 64)...)
		mustRefuse(t, c.s.empty().UnmarshalBinary(data), sdp.ErrCountExceedsInput, at, c.path)
		c.s.agree(t, data, false)
		mustKeepBound(t, c.s, data)
	}
}
