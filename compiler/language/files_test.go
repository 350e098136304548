package language_test

import (
	"slices"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// A run finds by them what an earlier one has made.
func TestFilesAreAllThatIsMadeOfAPackage(t *testing.T) {
	const schema = "package desk.gain; @id(1) struct Gain { db: f32 } service Desk { call set(Gain) -> Gain = 1; }"
	program, problems := check.Program(check.Memory{"a.sdp": schema}, []string{"a.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatal(problems.Sorted()[0].Message)
	}
	pkg := program.Packages[0]
	for _, l := range language.All {
		var names []string
		for _, javaScript := range []bool{false, true} {
			options := backend.Options{
				Version: "test", Runtime: "sdp", Parts: generated.WithServices.Parts, Split: true, Imports: map[*ir.Package]string{pkg: "super::desk_gain"},
			}
			options.JavaScript = javaScript
			made, problems := l.Generate(plan.New(program), pkg, options)
			if problems.Len() > 0 {
				t.Fatal(problems.Sorted()[0].Message)
			}
			for _, f := range made {
				names = append(names, f.Name)
			}
		}
		known := l.Files(pkg)
		slices.Sort(names)
		slices.Sort(known)
		if !slices.Equal(slices.Compact(names), known) {
			t.Errorf("%s makes %q, and its files are %q", l.Name(), names, known)
		}
	}
}
