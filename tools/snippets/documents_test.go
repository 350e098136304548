package snippets_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a document. Behind its language its first line may have
// the name of the file that the block is, or `untested:` and a reason.
type block struct {
	document, language, text string
	line                     int
	file, untested           string
}

var fenced = regexp.MustCompile("(?ms)^```([^ \n]*)(?: +([^\n]*))?\n(.*?)^```$")

func blocksOf(t *testing.T, document string) []block {
	t.Helper()
	read, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	text := string(read)
	var all []block
	for _, at := range fenced.FindAllStringSubmatchIndex(text, -1) {
		b := block{
			document: document, language: text[at[2]:at[3]], text: text[at[6]:at[7]],
			line: strings.Count(text[:at[6]], "\n") + 1,
		}
		if at[4] >= 0 {
			words := text[at[4]:at[5]]
			if reason, ok := strings.CutPrefix(words, "untested: "); ok {
				b.untested = reason
			} else {
				b.file = words
			}
		}
		all = append(all, b)
	}
	return all
}

// of are the blocks of a language that are no files.
func of(language string, all []block) []block {
	return slices.DeleteFunc(slices.Clone(all), func(b block) bool {
		return b.language != language || b.file != "" || b.untested != ""
	})
}

// documents are the Markdown files for users of SDP.
func documents(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range found {
		found[i] = filepath.Base(file)
	}
	return append(found, inFolder(t, "docs")...)
}

// forReaders are README and the documents that it leads to.
func forReaders(t *testing.T) []string {
	t.Helper()
	return append([]string{"README.md"}, inFolder(t, "docs")...)
}

// inFolder are the Markdown files of a folder and of its subfolders.
func inFolder(t *testing.T, folder string) (found []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), folder, func(file string, _ fs.DirEntry, err error) error {
		if path.Base(file) == "node_modules" {
			return fs.SkipDir
		}
		if path.Ext(file) == ".md" {
			found = append(found, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ownTests are the documents of which tests take the blocks of some languages one by
// one, by name. README and all others in docs/ are guides, which are walked through.
var ownTests = []struct{ document, languages, test string }{
	{"docs/go.md", "sdp go", "golang_test.go TestGoInDocumentsCompiles"},
	{"docs/rust.md", "rust", "../../examples/registry/rust/src/lib.rs docs/rust.md"},
	{"docs/rust.md", "sdp rust,ignore", "rust_test.go TestRustInDocumentsCompiles"},
	{"docs/rust.md", "toml", "rust_test.go TestTOMLInDocumentsIsValid"},
	{"docs/cpp.md", "sdp cpp", "cpp_test.go TestCppInDocumentsCompilesAndPrintsWhatItSays"},
	{"docs/typescript.md", "ts sdp", "typescript_test.go TestTypeScriptInDocumentsCompilesAndRuns"},
	{"docs/python.md", "python sdp", "python_test.go TestPythonInDocumentsRuns"},
	{"docs/python.md", "json", "values_test.go TestValuesAreTheSameInEveryLanguage"},
	{"docs/go.md", "json", "values_test.go TestValuesAreTheSameInEveryLanguage"},
	{"docs/rust.md", "json", "values_test.go TestValuesAreTheSameInEveryLanguage"},
	{"docs/cpp.md", "json", "values_test.go TestValuesAreTheSameInEveryLanguage"},
	{"docs/typescript.md", "json", "values_test.go TestValuesAreTheSameInEveryLanguage"},
	{"docs/typescript.md", "js", "typescript_test.go TestJavaScriptInDocumentsIsCheckedAndRuns"},
	{"docs/calls.md", "sdp json console", "../../cmd/sdp/docs_test.go TestDocumentShowsWhatCommandsPrint"},
	{"docs/ir-json.md", "sdp json", "../../compiler/driver/irjson_test.go TestIRDocumentShowsWhatIsPrinted"},
}

// guides are the documents that are walked through from their first block to the last.
func guides(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(forReaders(t), func(document string) bool {
		for _, one := range ownTests {
			if one.document == document {
				return true
			}
		}
		return false
	})
}

// inGuides are the languages of blocks that a walk through a guide knows what to do with.
var inGuides = strings.Fields("sh console sdp toml json yaml go rust cpp")

func TestEveryBlockOfADocumentIsTestedOrSaysWhyNot(t *testing.T) {
	walked := guides(t)
	for _, document := range forReaders(t) {
		for _, b := range blocksOf(t, document) {
			isTested := b.language == "" || b.untested != ""
			if slices.Contains(walked, document) {
				// The purpose of a file of another language shows when the guide's commands are run.
				isTested = isTested || b.file != "" || slices.Contains(inGuides, b.language)
			}
			for _, one := range ownTests {
				isTested = isTested || one.document == document && slices.Contains(strings.Fields(one.languages), b.language)
			}
			if !isTested {
				t.Errorf("%s:%d: nothing tests this %s; if nothing can, write ```%s untested: REASON", document, b.line, b.language, b.language)
			}
		}
	}
	for _, one := range ownTests {
		file, name, _ := strings.Cut(one.test, " ")
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), name) {
			t.Errorf("there is no test %s (%v)", one.test, err)
		}
	}
}

// A page shows nothing of the line that begins a block but its language, so that a reader looks for a file's name
// in the paragraph before it.
func TestNameOfAFileStandsBeforeItsBlock(t *testing.T) {
	for _, document := range forReaders(t) {
		text, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for _, b := range blocksOf(t, document) {
			above := strings.Split(strings.TrimRight(strings.Join(lines[:b.line-2], "\n"), "\n"), "\n\n")
			if paragraph := above[len(above)-1]; b.file != "" && !strings.Contains(paragraph, "`"+b.file+"`") {
				t.Errorf("%s:%d: the paragraph before this does not say that it is `%s`", document, b.line, b.file)
			}
		}
	}
}

var linked = regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)|(?:src|srcset)="([^"]*)"`)

