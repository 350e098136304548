package plugin

import (
	"reflect"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/spec"
)

// declared are the types of spec/plugin.sdp by their names.
func declared(t *testing.T) map[string]ir.Decl {
	t.Helper()
	schema, problems := check.Program(check.Memory{"plugin.sdp": spec.Plugin}, []string{"plugin.sdp"}, func(*syntax.File) string { return "" })
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	all := map[string]ir.Decl{}
	for _, d := range schema.Roots[0].Decls {
		all[d.DeclName()] = d
	}
	return all
}

func TestStructuresHaveWhatTheSchemaHas(t *testing.T) {
	all, seen := declared(t), map[string]bool{}
	var compare func(of reflect.Type, is *ir.Type)
	compare = func(of reflect.Type, is *ir.Type) {
		switch is.Kind {
		case ir.OptionalKind, ir.ListKind:
			kind := map[ir.Kind]reflect.Kind{ir.OptionalKind: reflect.Pointer, ir.ListKind: reflect.Slice}[is.Kind]
			if of.Kind() != kind {
				t.Errorf("%s stands for a %s", of, is.Kind)
				return
			}
			compare(of.Elem(), is.Elem)
		case ir.StructKind, ir.MessageKind, ir.UnionKind:
			if !strings.EqualFold(of.Name(), is.Decl.DeclName()) {
				t.Errorf("%s stands for %s", of, is.Decl.DeclName())
			}
			if seen[of.Name()] {
				return
			}
			seen[of.Name()] = true
			parts := map[string]*ir.Type{}
			for _, f := range ir.FieldsOf(is.Decl) {
				parts[f.Name] = f.Type
			}
			if is.Kind == ir.UnionKind {
				for _, a := range is.Union().Alternatives {
					parts[a.Name] = &ir.Type{Kind: ir.OptionalKind, Elem: a.Type}
				}
			}
			if len(parts) != of.NumField() {
				t.Errorf("%s has %d fields, and the schema %d", of, of.NumField(), len(parts))
			}
			for name, part := range parts {
				compare(named(reflect.New(of).Elem(), name).Type(), part)
			}
		case ir.MapKind:
			if of != reflect.TypeFor[map[string]string]() || is.Key.Kind != ir.StrKind || is.Elem.Kind != ir.StrKind {
				t.Errorf("%s stands for a map", of)
			}
		case ir.StrKind:
			if of.Kind() != reflect.String {
				t.Errorf("%s stands for a str", of)
			}
		case ir.BytesKind:
			if of != reflect.TypeFor[[]byte]() {
				t.Errorf("%s stands for bytes", of)
			}
		default:
			wanted := map[ir.Kind]reflect.Kind{
				ir.Bool: reflect.Bool, ir.U8: reflect.Uint8, ir.U16: reflect.Uint16, ir.U32: reflect.Uint32, ir.U64: reflect.Uint64,
				ir.I64: reflect.Int64, ir.F64: reflect.Float64,
			}[is.Scalar()]
			if of.Kind() != wanted {
				t.Errorf("%s stands for a %s", of, is.Scalar())
			}
		}
	}
	for _, message := range []reflect.Type{reflect.TypeFor[Request](), reflect.TypeFor[Response]()} {
		d := all[message.Name()]
		compare(message, &ir.Type{Kind: ir.KindOf(d), Decl: d})
	}
	for name, d := range all {
		if _, isEnum := d.(*ir.Enum); !isEnum && !seen[strings.Replace(name, "TypeId", "TypeID", 1)] {
			t.Errorf("%s is part of no message", name)
		}
	}
}

// TestNumbersAreThoseOfTheSchema holds tables against the enums.
func TestNumbersAreThoseOfTheSchema(t *testing.T) {
	all := declared(t)
	members := all["Kind"].(*ir.Enum).Members
	if len(members) != len(kinds) {
		t.Errorf("Kind has %d members, and there are %d kinds", len(members), len(kinds))
	}
	for _, m := range members {
		if kind := kinds[Kind(m.Number)]; kind.String() != names.Snake(names.Words(m.Name)) || kindOf(kind) != Kind(m.Number) {
			t.Errorf("Kind.%s is %s", m.Name, kind)
		}
	}
	features := all["Feature"].(*ir.Enum).Members
	if len(features) != len(AllFeatures()) || len(features) != len(featureTexts) {
		t.Errorf("Feature has %d members, and %d are known", len(features), len(AllFeatures()))
	}
	for _, m := range features {
		if featureTexts[Feature(m.Number)] == "" {
			t.Errorf("Feature.%s is not known", m.Name)
		}
	}
	for i, m := range all["MethodKind"].(*ir.Enum).Members {
		if m.Number != int64(i) || m.Name != []string{ir.Call: "Call", ir.Stream: "Stream", ir.Event: "Event"}[i] {
			t.Errorf("MethodKind.%s is %d", m.Name, m.Number)
		}
	}
	for _, m := range all["Severity"].(*ir.Enum).Members {
		if (m.Name == "Error") != (m.Number == severityError) {
			t.Errorf("Severity.%s is %d", m.Name, m.Number)
		}
	}
}
