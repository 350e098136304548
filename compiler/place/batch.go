package place

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/place/output"
)

// Batch is the files that one run of the compiler writes and removes, and the obstacles on the way.
type Batch struct {
	// Version is the compiler's, for the laid runtimes.
	Version  string
	Problems diag.List
	Files    *output.Set
	// Stale are the files that earlier runs or older releases made, and this run does
	// not.
	Stale []string

	runtimes []laidPlace
}

// Report adds an error that is in no file.
func (b *Batch) Report(code diag.Code, format string, args ...any) *diag.Diagnostic {
	return b.Problems.Add(&diag.Diagnostic{Code: code, Severity: diag.SeverityError, Message: fmt.Sprintf(format, args...)})
}

// warn adds advice that is about no file.
func (b *Batch) warn(code diag.Code, format string, args ...any) *diag.Diagnostic {
	return b.Problems.Add(&diag.Diagnostic{Code: code, Severity: diag.SeverityWarning, Message: fmt.Sprintf(format, args...)})
}

// Runtimes are the folders that runtimes are laid into.
func (b *Batch) Runtimes() []string {
	var folders []string
	for _, r := range b.runtimes {
		folders = append(folders, r.dir)
	}
	return folders
}

// RefuseForeign reports a file that is to be written where one without the mark
// is: somebody wrote it by hand. The way out is besides moving that file.
func (b *Batch) RefuseForeign(path, mark, wayOut string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !IsMarked(path, mark) {
		b.Report(codeInTheWay, "%s is there, and is no file that sdp wrote", filepath.ToSlash(path)).
			WithHelp("move it away, or " + wayOut)
	}
}

// IsMarked tells whether a file has a mark in its first line.
func IsMarked(path, mark string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 200)
	n, _ := io.ReadFull(file, head)
	first, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return bytes.Contains(first, []byte(mark))
}

// Commit writes the files that changed and removes the stale ones.
func (b *Batch) Commit() error {
	if _, err := b.Files.Commit(); err != nil {
		return err
	}
	return removeStale(b.Stale)
}

// removeStale deletes files that are made no more, and folders that are empty
// without them.
func removeStale(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for folder := filepath.Dir(path); os.Remove(folder) == nil; folder = filepath.Dir(folder) {
		}
	}
	return nil
}
