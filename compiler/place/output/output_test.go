package output

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// names lists a folder, so that a test sees files that nobody asked for.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return strings.Join(found, " ")
}

func TestFileAppearsOnlyOnCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	write(t, path, "old")
	var temps Temps
	f, err := temps.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("before Commit the file holds %q", got)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "new" {
		t.Errorf("after Commit the file holds %q", got)
	}
	if got := names(t, dir); got != "a" {
		t.Errorf("the folder holds %q", got)
	}
}

func TestDiscardLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	write(t, path, "old")
	var temps Temps
	f, err := temps.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write([]byte("new"))
	f.Discard()
	if got := read(t, path); got != "old" || names(t, dir) != "a" {
		t.Errorf("after Discard the file holds %q and the folder %q", got, names(t, dir))
	}
}

func TestSetWritesOnlyWhatChanged(t *testing.T) {
	dir := t.TempDir()
	same, other := filepath.Join(dir, "same"), filepath.Join(dir, "new/deep/other")
	write(t, same, "text")
	past := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(same, past, past); err != nil {
		t.Fatal(err)
	}
	var temps Temps
	set := temps.NewSet()
	for path, text := range map[string]string{same: "text", other: "more"} {
		if err := set.Add(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	written, err := set.Commit()
	if err != nil || len(written) != 1 || written[0] != other {
		t.Fatalf("Commit() = %q, %v; want only %s", written, err, other)
	}
	info, err := os.Stat(same)
	if err != nil || !info.ModTime().Equal(past) {
		t.Errorf("an unchanged file was touched: %v, %v", info.ModTime(), err)
	}
}

func TestSetWritesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	write(t, blocked, "in the way")
	var temps Temps
	set := temps.NewSet()
	for _, path := range []string{filepath.Join(dir, "new/a"), filepath.Join(blocked, "b")} {
		if err := set.Add(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := set.Commit(); err == nil {
		t.Errorf("Commit() = %q, want an error", written)
	}
	if got := names(t, dir); got != "file" {
		t.Errorf("after a failed Commit the folder holds %q", got)
	}
}

func TestSetRefusesTwoContentsForOnePath(t *testing.T) {
	var temps Temps
	set := temps.NewSet()
	if err := set.Add("a/b", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := set.Add("a/./b", []byte("1")); err != nil {
		t.Errorf("the same file twice: %v", err)
	}
	if err := set.Add("a/./b", []byte("2")); err == nil {
		t.Error("two contents for one path were accepted")
	}
}

func TestCleanRemovesUnfinishedFilesAndStopsNewOnes(t *testing.T) {
	dir := t.TempDir()
	var temps Temps
	f, err := temps.Create(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	temps.Clean()
	if got := names(t, dir); got != "" {
		t.Errorf("after Clean the folder holds %q", got)
	}
	if err := f.Commit(); err == nil {
		t.Error("a file was committed after Clean")
	}
	if _, err := temps.Create(filepath.Join(dir, "b")); err == nil {
		t.Error("a file was begun after Clean")
	}
}
