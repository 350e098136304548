package sdp

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// describedType is a type by its part of layout texts.
type describedType struct{ LayoutPart }

func (d *describedType) SDPLayout() LayoutPart { return d.LayoutPart }

// wideType is a message of so many structs with ten fields each.
func wideType(name string, structs int) Described {
	root := LayoutPart{text: "message " + name + "\n"}
	for i := range structs {
		root.text += fmt.Sprintf(" part_%d #\n", i)
		part := fmt.Sprintf("struct %s.Part%d\n", name, i)
		for field := range 10 {
			part += fmt.Sprintf(" field_%d opt list4 u32\n", field)
		}
		root.types = append(root.types, &describedType{LayoutPart{text: part}})
	}
	return &describedType{root}
}

// refusedByte names the refusal of one byte.
func refusedByte(of Described) error {
	var d Decoder
	return d.End(of, []byte{7}, d.Refuse())
}

func spent(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// [WIRE-8.9]
func TestLayoutIsReadForTheFirstRefusalOnly(t *testing.T) {
	wide := wideType("once.M", 120)
	var err error
	first := spent(func() { err = refusedByte(wide) })
	length := len(LayoutText(wide))
	if most := uint64(16*length + 64<<10); first > most {
		t.Errorf("the first refusal allocates %d bytes for a layout of %d, at most %d are allowed", first, length, most)
	}
	second := spent(func() {
		for range 100 {
			err = refusedByte(wide)
		}
	})
	if second > 100<<10 {
		t.Errorf("100 more refusals allocate %d bytes", second)
	}
	if got := err.(*Error); got.Kind != ErrPresenceInvalid || got.Offset != 0 || got.Path != "part_0.field_0" {
		t.Errorf("got %v", err)
	}
}

// Of each kind of line, the shortest: it costs the most for its bytes.
func TestLayoutTakesSixteenBytesForEachOfItsOwn(t *testing.T) {
	const n = 10_000
	var tags, blocks strings.Builder
	for i := range 255 {
		fmt.Fprintf(&tags, " A %d\n", i+1)
	}
	for i := range n {
		fmt.Fprintf(&blocks, "%d struct S\n", i+1)
	}
	for name, layout := range map[string]string{
		"fields":          "0 struct S\n" + strings.Repeat(" a u8\n", n),
		"references":      "0 struct S\n" + strings.Repeat(" a #1\n", n) + "1 struct T\n b u8\n",
		"lists":           "0 struct S\n" + strings.Repeat(" a opt opt opt u8\n", n),
		"arrays":          "0 struct S\n" + strings.Repeat(" a array 9 u8\n", n),
		"maps":            "0 struct S\n" + strings.Repeat(" a map4 u8 u8\n", n),
		"alternatives":    "0 union U\n" + tags.String(),
		"closed enums":    "0 struct S\n1 enum E u8 closed\n" + strings.Repeat(" A 1\n", n),
		"open enums":      "0 struct S\n1 enum E u8\n" + strings.Repeat(" A 1\n", n),
		"empty structs":   "0 struct S\n" + blocks.String(),
		"nothing but one": "0 struct S\n",
	} {
		n := spent(func() { _, _ = parseLayout(layout) })
		if most := uint64(16*len(layout) + 4<<10); n > most {
			t.Errorf("%s: a layout of %d bytes takes %d, at most %d are allowed", name, len(layout), n, most)
		}
	}
}

func TestFirstRefusalsOfManyThreadsSayTheSame(t *testing.T) {
	const threads = 16
	types := []Described{wideType("many.M", 120), wideType("many.N", 30), wideType("many.O", 3)}
	var done sync.WaitGroup
	said := make([][]string, threads)
	for i := range said {
		done.Add(1)
		go func() {
			defer done.Done()
			// Each begins with another, so that some wait for each other and some don't.
			for turn := range types {
				said[i] = append(said[i], refusedByte(types[(i+turn)%len(types)]).Error())
			}
		}()
	}
	done.Wait()
	for i := range said {
		for _, text := range said[i] {
			if text != said[0][0] {
				t.Errorf("thread %d says %q, thread 0 %q", i, text, said[0][0])
			}
		}
	}
}

// Structs without bytes are not walked, except for a struct that lies too deep.
func TestDepthOfStructsWithoutBytesIsRefusedWhereItIs(t *testing.T) {
	// a goes one level down, b three, c two.
	const empty = "0 struct S\n a #4\n b #1\n c #2\n1 struct T\n x #4\n y #2\n2 struct U\n z #3\n3 struct V\n4 struct W\n"
	for depth, want := range map[int]string{1: "a", 2: "b.x", 3: "b.y.z"} {
		got := Explain(empty, nil, 0, ModeWhole, Limits{Depth: depth}, -1)
		if got == nil || got.Kind != ErrLimitDepth || got.Offset != 0 || got.Path != want {
			t.Errorf("depth %d: got %v, want %q", depth, got, want)
		}
	}
	if got := Explain(empty, nil, 0, ModeWhole, Limits{Depth: 4}, -1); got != nil {
		t.Errorf("depth 4: %v", got)
	}
}
