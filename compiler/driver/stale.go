package driver

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// generatedLine begins each file that sdp makes of a schema, and says of which.
var generatedLine = regexp.MustCompile(`^// (?:Code generated|@generated) by sdp \S+ from (.+\.sdp)\. DO NOT EDIT\.$`)

// goPackageLine says of which package the folder of a Go package was made.
var goPackageLine = regexp.MustCompile(`^// Package \S+ holds the types of (\S+)\.$`)

// earlierFile is one that sdp made at some time.
type earlierFile struct {
	path   string
	schema string // the name of its schema's file, without folders
}

// noteStale adds to the stale files those that an earlier run of the same config file
// made, and this one does not: the schema is gone, has another package, or the output
// is another. A run whose flags say what to make of which schemas knows nothing of
// others, and has no stale files.
//
// A generated file names its schema without folders. So it stays as long as the project
// has another schema of that name, of which somebody else may have made it.
func (g *generation) noteStale(config Config, outputs []Output) error {
	var earlier []earlierFile
	for _, out := range outputs {
		made, _ := languageOf(out.Language)
		found, err := made.earlier(out)
		if err != nil {
			return err
		}
		earlier = append(earlier, found...)
	}
	current := g.files.Paths()
	earlier = slices.DeleteFunc(earlier, func(f earlierFile) bool {
		return slices.Contains(current, filepath.Clean(f.path)) || slices.Contains(g.stale, f.path)
	})
	if len(earlier) == 0 {
		return nil
	}
	others, err := g.otherSchemas(filepath.Dir(config.Path))
	if err != nil {
		return err
	}
	for _, f := range earlier {
		if !others[f.schema] && !slices.Contains(g.stale, f.path) {
			g.stale = append(g.stale, f.path)
		}
	}
	return nil
}

// otherSchemas are the names of the project's schemas that this run does not compile.
// The project is the repository that a folder lies in, else the folder.
func (g *generation) otherSchemas(folder string) (map[string]bool, error) {
	compiled := map[string]bool{}
	for _, pkg := range g.program.Schema.Packages {
		if path, err := (disk{}).identity(pkg.Path); err == nil {
			compiled[path] = true
		}
	}
	above, err := foldersAbove(folder)
	if err != nil {
		return nil, err
	}
	root := above[0]
	for _, at := range above {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			root = at
			break
		}
	}
	found := map[string]bool{}
	err = walkProject(root, func(path string) error {
		if filepath.Ext(path) != schemaExt {
			return nil
		}
		if place, err := (disk{}).identity(path); err != nil || !compiled[place] {
			found[filepath.Base(path)] = true
		}
		return nil
	})
	return found, err
}

// walkProject visits the files below a folder, but for those of folders that are
// skipped or cannot be read.
func walkProject(root string, visit func(path string) error) error {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if entry != nil && !entry.IsDir() || path == root {
				return nil
			}
			return filepath.SkipDir
		case !entry.IsDir():
			return visit(path)
		case path != root && isSkipped(path, entry.Name()):
			return filepath.SkipDir
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isSkipped tells whether a folder holds nothing that a person has put there.
func isSkipped(path, name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || isRegular(filepath.Join(path, "CACHEDIR.TAG"))
}

// earlier looks into the folders of packages: those whose path below the output is the
// name of the package that was made there. Folders with a module or a config file of
// their own are somebody else's.
func (goPlacement) earlier(out Output) ([]earlierFile, error) {
	var found []earlierFile
	dir := out.Dir
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return filepath.SkipAll
		case err != nil:
			return nil
		case entry.IsDir() && path != dir && (isSkipped(path, entry.Name()) ||
			isRegular(filepath.Join(path, "go.mod")) || isRegular(filepath.Join(path, ConfigName))):
			return filepath.SkipDir
		case entry.IsDir() || entry.Name() != "types.sdp.go":
			return nil
		}
		folder, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil || withoutPrefix(goPackageOf(path), out.GoPrefix) != strings.ReplaceAll(filepath.ToSlash(folder), "/", ".") {
			return err
		}
		found = append(found, earlierIn(filepath.Dir(path), "*.sdp.go")...)
		return nil
	})
	return found, err
}

// goPackageOf is the schema's package that a file of types says that it is of.
func goPackageOf(path string) string {
	for _, line := range firstLines(path, 3) {
		if match := goPackageLine.FindStringSubmatch(line); match != nil {
			return match[1]
		}
	}
	return ""
}

func (rustPlacement) earlier(out Output) ([]earlierFile, error) {
	return earlierIn(out.Dir, "*.rs"), nil
}

func (cppPlacement) earlier(out Output) ([]earlierFile, error) {
	return append(earlierIn(out.Dir, "*.hpp"), earlierIn(out.Dir, "*.cpp")...), nil
}

// earlierIn lists the files of one folder that sdp made.
func earlierIn(dir, pattern string) []earlierFile {
	var found []earlierFile
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	for _, name := range names {
		path := filepath.Join(dir, name)
		for _, line := range firstLines(path, 1) {
			if match := generatedLine.FindStringSubmatch(line); match != nil {
				found = append(found, earlierFile{path: path, schema: match[1]})
			}
		}
	}
	return found
}

// firstLines are a file's first lines, as many as there are; a file that cannot be
// read has none.
func firstLines(path string, count int) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var lines []string
	for text := bufio.NewScanner(file); len(lines) < count && text.Scan(); {
		lines = append(lines, text.Text())
	}
	return lines
}
