// Package golang spells a plan in Go: types, encoders, decoders, checks, views
// and JSON. It knows no bytes beyond what the plan's ops say.
package golang

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang/layout"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Backend generates Go.
type Backend struct{}

// Name is "go".
func (Backend) Name() string { return "go" }

// The files of a package: the last three where they are asked for.
const (
	TypesFile    = "types.sdp.go"
	CodecFile    = "codec.sdp.go"
	MessagesFile = "messages.sdp.go"
	ViewFile     = "view.sdp.go"
	JSONFile     = "json.sdp.go"
	ServicesFile = "services.sdp.go"
)

// Generate makes the files of one Go package.
func (Backend) Generate(program *plan.Program, pkg *ir.Package, options backend.Options) ([]backend.File, *diag.List) {
	table, problems := names.Go.Check(pkg, names.Extras{Services: options.Services})
	if problems.HasErrors() {
		return nil, problems
	}
	g := &generator{types: newTypes(program, pkg, table), names: table, program: program, pkg: pkg, options: options}
	files := []backend.File{
		g.file(TypesFile, g.declarations),
		g.file(CodecFile, g.codecs),
	}
	if options.Has(backend.Views) {
		files = append(files, g.file(ViewFile, g.views))
	}
	if options.JSON {
		files = append(files, g.file(JSONFile, g.jsons))
	}
	files = append(files, g.file(MessagesFile, g.messages))
	if options.Services && len(pkg.Services) > 0 {
		g.types.reserved, g.types.imports = takenByServices, nil
		files = append(files, g.file(ServicesFile, g.services))
	}
	return files, problems
}

// generator makes one package. Each file is printed by its own Printer.
type generator struct {
	*emit.Printer
	types   *types
	names   *names.Table
	program *plan.Program
	pkg     *ir.Package
	options backend.Options
}

// file prints one file and gives it a header and the imports that its text
// uses.
func (g *generator) file(name string, body func()) backend.File {
	g.Printer = emit.NewPrinter("\t")
	body()
	code, named := layout.Code(g.String(), g.packages())

	head := emit.NewPrinter("\t")
	g.generatedLine(head)
	head.Line("")
	if name == TypesFile {
		g.packageDoc(head)
	}
	head.Line("package %s", names.Go.Package(g.pkg.Name))
	if imports := g.imports(named); len(imports) > 0 {
		head.Line("")
		head.Line("import (")
		for _, line := range imports {
			head.Line("%s", line)
		}
		head.Line(")")
	}
	content := layout.File([]byte(head.String()))
	if len(code) > 0 {
		content = append(append(content, '\n'), code...)
	}
	return backend.File{Name: name, Content: content}
}

var standardImports = []string{"encoding/binary", "io", "iter", "math", "slices", "strconv", "time"}

// packages are the names of the packages that code may name.
func (g *generator) packages() []string {
	all := []string{"sdp"}
	for _, path := range append([]string{"context"}, standardImports...) {
		all = append(all, packageName(path))
	}
	for _, pkg := range g.imported() {
		all = append(all, g.types.importName(pkg))
	}
	return all
}

func packageName(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// imports are the import lines for the packages that the code names: standard
// ones, then the runtime and the schema's imports.
func (g *generator) imports(names map[string]bool) []string {
	var standard, own []string
	wanted := standardImports
	if g.types.reserved != nil { // the file of services
		wanted = append([]string{"context"}, wanted...)
		own = append(own, fmt.Sprintf("mxp %q", mxpPath))
	}
	for _, path := range wanted {
		if names[packageName(path)] {
			standard = append(standard, fmt.Sprintf("%q", path))
		}
	}
	if names["sdp"] {
		own = append(own, fmt.Sprintf("sdp %q", g.options.Runtime))
	}
	for _, pkg := range g.imported() {
		if name := g.types.importName(pkg); names[name] {
			own = append(own, fmt.Sprintf("%s %q", name, g.options.Imports[pkg]))
		}
	}
	sort.Strings(own)
	if len(standard) > 0 && len(own) > 0 {
		standard = append(standard, "")
	}
	return append(standard, own...)
}

// imported are the packages that code of the file may name.
func (g *generator) imported() []*ir.Package { return importedBy(g.pkg, g.types.reserved != nil) }

// importedBy are the packages that the schema imports, and in the file of services also the
// packages of types that it knows by an import's alias.
func importedBy(pkg *ir.Package, services bool) []*ir.Package {
	var all []*ir.Package
	for _, i := range pkg.Imports {
		all = append(all, i.Package)
	}
	for _, s := range pkg.Services {
		for _, t := range lower.ServiceTypes(s) {
			if other := t.DeclPackage(); services && other != pkg && !slices.Contains(all, other) {
				all = append(all, other)
			}
		}
	}
	return all
}

// factorNote prints what decoding a type may allocate. The allocator's size
// classes may add a quarter.
func (g *generator) factorNote(d ir.Decl) {
	g.Line("//")
	g.Line("// Decoding n bytes allocates at most %d·n bytes and 64 KiB,", (g.types.Factor(d)*5+3)/4)
	g.Line("// and once, to name a refusal, at most 16 bytes for each byte of the layout.")
}
