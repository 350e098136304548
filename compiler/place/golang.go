package place

import (
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Go gives each package a folder of its own: each component of its
// name is one, so that no two packages share any.
type Go struct{}

func (Go) Place(b *Batch, o Output, packages []*ir.Package) (PackagePlace, error) {
	module, found, err := findGoModule(o.Dir)
	if err != nil {
		return PackagePlace{}, err
	}
	if !found {
		b.Report(codeGoModule, "%s is in no Go module, so that the generated packages have no import paths", filepath.ToSlash(o.Dir)).
			WithHelp("run `go mod init NAME` in the folder that is to be the module")
		return PackagePlace{}, nil
	}
	at := PackagePlace{Folders: map[*ir.Package]string{}, Imports: map[*ir.Package]string{}, Runtime: o.Option(RuntimeOption)}
	first := map[string]*ir.Package{}
	for _, pkg := range packages {
		// The go command doesn't tell large letters from small ones.
		within := filepath.FromSlash(withoutPrefix(golang.Folder(pkg), strings.ReplaceAll(o.Option(GoPrefix), ".", "/")))
		folder := strings.ToLower(within)
		if other, taken := first[folder]; taken {
			b.Report(codeModule, "the packages %s (%s) and %s (%s) would both be the Go package %s",
				other.Name, other.Path, pkg.Name, pkg.Path, golang.Folder(pkg)).
				WithHelp("give one of the two another name")
		}
		first[folder] = pkg
		at.Folders[pkg] = filepath.Join(o.Dir, within)
		if at.Imports[pkg], err = module.importPath(at.Folders[pkg]); err != nil {
			return PackagePlace{}, err
		}
	}
	if at.Runtime == "" {
		at.Laid = true
		at.Runtime, err = b.layGoRuntime(module, o.Dir, at)
	}
	return at, err
}

// withoutPrefix is the dotted name of a package, or the path of its folder, below a
// prefix; one that does not begin with it stays whole.
func withoutPrefix(name, prefix string) string {
	if rest, found := strings.CutPrefix(name, prefix); found && prefix != "" && rest != "" && (rest[0] == '.' || rest[0] == '/') {
		return rest[1:]
	}
	return name
}

// layGoRuntime lays the runtime for an output and returns its import path.
func (b *Batch) layGoRuntime(module goModule, outDir string, p PackagePlace) (string, error) {
	// Two outputs of one run share a runtime too, though it is not laid yet.
	dir, laid := b.laidFor(&goRuntime, module.root)
	if !laid {
		var err error
		if dir, err = goRuntimeDir(module, outDir); err != nil {
			return "", err
		}
	}
	path, err := module.importPath(dir)
	if err != nil {
		return "", err
	}
	for pkg, other := range p.Imports {
		if other == path {
			b.Report(CodeOutput, "package %s would be generated into %s, where the runtime is", pkg.Name, dir).
				WithHelp("rename the package, or name a runtime elsewhere with --go-runtime")
		}
	}
	sources, err := goRuntimeFiles(b.Version)
	if err != nil {
		return "", err
	}
	return path, b.layRuntime(&goRuntime, module.root, dir, sources)
}

// Starter makes the starter a Go module of its own, unless it lies in one; 1.23
// is the smallest Go that generated code needs.
func (Go) Starter(dir, _ string) ([]StarterFile, error) {
	_, found, err := findGoModule(dir)
	if err != nil || found {
		return nil, err
	}
	return []StarterFile{{filepath.Join(dir, "go.mod"), "module {{package}}\n\ngo 1.23\n"}}, nil
}
