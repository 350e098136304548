package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/lint"
)

// TestFieldsInAnyOrderAreLinted goes through all orders of up to three fields, some of
// which have no bytes, in each body that has fields.
func TestFieldsInAnyOrderAreLinted(t *testing.T) {
	types := []string{"E", "Deep", "u8", "str", "?u8", "M"}
	const declared = "package s; struct E {} struct Deep { a: E, b: E } message M { a: u8 } union U { A = 1, B(E) = 2 } "
	var orders func(fields []string)
	var bodies []string
	orders = func(fields []string) {
		if len(fields) > 0 {
			bodies = append(bodies, strings.Join(fields, ", "))
		}
		if len(fields) == 3 {
			return
		}
		for _, typ := range types {
			orders(append(fields[:len(fields):len(fields)], fmt.Sprintf("f%d: %s", len(fields), typ)))
		}
	}
	orders(nil)
	var text strings.Builder
	text.WriteString(declared)
	for i, body := range bodies {
		fmt.Fprintf(&text, "struct S%d { %s } message M%d { a: str, @since(2) x: u8, @since(2) %s } union U%d { A { %s } = 1 }\n",
			i, body, i, strings.ReplaceAll(body, ", ", ", @since(2) "), i, body)
	}
	render(t, run(t, text.String(), everything))
	for text, want := range map[string]bool{
		"struct S { a: u8, b: str, e: E }":                  false,
		"struct S { e: E, b: str, a: u8 }":                  false,
		"struct S { a: u8, b: str, e: E, c: str, d: Deep }": false,
		"struct S { a: u8, b: str, e: E, c: str, d: u8 }":   true,
	} {
		list := run(t, declared+text, lint.Options{})
		if got := strings.Contains(render(t, list), "could be decoded together"); got != want {
			t.Errorf("%s: advised %v, want %v", text, got, want)
		}
	}
}
