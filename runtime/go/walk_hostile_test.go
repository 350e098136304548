package sdp

import (
	"encoding/hex"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestExplainPlacesMemoryRefusals(t *testing.T) {
	const layout = "0 struct demo.S\n on bool\n name str1\n list list1 #1\n last opt u8\n1 struct demo.T\n x u16\n"
	cases := []struct {
		name     string
		layout   string
		bytes    string
		memoryAt int
		kind     Kind
		offset   int
		path     string
	}{
		{"at the start of a length", layout, "01 0141 01 0000 00", 1, ErrLimitMemoryBytes, 1, "name"},
		{"behind a length", layout, "01 0141 01 0000 00", 2, ErrLimitMemoryBytes, 1, "name"},
		{"at a count", layout, "01 0141 01 0000 00", 3, ErrLimitMemoryBytes, 3, "list"},
		{"behind a count", layout, "01 0141 01 0000 00", 4, ErrLimitMemoryBytes, 3, "list"},
		{"behind a presence byte", layout, "01 0141 01 0000 01 07", 7, ErrLimitMemoryBytes, 6, "last"},
		{"an absent optional asks for nothing", layout, "01 0141 01 0000 00", 7, ErrLimitMemoryBytes, 7, ""},
		{"an earlier refusal wins", layout, "02 0141 01 0000 00", 2, ErrBoolInvalid, 0, "on"},
		{"a later refusal doesn't", layout, "01 01ff 01 0000 00", 2, ErrLimitMemoryBytes, 1, "name"},
		{"at the end", layout, "01 0141 01 0000 00", 7, ErrLimitMemoryBytes, 7, ""},
		{"a large array", "0 struct a.S\n b bool\n a array 4 u8\n", "01 00000000", 1, ErrLimitMemoryBytes, 1, "a"},
		{"a closed union", "0 union a.U closed\n A 1 u8\n", "01 00", 1, ErrLimitMemoryBytes, 0, ""},
		{"an unknown payload", eventLayout, "09 01000000 00", 5, ErrLimitMemoryBytes, 1, ""},
		{"a kept tail", "0 message a.M keep\n a u8\n", "01 ffff", 1, ErrLimitMemoryBytes, 1, ""},
		{"a map", levelsLayout, "01000000 0161 ffff", 4, ErrLimitMemoryBytes, 0, "m"},
		{"the elements budget comes first", treeLayout, "00 01 00 00", 2, ErrLimitElements, 1, "kids"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			input, _ := hex.DecodeString(strings.ReplaceAll(c.bytes, " ", ""))
			limits := Limits{}
			if c.kind == ErrLimitElements {
				limits.Elements = -1
			}
			got := Explain(c.layout, input, 0, ModeWhole, limits, c.memoryAt)
			if got == nil || got.Kind != c.kind || got.Offset != c.offset || got.Path != c.path {
				t.Errorf("got %v, want %v at byte %d in %q", got, c.kind, c.offset, c.path)
			}
		})
	}
}

func TestExplainCallsEveryPrefixCut(t *testing.T) {
	whole := map[string]string{
		pluginLayout: "02 4551 0000c03f 01 01 02000000 c3a4",
		closedLayout: "2c01 02 0500",
		eventLayout:  "02 08000000 09000000 000000bf",
		levelsLayout: "02000000 0161 ffff 0162 2c01",
		treeLayout:   "01 02 02 00 03 01 04 00",
		boundLayout:  "03 414141 02 00000000 01 0000 0400 00000000",
		gridLayout:   "0000 0000 0000 0000 0000 0000 00 01",
		framesLayout: "01 08000000 04000000 07 0100 01 06000000 01 09 00000000",
	}
	for layout, text := range whole {
		input, _ := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
		if got := Explain(layout, input, 0, ModeExact, Limits{}, -1); got != nil {
			t.Fatalf("%q: the whole value is refused: %v", layout, got)
		}
		for n := range input {
			got := Explain(layout, input[:n], 0, ModeWhole, Limits{}, -1)
			if got == nil {
				t.Fatalf("%q: %d of %d bytes are accepted", layout, n, len(input))
			}
			switch got.Kind {
			case ErrTruncated, ErrLengthExceedsInput, ErrCountExceedsInput:
			default:
				t.Errorf("%q: %d of %d bytes: %v", layout, n, len(input), got)
			}
		}
	}
}

// nested is n trees, each the only child of the previous tree.
func nested(n int) []byte { return append([]byte(strings.Repeat("\x00\x01", n-1)), 0, 0) }

