package golang_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
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
	everythingSubject = subjectOf[shapes.Everything]("shapes.Everything", shapes.EverythingLayout(), 30, shapes.ViewEverythingWith)
	registrySubject   = subjectOf[plugins.PluginRegistry]("plugins.PluginRegistry", plugins.PluginRegistryLayout(), 16, plugins.ViewPluginRegistryWith)
	logSubject        = subjectOf[shapes.Log]("shapes.Log", shapes.LogLayout(), 13, shapes.ViewLogWith)
	sparseSubject     = subjectOf[shapes.Sparse]("shapes.Sparse", shapes.SparseLayout(), 84, shapes.ViewSparseWith)
	treeSubject       = subjectOf[shapes.Tree]("shapes.Tree", shapes.TreeLayout(), 8, shapes.ViewTreeWith)
	gridSubject       = subjectOf[shapes.Grid]("shapes.Grid", shapes.GridLayout(), 8, shapes.ViewGridWith)
	nodeSubject       = subjectOf[shapes.Node]("shapes.Node", shapes.NodeLayout(), 5, shapes.ViewNodeWith)

	// subjects are the types in the order that inputs of fuzzing choose by, which is the same in every language. The
	// one without a name has no codec of its own in Go.
	subjects = []subject{
		subjectOf[plugins.Parameter]("plugins.Parameter", plugins.ParameterLayout(), 3, plugins.ViewParameterWith),
		subjectOf[plugins.Plugin]("plugins.Plugin", plugins.PluginLayout(), 4, plugins.ViewPluginWith),
		registrySubject,
		subjectOf[shapes.Scalars]("shapes.Scalars", shapes.ScalarsLayout(), 3, shapes.ViewScalarsWith),
		subjectOf[shapes.Point]("shapes.Point", shapes.PointLayout(), 3, shapes.ViewPointWith),
		subjectOf[shapes.Large]("shapes.Large", shapes.LargeLayout(), 3, shapes.ViewLargeWith),
		nodeSubject,
		subjectOf[shapes.Settings]("shapes.Settings", shapes.SettingsLayout(), 3, shapes.ViewSettingsWith),
		subjectOf[shapes.Kept]("shapes.Kept", shapes.KeptLayout(), 3, shapes.ViewKeptWith),
		subjectOf[shapes.Event]("shapes.Event", shapes.EventLayout(), 4, shapes.ViewEventWith),
		{},
		subjectOf[shapes.Choice]("shapes.Choice", shapes.ChoiceLayout(), 3, shapes.ViewChoiceWith),
		everythingSubject,
		subjectOf[shapes.Absent]("shapes.Absent", shapes.AbsentLayout(), 3, shapes.ViewAbsentWith),
		subjectOf[shapes.Late]("shapes.Late", shapes.LateLayout(), 14, shapes.ViewLateWith),
		logSubject, sparseSubject, treeSubject, gridSubject,
		subjectOf[shapes.Empty]("shapes.Empty", shapes.EmptyLayout(), 3, shapes.ViewEmptyWith),
	}
)

// subjectOf is a type with its codec and its view.
func subjectOf[T, V any, P interface {
	*T
	value
}](name, layout string, factor uint64, view func([]byte, sdp.DecodeOptions) (V, error)) subject {
	return subject{name, layout, factor, func() value { return P(new(T)) }, func(data []byte, o sdp.DecodeOptions) error {
		_, err := view(data, o)
		return err
	}}
}

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
