package driver

import (
	"path/filepath"
	"slices"
	"strings"
)

// Open are the texts of files as an editor shows them, or as they are about to be written, by
// their paths as Identity has them. They stand for the files on disk.
type Open map[string]string

// overlay is the disk with other texts over it: of an editor, or of files before they are written.
type overlay struct {
	disk
	open Open
}

func (o overlay) identity(path string) (string, error) {
	if _, isOpen := o.open[path]; isOpen {
		return path, nil
	}
	return o.disk.identity(path)
}

// text is that of a file that is open.
func (o overlay) text(path string) (string, bool) {
	identity, err := o.identity(path)
	text, isOpen := o.open[identity]
	return text, isOpen && err == nil
}

func (o overlay) readFile(path string) ([]byte, error) {
	if text, isOpen := o.text(path); isOpen {
		return []byte(text), nil
	}
	return o.disk.readFile(path)
}

func (o overlay) isFolder(path string) (bool, error) {
	if _, isOpen := o.text(path); isOpen {
		return false, nil
	}
	return o.disk.isFolder(path)
}

// schemas has files that are open and not on the disk yet, too.
func (o overlay) schemas(folder string) ([]string, error) {
	found, err := o.disk.schemas(folder)
	if err != nil {
		return nil, err
	}
	for path := range o.open {
		inside, err := filepath.Rel(folder, path)
		if err == nil && strings.HasSuffix(path, schemaExt) && !strings.Contains("/"+filepath.ToSlash(inside), "/.") && !slices.Contains(found, path) {
			if _, err := o.disk.isFolder(path); err != nil {
				found = append(found, path)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}
