package compat_test

import (
	"slices"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// TestFilesThatComeAndGoAreComparedWhole compares with a release that has one of two
// files: what is no type has no partner in another file either.
func TestFilesThatComeAndGoAreComparedWhole(t *testing.T) {
	files := check.Memory{
		"a.sdp": "package a; struct A { x: u8 }",
		"b.sdp": "package b; const N: u8 = 3; type Alias = u8; struct B { x: str } service Desk { event set(B) = 1; }",
	}
	release := func(roots ...string) *ir.Schema {
		schema, problems := check.Program(files, roots, format.Canonical)
		if problems.HasErrors() {
			t.Fatal(problems.Sorted()[0].Message)
		}
		return schema
	}
	said := func(before, after *ir.Schema) (all []string, broken int) {
		report := compat.Compare(before, after, language.All.Compared(), compat.Bytes)
		for _, c := range report.Changes {
			all = append(all, c.Subject+" "+c.What)
		}
		return all, report.Breaking()
	}
	one, two := release("a.sdp"), release("a.sdp", "b.sdp")
	gone, broken := said(two, one)
	if want := []string{"N removed, a constant", "Alias removed, an alias", "Desk removed, a service", "B removed, a struct"}; !slices.Equal(gone, want) || broken != 2 {
		t.Errorf("a file that is gone: %q, %d break", gone, broken)
	}
	came, broken := said(one, two)
	if want := []string{"N added, a constant", "Alias added, an alias", "Desk added, a service", "B added, a struct"}; !slices.Equal(came, want) || broken != 0 {
		t.Errorf("a file that came: %q, %d break", came, broken)
	}
}