// anchorsOf are the places in a document that a link can lead to.
func anchorsOf(t *testing.T, document string) (anchors []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(fenced.ReplaceAllString(string(text), ""), "\n") {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			kept := regexp.MustCompile("[^a-z0-9_ -]").ReplaceAllString(strings.ToLower(title), "")
			anchors = append(anchors, "#"+strings.ReplaceAll(kept, " ", "-"))
		}
	}
	return anchors
}

func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	all := documents(t)
	for _, folder := range strings.Fields("bench conformance examples mxp runtime spec") {
		all = append(all, inFolder(t, folder)...)
	}
	for _, document := range all {
		text, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range linked.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			name := link[1] + link[3]
			if strings.Contains(name, "://") {
				continue
			}
			target := document
			if name != "" {
				target = path.Join(path.Dir(document), name)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which is not there", document, target)
			} else if link[2] != "" && path.Ext(target) == ".md" && !slices.Contains(anchorsOf(t, target), link[2]) {
				t.Errorf("%s links to %s%s, and there is no such heading", document, target, link[2])
			}
		}
	}
}

// A claim of README stands in a row of its table, beside what shows that it is true.
func TestClaimsOfReadmeNameWhatShowsThem(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| shown by |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) < 5 {
		t.Fatalf("README has %d claims", len(rows))
	}
	for _, row := range rows {
		cells := strings.Split(row, " | ")
		if len(cells) != 2 || !linked.MatchString(cells[1]) {
			t.Errorf("nothing is named that shows %q", row)
		}
	}
}

func TestPicturesOfDocumentsAreShown(t *testing.T) {
	shown := map[string]bool{}
	for _, document := range forReaders(t) {
		text, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range linked.FindAllStringSubmatch(string(text), -1) {
			shown[path.Join(path.Dir(document), link[1]+link[3])] = true
		}
	}
	err := fs.WalkDir(os.DirFS(root), "docs", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Ext(file) != ".md" && !shown[file] {
			t.Errorf("no document shows %s", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestIndexOfDocumentsListsEveryPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range inFolder(t, "docs") {
		if link := "](" + strings.TrimPrefix(document, "docs/") + ")"; document != "docs/README.md" && !strings.Contains(string(text), link) {
			t.Errorf("docs/README.md does not list %s", document)
		}
	}
}

// Terms of the glossary stand in the order of their letters, each once in a table, and each in one sentence.
func TestEveryTermOfTheGlossaryIsASentence(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		last := ""
		for _, line := range strings.Split(part, "\n") {
			cells := strings.Split(strings.Trim(line, "| "), " | ")
			if !strings.HasPrefix(line, "| ") || cells[0] == "term" {
				continue
			}
			rows++
			term, sentence := cells[0], cells[1]
			if strings.ToLower(term) <= last {
				t.Errorf("%s stands behind %s", term, last)
			}
			last = strings.ToLower(term)
			if !strings.HasSuffix(sentence, ".") || strings.Contains(strings.TrimSuffix(sentence, "."), ". ") || !strings.Contains(strings.ToLower(sentence), strings.Fields(last)[0]) {
				t.Errorf("%s is explained by %q", term, sentence)
			}
		}
	}
	if rows < 100 {
		t.Errorf("the glossary has %d terms, so that the test looks in the wrong place", rows)
	}
}

// TestMethodsOfTheMigrationAreShown finds the code of docs/from-grpc.md in the files that it names, which the tests of
// that example compile and run.
func TestMethodsOfTheMigrationAreShown(t *testing.T) {
	shown := 0
	for _, b := range blocksOf(t, "docs/from-grpc.md") {
		if b.language != "go" {
			continue
		}
		shown++
		_, file, _ := strings.Cut(b.untested, "compares it with ")
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), b.text) {
			t.Errorf("%s:%d: %s has not this", b.document, b.line, file)
		}
	}
	if shown != 2 {
		t.Errorf("there are %d pieces of Go", shown)
	}
}
