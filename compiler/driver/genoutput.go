package driver

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/compiler/tests"
)

// language adds the files of one output.
func (g *generation) language(o place.Output) error {
	made, _ := g.tool.languages().Find(o.Language)
	packages, err := g.packages(o)
	if err != nil || len(packages) == 0 {
		return err
	}
	at, err := made.Place(g.Batch, o, packages)
	if err != nil || g.Problems.HasErrors() {
		return err
	}
	options := backend.Options{
		Version: Version, Runtime: at.Runtime, Laid: at.Laid, Split: at.Split, Parts: parts(o), Imports: at.Imports,
	}
	for _, pkg := range packages {
		files, problems := made.Generate(g.program, pkg, options)
		g.Problems.Append(problems)
		for _, f := range files {
			g.RefuseForeign(filepath.Join(at.Folders[pkg], f.Name), at.Mark, "generate into another folder")
		}
		names := append(made.Files(pkg), tests.Files(made.Name(), pkg)...)
		if o.IsOn(place.Tests) && !problems.HasErrors() {
			done := g.tool.working(longAfter, "making tests of "+pkg.Name)
			more, err := tests.Generate(made.Name(), g.program, pkg, options, files)
			done()
			if err != nil {
				return err
			}
			for _, f := range more {
				g.RefuseForeign(filepath.Join(at.Folders[pkg], f.Name), "by sdp ", "generate into another folder")
			}
			files = append(files, more...)
		}
		if err := g.add(pkg, at.Folders[pkg], files); err != nil {
			return err
		}
		g.earlier = append(g.earlier, place.EarlierOf(pkg, at.Folders[pkg], names)...)
	}
	return g.AdviseLibrary(made, o, packages)
}

// parts are the parts that an output asks for.
func parts(o place.Output) backend.Parts {
	var forms []backend.Form
	for _, name := range language.Words(o.Option(place.Forms)) {
		forms = append(forms, backend.Form(name))
	}
	return backend.Parts{
		Forms: forms, JSON: o.IsOn(place.JSON), Serde: o.IsOn(place.Serde), Services: o.IsOn(place.Services),
		JavaScript: o.IsOn(place.JavaScript),
	}
}

// packages are the packages of an output: of the schemas that it names and of their imports; else
// all.
func (g *generation) packages(o place.Output) ([]*ir.Package, error) {
	if len(o.Schemas) == 0 {
		return g.program.Schema.Packages, nil
	}
	wanted := map[*ir.Package]bool{}
	var want func(pkg *ir.Package)
	want = func(pkg *ir.Package) {
		if !wanted[pkg] {
			wanted[pkg] = true
			for _, imported := range pkg.Imports {
				want(imported.Package)
			}
		}
	}
	for _, name := range o.Schemas {
		of, err := g.packagesOf(name)
		if err != nil {
			return nil, err
		}
		for _, pkg := range of {
			want(pkg)
		}
	}
	return slices.DeleteFunc(slices.Clone(g.program.Schema.Packages), func(pkg *ir.Package) bool { return !wanted[pkg] }), nil
}

// packagesOf are the packages of a schema, or of the schemas in a folder.
func (g *generation) packagesOf(name string) ([]*ir.Package, error) {
	root, err := disk{}.identity(name)
	if err != nil {
		return nil, err
	}
	var packages []*ir.Package
	for _, pkg := range g.program.Schema.Packages {
		path, err := disk{}.identity(pkg.Path)
		if err != nil {
			return nil, err
		}
		if path == root || strings.HasPrefix(path, root+string(filepath.Separator)) {
			packages = append(packages, pkg)
		}
	}
	if len(packages) == 0 && g.whole {
		g.Report(place.CodeOutput, "an output is of %s, which is no schema of the project", filepath.ToSlash(name)).
			WithHelp("name files and folders that `schemas` at the top names, or that lie in its folders")
	}
	return packages, nil
}
