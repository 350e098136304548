package typescript_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/typescript"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// A type that is known by an import's alias is of a package that the schema does not import.
func TestPackagesOfAliasedTypesAreImported(t *testing.T) {
	schema := generated.Checked(t, check.Memory{
		"c.sdp": "package c;\nstruct Y { a: u8 }\nenum K: u8 { A = 0 }\n",
		"b.sdp": "package b;\nimport \"c.sdp\" as c;\ntype X = c.Y;\ntype L = c.K;\n",
		"a.sdp": "package a;\nimport \"b.sdp\" as b;\nstruct S { x: b.X, l: []b.L }\n",
	}, "a.sdp")
	code := generated.Code{
		Backend: typescript.Backend{}, Runtime: "./sdp/index.js",
		Import: func(pkg *ir.Package) string { return "./" + typescript.Module(pkg) + ".js" },
	}
	files, problems := code.Of(schema, backend.Options{Parts: backend.Parts{Forms: []backend.Form{backend.Owned}}})
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	named := map[string]bool{}
	for _, found := range regexp.MustCompile(`\b(\w+\$)\.`).FindAllStringSubmatch(files["a.ts"], -1) {
		named[found[1]] = true
	}
	if !named["b$"] || !named["c$"] {
		t.Errorf("the code names the packages %v", named)
	}
	for name := range named {
		if line := "import * as " + name + " from \"./" + strings.TrimSuffix(name, "$") + ".js\";\n"; strings.Count(files["a.ts"], line) != 1 {
			t.Errorf("%s is not imported once", name)
		}
	}
}

// TestManyPackagesTakeNoLongerThanTheirCode allows far more than is needed, and far less than it takes
// to look through the code of each package for each other.
func TestManyPackagesTakeNoLongerThanTheirCode(t *testing.T) {
	const packages = 200
	files := check.Memory{}
	var roots []string
	for i := range packages {
		var text strings.Builder
		fmt.Fprintf(&text, "package p%d;\n", i)
		if i > 0 {
			fmt.Fprintf(&text, "import \"p%d.sdp\" as before;\nstruct Holds { a: before.M0 }\n", i-1)
		}
		for n := range 10 {
			fmt.Fprintf(&text, "message M%d { a: u32, b: str, c: f64, d: []u16 }\n", n)
		}
		name := fmt.Sprintf("p%d.sdp", i)
		files[name], roots = text.String(), append(roots, name)
	}
	schema := generated.Checked(t, files, roots...)
	code := generated.Code{
		Backend: typescript.Backend{}, Runtime: "./sdp/index.js",
		Import: func(pkg *ir.Package) string { return "./" + typescript.Module(pkg) + ".js" },
	}
	begun := time.Now()
	made, problems := code.Of(schema, backend.Options{Parts: backend.Parts{Forms: []backend.Form{backend.Owned}, JSON: true}})
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("%d packages took %v", packages, took)
	}
	for i := 1; i < packages; i++ {
		if text := made[fmt.Sprintf("p%d.ts", i)]; strings.Count(text, "import * as p") != 1 {
			t.Fatalf("package %d does not import the one before it alone", i)
		}
	}
}
