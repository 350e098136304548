package golang_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func sameMemory(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

func TestDecodingIntoAValueReplacesAllOfIt(t *testing.T) {
	into := everything()
	for seed := range uint64(40) {
		want := randomEverything(seed)
		data := encode(t, want)
		if err := into.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if !into.Equal(want) {
			t.Fatalf("seed %d: the value holds something of the one before", seed)
		}
		mustEqualBytes(t, "encoded again", encode(t, into), data)
	}
}

func TestDecodingIntoAValueReusesItsSlices(t *testing.T) {
	v := registry(t)
	data := encode(t, v)
	first, inner := &v.Plugins[0], &v.Plugins[1].Parameters[0]
	if err := v.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if first != &v.Plugins[0] || inner != &v.Plugins[1].Parameters[0] {
		t.Error("the slices have other memory")
	}
	fewer := &plugins.PluginRegistry{Plugins: v.Plugins[:1:1]}
	if err := v.UnmarshalBinary(encode(t, fewer)); err != nil {
		t.Fatal(err)
	}
	if len(v.Plugins) != 1 || first != &v.Plugins[0] {
		t.Error("a shorter list has other memory")
	}
	if err := v.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if first != &v.Plugins[0] || inner != &v.Plugins[1].Parameters[0] {
		t.Error("the slices were lost when the list was shorter")
	}
}

func TestDecodingIntoAValueReusesPointersAndBytes(t *testing.T) {
	v := decode[shapes.Everything](t, encode(t, everything()))
	wide, large, left := v.Wide, v.MaybeLarge, v.Tree.Left
	loaded, data, number := v.Event.Value, &v.Data[0], &v.MaybeList.Value[0]
	if err := v.UnmarshalBinary(encode(t, everything())); err != nil {
		t.Fatal(err)
	}
	if v.Wide != wide || v.MaybeLarge != large || v.Tree.Left != left || v.Event.Value != loaded ||
		&v.Data[0] != data || &v.MaybeList.Value[0] != number {
		t.Error("something was allocated again")
	}
}

func TestDecodingKeepsStringsWhoseBytesAreUnchanged(t *testing.T) {
	for _, text := range []string{"a", "ab", "abc", "abcd", "abcdefg", "abcdefgh", "abcdefghi", "more than sixteen bytes", "größer", "ü", strings.Repeat("long", 2000)} {
		v := shapes.Everything{Names: []string{text}}
		v.Event.Value, v.Choice.Value = &shapes.EventStopped{}, &shapes.ChoiceNothing{}
		v.Scalars.Mode, v.Settings.Mode = shapes.ModeOn, shapes.ModeOn
		data := encode(t, &v)
		if err := v.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if !sameMemory(v.Names[0], text) {
			t.Errorf("%.20q was copied", text)
		}
	}
}

// TestDecodingNeverWritesToAStringsMemory takes every string before it decodes
// something else into the same value, in each order of the two options.
func TestDecodingNeverWritesToAStringsMemory(t *testing.T) {
	for _, aliasFirst := range []bool{false, true} {
		for _, aliasSecond := range []bool{false, true} {
			for seed := range uint64(20) {
				first, second := encode(t, randomEverything(seed)), encode(t, randomEverything(seed+100))
				pristine := strings.Clone(string(first))
				var v shapes.Everything
				must(t, v.DecodeWith(first, sdp.DecodeOptions{AliasInput: aliasFirst}))
				var taken, copies []string
				eachString(&v, func(s string) {
					taken = append(taken, s)
					copies = append(copies, strings.Clone(s))
				})
				must(t, v.DecodeWith(second, sdp.DecodeOptions{AliasInput: aliasSecond}))
				for i := range taken {
					if taken[i] != copies[i] {
						t.Fatalf("%.20q became %.20q", copies[i], taken[i])
					}
				}
				if string(first) != pristine {
					t.Fatal("the first input was written to")
				}
			}
		}
	}
}

func TestAStringOutlivesItsInput(t *testing.T) {
	data := encode(t, everything())
	v := decode[shapes.Everything](t, data)
	clear(data)
	if !v.Equal(everything()) {
		t.Error("the value changed with the input")
	}
}

func TestAliasingDecodesToTheInputsMemory(t *testing.T) {
	data := encode(t, everything())
	input := unsafe.String(&data[0], len(data))
	var v shapes.Everything
	must(t, v.DecodeWith(data, sdp.DecodeOptions{AliasInput: true}))
	if !v.Equal(everything()) {
		t.Error("the value differs")
	}
	if !sameMemory(v.Short, input[strings.Index(input, "EQ"):]) || &v.Data[0] != &data[strings.Index(input, "\x00\x01\xff")] {
		t.Error("strings or bytes were copied")
	}
	if cap(v.Data) != len(v.Data) {
		t.Error("appending to bytes would write to the input")
	}
}

// eachString yields strings of every construct that has some.
func eachString(v *shapes.Everything, yield func(s string)) {
	yield(v.Short)
	yield(v.Bounded)
	for _, s := range v.Names {
		yield(s)
	}
	for _, s := range v.Texts {
		yield(s)
	}
	for _, s := range v.Maybes {
		yield(s.Value)
	}
	for s := range v.ByName {
		yield(s)
	}
	for _, s := range v.ByNumber {
		yield(s)
	}
	for _, s := range v.History {
		yield(s.Title)
	}
	for _, e := range v.Events {
		if a, ok := e.Value.(*shapes.EventRenamed); ok {
			yield(a.Value)
		}
	}
	if v.MaybeLarge != nil {
		yield(v.MaybeLarge.Name)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
