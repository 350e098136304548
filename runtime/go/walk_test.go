package sdp

import (
	"encoding/hex"
	"strings"
	"testing"
)

// Layouts of small types, one for each thing that can be refused.
const (
	pluginLayout = "0 struct demo.Plugin\n name str1\n gain f32\n on bool\n note opt str4\n"

	registryLayout = "0 message demo.Registry\n plugins list4 #1\n@2\n total u32\n host str4\n" +
		"1 struct demo.Plugin\n name str1\n gain f32\n on bool\n note opt str4\n"

	eventLayout = "0 union demo.HostEvent\n Loaded 1 #1\n Changed 2 #2\n Stopped 3\n" +
		"1 struct demo.Plugin\n name str1\n gain f32\n on bool\n note opt str4\n" +
		"2 struct demo.HostEvent.Changed\n id u32\n value f32\n"

	levelsLayout = "0 struct demo.Levels\n m map4 str1 i16\n"

	closedLayout = "0 struct demo.S\n kind #1\n u #2\n" +
		"1 enum demo.Kind i16 closed\n Low -1\n Zero 0\n High 300\n" +
		"2 union demo.U closed\n A 1 bool\n B 2 #3\n C 3\n3 struct demo.U.B\n n u16\n"

	// A message in a union in a message, and the reverse.
	framesLayout = "0 struct demo.F\n u #1\n m #3\n" +
		"1 union demo.U\n M 1 #2\n T 2 str1\n" +
		"2 message demo.M\n a u8\n@2\n b u16\n@3\n c bool\n" +
		"3 message demo.N keep\n u opt #1\n"

	// A list that holds itself.
	treeLayout = "0 struct demo.Tree\n v u8\n kids list1 #0\n"

	// A union and a message that hold themselves.
	nestLayout = "0 union demo.Nest\n In 1 #0\n End 2\n Msg 3 #1\n1 message demo.NestMessage\n nest opt #0\n"

	boundLayout = "0 struct demo.B\n s str1<=3\n l list1<=2 u16\n m map1<=1 u8 bool\n b bytes2<=4\n"

	gridLayout = "0 struct demo.G\n grid array 2 array 3 u16\n cells array 2 #1\n1 struct demo.Cell\n on bool\n"

	flagsLayout = "0 struct demo.Flags\n flags array 3 bool\n many list1 bool\n"
)

type walkCase struct {
	name   string
	layout string
	bytes  string // in hexadecimal
	mode   Mode
	limits Limits
	kind   Kind // 0 where nothing is wrong
	offset int
	path   string
}

