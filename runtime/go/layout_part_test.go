package sdp

import (
	"strings"
	"testing"
)

// [EVO-5.2]
func TestLayoutTextNumbersTypesDepthFirst(t *testing.T) {
	enum := &describedType{LayoutPart{text: "enum a.E u8 closed\n A 1\n"}}
	tree := &describedType{LayoutPart{text: "message a.Tree\n kind #\n kids list4 #\n by map4 # #\n@2\n also #\n"}}
	leaf := &describedType{LayoutPart{text: "struct a.Leaf\n tree opt #\n kind #\n", types: []Described{tree, enum}}}
	tree.types = []Described{enum, tree, enum, leaf, leaf}
	root := &describedType{LayoutPart{text: "union a.Root\n None 1\n Leaf 2 #\n Kind 3 #\n", types: []Described{leaf, enum}}}
	for of, want := range map[Described]string{
		enum: "0 enum a.E u8 closed\n A 1\n",
		root: "0 union a.Root\n None 1\n Leaf 2 #1\n Kind 3 #3\n" +
			"1 struct a.Leaf\n tree opt #2\n kind #3\n" +
			"2 message a.Tree\n kind #3\n kids list4 #2\n by map4 #3 #1\n@2\n also #1\n" +
			"3 enum a.E u8 closed\n A 1\n",
		tree: "0 message a.Tree\n kind #1\n kids list4 #0\n by map4 #1 #2\n@2\n also #2\n" +
			"1 enum a.E u8 closed\n A 1\n" +
			"2 struct a.Leaf\n tree opt #0\n kind #1\n",
	} {
		if got := LayoutText(of); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

// A text takes memory for itself alone; parts are given back. [WIRE-8.9]
func TestLayoutTextIsJoinedOnce(t *testing.T) {
	wide := wideType("joined.M", 1000)
	first := LayoutText(wide)
	if !strings.Contains(first, " part_998 #999\n part_999 #1000\n1 struct ") {
		t.Errorf("got %.200s", first)
	}
	if n := testing.AllocsPerRun(10, func() { _ = LayoutText(wide) }); n != 0 {
		t.Errorf("a text that is kept takes %v allocations", n)
	}
}
