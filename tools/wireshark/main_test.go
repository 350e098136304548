package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDissectorAgreesWithTheSpec(t *testing.T) {
	isOld, err := run("../..", false)
	if err != nil {
		t.Fatal(err)
	}
	if isOld {
		t.Errorf("%s is out of date: run go run ./tools/wireshark", file)
	}
}

// A repository whose dissector has other tables gets the tables of its frames.
func TestTablesAreWrittenAnew(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("spec/frames.toml", "[[flag]]\nname = \"odd\"\nnumber = 2\n[[frame]]\nname = \"Wink\"\nnumber = 0x77\npayload = [\"Lease\"]\nvalue = true\n[[frame]]\nname = \"Winks\"\nnumber = 0x78\nrecords = true\n")
	put(file, "local a = 1\n"+begins+"local old = 2\n"+ends+"local b = 3\n")
	for _, want := range []bool{true, false} {
		if isOld, err := run(root, true); err != nil || isOld != want {
			t.Fatalf("the file is out of date: %t, %v; want %t", isOld, err, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"local a = 1\n" + begins, "[0x77] = \"Wink\"", "Wink = { \"Lease\" }", "Wink = true", "local RECORDS = {\n  Winks = true,\n}", "name = \"odd\", bit = 2", "local ALL_FLAGS = 2\n", ends + "local b = 3\n"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the file lacks %q", part)
		}
	}
	if strings.Contains(string(text), "old") {
		t.Error("the file has its old tables")
	}
	put(file, "nothing")
	if _, err := run(root, true); err == nil {
		t.Error("a file without the lines around the tables is written")
	}
}
