package typescript_test

import (
	"regexp"
	"strings"
	"testing"

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
		named[found[1]] = found[1] != "into$" // a parameter
	}
	if !named["b$"] || !named["c$"] {
		t.Errorf("the code names the packages %v", named)
	}
	for name, isPackage := range named {
		if !isPackage {
			continue
		}
		if line := "import * as " + name + " from \"./" + strings.TrimSuffix(name, "$") + ".js\";\n"; strings.Count(files["a.ts"], line) != 1 {
			t.Errorf("%s is not imported once", name)
		}
	}
}