// Every refusal that a value's bytes can cause, alone.
var refusalCases = []walkCase{
	{name: "a plugin is fine", layout: pluginLayout, bytes: "02 4551 0000c03f 01 00"},
	{name: "a cut f32", layout: pluginLayout, bytes: "02 4551 0000c0", kind: ErrTruncated, offset: 3, path: "gain"},
	{name: "an empty slice", layout: pluginLayout, bytes: "", kind: ErrTruncated, offset: 0, path: "name"},
	{name: "a cut length", layout: pluginLayout, bytes: "02 4551 0000c03f 01 01 0000", kind: ErrTruncated, offset: 9, path: "note"},
	{name: "a missing presence byte", layout: pluginLayout, bytes: "02 4551 0000c03f 01", kind: ErrTruncated, offset: 8, path: "note"},
	{name: "a byte too many", layout: pluginLayout, bytes: "02 4551 0000c03f 01 00 00", kind: ErrTrailingBytes, offset: 9},
	{name: "a byte behind a prefix", layout: pluginLayout, bytes: "02 4551 0000c03f 01 00 00", mode: ModePrefix},
	{name: "bool 2", layout: pluginLayout, bytes: "02 4551 0000c03f 02", kind: ErrBoolInvalid, offset: 7, path: "on"},
	{name: "presence 255", layout: pluginLayout, bytes: "02 4551 0000c03f 01 ff", kind: ErrPresenceInvalid, offset: 8, path: "note"},
	{name: "a string beyond the slice", layout: pluginLayout, bytes: "03 4551", kind: ErrLengthExceedsInput, offset: 0, path: "name"},
	{name: "a length of 4 GiB", layout: pluginLayout, bytes: "00 00000000 00 01 ffffffff", kind: ErrLengthExceedsInput, offset: 7, path: "note"},
	{name: "a byte that UTF-8 never has", layout: pluginLayout, bytes: "02 45ff 0000c03f 01 00", kind: ErrUTF8Invalid, offset: 2, path: "name"},
	{name: "a cut character", layout: pluginLayout, bytes: "04 45e282 45 00000000 00 00", kind: ErrUTF8Invalid, offset: 2, path: "name"},
	{name: "a surrogate", layout: pluginLayout, bytes: "03 eda080 00000000 00 00", kind: ErrUTF8Invalid, offset: 1, path: "name"},
	{name: "an overlong form", layout: pluginLayout, bytes: "03 41c080 00000000 00 00", kind: ErrUTF8Invalid, offset: 2, path: "name"},
	{name: "a character over U+10FFFF", layout: pluginLayout, bytes: "04 f4908080 00000000 00 00", kind: ErrUTF8Invalid, offset: 1, path: "name"},
	{name: "U+FFFD itself", layout: pluginLayout, bytes: "03 efbfbd 00000000 00 00"},

	{name: "an enum", layout: closedLayout, bytes: "2c01 01 01"},
	{name: "a negative member", layout: closedLayout, bytes: "ffff 03"},
	{name: "an unknown number", layout: closedLayout, bytes: "0100 03", kind: ErrEnumUnknown, offset: 0, path: "kind"},
	{name: "an unknown tag of a closed union", layout: closedLayout, bytes: "0000 04", kind: ErrUnionUnknown, offset: 2, path: "u"},
	{name: "tag 0 of a closed union", layout: closedLayout, bytes: "0000 00", kind: ErrUnionUnknown, offset: 2, path: "u"},
	{name: "a cut payload of a closed union", layout: closedLayout, bytes: "0000 02 05", kind: ErrTruncated, offset: 3, path: "u.B.n"},
	{name: "a bool in a closed union", layout: closedLayout, bytes: "0000 01 02", kind: ErrBoolInvalid, offset: 3, path: "u.A"},
	{name: "a missing tag", layout: closedLayout, bytes: "0000", kind: ErrTruncated, offset: 2, path: "u"},

	{name: "tag 0", layout: eventLayout, bytes: "00 00000000", kind: ErrUnionUnknown, offset: 0},
	{name: "an unknown tag is kept", layout: eventLayout, bytes: "09 02000000 aabb"},
	{name: "an unknown tag's payload beyond the slice", layout: eventLayout, bytes: "09 03000000 aabb", kind: ErrLengthExceedsInput, offset: 1},
	{name: "a cut payload length", layout: eventLayout, bytes: "03 000000", kind: ErrTruncated, offset: 1},
	{name: "a payload that is too short", layout: eventLayout, bytes: "02 06000000 09000000 0000", kind: ErrUnionLength, offset: 9, path: "Changed.value"},
	{name: "a payload that is too long", layout: eventLayout, bytes: "02 09000000 09000000 000000bf 00", kind: ErrUnionLength, offset: 13},
	{name: "a payload where there is none", layout: eventLayout, bytes: "03 01000000 00", kind: ErrUnionLength, offset: 5},
	{name: "bytes behind a union", layout: eventLayout, bytes: "03 00000000 00", kind: ErrTrailingBytes, offset: 5},

	{name: "a map", layout: levelsLayout, bytes: "02000000 0161 ffff 0162 2c01"},
	{name: "descending keys", layout: levelsLayout, bytes: "02000000 0162 0000 0161 0000", kind: ErrMapOrder, offset: 8, path: "m[1].key"},
	{name: "equal keys", layout: levelsLayout, bytes: "02000000 0161 0000 0161 0000", kind: ErrMapOrder, offset: 8, path: "m[1].key"},
	{name: "a prefix comes first", layout: levelsLayout, bytes: "02000000 0161 0000 026100 0000"},
	{name: "a prefix comes last", layout: levelsLayout, bytes: "02000000 026100 0000 0161 0000", kind: ErrMapOrder, offset: 9, path: "m[1].key"},
	{name: "a cut value", layout: levelsLayout, bytes: "01000000 0161 ff", kind: ErrTruncated, offset: 6, path: "m[0].value"},
	{name: "more entries than fit", layout: levelsLayout, bytes: "02000000 0161 ffff 01", kind: ErrCountExceedsInput, offset: 0, path: "m"},

	{name: "a registry", layout: registryLayout, bytes: "00000000 07000000 01000000 78"},
	{name: "a registry of segment 1", layout: registryLayout, bytes: "00000000"},
	{name: "an unknown tail", layout: registryLayout, bytes: "00000000 07000000 00000000 ff"},
	{name: "an empty body", layout: registryLayout, bytes: "", kind: ErrSegmentPartial, offset: 0, path: "plugins"},
	{name: "a partial segment 2", layout: registryLayout, bytes: "00000000 07000000", kind: ErrSegmentPartial, offset: 8, path: "host"},
	{name: "exact: a missing segment", layout: registryLayout, bytes: "00000000", mode: ModeExact, kind: ErrSegmentPartial, offset: 4},
	{name: "exact: an unknown tail", layout: registryLayout, bytes: "00000000 07000000 00000000 ff", mode: ModeExact, kind: ErrTrailingBytes, offset: 12},
	{name: "exact: the whole", layout: registryLayout, bytes: "00000000 07000000 00000000", mode: ModeExact},
	{name: "a count beyond the slice", layout: registryLayout, bytes: "02000000 02 4551 0000c03f 01 00", kind: ErrCountExceedsInput, offset: 0, path: "plugins"},
	{name: "a count of 2^32-1", layout: registryLayout, bytes: "ffffffff 00", kind: ErrCountExceedsInput, offset: 0, path: "plugins"},

	{name: "an empty body of a nested message", layout: framesLayout, bytes: "01 05000000 01000000 07 00000000", kind: ErrSegmentPartial, offset: 14, path: "m.u"},
	{name: "exact: a nested message lacks a segment", layout: framesLayout, bytes: "01 05000000 01000000 07 01000000 00", mode: ModeExact, kind: ErrSegmentPartial, offset: 10, path: "u.M"},
	{name: "exact: a nested message has a tail", layout: framesLayout, bytes: "01 09000000 05000000 07 0100 01 00 01000000 00", mode: ModeExact, kind: ErrTrailingBytes, offset: 13, path: "u.M"},
	{name: "exact: a kept tail", layout: framesLayout, bytes: "02 01000000 00 02000000 00 ff", mode: ModeExact, kind: ErrTrailingBytes, offset: 11, path: "m"},
	{name: "exact: an unknown tag is fine", layout: framesLayout, bytes: "09 01000000 00 01000000 00", mode: ModeExact},
	{name: "a message beyond the payload", layout: framesLayout, bytes: "01 05000000 02000000 07 01000000 00", kind: ErrLengthExceedsInput, offset: 5, path: "u.M"},

	{name: "a bool in a later segment", layout: framesLayout, bytes: "01 08000000 04000000 07 0100 02 01000000 00", kind: ErrBoolInvalid, offset: 12, path: "u.M.c"},

	{name: "@max of a string", layout: boundLayout, bytes: "04 41414141", kind: ErrLimitMax, offset: 0, path: "s"},
	{name: "@max of a list", layout: boundLayout, bytes: "00 03 000000000000", kind: ErrLimitMax, offset: 1, path: "l"},
	{name: "@max of a map", layout: boundLayout, bytes: "00 00 02 0000 0100", kind: ErrLimitMax, offset: 2, path: "m"},
	{name: "@max of bytes", layout: boundLayout, bytes: "00 00 00 0500 0000000000", kind: ErrLimitMax, offset: 3, path: "b"},
	{name: "all bounds reached", layout: boundLayout, bytes: "03 414141 02 00000000 01 0000 0400 00000000"},

	{name: "a grid", layout: gridLayout, bytes: "0000 0000 0000 0000 0000 0000 00 01"},
	{name: "a cut grid", layout: gridLayout, bytes: "0000 0000 0000 0000 00", kind: ErrTruncated, offset: 8, path: "grid[1][1]"},
	{name: "a bool in an array of structs", layout: gridLayout, bytes: "0000 0000 0000 0000 0000 0000 00 02", kind: ErrBoolInvalid, offset: 13, path: "cells[1].on"},
	{name: "a bool in an array of bools", layout: flagsLayout, bytes: "00 01 07 00", kind: ErrBoolInvalid, offset: 2, path: "flags[2]"},
	{name: "a bool in a list of bools", layout: flagsLayout, bytes: "00 01 00 02 01 03", kind: ErrBoolInvalid, offset: 5, path: "many[1]"},

	{name: "limit_depth", layout: treeLayout, bytes: "01 01 02 01 03 00", limits: Limits{Depth: 2}, kind: ErrLimitDepth, offset: 4, path: "kids[0].kids[0]"},
	{name: "depth enough", layout: treeLayout, bytes: "01 01 02 01 03 00", limits: Limits{Depth: 3}},
	{name: "limit_elements of a list", layout: treeLayout, bytes: "01 01 02 02 0300 0400", limits: Limits{Elements: 2}, kind: ErrLimitElements, offset: 3, path: "kids[0].kids"},
	{name: "elements enough", layout: treeLayout, bytes: "01 01 02 02 0300 0400", limits: Limits{Elements: 3}},
	{name: "limit_elements of an array", layout: gridLayout, bytes: "0000 0000 0000 0000 0000 0000 00 01", limits: Limits{Elements: 3}, kind: ErrLimitElements, offset: 12, path: "cells"},
	{name: "elements enough for arrays", layout: gridLayout, bytes: "0000 0000 0000 0000 0000 0000 00 01", limits: Limits{Elements: 4}},
	{name: "limit_elements of a map", layout: levelsLayout, bytes: "02000000 0161 ffff 0162 2c01", limits: Limits{Elements: 1}, kind: ErrLimitElements, offset: 0, path: "m"},
	{name: "limit_message_bytes", layout: pluginLayout, bytes: "02 4551 0000c03f 01 00", limits: Limits{MessageBytes: 8}, kind: ErrLimitMessageBytes},
}

