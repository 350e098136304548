package sdp

import "testing"

// The pairs of WIRE-12: two refusals can be argued for, one of them wins. The
// name is the clause.
var pairCases = []walkCase{
	{name: "12.1", layout: pluginLayout, bytes: "ff", limits: Limits{MessageBytes: 1}, kind: ErrLengthExceedsInput, path: "name"},
	{name: "12.1 over", layout: pluginLayout, bytes: "ff00", limits: Limits{MessageBytes: 1}, kind: ErrLimitMessageBytes},
	{name: "12.2 truncated", layout: nestStruct, bytes: "", limits: Limits{Depth: 1}, kind: ErrLimitDepth, path: "inner"},
	{name: "12.2 segment_partial", layout: "0 message a.M\n s #1\n1 struct a.S\n b u8\n", bytes: "", limits: Limits{Depth: 1}, kind: ErrLimitDepth, path: "s"},
	{name: "12.2 union_length", layout: nestLayout, bytes: "01 00000000", limits: Limits{Depth: 1}, kind: ErrLimitDepth, offset: 5, path: "In"},
	{name: "12.3", layout: nestLayout, bytes: "03 04000000 ff000000", limits: Limits{Depth: 1}, kind: ErrLimitDepth, offset: 5, path: "Msg"},
	{name: "12.4", layout: nestLayout, bytes: "01 05000000 00 00000000", limits: Limits{Depth: 1}, kind: ErrLimitDepth, offset: 5, path: "In"},
	{name: "12.5", layout: nestLayout, bytes: "01 06000000 02 00000000", limits: Limits{Depth: 1}, kind: ErrLengthExceedsInput, offset: 1},
	{name: "12.6 depth", layout: "0 struct a.S\n c array 2 #1\n1 struct a.C\n on bool\n", bytes: "0000", limits: Limits{Depth: 1, Elements: 1}, kind: ErrLimitElements, path: "c"},
	{name: "12.6 end", layout: "0 struct a.S\n c array 2 #1\n1 struct a.C\n on bool\n", bytes: "", limits: Limits{Elements: 1}, kind: ErrLimitElements, path: "c"},
	{name: "12.7", layout: framesLayout, bytes: "02 01000000 00 00000000", kind: ErrSegmentPartial, offset: 10, path: "m.u"},
	{name: "12.8", layout: eventLayout, bytes: "02 02000000 0900", kind: ErrUnionLength, offset: 5, path: "Changed.id"},
	{name: "12.9 body in payload", layout: framesLayout, bytes: "01 04000000 00000000 01000000 00", kind: ErrSegmentPartial, offset: 9, path: "u.M.a"},
	{name: "12.9 payload in body", layout: framesLayout, bytes: "02 01000000 00 06000000 01 02 00000000", kind: ErrUnionLength, offset: 16, path: "m.u.T"},
	{name: "12.10 length", layout: pluginLayout, bytes: "00 00000000 00 01 ffff", kind: ErrTruncated, offset: 7, path: "note"},
	{name: "12.10 count", layout: levelsLayout, bytes: "ffffff", kind: ErrTruncated, offset: 0, path: "m"},
	{name: "12.11 body", layout: "0 message a.M\n s str1\n", bytes: "02 41", kind: ErrLengthExceedsInput, offset: 0, path: "s"},
	{name: "12.11 payload", layout: framesLayout, bytes: "02 02000000 02 41 01000000 00", kind: ErrLengthExceedsInput, offset: 5, path: "u.T"},
	{name: "12.12", layout: "0 message a.M\n l list1 u16\n", bytes: "02 000000", kind: ErrCountExceedsInput, offset: 0, path: "l"},
	{name: "12.13", layout: eventLayout, bytes: "02 08000000 09000000", kind: ErrLengthExceedsInput, offset: 1},
	{name: "12.14", layout: boundLayout, bytes: "04 41", kind: ErrLimitMax, offset: 0, path: "s"},
	{name: "12.15", layout: boundLayout, bytes: "00 03 00", kind: ErrLimitMax, offset: 1, path: "l"},
	{name: "12.16", layout: boundLayout, bytes: "00 03 000000000000", limits: Limits{Elements: 2}, kind: ErrLimitMax, offset: 1, path: "l"},
	{name: "12.17", layout: boundLayout, bytes: "04 ffffffff", kind: ErrLimitMax, offset: 0, path: "s"},
	{name: "12.18", layout: treeLayout, bytes: "00 09 00", limits: Limits{Elements: 1}, kind: ErrCountExceedsInput, offset: 1, path: "kids"},
	{name: "12.19", layout: pluginLayout, bytes: "03 ffff", kind: ErrLengthExceedsInput, offset: 0, path: "name"},
	{name: "12.20", layout: flagsLayout, bytes: "000000 02 0202", limits: Limits{Elements: 1}, kind: ErrLimitElements, offset: 3, path: "many"},
	{name: "12.21 cut", layout: eventLayout, bytes: "00 00", kind: ErrUnionUnknown, offset: 0},
	{name: "12.21 beyond", layout: eventLayout, bytes: "00 ffffffff", kind: ErrUnionUnknown, offset: 0},
	{name: "12.22", layout: eventLayout, bytes: "01 09000000 00 00000000 02 00 00 00", kind: ErrBoolInvalid, offset: 10, path: "Loaded.on"},
	{name: "12.23 utf8", layout: levelsLayout, bytes: "02000000 0162 0000 01ff 0000", kind: ErrUTF8Invalid, offset: 9, path: "m[1].key"},
	{name: "12.23 enum", layout: "0 struct a.S\n m map1 #1 u8\n1 enum a.E u8 closed\n B 5\n", bytes: "02 05 00 04 00", kind: ErrEnumUnknown, offset: 3, path: "m[1].key"},
	{name: "12.23 bool", layout: "0 struct a.S\n m map1 bool u8\n", bytes: "02 01 00 02 00", kind: ErrBoolInvalid, offset: 3, path: "m[1].key"},
	{name: "12.24", layout: "0 struct a.S\n m map1 u8 bool\n", bytes: "02 05 00 05 02", kind: ErrMapOrder, offset: 3, path: "m[1].key"},
	{name: "12.25 bool", layout: "0 struct a.S\n b bool\n n u32\n", bytes: "02 00", kind: ErrBoolInvalid, offset: 0, path: "b"},
	{name: "12.25 presence", layout: "0 struct a.S\n o opt u8\n n u32\n", bytes: "02 00", kind: ErrPresenceInvalid, offset: 0, path: "o"},
	{name: "12.25 enum", layout: "0 struct a.S\n e #1\n n u32\n1 enum a.E u8 closed\n A 0\n", bytes: "02 00", kind: ErrEnumUnknown, offset: 0, path: "e"},
	{name: "12.26", layout: pluginLayout, bytes: "00 00000000 02 00 00", kind: ErrBoolInvalid, offset: 5, path: "on"},
	{name: "12.27", layout: framesLayout, bytes: "01 0a000000 06000000 07 0100 01 aabb 02000000 00 cc"},
	{name: "12.28 lacking", layout: framesLayout, bytes: "01 05000000 01000000 07 01000000 00"},
	{name: "12.28 inside", layout: framesLayout, bytes: "01 06000000 02000000 07 01 01000000 00", kind: ErrSegmentPartial, offset: 10, path: "u.M.b"},
}

const nestStruct = "0 struct a.S\n inner #1\n1 struct a.T\n n u8\n"

func TestExplainNamesTheRefusalThatWins(t *testing.T) { explainAll(t, pairCases) }
