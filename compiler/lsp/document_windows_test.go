package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Editors write drives in small letters, and escape their colon: the file is the same.
func TestURIsOfDrivesMeanTheSameFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sdp")
	if err := os.WriteFile(path, []byte("package a;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := uriAt(path)
	drive, rest := plain[len("file:///"):][:1], plain[len("file:///C:"):]
	want, isFile := pathOf(plain)
	if !isFile || !filepath.IsAbs(want) {
		t.Fatalf("%s is %q", plain, want)
	}
	for _, uri := range []string{"file:///" + strings.ToLower(drive) + "%3A" + rest, "file:///" + strings.ToLower(drive) + ":" + rest, "file://localhost/" + drive + ":" + rest} {
		if got, isFile := pathOf(uri); got != want || !isFile {
			t.Errorf("%s is %q, want %q", uri, got, want)
		}
	}
}
