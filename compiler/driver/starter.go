package driver

import (
	_ "embed" // for the starter's files
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// What a starter is made of; {{package}} stands for the package's name.
var (
	//go:embed starter/starter.sdp
	starterSchema string
	//go:embed starter/sdp.toml
	starterConfig string
)

// goModText makes the starter a Go module of its own; 1.23 is the smallest Go
// that generated code needs.
const goModText = "module {{package}}\n\ngo 1.23\n"

// Init writes a starter schema and a config file into a folder. It refuses to
// overwrite anything.
func (t *Tool) Init(dir string) error {
	name, err := packageName(dir)
	if err != nil {
		return err
	}
	files := t.temps.NewSet()
	var paths []string
	add := func(path, text string) error {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return err
			}
			return usagef("%s exists, and is not overwritten", path).withHelp("choose another folder, or move the file away")
		}
		paths = append(paths, path)
		return files.Add(path, []byte(strings.ReplaceAll(text, "{{package}}", name)))
	}
	for _, file := range []struct{ name, text string }{{name + schemaExt, starterSchema}, {ConfigName, starterConfig}} {
		if err := add(filepath.Join(dir, file.name), file.text); err != nil {
			return err
		}
	}
	if _, found, err := findGoModule(dir); err != nil {
		return err
	} else if !found {
		if err := add(filepath.Join(dir, "go.mod"), goModText); err != nil {
			return err
		}
	}
	if _, err := files.Commit(); err != nil {
		return err
	}
	for _, path := range paths {
		if _, err := fmt.Fprintln(t.Out, path); err != nil {
			return err
		}
	}
	return nil
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// packageName makes a package's name of a folder's.
func packageName(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(filepath.Base(absolute)), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "schema"
	}
	return name, nil
}
