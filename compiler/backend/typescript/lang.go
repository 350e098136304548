// Package typescript spells a plan in TypeScript: types, readers, writers and
// descriptors, from which the runtime derives what need not be fast. It knows no
// bytes beyond what the plan's ops say.
package typescript

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Backend generates TypeScript.
type Backend struct{}

// Name is "typescript".
func (Backend) Name() string { return "typescript" }

// Module is the name of a package's file without its ending.
func Module(pkg *ir.Package) string { return names.TypeScript.Package(pkg.Name) }

// generator makes one package.
type generator struct {
	*emit.Printer
	*types
	options backend.Options
}

// Generate makes the module of one package.
func (Backend) Generate(program *plan.Program, pkg *ir.Package, options backend.Options) ([]backend.File, *diag.List) {
	table, problems := names.TypeScript.Check(pkg, names.Extras{Services: options.Services})
	if problems.HasErrors() {
		return nil, problems
	}
	g := &generator{Printer: emit.NewPrinter("  "), types: newTypes(program, pkg, table), options: options}
	if g.numberProblems(problems); problems.HasErrors() {
		return nil, problems
	}
	g.declarations()
	for _, body := range program.Bodies(pkg) {
		g.reader(body)
		g.writer(body)
	}
	g.messages()
	if options.Services {
		g.services()
	}

	marked := g.String()
	if !options.JavaScript {
		return []backend.File{g.file(".ts", typeScript, marked)}, problems
	}
	return []backend.File{g.file(".js", javaScript, marked), g.file(".d.ts", declarations, marked)}, problems
}

// file is the package's file of an ending, which has a face of its code.
func (g *generator) file(ending string, f face, marked string) backend.File {
	text := strings.TrimRight(f.of(marked), "\n") + "\n"
	g.Printer = emit.NewPrinter("  ")
	g.head(f, text)
	return backend.File{Name: Module(g.pkg) + ending, Content: []byte(g.String() + text)}
}

// qualifiers are the names that stand before a dot, found in one pass: a schema may have many packages.
func qualifiers(text string) map[string]bool {
	found := map[string]bool{}
	for at := strings.IndexByte(text, '.'); at >= 0; {
		begin := at
		for begin > 0 && isWord(text[begin-1]) {
			begin--
		}
		found[text[begin:at]] = true
		next := strings.IndexByte(text[at+1:], '.')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return found
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// head prints what stands before the code: where it comes from, and its imports.
func (g *generator) head(f face, text string) {
	g.headComment(f)
	g.Line("/* eslint-disable */")
	if f == javaScript {
		g.Line("// @ts-nocheck: the types are in the declarations")
	}
	g.Line("")
	var imports []string
	if strings.Contains(text, "sdp.") {
		imports = append(imports, "import * as sdp from "+quote(g.options.Runtime)+";")
	}
	// Types that are known by an import's alias are of packages that the schema does not import.
	qualified := qualifiers(text)
	for _, pkg := range g.program.Schema.Packages {
		if name := g.importName(pkg); pkg != g.pkg && qualified[name] {
			imports = append(imports, "import * as "+name+" from "+quote(g.options.Imports[pkg])+";")
		}
	}
	for _, line := range imports {
		g.Line("%s", line)
	}
	if len(imports) > 0 {
		g.Line("")
	}
}
