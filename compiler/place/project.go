package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FoldersAbove are a folder, which need not exist yet, and its parents.
func FoldersAbove(dir string) ([]string, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	folders := []string{at}
	for at != filepath.Dir(at) {
		at = filepath.Dir(at)
		folders = append(folders, at)
	}
	return folders, nil
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isNamedIn tells whether a file has a text in it; one that cannot be read has not.
func isNamedIn(path, text string) bool {
	content, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(content), text)
}

// IsFileInTheWay tells whether a path could not be looked up because one of
// its folders is a file. A later write there fails with the error.
func IsFileInTheWay(err error) bool {
	var wrapped *fs.PathError
	if !errors.As(err, &wrapped) {
		return false
	}
	info, statErr := os.Stat(filepath.Dir(wrapped.Path))
	return statErr != nil || !info.IsDir()
}

// WalkProject visits the files below a folder, but for files of folders that are skipped or cannot
// be read.
func WalkProject(root string, visit func(path string) error) error {
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

// shortPath is a path relative to the working directory if it lies below it.
func shortPath(path string) string {
	here, err := os.Getwd()
	if err != nil || path == "" {
		return path
	}
	relative, err := filepath.Rel(here, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return path
	}
	return relative
}
