// Package backend is the common part of the compiler's backends: their inputs and results. A
// backend spells a plan in one language; it decides nothing about bytes, reads no file and writes
// none.
package backend

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Backend makes the code of one language.
type Backend interface {
	// Name is the language as flags and config files name it.
	Name() string
	// Generate makes the files of one package. Its diagnostics refer to the schema; if an error is
	// among them, the files are not to be written.
	Generate(program *plan.Program, pkg *ir.Package, options Options) ([]File, *diag.List)
}

// Options are the facts that a backend cannot know from the schema.
type Options struct {
	// Version is the compiler's, for the header of each file.
	Version string
	// Runtime is what generated code imports the runtime by.
	Runtime string
	// Laid says that the runtime is laid beside the code. In some languages that
	// one has less than the published one.
	Laid bool
	// Split asks for a source file beside each header, in a language that has both.
	Split bool
	Parts
	// Imports is what generated code imports the packages of the schema's imports
	// by.
	Imports map[*ir.Package]string
}

// Form is one of the forms that a language has of the types of a schema.
type Form string

// The forms. All others rest on the owned one, which every language has.
const (
	Owned    Form = "owned"    // values in memory of their own
	Borrowed Form = "borrowed" // values whose texts and bytes lie in what they were decoded from
	Pooled   Form = "pmr"      // values with memory of a resource
	Views    Form = "views"    // windows on bytes, whose fields are read where they lie
)

// Parts are the parts of the generated code that a user chooses.
type Parts struct {
	Forms []Form
	// JSON asks for JSON and text.
	JSON bool
	// Serde asks, in Rust, for what other formats are read and written by.
	Serde bool
	// JavaScript asks, instead of TypeScript, for JavaScript and its declarations.
	JavaScript bool
	// Services asks for clients and servers of the services, which need the
	// language's MXP library.
	Services bool
}

// Has reports whether a form is asked for.
func (p Parts) Has(form Form) bool { return slices.Contains(p.Forms, form) }

// File is one generated file; Name is relative to the package's folder.
type File struct {
	Name    string
	Content []byte
}
