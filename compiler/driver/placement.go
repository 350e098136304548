package driver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// placement knows how the users of one language lay out their code.
type placement interface {
	// runtime is the option of an output that names a runtime which is there
	// already.
	runtime(out *Output) *string
	// place says where the code of an output's packages goes and by what names it
	// finds its imports and its runtime. Unless a runtime is named, it lays one. What
	// it cannot accept it reports.
	place(g *generation, out Output, packages []*ir.Package) (placed, error)
	// library says what the project of a folder lacks for the code of services; the
	// zero value is nothing.
	library(dir string) (missingLibrary, error)
	// earlier lists what sdp made for an output in its folder, now or at some time.
	earlier(out Output) ([]earlierFile, error)
	// starter is what `sdp init` writes for the language.
	starter(dir, name string) ([]starterFile, error)
}

// placed is where the code of one output goes.
type placed struct {
	// folders are those of the packages' files.
	folders map[*ir.Package]string
	// runtime, laid, split and imports are as backend.Options has them.
	runtime string
	laid    bool
	split   bool
	imports map[*ir.Package]string
	// mark stands in the first line of each generated file, for a language where
	// they lie among the user's own. A file without it is not overwritten.
	mark string
}

// language adds the files of one output.
func (g *generation) language(out Output) error {
	made, _ := languageOf(out.Language)
	packages, err := g.packages(out)
	if err != nil || len(packages) == 0 {
		return err
	}
	at, err := made.place(g, out, packages)
	if err != nil || g.problems.HasErrors() {
		return err
	}
	options := backend.Options{Version: Version, Runtime: at.runtime, Laid: at.laid, Split: at.split, Services: out.Services, Imports: at.imports}
	for _, pkg := range packages {
		files, problems := made.Generate(g.program, pkg, options)
		g.problems.Append(problems)
		for _, f := range files {
			g.refuseForeign(filepath.Join(at.folders[pkg], f.Name), at.mark, "generate into another folder")
		}
		if err := g.add(pkg, at.folders[pkg], files); err != nil {
			return err
		}
	}
	return g.adviseLibrary(made, out, packages)
}

// packages are those that an output is of: of the schemas that it names, and what those
// import; else all.
func (g *generation) packages(out Output) ([]*ir.Package, error) {
	if len(out.Schemas) == 0 {
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
	for _, name := range out.Schemas {
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

// packagesOf are the packages of a schema, or of those in a folder.
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
		g.report(codeOutput, "an output is of %s, which is no schema of the project", filepath.ToSlash(name)).
			WithHelp("name files and folders that `schemas` at the top names, or that lie in its folders")
	}
	return packages, nil
}

// refuseForeign reports a file that is to be written where one without the mark
// is: somebody wrote it by hand. The way out is besides moving that file.
func (g *generation) refuseForeign(path, mark, wayOut string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !isMarked(path, mark) {
		g.report(codeInTheWay, "%s is there, and is no file that sdp wrote", filepath.ToSlash(path)).
			WithHelp("move it away, or " + wayOut)
	}
}