func TestExplainNamesEachRefusal(t *testing.T) { explainAll(t, refusalCases) }
func TestExplainComparesKeysByTheirType(t *testing.T) {
	keys := []struct{ word, low, high string }{
		{"u8", "7f", "80"}, {"u16", "ff00", "0001"}, {"u32", "ffffff00", "00000001"}, {"u64", "ff00000000000000", "0000000000000080"},
		{"i8", "80", "7f"}, {"i8", "ff", "00"}, {"i16", "0080", "ff7f"}, {"i16", "ffff", "0100"}, {"i32", "ffffffff", "00000000"},
		{"i64", "0000000000000080", "ffffffffffffffff"}, {"bool", "00", "01"}, {"str2", "01007a", "0200c3bf"},
		{"#1", "ffff", "0000"},
	}
	for _, k := range keys {
		layout := "0 struct a.S\n m map1 " + k.word + " bool\n1 enum a.E i16\n A 0\n"
		later := func(first string) int { return 1 + len(first)/2 + 1 }
		explainAll(t, []walkCase{
			{name: k.word + " ascending", layout: layout, bytes: "02" + k.low + "00" + k.high + "01"},
			{name: k.word + " descending", layout: layout, bytes: "02" + k.high + "00" + k.low + "01", kind: ErrMapOrder, offset: later(k.high), path: "m[1].key"},
			{name: k.word + " equal", layout: layout, bytes: "02" + k.low + "00" + k.low + "01", kind: ErrMapOrder, offset: later(k.low), path: "m[1].key"},
		})
	}
}

func explainAll(t *testing.T, cases []walkCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			input, err := hex.DecodeString(strings.ReplaceAll(c.bytes, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			for _, base := range []int{0, HeaderBytes} {
				got := Explain(c.layout, input, base, c.mode, c.limits, -1)
				switch {
				case c.kind == 0 && got == nil:
				case c.kind == 0 || got == nil:
					t.Fatalf("got %v, want refusal %v", got, c.kind)
				case got.Kind != c.kind || got.Offset != base+c.offset || got.Path != c.path:
					t.Fatalf("got %v, want %v at byte %d in %q", got, c.kind, base+c.offset, c.path)
				}
			}
		})
	}
}
