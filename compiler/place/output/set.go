package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Set is files that belong together. Nothing is written before Commit, and
// Commit gives no file its name before all of them are on the disk.
type Set struct {
	temps *Temps
	order []string
	data  map[string][]byte
}

// NewSet begins an empty set.
func (t *Temps) NewSet() *Set {
	return &Set{temps: t, data: map[string][]byte{}}
}

// Add puts a file into the set. Two files of one path are an error unless they
// are equal: the later one would silently win.
func (s *Set) Add(path string, data []byte) error {
	path = filepath.Clean(path)
	if old, exists := s.data[path]; exists {
		if !bytes.Equal(old, data) {
			return fmt.Errorf("two outputs would be written to %s", filepath.ToSlash(path))
		}
		return nil
	}
	s.order = append(s.order, path)
	s.data[path] = data
	return nil
}

// Paths lists the files in the order in which they were added.
func (s *Set) Paths() []string { return slices.Clone(s.order) }

// Content is the set's content for a path; nil if it has none.
func (s *Set) Content(path string) []byte { return s.data[filepath.Clean(path)] }

// Stale lists the files whose content on disk is not what the set holds.
func (s *Set) Stale() []string {
	var stale []string
	for _, path := range s.order {
		if old, err := readRegular(path); err != nil || !bytes.Equal(old, s.data[path]) {
			stale = append(stale, path)
		}
	}
	return stale
}

// readRegular reads a regular file; what is in a device or a pipe may never end.
func readRegular(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errNotRegular)
	}
	return os.ReadFile(path)
}

var errNotRegular = errors.New("is no regular file")

// Commit writes the files that changed and returns their paths. If one cannot
// be written, none is, and folders that were made for them are removed.
func (s *Set) Commit() ([]string, error) {
	var files []*File
	var folders []string
	undo := func() {
		for _, f := range files {
			f.Discard()
		}
		for i := len(folders) - 1; i >= 0; i-- {
			_ = os.Remove(folders[i])
		}
	}
	stale := s.Stale()
	for _, path := range stale { // before a folder is made
		if err := refuseHere(path); err != nil {
			return nil, err
		}
	}
	for _, path := range stale {
		made, err := makeFolders(filepath.Dir(path))
		folders = append(folders, made...)
		if err == nil {
			var f *File
			if f, err = s.temps.Create(path); err == nil {
				files = append(files, f)
				_, err = f.Write(s.data[path])
			}
		}
		if err != nil {
			undo()
			return nil, err
		}
	}
	for i, f := range files {
		if err := f.Commit(); err != nil {
			undo()
			return stale[:i], err
		}
	}
	return stale, nil
}

// makeFolders makes a folder and its missing parents, and returns the new folders, the outermost
// first.
func makeFolders(path string) ([]string, error) {
	var missing []string
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil {
			if !info.IsDir() {
				return nil, fmt.Errorf("cannot make the folder %s: %s is a file", filepath.ToSlash(path), filepath.ToSlash(at))
			}
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return nil, fmt.Errorf("cannot make the folder %s: %w", filepath.ToSlash(path), bare(err))
		}
		missing = append([]string{at}, missing...)
	}
	for i, at := range missing {
		if err := os.Mkdir(at, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return missing[:i], fmt.Errorf("cannot make the folder %s: %w", filepath.ToSlash(at), bare(err))
		}
	}
	return missing, nil
}
