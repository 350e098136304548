package output

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestNamesOfDevicesAreKnown(t *testing.T) {
	for _, name := range []string{"con", "CON", "nul", "NUL.txt", "aux.sdp", "Aux.tar.gz", "prn ", "com1", "COM9.hpp", "lpt0", "COM¹", "conin$", "CONOUT$.x", "nul:x", "aux .go"} {
		if !isDevice(name) {
			t.Errorf("%q is no device", name)
		}
	}
	for _, name := range []string{"", ".", "console", "auxiliary.sdp", "com", "lpt", "com10", "comp1", "lpt.go", "a.aux", "null", ".con", "com 1", "0"} {
		if isDevice(name) {
			t.Errorf("%q is a device", name)
		}
	}
}

func TestPathsWithDevicesAreNamed(t *testing.T) {
	for path, want := range map[string]string{
		"go/con/types.sdp.go": "cannot write go/con/types.sdp.go: Windows keeps the name con for a device",
		`cpp\aux.hpp`:         "cannot write " + filepath.ToSlash(`cpp\aux.hpp`) + `: Windows keeps the name aux.hpp for a device`,
		"aux.hpp":             "cannot write aux.hpp: Windows keeps the name aux.hpp for a device",
		"NUL":                 "",
		"go/plugins/a.go":     "",
	} {
		got := ""
		if err := refuseDevice(path); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// Only Windows refuses the names: elsewhere they are files as all others.
func TestDevicesAreFilesElsewhere(t *testing.T) {
	var temps Temps
	folder := t.TempDir()
	set := temps.NewSet()
	if err := set.Add(filepath.Join(folder, "aux.hpp"), []byte("text")); err != nil {
		t.Fatal(err)
	}
	_, err := set.Commit()
	if runtime.GOOS == "windows" {
		if left := names(t, folder); err == nil || left != "" {
			t.Errorf("the folder has %q, and the error is %v", left, err)
		}
		return
	}
	if text, unread := os.ReadFile(filepath.Join(folder, "aux.hpp")); err != nil || unread != nil || string(text) != "text" {
		t.Errorf("%q, %v, %v", text, err, unread)
	}
}
