package golang_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/plugins"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// codecs are the interpreter's, by the types' full names. It was written apart
// from the generated code and says what that must do.
var codecs = sync.OnceValue(func() map[string]*interp.Codec {
	files := check.Memory{}
	var roots []string
	for _, name := range []string{"plugins.sdp", "shapes.sdp"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			panic(err)
		}
		files[name] = string(text)
		roots = append(roots, name)
	}
	schema, problems := check.Program(files, roots, format.Canonical)
	if problems.HasErrors() {
		panic(problems.Sorted()[0].Message)
	}
	program := plan.New(schema)
	all := map[string]*interp.Codec{}
	for _, pkg := range schema.Packages {
		for _, d := range pkg.Decls {
			if c, err := interp.New(program, d); err == nil {
				all[pkg.Name+"."+d.DeclName()] = c
			}
		}
	}
	return all
})

// subject is a type whose decoders are compared.
type subject struct {
	name   string // in the schema
	layout string
	factor uint64 // as the type's comment says
	empty  func() value
	view   func(data []byte, options sdp.DecodeOptions) error
}

var (
	everythingSubject = subject{
		"shapes.Everything", shapes.EverythingLayout(), 30, func() value { return new(shapes.Everything) },
		func(data []byte, o sdp.DecodeOptions) error { _, err := shapes.ViewEverythingWith(data, o); return err },
	}
	registrySubject = subject{
		"plugins.PluginRegistry", plugins.PluginRegistryLayout(), 16, func() value { return new(plugins.PluginRegistry) },
		func(data []byte, o sdp.DecodeOptions) error {
			_, err := plugins.ViewPluginRegistryWith(data, o)
			return err
		},
	}
	logSubject = subject{
		"shapes.Log", shapes.LogLayout(), 13, func() value { return new(shapes.Log) },
		func(data []byte, o sdp.DecodeOptions) error { _, err := shapes.ViewLogWith(data, o); return err },
	}
	sparseSubject = subject{
		"shapes.Sparse", shapes.SparseLayout(), 84, func() value { return new(shapes.Sparse) },
		func(data []byte, o sdp.DecodeOptions) error { _, err := shapes.ViewSparseWith(data, o); return err },
	}
	treeSubject = subject{
		"shapes.Tree", shapes.TreeLayout(), 8, func() value { return new(shapes.Tree) },
		func(data []byte, o sdp.DecodeOptions) error { _, err := shapes.ViewTreeWith(data, o); return err },
	}
	gridSubject = subject{
		"shapes.Grid", shapes.GridLayout(), 8, func() value { return new(shapes.Grid) },
		func(data []byte, o sdp.DecodeOptions) error { _, err := shapes.ViewGridWith(data, o); return err },
	}
	nodeSubject = subject{
		"shapes.Node", shapes.NodeLayout(), 5, func() value { return new(shapes.Node) },
		func(data []byte, o sdp.DecodeOptions) error { _, err := shapes.ViewNodeWith(data, o); return err },
	}
	subjects = []subject{everythingSubject, registrySubject, logSubject, sparseSubject, treeSubject, gridSubject, nodeSubject}
)

// refusal is an error as kind, offset and path; empty for none.
func refusal(err error) string {
	var ours *sdp.Error
	var theirs *interp.Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &ours):
		return fmt.Sprintf("%v at byte %d in %q", ours.Kind, ours.Offset, ours.Path)
	case errors.As(err, &theirs):
		return fmt.Sprintf("%v at byte %d in %q", theirs.Kind, theirs.Offset, theirs.Path)
	}
	return "not a refusal: " + err.Error()
}

// agree decodes data in all ways that must agree and returns what they say.
func (s *subject) agree(t testing.TB, data []byte, exact bool) string {
	t.Helper()
	_, err := codecs()[s.name].Walk(interp.FromBytes(data), interp.Options{Exact: exact}, func(*interp.Event) error { return nil })
	want := refusal(err)
	options := sdp.DecodeOptions{Exact: exact}
	mode := sdp.ModeWhole
	if exact {
		mode = sdp.ModeExact
	}
	explained := ""
	if err := sdp.Explain(s.layout, data, 0, mode, sdp.Limits{}, -1); err != nil {
		explained = refusal(err)
	}
	for way, got := range map[string]string{
		"decoding": refusal(s.empty().DecodeWith(data, options)),
		"aliasing": refusal(s.empty().DecodeWith(data, sdp.DecodeOptions{Exact: exact, AliasInput: true})),
		"the view": refusal(s.view(data, options)),
		"the walk": explained,
	} {
		if got != want {
			t.Errorf("%s, exact %v: %s of % .60x… (%d bytes) says %q, the interpreter %q", s.name, exact, way, data, len(data), got, want)
		}
	}
	return want
}
