// Package output writes files so that nobody ever sees half of one: each is
// made beside its place under another name and moved there when it is whole.
// Several can be written together or not at all, and a file that would not
// change is not touched.
//
// It refuses to know what is in the files.
package output

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// errEnded is what writing gives after Clean.
var errEnded = errors.New("interrupted")

// tempAttempts bounds how often a free name is looked for. A name has 64
// random bits, so that a second attempt means that something else is wrong.
const tempAttempts = 4

// Temps knows the temporary files that exist, so that a program that is told
// to stop can remove them. It is safe for several goroutines; the zero value
// is ready to use.
type Temps struct {
	mu    sync.Mutex
	files map[string]*os.File // by path
	ended bool
}

// Clean removes every temporary file and lets no new one be made. Files that
// were moved into place stay.
func (t *Temps) Clean() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	for _, file := range t.files {
		removeOpen(file)
	}
	t.files = nil
}

// create makes an empty file beside the target. Its permissions are the permissions that the
// process gives to new files, or the permissions of the target where it exists.
func (t *Temps) create(target string) (*os.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil, errEnded
	}
	for range tempAttempts {
		var suffix [8]byte
		_, _ = rand.Read(suffix[:])
		path := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+"."+hex.EncodeToString(suffix[:])+".tmp")
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(target); err == nil {
			_ = file.Chmod(info.Mode().Perm())
		}
		if t.files == nil {
			t.files = map[string]*os.File{}
		}
		t.files[path] = file
		return file, nil
	}
	return nil, fmt.Errorf("no free name for a temporary file beside %s", target)
}

// move gives a finished temporary file its name.
func (t *Temps) move(temp, target string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return errEnded
	}
	if err := os.Rename(temp, target); err != nil {
		return err
	}
	delete(t.files, temp)
	return nil
}

// remove deletes a temporary file that nobody will move.
func (t *Temps) remove(temp string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files[temp] != nil {
		_ = os.Remove(temp)
		delete(t.files, temp)
	}
}
