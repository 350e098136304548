package main

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

var exampleOnPage = regexp.MustCompile("(?s)# (\\w+)\n.*?```json\n(.*?)\n```\n.*?```text\n(.*?)\n```\n")

// TestExamplesOnPagesAreInspectedAndConverted takes the bytes that pages show to the commands
// that pages say read them.
func TestExamplesOnPagesAreInspectedAndConverted(t *testing.T) {
	const schema = "../../examples/registry/plugins.sdp"
	folder := t.TempDir()
	var out, errs bytes.Buffer
	tool := func() *driver.Tool { return &driver.Tool{In: strings.NewReader(""), Out: &out, Err: &errs} }
	if err := tool().Doc(driver.DocOptions{Schemas: []string{schema}, Out: []string{"markdown=" + folder}}); err != nil {
		t.Fatal(err, errs.String())
	}
	pages, err := filepath.Glob(filepath.Join(folder, "plugins.*.md"))
	if err != nil || len(pages) != 3 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		match := exampleOnPage.FindStringSubmatch(string(text))
		if match == nil {
			t.Fatalf("%s has no example", page)
		}
		data, err := hex.DecodeString(strings.Join(strings.Fields(match[3]), ""))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, match[1])
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if err := tool().Inspect(driver.InspectOptions{Schema: schema, In: file}); err != nil || !strings.Contains(out.String(), match[1]) {
			t.Errorf("inspect of %s: %v\n%s", match[1], err, out.String())
		}
		out.Reset()
		options := driver.ConvertOptions{Schema: schema, Type: match[1], From: "message", To: "json", In: file, Out: "-"}
		if err := tool().Convert(options); err != nil {
			t.Errorf("convert of %s: %v\n%s", match[1], err, errs.String())
		}
		if got, want := strings.Join(strings.Fields(out.String()), ""), strings.Join(strings.Fields(match[2]), ""); got != want {
			t.Errorf("%s is\n%s\nand the page says\n%s", match[1], got, want)
		}
	}
}
