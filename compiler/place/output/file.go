package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is one output that is written piece by piece. Commit puts it in place;
// Discard leaves what was there before.
//
// A target that is not a regular file, such as a pipe or a device, cannot be
// replaced; it is written directly.
type File struct {
	temps  *Temps
	target string // what the user named
	place  string // the same behind symbolic links
	file   *os.File
	direct bool
	done   bool
}

// Create begins a file. Its folder must exist.
func (t *Temps) Create(target string) (*File, error) {
	if err := refuseHere(target); err != nil {
		return nil, err
	}
	f := &File{temps: t, target: target, place: target}
	if place, err := filepath.EvalSymlinks(target); err == nil {
		f.place = place
	}
	info, err := os.Stat(f.place)
	switch {
	case err == nil && info.IsDir():
		return nil, f.failed(errors.New("is a folder"))
	case err == nil && !info.Mode().IsRegular():
		f.direct = true
		f.file, err = os.OpenFile(f.place, os.O_WRONLY, 0)
	default:
		f.file, err = t.create(f.place)
	}
	if err != nil {
		return nil, f.failed(err)
	}
	return f, nil
}

// Write adds bytes.
func (f *File) Write(data []byte) (int, error) {
	n, err := f.file.Write(data)
	if err != nil {
		return n, f.failed(err)
	}
	return n, nil
}

// Commit closes the file and moves it into place. After every return, no temporary file is left
// behind.
func (f *File) Commit() error {
	defer f.Discard()
	if err := f.file.Close(); err != nil {
		return f.failed(err)
	}
	if f.direct {
		return nil
	}
	if err := f.temps.move(f.file.Name(), f.place); err != nil {
		return f.failed(err)
	}
	f.done = true
	return nil
}

// Discard closes the file and removes it, unless it was committed.
func (f *File) Discard() {
	_ = f.file.Close()
	if !f.direct && !f.done {
		f.temps.remove(f.file.Name())
	}
}

// failed names the target rather than the temporary file, which the user has
// never heard of.
func (f *File) failed(err error) error {
	return fmt.Errorf("cannot write %s: %w", filepath.ToSlash(f.target), bare(err))
}

// bare is an error of the operating system without the call and the path.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
