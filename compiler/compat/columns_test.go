package compat_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// countedInText counts the changes that a text marks: ✗ counts and (✗) does not.
func countedInText(t *testing.T, report *compat.Report) int {
	t.Helper()
	var text strings.Builder
	if err := compat.WriteText(&text, report, false); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(strings.ReplaceAll(text.String(), "(✗)", "")) {
		if strings.Contains(line, "✗") {
			n++
		}
	}
	return n
}

func TestAllFormatsCountTheSameChanges(t *testing.T) {
	for folder, report := range cases(t) {
		for _, words := range [][]string{{"bytes"}, {"old-readers"}, {"new-readers"}, {"json"}, {"source"}, {"go"}, {"rust", "json"}, {"cpp", "bytes"}, {"all"}} {
			columns, unknown := compat.NewColumns(words, language.All.Compared())
			if unknown != "" {
				t.Fatal(unknown)
			}
			report.Columns = columns
			var document, github bytes.Buffer
			if err := compat.WriteJSON(&document, report); err != nil {
				t.Fatal(err)
			}
			var read struct {
				Changes []struct{ Breaking bool }
				Columns []string
				// Breaking is how many there are.
				Breaking int
			}
			if err := json.Unmarshal(document.Bytes(), &read); err != nil {
				t.Fatal(err)
			}
			inJSON := 0
			for _, c := range read.Changes {
				if c.Breaking {
					inJSON++
				}
			}
			if err := diag.WriteGitHub(&github, report.Diagnostics().Sorted()); err != nil {
				t.Fatal(err)
			}
			inGitHub := strings.Count(github.String(), "%0Abreaks ")
			inText := countedInText(t, report)
			if n := report.Breaking(); n != inJSON || n != read.Breaking || n != inGitHub || n != inText {
				t.Errorf("%s, %v: %d breaking; JSON says %d and %d, GitHub's format %d, the text %d",
					folder, words, n, inJSON, read.Breaking, inGitHub, inText)
			}
		}
	}
}

func TestOnlyChosenColumnsCount(t *testing.T) {
	// The bytes of a removed member still are read, and its name is not.
	report := compare(t, "enum E: u8 { A = 0, B = 1 }", "enum E: u8 { A = 0 reserved 1; }")
	for words, counts := range map[string]bool{
		"bytes": false, "old-readers": false, "new-readers": false, "json": true, "source": true, "go": true, "rust": true, "cpp": true,
		"all": true, "bytes json": true,
	} {
		report.Columns, _ = compat.NewColumns(strings.Fields(words), language.All.Compared())
		if got := report.Breaking() == 1; got != counts {
			t.Errorf("for %s it breaks: %v", words, got)
		}
	}
	// A field that a struct gains breaks source in Rust alone.
	report = compare(t, "struct S { a: u8 }", "struct S { a: u8, b: u8 }")
	for words, counts := range map[string]bool{"go": false, "rust": true, "cpp": false, "source": true} {
		report.Columns, _ = compat.NewColumns([]string{words}, language.All.Compared())
		if got := report.Breaking() == 1; got != counts {
			t.Errorf("for %s it breaks: %v", words, got)
		}
	}
}

func TestWordsOfColumnsAreReadAsTheyAreSpelled(t *testing.T) {
	for _, word := range compat.ColumnWords(language.All.Compared()) {
		columns, unknown := compat.NewColumns([]string{word}, language.All.Compared())
		again, _ := compat.NewColumns(columns.Words(), language.All.Compared())
		if unknown != "" || !slices.Equal(columns.Words(), again.Words()) || len(columns.Words()) == 0 {
			t.Errorf("%s is spelled %v", word, columns.Words())
		}
	}
	if _, unknown := compat.NewColumns([]string{"bytes", "wire"}, language.All.Compared()); unknown != "wire" {
		t.Errorf("%q is unknown", unknown)
	}
}
