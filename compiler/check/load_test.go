package check_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
)

func TestPackagesComeBehindTheirImportsOnce(t *testing.T) {
	schema := schemaOf(t, `import "d/a.sdp"; import "d/../d/b.sdp" as c; struct T { a: a.A, b: c.B }`,
		"d/a.sdp", `import "b.sdp"; struct A { b: b.B }`, "d/b.sdp", `struct B { a: u8 }`)
	var names []string
	for _, p := range schema.Packages {
		names = append(names, p.Name+" "+p.Path)
	}
	want := []string{"b d/b.sdp", "a d/a.sdp", "t t.sdp"}
	if !reflect.DeepEqual(names, want) || len(schema.Roots) != 1 || schema.Roots[0] != schema.Packages[2] {
		t.Errorf("packages %q, want %q", names, want)
	}
	root := schema.Roots[0]
	if structNamed(t, root, "T").Fields[1].Type.Decl != declNamed(schema.Packages[0], "B") {
		t.Error("one file reached by two paths is two packages")
	}
}

func TestPackageIsNamedAfterItsFile(t *testing.T) {
	for file, want := range map[string]string{
		"plugins.sdp": "plugins", "dir/a-b.c.sdp": "a_b_c", "1st.sdp": "_1st", "é.sdp": "_", "-": "_", "x": "x",
	} {
		schema, _ := compile(check.Memory{file: ""}, file)
		if schema == nil || schema.Roots[0].Name != want {
			t.Errorf("%s is package %+v, want %s", file, schema, want)
		}
	}
}

func TestImportNameIsTheLastPartOfThePackage(t *testing.T) {
	p := packageOf(t, `import "o.sdp"; struct S { a: common.T }`, "o.sdp", "package audio.common; struct T { a: u8 }")
	if p.Imports[0].Name != "common" || p.Imports[0].Package.Name != "audio.common" {
		t.Errorf("import %+v", p.Imports[0])
	}
}

func TestRootsAreKeptInTheOrderAsked(t *testing.T) {
	schema, problems := check.Program(check.Memory{"a.sdp": `import "b.sdp";`, "b.sdp": ""}, []string{"a.sdp", "b.sdp", "a.sdp"}, format.Canonical)
	if schema == nil {
		t.Fatal(render(t, problems, "a.sdp"))
	}
	if len(schema.Roots) != 2 || schema.Roots[0].Name != "a" || schema.Roots[1].Name != "b" || schema.Packages[0].Name != "b" {
		t.Errorf("roots %v, packages %v", schema.Roots, schema.Packages)
	}
}

func TestRootThatIsNotThereHasNoPlace(t *testing.T) {
	schema, problems := compile(check.Memory{}, "a.sdp")
	if schema != nil || problems.Len() != 1 {
		t.Fatalf("%d problems", problems.Len())
	}
	if d := problems.Sorted()[0]; d.Code != "S0201" || !d.Span.IsZero() || !strings.Contains(d.Message, `"a.sdp"`) {
		t.Errorf("%s at %s: %s", d.Code, d.Span, d.Message)
	}
}

// unreadable is files that are there and cannot be read.
type unreadable struct{ check.Memory }

func (unreadable) Read(string) (string, error) { return "", errors.New("permission denied") }

func TestFileThatCannotBeReadIsOneProblem(t *testing.T) {
	schema, problems := compile(unreadable{check.Memory{"a.sdp": ""}}, "a.sdp", "a.sdp")
	if schema != nil || problems.Len() != 1 || !strings.Contains(problems.Sorted()[0].Message, "permission denied") {
		t.Errorf("problems:\n%s", render(t, problems, "a.sdp"))
	}
}
