package driver

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// goFolder is where a package's Go code goes below an output's folder: each
// component of its name is a folder, so that no two packages share one.
func goFolder(pkg *ir.Package) string {
	return filepath.Join(strings.Split(pkg.Name, ".")...)
}

// placeGo finds the import paths of an output's packages and of the runtime,
// and lays the runtime if none is named.
func (g *generation) placeGo(out Output, options *backend.Options) error {
	module, found, err := findGoModule(out.Dir)
	if err != nil {
		return err
	}
	if !found {
		g.report(codeGoModule, "%s is in no Go module, so that the generated packages have no import paths", out.Dir).
			WithHelp("run `go mod init NAME` in the folder that is to be the module")
		return nil
	}
	options.Imports = map[*ir.Package]string{}
	for _, pkg := range g.program.Schema.Packages {
		if options.Imports[pkg], err = module.importPath(filepath.Join(out.Dir, goFolder(pkg))); err != nil {
			return err
		}
	}
	if out.GoRuntime != "" {
		options.Runtime = out.GoRuntime
		return nil
	}
	dir, err := goRuntimeDir(module, out.Dir)
	if err != nil {
		return err
	}
	// Two outputs of one run share a runtime too, though it is not laid yet.
	for _, other := range g.runtimes {
		if shared, found, err := findGoModule(other); err != nil {
			return err
		} else if found && shared == module {
			dir = other
		}
	}
	if options.Runtime, err = module.importPath(dir); err != nil {
		return err
	}
	for pkg, path := range options.Imports {
		if path == options.Runtime {
			g.report(codeOutput, "package %s would be generated into %s, where the runtime is", pkg.Name, dir).
				WithHelp("rename the package, or name a runtime elsewhere with --go-runtime")
		}
	}
	if slices.Contains(g.runtimes, dir) || g.problems.HasErrors() {
		return nil
	}
	g.runtimes = append(g.runtimes, dir)
	stale, err := layGoRuntime(dir, g.files)
	g.stale = append(g.stale, stale...)
	return err
}

// report adds an error that is in no file.
func (g *generation) report(code diag.Code, format string, args ...any) *diag.Diagnostic {
	return g.problems.Add(&diag.Diagnostic{Code: code, Severity: diag.SeverityError, Message: fmt.Sprintf(format, args...)})
}
