// Package python spells a plan in Python: classes with annotations, and the layout text from which the runtime makes
// what encodes and decodes their values. It knows no bytes.
package python

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Backend generates Python.
type Backend struct{}

// Name is "python".
func (Backend) Name() string { return "python" }

// Module is the name of a package's file without its ending.
func Module(pkg *ir.Package) string { return names.PythonModule(pkg.Name) }

// generator makes one package.
type generator struct {
	*emit.Printer
	*types
	costs   *memory.Costs
	options backend.Options
	schema  *ir.Schema
}

// Generate makes the module of one package.
func (Backend) Generate(program *plan.Program, pkg *ir.Package, options backend.Options) ([]backend.File, *diag.List) {
	table, problems := names.Python.Check(pkg, names.Extras{Services: options.Services})
	if problems.HasErrors() {
		return nil, problems
	}
	g := &generator{Printer: emit.NewPrinter("    "), types: &types{pkg: pkg, names: table}, options: options, schema: program.Schema}
	g.costs = memory.New(program, memory.Python)
	g.declarations()
	g.registration()
	code := g.String()
	g.Printer = emit.NewPrinter("    ")
	g.head(code)
	code = strings.Trim(code, "\n") + "\n"
	if strings.HasPrefix(code, "class ") {
		code = "\n" + code // two empty lines stand in front of a class
	}
	files := []backend.File{{Name: Module(pkg) + ".py", Content: []byte(g.String() + code)}}
	if options.Services {
		files = append(files, g.services()...)
	}
	return files, problems
}

// head prints what stands before the code: where it comes from, and its imports.
func (g *generator) head(code string) {
	g.headComment()
	g.Line("")
	g.Line("from __future__ import annotations")
	g.Line("")
	standard := 0
	for _, module := range []string{"builtins", "typing", "uuid"} {
		if strings.Contains(code, module+".") {
			g.Line("import %s", module)
			standard++
		}
	}
	if standard > 0 {
		g.Line("")
	}
	g.Line("%s", g.options.Runtime)
	for _, pkg := range g.schema.Packages {
		if name := g.importName(pkg); pkg != g.pkg && g.options.Imports[pkg] != "" && strings.Contains(code, name+".") {
			g.Line("%s as %s", g.options.Imports[pkg], name)
		}
	}
	g.Line("")
}
