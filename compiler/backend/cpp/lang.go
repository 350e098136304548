// Package cpp spells a plan in C++: types, codecs, views. It knows no bytes beyond
// what the plan's ops say.
package cpp

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Backend generates C++.
type Backend struct{}

// Name is "cpp".
func (Backend) Name() string { return "cpp" }

// Generate makes the header of one package, and perhaps a source file and a header
// of its services.
func (Backend) Generate(program *plan.Program, pkg *ir.Package, options backend.Options) ([]backend.File, *diag.List) {
	table, problems := names.Cpp.Check(pkg, names.Extras{Services: generatesServices(pkg, options)})
	if problems.HasErrors() {
		return nil, problems
	}
	g := &generator{
		Printer: emit.NewPrinter("    "),
		types:   newTypes(program, pkg, table),
		names:   table,
		program: program,
		pkg:     pkg,
		Parts:   options.Parts,
	}
	g.order()
	g.head(options)
	g.namespace(Namespace(pkg), func() {
		g.constants()
		g.forward()
		g.typeDecls(owned)
		g.typeDecls(borrowed)
	})
	if g.Has(backend.Pooled) {
		g.namespace(Namespace(pkg)+"::pmr", func() { g.typeDecls(pooled) })
	}
	g.namespace(Namespace(pkg)+"::detail", func() {
		g.Line("namespace wire = ::sdp::wire;")
		g.Line("")
		for _, d := range g.codecs() {
			g.codec(d)
		}
	})
	if g.Has(backend.Pooled) {
		g.namespace(Namespace(pkg)+"::pmr", func() { g.equalities(pooled) })
	}
	g.namespace(Namespace(pkg), func() {
		g.equalities(owned, borrowed)
		g.Line("")
		if g.Has(backend.Views) {
			g.views()
		}
		g.messages()
	})
	if options.Split {
		g.Line("// The types of %s.", Source(pkg))
		g.instantiations("extern template")
	}
	g.foot()
	text := strings.TrimRight(g.String(), "\n") + "\n"
	files := []backend.File{{Name: Header(pkg), Content: []byte(text)}}
	if options.Split {
		files = append(files, g.source(options))
	}
	if generatesServices(pkg, options) {
		files = append(files, g.services(options))
	}
	return files, problems
}

// generator makes one header.
type generator struct {
	*emit.Printer
	backend.Parts
	types   *types
	names   *names.Table
	program *plan.Program
	pkg     *ir.Package
	// decls are the declarations that aren't enums, each behind the declarations that its values
	// lie in.
	decls []ir.Decl
	// begun are the types of the form that is printed whose definition has begun.
	begun map[ir.Decl]bool
	// runs is how many runs a codec's function has read.
	runs int
}

// head prints what stands before the types.
func (g *generator) head(options backend.Options) {
	g.generatedLine(options)
	g.Line("")
	g.packageDoc()
	runtime := options.Runtime
	if options.Split {
		runtime = path.Join(path.Dir(runtime), splitRuntime)
	}
	g.Emit(emit.Vars{"runtime": quote(runtime), "GUARD": guard(g.pkg)}, `
		#ifndef $GUARD$
		#define $GUARD$

		#include <array>
		#include <cstddef>
		#include <cstdint>
		#include <map>
		#include <memory_resource>
		#include <optional>
		#include <string>
		#include <string_view>
		#include <variant>
		#include <vector>

		#include $runtime$
	`)
	var imports []string
	for _, i := range g.pkg.Imports {
		imports = append(imports, options.Imports[i.Package])
	}
	sort.Strings(imports)
	for _, name := range imports {
		g.Line("#include %s", quote(name))
	}
	g.Line("")
	if ir.DeprecatesTypes(g.program.Schema) {
		g.ignoreDeprecated()
	}
}

// ignoreDeprecated and mindDeprecated stand around code that uses what the schema
// deprecates.
func (g *generator) ignoreDeprecated() {
	g.Emit(nil, `
		// Deprecated members of the schema are still encoded and decoded.
		#if defined(__GNUC__)
		#pragma GCC diagnostic push
		#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
		#endif

	`)
}

func (g *generator) mindDeprecated() {
	g.Emit(nil, `
		#if defined(__GNUC__)
		#pragma GCC diagnostic pop
		#endif

	`)
}

// foot prints what stands behind everything.
func (g *generator) foot() {
	if ir.DeprecatesTypes(g.program.Schema) {
		g.mindDeprecated()
	}
	g.Line("#endif  // %s", guard(g.pkg))
}

// guard names the macro that keeps a package from being declared twice. Two
// libraries may each bring a copy of the same header, which "#pragma once" would
// take for two; of different releases of a package, the compiler is to complain.
func guard(pkg *ir.Package) string {
	words := strings.FieldsFunc(strings.ToUpper(pkg.Name), func(r rune) bool { return r == '.' || r == '_' })
	return fmt.Sprintf("SDP_%s_%016X_HPP", strings.Join(words, "_"), plan.SourceFingerprint(pkg))
}

// namespace prints a namespace with its content.
func (g *generator) namespace(name string, body func()) {
	g.Line("namespace %s {", name)
	g.Line("")
	body()
	g.Line("}  // namespace %s", name)
	g.Line("")
}

// codecs are the declarations in the order of their codecs: codecs of fixed size use the codecs of
// their parts.
func (g *generator) codecs() []ir.Decl {
	var decls []ir.Decl
	for _, d := range g.pkg.Decls {
		if _, isEnum := d.(*ir.Enum); isEnum {
			decls = append(decls, d)
		}
	}
	for _, d := range g.decls {
		decls = append(decls, ir.WithInline(d)...)
	}
	return decls
}
