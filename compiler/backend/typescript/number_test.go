package typescript_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/typescript"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

func TestNumbersAreAskedForWhereThereAreWideIntegers(t *testing.T) {
	code := generated.Code{Backend: typescript.Backend{}, Runtime: "./sdp/index.js", Import: func(*ir.Package) string { return "" }}
	for _, c := range []struct{ text, says string }{
		{"struct S { @x.ts(number) a: u64, @x.ts(number) b: []?i64, @x.other(number) c: u8, @x.ts.more d: u8 }", ""},
		{"message S { z: u8, @since(2) @x.ts(number) a: u64 = 9007199254740991, @since(2) @x.ts(number) b: i64 = -9007199254740991 }", ""},
		{"message S { z: u8, @since(2) @x.ts(number) a: u64 = 9007199254740992 }", "default is beyond 2^53-1"},
		{"message S { z: u8, @since(2) @x.ts(number) a: u64 = 18446744073709551615 }", "default is beyond 2^53-1"},
		{"message S { z: u8, @since(2) @x.ts(number) a: i64 = -9007199254740992 }", "default is beyond 2^53-1"},
		{"message S { a: u8, @since(2) @x.ts(number) b: ?u64 = 9007199254740992 }", "default is beyond 2^53-1"},
		{"struct S { @x.ts(number) a: u32 }", "without a u64 or i64 of its own"},
		{"struct S { @x.ts(number) a: timestamp }", "without a u64 or i64 of its own"},
		{"enum E: u64 { A = 0 } struct S { @x.ts(number) a: E }", "without a u64 or i64 of its own"},
		{"@x.ts(number) type T = u64; struct S { a: T }", "without a u64 or i64 of its own"},
		{"@x.ts(number) const C: u64 = 1;", "without a u64 or i64 of its own"},
		{"@x.ts(number) struct S { a: u64 }", "without a u64 or i64 of its own"},
		{"enum E: u64 { @x.ts(number) A = 0 }", "without a u64 or i64 of its own"},
		{"union U { @x.ts(number) A = 1 }", "without a u64 or i64 of its own"},
		{"struct S { a: u64 } @x.ts(number) service A { call f(S) -> S = 1; }", "without a u64 or i64 of its own"},
		{"struct S { a: u64 } service A { @x.ts(number) call f(S) -> S = 1; }", "without a u64 or i64 of its own"},
		{"union U { @x.ts(number) A { a: u64 } = 1 }", "without a u64 or i64 of its own"},
		{"struct S { @x.ts(bigint) a: u64 }", "something other than `number`"},
		{"struct S { @x.ts a: u64 }", "something other than `number`"},
		{"struct S { @x.ts(number, number) a: u64 }", "something other than `number`"},
		{"struct S { @x.ts(as = number) a: u64 }", "something other than `number`"},
		{"struct S { @x.ts(number) @x.ts(number) a: u64 }", "twice"},
	} {
		schema := generated.Checked(t, check.Memory{"a.sdp": "package a; " + c.text}, "a.sdp")
		_, problems := code.Of(schema, backend.Options{Parts: backend.Parts{Forms: []backend.Form{backend.Owned}}})
		switch {
		case c.says == "" && problems.Len() > 0:
			t.Errorf("%s: %s", c.text, problems.Sorted()[0].Message)
		case c.says != "" && (problems.Len() != 1 || problems.Sorted()[0].Code != "T0103" || !strings.Contains(problems.Sorted()[0].Message, c.says)):
			t.Errorf("%s: %d problems, want one that says %s", c.text, problems.Len(), c.says)
		}
	}
}