func TestExplainStopsAtTheDepthLimit(t *testing.T) {
	if got := Explain(treeLayout, nested(64), 0, ModeWhole, Limits{}, -1); got != nil {
		t.Errorf("depth 64: %v", got)
	}
	for _, n := range []int{65, 1_000_000} {
		got := Explain(treeLayout, nested(n), 0, ModeWhole, Limits{}, -1)
		want := Error{Kind: ErrLimitDepth, Offset: 128, Path: strings.TrimSuffix(strings.Repeat("kids[0].", 64), ".")}
		if got == nil || *got != want {
			t.Errorf("depth %d: %v", n, got)
		}
	}
}

// Each of these would take a careless walk longer than the universe has left.
func TestExplainTakesLinearTime(t *testing.T) {
	doubling := "0 message a.M\n x u8\n@2\n s #1\n"
	for i := 1; i < 60; i++ {
		doubling += strconv.Itoa(i) + " struct a.S\n l #" + strconv.Itoa(i+1) + "\n r #" + strconv.Itoa(i+1) + "\n"
	}
	doubling += "60 struct a.S\n"
	bigEnum := "0 struct a.S\n l list4 #1\n1 enum a.E u16 closed\n"
	for i := range 10_000 {
		bigEnum += " M " + strconv.Itoa(10_000-i-1) + "\n"
	}
	cases := []struct {
		name, layout string
		input        []byte
	}{
		{"structs without bytes", doubling, []byte{0, 0}},
		{"an array of 2^63 numbers", "0 struct a.S\n a array 9223372036854775807 u8\n", make([]byte, 100)},
		{"a list of 10,000,000 numbers", "0 struct a.S\n a list4 u8\n b bool\n", append([]byte{0x80, 0x96, 0x98, 0}, make([]byte, 10_000_000)...)},
		{"a closed enum of 10,000 members", bigEnum, append([]byte{0x40, 0x42, 0x0f, 0}, make([]byte, 2_000_000)...)},
		{"10,000,000 characters", "0 struct a.S\n t str4\n", append([]byte{0x80, 0x96, 0x98, 0}, make([]byte, 10_000_001)...)},
	}
	for _, c := range cases {
		done := make(chan struct{})
		go func() {
			Explain(c.layout, c.input, 0, ModeWhole, Limits{}, -1)
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the walk doesn't end", c.name)
		}
	}
}

func TestExplainNeedsLittleMemory(t *testing.T) {
	input := append([]byte{0, 255}, make([]byte, 4<<20)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := Explain(treeLayout, input, 0, ModeWhole, Limits{}, -1)
	runtime.ReadMemStats(&after)
	if got == nil || got.Kind != ErrTrailingBytes {
		t.Fatalf("got %v", got)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 32<<10 {
		t.Errorf("allocated %d bytes", n)
	}
}

func TestExplainFindsNothingWithoutLayout(t *testing.T) {
	for _, layout := range damagedLayouts {
		if got := Explain(layout, []byte{2, 2}, 0, ModeWhole, Limits{}, -1); got != nil {
			t.Errorf("%q: %v", layout, got)
		}
	}
}

func FuzzExplain(f *testing.F) {
	for _, c := range append(refusalCases, pairCases...) {
		input, _ := hex.DecodeString(strings.ReplaceAll(c.bytes, " ", ""))
		f.Add(c.layout, input, uint8(c.mode), c.limits.Depth, c.limits.Elements, -1)
	}
	for _, layout := range damagedLayouts {
		f.Add(layout, []byte{1, 2, 3}, uint8(0), 3, 4, 2)
	}
	for _, input := range corpusInputs(f) {
		layout, value := corpusLayout(input)
		for mode := range uint8(3) {
			for _, memoryAt := range []int{-1, 0, len(value) / 2, len(value) + 1} {
				f.Add(layout, value, mode, 64, 1000, memoryAt)
			}
		}
	}
	f.Fuzz(func(t *testing.T, layout string, input []byte, mode uint8, depth, elements, memoryAt int) {
		// A caller's own limits are trusted, but a fuzzer would rather overflow the
		// stack than find anything.
		limits := Limits{Depth: depth % 1000, Elements: elements % 100_000}
		const base = 10
		got := Explain(layout, input, base, Mode(mode), limits, memoryAt)
		if got == nil {
			return
		}
		if got.Offset < base || got.Offset > base+len(input) {
			t.Errorf("offset %d of %d bytes", got.Offset-base, len(input))
		}
		if got.Kind < ErrTruncated || got.Kind > ErrLimitMax {
			t.Errorf("kind %v", got.Kind)
		}
	})
}
