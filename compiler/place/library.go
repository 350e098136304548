package place

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// The MXP libraries, which the code of services needs, as projects name them.
const (
	goLibrary   = "github.com/serial-data-protocol/sdp/mxp/go"
	goRuntimes  = "github.com/serial-data-protocol/sdp/runtime" // which that needs
	rustLibrary = "mesh-exchange-protocol"
	cppLibrary  = "mxp"
	// The package of npm has the crate's name.
	typescriptLibrary = "mesh-exchange-protocol"
)

// MissingLibrary describes the missing dependency of a project for the code of services.
type MissingLibrary struct {
	name     string
	manifest string // the file that should name it
	help     string
}

// AdviseLibrary warns if the code of services is made for a project that does not
// depend on the MXP library of its language. Code within the folder of a build tool is compiled by
// that tool, which knows the purpose of the code.
func (b *Batch) AdviseLibrary(output Placement, o Output, packages []*ir.Package) error {
	served := func(pkg *ir.Package) bool { return len(pkg.Services) > 0 }
	if !o.IsOn(Services) || !slices.ContainsFunc(packages, served) {
		return nil
	}
	above, err := FoldersAbove(o.Dir)
	if err != nil {
		return err
	}
	for _, folder := range above {
		if isRegular(filepath.Join(folder, "CACHEDIR.TAG")) || isRegular(filepath.Join(folder, "CMakeCache.txt")) {
			return nil
		}
	}
	missing, err := output.Library(o.Dir)
	if err != nil || missing.name == "" {
		return err
	}
	b.warn(codeLibrary, "the code of services needs %s, which %s does not name", missing.name, filepath.ToSlash(shortPath(missing.manifest))).
		WithHelp(missing.help)
	return nil
}

// Library looks into the module's go.mod, and into the go.work that may be above it.
func (Go) Library(dir string) (MissingLibrary, error) {
	module, found, err := findGoModule(dir)
	if err != nil || !found || module.path == goLibrary {
		return MissingLibrary{}, err
	}
	path := filepath.Join(module.root, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return MissingLibrary{}, err
	}
	file, err := modfile.ParseLax(path, text, nil)
	if err != nil {
		return MissingLibrary{}, err
	}
	if slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == goLibrary }) {
		return MissingLibrary{}, nil
	}
	above, err := FoldersAbove(module.root)
	if err != nil {
		return MissingLibrary{}, err
	}
	for _, folder := range above {
		if isNamedIn(filepath.Join(folder, "go.work"), "mxp/go") {
			return MissingLibrary{}, nil
		}
	}
	return MissingLibrary{goLibrary, path,
		"run `go mod edit -require=" + goLibrary + "@v0.0.0 -replace=" + goLibrary + "=SDP/mxp/go -replace=" + goRuntimes + "=SDP/runtime` and `go mod tidy`, where SDP is a copy of SDP's repository"}, nil
}

// Library looks into the crate's manifest.
func (Rust) Library(dir string) (MissingLibrary, error) {
	crate, err := findCrate(dir)
	if err != nil || crate.root == "" || crate.name == rustLibrary {
		return MissingLibrary{}, err
	}
	for _, d := range crate.dependencies {
		if d.pkg == rustLibrary {
			return MissingLibrary{}, nil
		}
	}
	return MissingLibrary{rustLibrary, filepath.Join(crate.root, manifestName),
		"add `" + rustLibrary + ` = { git = "https://github.com/serial-data-protocol/sdp", features = ["tokio"] }` + "` to [dependencies]"}, nil
}

// Library looks into the package.json of the folder or of one above it.
func (TypeScript) Library(dir string) (MissingLibrary, error) {
	path, err := nearest(dir, "package.json")
	if err != nil || path == "" {
		return MissingLibrary{}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return MissingLibrary{}, err
	}
	var manifest struct {
		Name                                            string
		Dependencies, DevDependencies, PeerDependencies map[string]string
	}
	// A text that is no package.json is for npm to refuse.
	if json.Unmarshal(text, &manifest) != nil || manifest.Name == typescriptLibrary {
		return MissingLibrary{}, nil
	}
	for _, list := range []map[string]string{manifest.Dependencies, manifest.DevDependencies, manifest.PeerDependencies} {
		if _, named := list[typescriptLibrary]; named {
			return MissingLibrary{}, nil
		}
	}
	return MissingLibrary{typescriptLibrary, path,
		"run `npm run build` in SDP/mxp/typescript, then `npm install SDP/mxp/typescript`, where SDP is a copy of SDP's repository"}, nil
}

// Library looks into the CMakeLists.txt of the folder and of those above it, and into
// the scripts beside them. A project that is not built by CMake has none.
func (Cpp) Library(dir string) (MissingLibrary, error) {
	above, err := FoldersAbove(dir)
	if err != nil {
		return MissingLibrary{}, err
	}
	project := ""
	for _, folder := range above {
		lists := filepath.Join(folder, "CMakeLists.txt")
		if !isRegular(lists) {
			continue
		}
		project = lists
		scripts, _ := fs.Glob(os.DirFS(folder), "*.cmake")
		more, _ := fs.Glob(os.DirFS(folder), "cmake/*.cmake")
		for _, name := range slices.Concat([]string{"CMakeLists.txt"}, scripts, more) {
			if isNamedIn(filepath.Join(folder, filepath.FromSlash(name)), cppLibrary) {
				return MissingLibrary{}, nil
			}
		}
	}
	if project == "" {
		return MissingLibrary{}, nil
	}
	return MissingLibrary{"the library mxp", project,
		"add `add_subdirectory(SDP/mxp/cpp mxp)`, where SDP is a copy of SDP's repository, and link to `mxp::net`"}, nil
}
