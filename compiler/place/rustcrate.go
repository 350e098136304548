package place

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

const (
	manifestName = "Cargo.toml"
	// publishedRuntime is the package of the Rust runtime for projects that get it from a registry.
	// Its library has the same name as the laid one.
	publishedRuntime = "serial-data-protocol"
)

// rustCrate is where the Rust code of an output belongs.
type rustCrate struct {
	// root is the crate's folder, absolute; empty if the code is in no crate.
	root string
	// name is that of the crate's package.
	name string
	// project is the folder whose crates share a runtime, absolute: that of the
	// workspace, else the crate, else the code itself.
	project      string
	dependencies map[string]dependency
}

// dependency is a manifest's entry of a dependency.
type dependency struct {
	pkg  string // the package's own name
	path string // its folder, absolute; empty if it comes from elsewhere
}

// manifest is the part of a Cargo.toml that matters here.
type manifest struct {
	Package *struct {
		Name string `toml:"name"`
	} `toml:"package"`
	manifestSection
	Target    map[string]manifestSection `toml:"target"`
	Workspace *manifestSection           `toml:"workspace"`
}

// manifestSection is where dependencies stand. Generated code may be for tests
// or build scripts alone.
type manifestSection struct {
	Dependencies map[string]any `toml:"dependencies"`
	Dev          map[string]any `toml:"dev-dependencies"`
	Build        map[string]any `toml:"build-dependencies"`
}

// findCrate looks for the crate that a folder belongs to, and for its
// workspace. The folder need not exist yet.
func findCrate(dir string) (rustCrate, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return rustCrate{}, err
	}
	crate := rustCrate{project: at}
	var own manifest
	for ; ; at = filepath.Dir(at) {
		found, exists, err := readManifest(filepath.Join(at, manifestName))
		if err != nil {
			return rustCrate{}, err
		}
		if exists && found.Package != nil && crate.root == "" {
			crate.root, crate.name, crate.project, own = at, found.Package.Name, at, found
		}
		if exists && found.Workspace != nil {
			crate.project = at
			crate.take(own, found.Workspace.Dependencies)
			return crate, nil
		}
		if at == filepath.Dir(at) {
			crate.take(own, nil)
			return crate, nil
		}
	}
}

func readManifest(path string) (manifest, bool, error) {
	var found manifest
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err != nil && IsFileInTheWay(err) {
		return found, false, nil
	}
	if err != nil {
		return found, false, err
	}
	if err := toml.Unmarshal(text, &found); err != nil {
		return found, false, fmt.Errorf("%s: %s", filepath.ToSlash(shortPath(path)), strings.TrimPrefix(err.Error(), "toml: "))
	}
	return found, true, nil
}

// take fills in the crate's dependencies, for any target, with the parts that they inherit from the
// workspace.
func (c *rustCrate) take(own manifest, inherited map[string]any) {
	c.dependencies = map[string]dependency{}
	sections := append(slices.Collect(maps.Values(own.Target)), own.manifestSection)
	for _, section := range sections {
		for _, table := range []map[string]any{section.Build, section.Dev, section.Dependencies} {
			for name, value := range table {
				c.dependencies[name] = c.dependency(name, value, inherited)
			}
		}
	}
}

// dependency reads one; a value that is no table is a version.
func (c *rustCrate) dependency(name string, value any, inherited map[string]any) dependency {
	table, _ := value.(map[string]any)
	from := c.root
	if table["workspace"] == true {
		table, _ = inherited[name].(map[string]any)
		from = c.project
	}
	d := dependency{pkg: name}
	if pkg, renamed := table["package"].(string); renamed {
		d.pkg = pkg
	}
	if path, local := table["path"].(string); local {
		d.path = filepath.Join(from, filepath.FromSlash(path))
		if filepath.IsAbs(path) {
			d.path = filepath.Clean(path)
		}
	}
	return d
}

// publishedName is the path by which code of the crate names the runtime from a
// registry, if the crate depends on it.
func (c rustCrate) publishedName() (string, bool) {
	for name, d := range c.dependencies {
		switch {
		case d.pkg != publishedRuntime:
		case name == publishedRuntime:
			return defaultRustRuntime, true
		default:
			return "::" + strings.ReplaceAll(name, "-", "_"), true
		}
	}
	return "", false
}
