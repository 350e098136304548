package compat_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// compile checks files from a root.
func compile(t testing.TB, files check.Memory, root string) *ir.Schema {
	t.Helper()
	schema, problems := check.Program(files, []string{root}, func(*syntax.File) string { return "" })
	if problems.HasErrors() {
		var text strings.Builder
		if err := diag.WriteText(&text, problems.Sorted(), false); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s does not compile:\n%s\n%s", root, text.String(), files[root])
	}
	return schema
}

// compare compares two versions of a file.
func compare(t testing.TB, before, after string) *compat.Report {
	t.Helper()
	return compat.Compare(compile(t, check.Memory{"s.sdp": before}, "s.sdp"), compile(t, check.Memory{"s.sdp": after}, "s.sdp"), language.All.Compared(), compat.AllColumns)
}

// cases reads testdata: each folder is a case, with the files of the old version in old/ and the
// files of the new version in new/.
func cases(t *testing.T) map[string]*compat.Report {
	t.Helper()
	reports := map[string]*compat.Report{}
	folders, err := filepath.Glob("testdata/*/old")
	if err != nil {
		t.Fatal(err)
	}
	for _, old := range folders {
		folder := filepath.Dir(old)
		version := func(name string) *ir.Schema {
			files := check.Memory{}
			paths, err := filepath.Glob(filepath.Join(folder, name, "*.sdp"))
			if err != nil || len(paths) == 0 {
				t.Fatalf("%s/%s has no schema: %v", folder, name, err)
			}
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				files[filepath.Base(path)] = string(text)
			}
			return compile(t, files, "s.sdp")
		}
		reports[folder] = compat.Compare(version("old"), version("new"), language.All.Compared(), compat.AllColumns)
	}
	return reports
}

func TestReportsAreAsReviewed(t *testing.T) {
	reports := cases(t)
	if len(reports) < 8 {
		t.Fatalf("only %d cases were found", len(reports))
	}
	for folder, report := range reports {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var text, document, problems bytes.Buffer
			if err := compat.WriteText(&text, report, false); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join(folder, "report.txt"), text.String())
			if err := compat.WriteJSON(&document, report); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join(folder, "report.json"), document.String())
			if err := diag.WriteText(&problems, report.Diagnostics().Sorted(), false); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join(folder, "diagnostics.txt"), problems.String())
		})
	}
}

func TestEveryCodeOccursInACaseAndIsExplained(t *testing.T) {
	reported := map[diag.Code]bool{}
	for _, report := range cases(t) {
		for _, c := range report.Changes {
			reported[c.Code] = true
			if _, found := (diag.Catalog{compat.Codes}).Explain(string(c.Code)); !found {
				t.Errorf("code %s has no explanation", c.Code)
			}
		}
	}
	for _, code := range compat.Codes.Codes() {
		if !reported[code] {
			t.Errorf("no case reports %s", code)
		}
	}
}

func TestNothingChangesBetweenEqualSchemas(t *testing.T) {
	for folder := range cases(t) {
		text, err := os.ReadFile(filepath.Join(folder, "old", "s.sdp"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "import") {
			continue
		}
		if report := compare(t, string(text), string(text)); len(report.Changes) > 0 {
			t.Errorf("%s: %s %s", folder, report.Changes[0].Subject, report.Changes[0].What)
		}
	}
}

func TestColorOnlyAddsEscapes(t *testing.T) {
	report := compare(t, "struct A { x: u8 }", "struct A { y: u8, z: u8 }")
	var plain, colored bytes.Buffer
	if err := compat.WriteText(&plain, report, false); err != nil {
		t.Fatal(err)
	}
	if err := compat.WriteText(&colored, report, true); err != nil {
		t.Fatal(err)
	}
	text := colored.String()
	for _, escape := range []string{"\x1b[1m", "\x1b[32m", "\x1b[1;31m", "\x1b[0m"} {
		if !strings.Contains(text, escape) {
			t.Errorf("no escape %q in %q", escape, text)
		}
		text = strings.ReplaceAll(text, escape, "")
	}
	if text != plain.String() {
		t.Errorf("without escapes the coloured text is\n%s\nnot\n%s", text, plain.String())
	}
}
