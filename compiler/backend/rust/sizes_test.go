package rust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// TestSizesOfTheModelMatchGoldenFile writes what values take by the model that bounds
// on memory rest on. The crate of this folder holds their real sizes against it.
func TestSizesOfTheModelMatchGoldenFile(t *testing.T) {
	program := plan.New(generated.Shared(t))
	files := code.Must(t, program.Schema, generated.Whole)
	costs := memory.New(program, memory.Rust)
	var all strings.Builder
	all.WriteString("//! What values take in memory is at most what the generator's model says. Written by\n" +
		"//! `go test ./compiler/backend/rust -update`.\n\nuse golden::{plugins, shapes};\n\n")
	for _, pkg := range program.Schema.Packages {
		for _, body := range program.Bodies(pkg) {
			name := body.Decl.DeclName()
			if strings.Contains(name, ".") {
				continue // an inline alternative has no type of its own
			}
			forms := []string{name}
			if strings.Contains(files[pkg.Name+".rs"], " "+name+"Ref<'a> {") {
				forms = append(forms, name+"Ref<'static>")
			}
			for _, form := range forms {
				fmt.Fprintf(&all, "const _: () = assert!(size_of::<%s::%s>() <= %d);\n", pkg.Name, form, costs.DeclSize(body.Decl))
			}
		}
	}
	golden.Compare(t, "tests/golden/sizes.rs", all.String())
}
