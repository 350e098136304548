//go:build amd64 || arm64

package golang_test

import (
	"reflect"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
)

// roots lead to all types of the golden code.
var roots = []reflect.Type{
	reflect.TypeFor[plugins.PluginRegistry](), reflect.TypeFor[shapes.Everything](), reflect.TypeFor[shapes.Absent](),
	reflect.TypeFor[shapes.Late](), reflect.TypeFor[shapes.Log](), reflect.TypeFor[shapes.Sparse](), reflect.TypeFor[shapes.Tree](),
	reflect.TypeFor[shapes.Grid](), reflect.TypeFor[shapes.Empty](), reflect.TypeFor[shapes.EventChanged](),
}

// reached notes the named structs that a type leads to, by package and name.
func reached(t reflect.Type, found map[string]reflect.Type) {
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Pointer, reflect.Slice:
		reached(t.Elem(), found)
	case reflect.Struct:
		name := t.String()
		if found[name] != nil {
			return
		}
		found[name] = t
		for i := range t.NumField() {
			reached(t.Field(i).Type, found)
		}
	}
}

// TestValuesTakeWhatTheModelSays holds the sizes of golden types against the model
// of 64-bit machines, on which bounds on memory rest, and which decides what lies behind a
// pointer.
func TestValuesTakeWhatTheModelSays(t *testing.T) {
	found := map[string]reflect.Type{}
	for _, root := range roots {
		reached(root, found)
	}
	program := plan.New(generated.Shared(t))
	costs := memory.New(program, memory.Go)
	for _, pkg := range program.Schema.Packages {
		for _, body := range program.Bodies(pkg) {
			name := ir.FullName(body.Decl)
			if s, ok := body.Decl.(*ir.Struct); ok && s.Owner != nil {
				name = ir.FullName(s.Owner) + s.Name[len(s.Owner.Name)+1:]
			}
			switch typ := found[name]; {
			case typ == nil:
				t.Errorf("no root leads to %s", name)
			case uint64(typ.Size()) != costs.DeclSize(body.Decl):
				t.Errorf("%s takes %d bytes, and by the model %d", name, typ.Size(), costs.DeclSize(body.Decl))
			}
		}
	}
}
