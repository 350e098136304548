package driver

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/place"
)

// noteStale adds to the stale files the files of an earlier run that this run does not make. Of the
// packages of this run these are what is not asked for any more. Where a config file says what to
// make of which schemas, they are also what it said before: the schema is gone, has another
// package, or the output is another.
//
// A generated file names its schema without folders. So it stays as long as the project
// has another schema of that name, of which somebody else may have made it.
func (g *generation) noteStale(config Config, outputs []place.Output, byConfig bool) error {
	earlier := g.earlier
	if !byConfig {
		outputs = nil
	}
	for _, out := range outputs {
		if g.tool.isPlugin(out) {
			earlier = append(earlier, place.EarlierBy(out.Dir, pluginMark(out))...)
			continue
		}
		made, _ := g.tool.languages().Find(out.Language)
		found, err := made.Earlier(out)
		if err != nil {
			return err
		}
		earlier = append(earlier, found...)
	}
	current := g.Files.Paths()
	earlier = slices.DeleteFunc(earlier, func(f place.EarlierFile) bool {
		return slices.Contains(current, filepath.Clean(f.Path)) || slices.Contains(g.Stale, f.Path)
	})
	if len(earlier) == 0 {
		return nil
	}
	others, err := g.otherSchemas(filepath.Dir(config.Path))
	if err != nil {
		return err
	}
	for _, f := range earlier {
		if !others[f.Schema] && !slices.Contains(g.Stale, f.Path) {
			g.Stale = append(g.Stale, f.Path)
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
	above, err := place.FoldersAbove(folder)
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
	err = place.WalkProject(root, func(path string) error {
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
