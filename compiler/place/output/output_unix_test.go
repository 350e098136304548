//go:build unix

package output

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFileKeepsPermissionsAndSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	place, link := filepath.Join(dir, "place"), filepath.Join(dir, "link")
	write(t, place, "old")
	if err := os.Chmod(place, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("place", link); err != nil {
		t.Fatal(err)
	}
	var temps Temps
	f, err := temps.Create(link)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write([]byte("new"))
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(place)
	if err != nil || info.Mode() != 0o750 || read(t, place) != "new" {
		t.Errorf("the file behind the link has mode %v and holds %q (%v)", info.Mode(), read(t, place), err)
	}
	if target, err := os.Readlink(link); err != nil || target != "place" {
		t.Errorf("the link points at %q (%v)", target, err)
	}
}

func TestFullDiskNamesTheTarget(t *testing.T) {
	var temps Temps
	f, err := temps.Create("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	_, err = f.Write([]byte("x"))
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "cannot write /dev/full: no space left on device" {
		t.Errorf("writing to a full disk gave %v", err)
	}
}
