package api

import (
	"fmt"
	"path"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/backend/python"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust"
	"github.com/serial-data-protocol/sdp/compiler/backend/typescript"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// Project is the name of the project that the code is placed in, which is its Go module, too.
const Project = "playground"

// placement is where packages go, and by what names they find each other and their runtime.
// Package place finds the same by looking at folders, of which a page has none.
type placement struct {
	folders map[*ir.Package]string
	imports map[*ir.Package]string
	runtime string
}

// spot is where a language has a package, in the folder of its starter, and what imports it.
type spot struct{ folder, imported string }

// spots has for each language how it places a package, and what its runtime is called.
var spots = map[string]struct {
	of      func(dir string, pkg *ir.Package) spot
	runtime func(dir string) string
}{
	"go": {
		func(dir string, pkg *ir.Package) spot {
			folder := path.Join(dir, golang.Folder(pkg))
			return spot{folder, path.Join(Project, folder)}
		},
		func(dir string) string { return path.Join(Project, dir, "sdp") },
	},
	"rust": {
		func(dir string, pkg *ir.Package) spot { return spot{dir, "super::" + rust.ModuleName(pkg.Name)} },
		func(string) string { return "::sdp" },
	},
	"cpp": {
		func(dir string, pkg *ir.Package) spot { return spot{dir, cpp.Header(pkg)} },
		func(string) string { return "sdp/sdp.hpp" },
	},
	"python": {
		func(dir string, pkg *ir.Package) spot { return spot{dir, "from . import " + python.Module(pkg)} },
		func(string) string { return "from . import sdp" },
	},
	"typescript": {
		func(dir string, pkg *ir.Package) spot { return spot{dir, "./" + typescript.Module(pkg) + ".js"} },
		func(string) string { return "./sdp/index.js" },
	},
}

// placedIn places packages as a language does in a new project.
func placedIn(made language.Language, packages []*ir.Package) (placement, error) {
	how, known := spots[made.Name()]
	if !known {
		return placement{}, fmt.Errorf("nothing says where code in %s goes", made.Name())
	}
	p := placement{folders: map[*ir.Package]string{}, imports: map[*ir.Package]string{}, runtime: how.runtime(made.StarterDir)}
	first := map[string]*ir.Package{}
	for _, pkg := range packages {
		at := how.of(made.StarterDir, pkg)
		p.folders[pkg], p.imports[pkg] = at.folder, at.imported
		// Some file systems don't tell large letters from small ones.
		name := strings.ToLower(at.imported)
		switch other, taken := first[name]; {
		case taken:
			return p, fmt.Errorf("the packages %s and %s would both be %s: give one of the two another name", other.Name, pkg.Name, at.imported)
		case at.imported == p.runtime:
			return p, fmt.Errorf("package %s would be generated into %s, where the runtime is: give it another name", pkg.Name, at.folder)
		}
		first[name] = pkg
	}
	return p, nil
}
