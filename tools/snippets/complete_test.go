package snippets_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// TestConfigGuideListsEveryKey holds the tables of docs/sdp-toml.md against what is read.
func TestConfigGuideListsEveryKey(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/sdp-toml.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{} // tables of the guide that have the key
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		listed[row[1]]++
	}
	var read func(reflect.Type)
	read = func(table reflect.Type) {
		for i := range table.NumField() {
			field := table.Field(i)
			key, of := field.Tag.Get("toml"), field.Type
			if key == "-" || field.Tag.Get("internal") == "true" {
				continue
			}
			listed[key]--
			for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			if of.Kind() == reflect.Struct {
				read(of)
			}
		}
	}
	read(driver.ConfigTable(language.All))
	for key, tables := range listed {
		if tables != 0 {
			t.Errorf("docs/sdp-toml.md lists %s in %d tables too many", key, tables)
		}
	}
}

// TestLanguageGuideShowsEveryWord looks for the words of the grammar, and for the
// attributes, in the schemas of docs/language.md.
func TestLanguageGuideShowsEveryWord(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	schemas := ""
	for _, b := range blocksOf(t, "docs/language.md") {
		if b.language == "sdp" {
			schemas += b.text
		}
	}
	var words []string
	for _, word := range regexp.MustCompile(`"([a-z]{2,})"`).FindAllStringSubmatch(read("spec/grammar.ebnf"), -1) {
		words = append(words, `\b`+word[1]+`\b`)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`@.*?) \\|").FindAllString(read("spec/language.md"), -1) {
		for _, attribute := range regexp.MustCompile("`(@[a-z_]+)").FindAllStringSubmatch(row, -1) {
			words = append(words, attribute[1]+`\b`)
		}
	}
	if len(words) < 20 {
		t.Fatalf("only these words were found: %s", words)
	}
	for _, word := range words {
		if !regexp.MustCompile(word).MatchString(schemas) {
			t.Errorf("no schema of docs/language.md has %s", word)
		}
	}
}

// TestDocumentsThatNameAVersionSayWhatWorksBeforeItIsPublished looks at all documents that
// users read.
func TestDocumentsThatNameAVersionSayWhatWorksBeforeItIsPublished(t *testing.T) {
	seen := append(documents(t), inFolder(t, "examples")...)
	seen = append(append(seen, inFolder(t, "runtime")...), inFolder(t, "mxp")...)
	version := regexp.MustCompile(`(serial-data-protocol|sdp-build|mesh-exchange-protocol) = (\{ version = )?"\d`)
	for _, document := range seen {
		text, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			t.Fatal(err)
		}
		if version.Match(text) && !strings.Contains(string(text), `git = "https://github.com/serial-data-protocol/sdp"`) {
			t.Errorf("%s names a version, and not what stands in place of it until that is published", document)
		}
	}
}
