package driver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// stdinFile is what diagnostics call a schema from the standard input. Its
// imports are relative to the working directory.
const stdinFile = "<stdin>"

// loader finds schema files for the checker, in the order of the language: by
// the importing file's folder, then by the folders of -I [LANG-2.2].
type loader struct {
	tree    tree
	stdin   *stdin
	include []string
	// label stands before the names of files that are not on disk.
	label string
	// notice is told each folder before a file is looked for in it.
	notice func(folder string)
	// names gives a file that was reached by several paths its one name, and
	// paths leads back from the name.
	names, paths map[string]string
}

func (t *Tool) loader(source tree, config Config) loader {
	t.stdin.in = t.In
	return loader{
		tree:    source,
		stdin:   &t.stdin,
		include: slices.Concat(t.Include, config.Include),
		notice:  func(string) {},
		names:   map[string]string{},
		paths:   map[string]string{},
	}
}

// Find implements check.Loader.
func (l loader) Find(path, importer string) (string, error) {
	if importer == "" {
		if path == stdName {
			return stdinFile, nil
		}
		return l.find(path)
	}
	relative := filepath.FromSlash(path)
	folders := append([]string{filepath.Dir(l.paths[importer])}, l.include...)
	for _, folder := range folders {
		name, err := l.find(filepath.Join(folder, relative))
		if !errors.Is(err, fs.ErrNotExist) {
			return name, err
		}
	}
	return "", fs.ErrNotExist
}

// find gives the file at a path its name.
func (l loader) find(path string) (string, error) {
	l.notice(filepath.Dir(path))
	isFolder, err := l.tree.isFolder(path)
	if err != nil {
		return "", err
	}
	if isFolder {
		return "", errors.New("it is a folder")
	}
	key, err := l.tree.identity(path)
	if err != nil {
		return "", err
	}
	name, known := l.names[key]
	if !known {
		name = l.label + filepath.ToSlash(filepath.Clean(path))
		l.names[key], l.paths[name] = name, path
	}
	return name, nil
}

// Read implements check.Loader.
func (l loader) Read(name string) (string, error) {
	if name == stdinFile {
		return l.stdin.schema()
	}
	text, err := l.tree.readFile(l.paths[name])
	return string(text), err
}

// expand replaces folders by the schemas in them.
func (l loader) expand(names []string, problems *diag.List) ([]string, error) {
	var roots []string
	for _, path := range names {
		if path == stdName {
			roots = append(roots, path)
			continue
		}
		l.notice(filepath.Dir(path))
		isFolder, err := l.tree.isFolder(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, usagef("there is no file or folder %s", path)
		case err != nil:
			return nil, err
		case !isFolder:
			roots = append(roots, path)
			continue
		}
		l.notice(path)
		schemas, err := l.tree.schemas(path)
		if err != nil {
			return nil, err
		}
		if len(schemas) == 0 {
			problems.Add(&diag.Diagnostic{
				Code: codeNoSchema, Severity: diag.SeverityError,
				Message: "the folder " + path + " holds no schema",
				Help:    "the names of schemas end in " + schemaExt,
			})
		}
		roots = append(roots, schemas...)
	}
	return roots, nil
}

// compile checks schemas and plans their bytes. Problems of the schemas are written, and ErrRefused
// returned.
func (t *Tool) compile(l loader, names []string) (*plan.Program, error) {
	program, problems, files, err := analyze(l, names)
	if err != nil {
		return nil, err
	}
	return program, t.complain(problems, files...)
}

// analyze checks schemas and plans their bytes, unless a problem is an error.
// The files are the files of the names.
func analyze(l loader, names []string) (*plan.Program, *diag.List, []string, error) {
	problems := &diag.List{}
	roots, err := l.expand(names, problems)
	if err != nil {
		return nil, nil, nil, err
	}
	schema, found := check.Program(l, roots, format.Canonical)
	problems.Append(found)
	var files []string
	for _, root := range roots {
		if name, err := l.Find(root, ""); err == nil {
			files = append(files, name)
		}
	}
	if problems.HasErrors() {
		return nil, problems, files, nil
	}
	return plan.New(schema), problems, files, nil
}

// compileOne compiles the one schema that data is described by.
func (t *Tool) compileOne(path string) (*plan.Program, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, usagef("%s is a folder, and one schema file is needed", path)
	}
	config, err := t.config()
	if err != nil {
		return nil, err
	}
	return t.compile(t.loader(disk{}, config), []string{path})
}
