package place

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// runtimeFolder is the folder that a runtime is laid into, and the languages' name for it.
const runtimeFolder = "sdp"

// laidRuntime is the runtime of one language, as it is laid beside generated
// code.
type laidRuntime struct {
	// option names another one.
	option string
	// mark stands in the first line of each laid file. A folder that has none
	// with it is the user's own.
	mark string
	// patterns match the files of the runtimes of all releases.
	patterns []string
	// isForeign tells whether a folder of a project holds what is not its own
	// code.
	isForeign func(path, name string) bool
}

// isIn tells whether the runtime has been laid into a folder.
func (r *laidRuntime) isIn(dir string) bool { return len(r.files(dir)) > 0 }

// files lists the files of a folder that an earlier run laid there.
func (r *laidRuntime) files(dir string) []string {
	var laid []string
	for _, pattern := range r.patterns {
		// The error is one of the pattern; a folder that cannot be read has no
		// matches.
		names, _ := fs.Glob(os.DirFS(dir), pattern)
		for _, name := range names {
			if path := filepath.Join(dir, filepath.FromSlash(name)); IsMarked(path, r.mark) {
				laid = append(laid, path)
			}
		}
	}
	return laid
}

// below finds where in a project the runtime was laid before; it is empty if
// nowhere.
func (r *laidRuntime) below(root string) (string, error) {
	found := ""
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			// A folder that cannot be read holds no runtime that could be used.
			return filepath.SkipDir
		}
		if !entry.IsDir() {
			return nil
		}
		switch name := entry.Name(); {
		case path != root && (strings.HasPrefix(name, ".") || r.isForeign(path, name)):
			return filepath.SkipDir
		case name == runtimeFolder && r.isIn(path):
			found = path
			return filepath.SkipAll
		}
		return nil
	})
	return shortPath(found), err
}

// laidPlace is where a run lays a runtime.
type laidPlace struct {
	runtime *laidRuntime
	// project is the folder whose code shares it, absolute.
	project, dir string
}

// laidFor tells where this run lays a runtime for a project, if it does.
func (b *Batch) laidFor(r *laidRuntime, project string) (dir string, laid bool) {
	for _, other := range b.runtimes {
		if other.runtime == r && other.project == project {
			return other.dir, true
		}
	}
	return "", false
}

// layRuntime adds a runtime's files, by their paths in its folder, to the written files, and notes
// the laid files that this release no longer has.
func (b *Batch) layRuntime(r *laidRuntime, project, dir string, sources map[string][]byte) error {
	if slices.ContainsFunc(b.runtimes, func(o laidPlace) bool { return o.runtime == r && o.dir == dir }) {
		return nil
	}
	b.runtimes = append(b.runtimes, laidPlace{runtime: r, project: project, dir: dir})
	var current []string
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		current = append(current, path)
		b.RefuseForeign(path, r.mark, "name the runtime that is to be used with "+r.option)
		if err := b.Files.Add(path, sources[name]); err != nil {
			return err
		}
	}
	for _, path := range r.files(dir) {
		if !slices.Contains(current, path) {
			b.Stale = append(b.Stale, path)
		}
	}
	return nil
}
