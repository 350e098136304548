package syntax

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// protobufFields are fields as Protocol Buffers has them, and as they are here.
var protobufFields = map[string]string{
	"string name = 1;":                                      "name: str,",
	"repeated int32 x = 2;":                                 "x: []i32,",
	"optional sfixed64 x = 3 [deprecated = true];":          "x: ?i64,",
	"required bool on = 4;":                                 "on: bool,",
	"map<string, google.protobuf.Duration> m = 5;":          "m: map<str, duration>,",
	"Vendor vendor = 6;":                                    "vendor: Vendor,",
	"repeated a.b.Vendor vendors = 7 [(x) = \"]\", y = 1];": "vendors: []a.b.Vendor,",
}

func TestFieldsOfProtocolBuffersAreSpelledAsHere(t *testing.T) {
	for there, here := range protobufFields {
		var problems diag.List
		Parse("a.sdp", "message M {\n    "+there+"\n    last: u8,\n}\n", &problems)
		found := problems.Sorted()
		if len(found) != 1 || found[0].Code != codeProtobuf || len(found[0].Fixes) != 1 || found[0].Fixes[0].Edits[0].Text != here {
			t.Errorf("%s: %+v", there, found)
			continue
		}
		if span := found[0].Span; span.Text() != there {
			t.Errorf("%s: the report is about %q", there, span.Text())
		}
		var none diag.List
		if Parse("a.sdp", "message M { "+here+" }", &none); none.Len() > 0 {
			t.Errorf("%s does not parse: %s", here, none.Sorted()[0].Message)
		}
	}
}

// TestWhatOnlyLooksLikeProtocolBuffersIsNone keeps the reports of mistakes in this language, and
// its correct code.
func TestWhatOnlyLooksLikeProtocolBuffersIsNone(t *testing.T) {
	for _, body := range []string{
		"name str,", "gain f32 = 1,", "option: u8,", "repeated: u8,", "oneof: u8, map: u8,", "optional x,", "a.b c,", "a b = 1", "a b = \"x\";",
		"oneof x {", "oneof x { a: u8 }", "option x", "repeated", "map<u8", "rpc a", "a b = 1 [", "message: u8,", "syntax: u8,",
	} {
		var problems diag.List
		Parse("a.sdp", "struct S {\n"+body+"\n}", &problems)
		for _, d := range problems.Sorted() {
			if d.Code == codeProtobuf {
				t.Errorf("%s: %s", body, d.Message)
			}
		}
	}
}

// TestTrialsForProtocolBuffersAreShort parses texts in which every item begins
// something that may be of Protocol Buffers and is not. It takes minutes if a
// trial goes on to the end of the text.
func TestTrialsForProtocolBuffersAreShort(t *testing.T) {
	const count = 50_000
	for _, item := range []string{"a b = 1 [ ", "oneof x { a b = 1; ", "option a = ", "option ( ", "rpc a(b) returns (c) { ", "repeated a ", "map<a, b> c "} {
		var problems diag.List
		Parse("a.sdp", "message M { "+strings.Repeat(item, count), &problems)
		if problems.Len() == 0 {
			t.Errorf("%q is accepted", item)
		}
	}
}
