package driver_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

func vectorsIn(t *testing.T, schema string, change func(*driver.VectorsOptions)) (folder, printed string, err error) {
	t.Helper()
	folder = t.TempDir()
	path := filepath.Join(folder, "a.sdp")
	if err := os.WriteFile(path, []byte(schema), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	tool := &driver.Tool{Out: &out, Err: &out, Format: driver.FormatText}
	options := driver.VectorsOptions{Schemas: []string{path}, Out: filepath.Join(folder, "out"), Form: driver.VectorsAsCases, Count: 1, Seed: 1}
	change(&options)
	err = tool.Vectors(options)
	return folder, out.String(), err
}

const twoTypes = "package a; struct A { on: bool } struct B { n: u8 }"

func TestVectorsOfOneType(t *testing.T) {
	folder, _, err := vectorsIn(t, twoTypes, func(o *driver.VectorsOptions) { o.Type = "A" })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "out", "a", "invalid", "A", "bool.json")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "out", "a", "valid", "B")); err == nil {
		t.Error("a type that is not asked for has vectors")
	}
}

func TestVectorsThatAreOthersAreLeftAlone(t *testing.T) {
	folder, _, err := vectorsIn(t, twoTypes, func(o *driver.VectorsOptions) {
		other := filepath.Join(o.Out, "a", "valid", "Gone")
		if err := errors.Join(os.MkdirAll(other, 0o777), os.WriteFile(filepath.Join(other, "x.json"), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	})
	var usage *driver.UsageError
	if !errors.As(err, &usage) || !strings.Contains(usage.Message, "valid/Gone/x.json") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "out", "a", "valid", "A")); err == nil {
		t.Error("something is written though it is refused")
	}
}

func TestVectorsAsLinesAreAFile(t *testing.T) {
	folder, printed, err := vectorsIn(t, twoTypes, func(o *driver.VectorsOptions) { o.Form = driver.VectorsAsLines })
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "out", "a.vectors"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "decode a.A 02\treject\terror=bool_invalid\toffset=0\tpath=on\n"; !strings.Contains(string(text), want) {
		t.Errorf("the vectors lack %q", want)
	}
	if !strings.Contains(printed, "out/a.vectors: ") {
		t.Errorf("printed is %q", printed)
	}
}
