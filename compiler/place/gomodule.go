package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// goModule is a Go module on disk.
type goModule struct {
	path string // its import path
	root string // its folder, absolute
}

// findGoModule looks for the go.mod that a folder belongs to. The folder need
// not exist yet.
func findGoModule(dir string) (goModule, bool, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return goModule{}, false, err
	}
	for ; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil {
			name := modfile.ModulePath(text)
			if name == "" {
				return goModule{}, false, fmt.Errorf("%s names no module", filepath.ToSlash(filepath.Join(at, "go.mod")))
			}
			return goModule{path: name, root: at}, true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !IsFileInTheWay(err) {
			return goModule{}, false, err
		}
		if at == filepath.Dir(at) {
			return goModule{}, false, nil
		}
	}
}

// GoImportPath is the import path of a folder that need not exist yet; empty if it is in no Go
// module.
func GoImportPath(dir string) (string, error) {
	module, found, err := findGoModule(dir)
	if err != nil || !found {
		return "", err
	}
	return module.importPath(dir)
}

// importPath is the import path of a folder of the module.
func (m goModule) importPath(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(m.root, absolute)
	if err != nil {
		return "", err
	}
	return path.Join(m.path, filepath.ToSlash(relative)), nil
}
