package format_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/internal/mangled"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

const corpus = "../testdata"

// schemas returns every schema file below the corpus.
func schemas(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"valid/*.sdp", "format/*.sdp", "diag/*.sdp"} {
		paths, err := filepath.Glob(filepath.Join(corpus, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[path] = string(text)
		}
	}
	return files
}

func parse(text string) (*syntax.File, bool) {
	var problems diag.List
	file := syntax.Parse("f.sdp", text, &problems)
	return file, !problems.HasErrors()
}

// properties checks what formatting must never break. It returns false for a
// text that is not of the grammar.
func properties(t *testing.T, text string) bool {
	t.Helper()
	before, ok := parse(text)
	if !ok {
		return false
	}
	formatted := format.File(before)
	after, ok := parse(formatted)
	if !ok {
		t.Fatalf("formatted text does not parse:\n%s\nwas made of:\n%s", formatted, text)
	}
	if again := format.File(after); again != formatted {
		t.Fatalf("formatting again gives\n%s\nthe first time it was\n%s", again, formatted)
	}
	if got, want := tokens(after), tokens(before); got != want {
		t.Fatalf("formatting changed the tokens from\n%s\nto\n%s", want, got)
	}
	if got, want := format.Canonical(after), format.Canonical(before); got != want {
		t.Fatalf("formatting changed the schema from\n%s\nto\n%s", want, got)
	}
	canonical, ok := parse(format.Canonical(before))
	if !ok || len(canonical.Comments) > 0 || format.Canonical(canonical) != format.Canonical(before) {
		t.Fatalf("canonical text is not canonical:\n%s", format.Canonical(before))
	}
	if got, want := strings.Join(documentation(after), "\n"), strings.Join(documentation(before), "\n"); got != want {
		t.Fatalf("formatting changed the documentation from\n%s\nto\n%s\nin\n%s", want, got, formatted)
	}
	if got, want := comments(after), comments(before); got != want {
		t.Fatalf("formatting changed the comments from\n%s\nto\n%s", want, got)
	}
	return true
}

// TestMangledTextsAreFormattedOnce formats texts that are almost texts of the corpus, and formats the
// results again.
func TestMangledTextsAreFormattedOnce(t *testing.T) {
	for _, text := range []string{
		"@closed union U{X=2,A{a:u8,b:[]// c\nu8}=1}", "struct A {} struct B {} // c\n", "const A: u8 = 1; const B: u8 = 2; // c\r\n",
		"@id(1) @closed /* a */ union U { A = 1 } // c\n", "@id(1)\r\nstruct A {\r\n a: u8, // c\r\n}\r\n",
	} {
		properties(t, text)
		if parsed, _ := parse(text); strings.Contains(format.File(parsed), "\r") {
			t.Errorf("%q keeps a carriage return", text)
		}
	}
	var texts []string
	for _, text := range schemas(t) {
		texts = append(texts, text)
	}
	sort.Strings(texts)
	r, parsed := rand.New(rand.NewPCG(1, 2)), 0
	for range 20_000 {
		text := texts[r.IntN(len(texts))]
		if r.IntN(4) > 0 {
			text = mangled.Short(r, text)
		}
		if r.IntN(4) == 0 {
			text = strings.ReplaceAll(text, "\n", " ")
		}
		if properties(t, mangled.Text(r, text)) {
			parsed++
		}
	}
	if parsed < 2000 {
		t.Errorf("only %d texts are of the grammar", parsed)
	}
}

// tokens lists what is left of a file without comments, white space, commas
// and empty parentheses, which formatting may add or remove.
func tokens(f *syntax.File) string {
	text := f.Source.Text()
	var code strings.Builder
	at := 0
	for _, c := range f.Comments {
		code.WriteString(text[at:c.Span.Start] + " ")
		at = c.Span.End
	}
	code.WriteString(text[at:])
	var found []string
	for _, token := range token.FindAllString(strings.TrimPrefix(code.String(), "\uFEFF"), -1) {
		if last := len(found) - 1; token == ")" && found[last] == "(" {
			found = found[:last]
		} else if token != "," {
			found = append(found, token)
		}
	}
	return strings.Join(found, " ")
}

var token = regexp.MustCompile(`"([^"\\]|\\.)*"|[A-Za-z0-9_]+|[^\sA-Za-z0-9_]`)

// comments lists the comments without their markers, in some order.
func comments(f *syntax.File) string {
	var texts []string
	for _, c := range f.Comments {
		lines := strings.Split(c.Span.Text(), "\n")
		for i := range lines[:len(lines)-1] {
			lines[i] = strings.TrimRight(lines[i], "\r")
		}
		text := strings.Join(lines, "\n")
		if c.Kind != syntax.BlockComment {
			marker := len("//")
			if c.Kind != syntax.LineComment {
				marker = len("///")
			}
			text = strings.TrimLeft(text[marker:], " ")
		}
		texts = append(texts, text)
	}
	sort.Strings(texts)
	return strings.Join(texts, "\n")
}

// documentation lists what each named thing is documented with.
func documentation(f *syntax.File) []string {
	var lines []string
	add := func(name string, docs []syntax.Comment) {
		for _, d := range docs {
			lines = append(lines, name+": "+d.Text())
		}
	}
	add("file", f.Docs)
	for _, d := range f.Declarations {
		head := d.DeclarationHead()
		add(head.Name.Text, head.Docs)
		switch d := d.(type) {
		case *syntax.Enum:
			for _, m := range d.Members {
				add(m.Name.Text, m.Docs)
			}
		case *syntax.Struct:
			for _, m := range d.Fields {
				add(m.Name.Text, m.Docs)
			}
		case *syntax.Union:
			for _, a := range d.Alternatives {
				add(a.Name.Text, a.Docs)
				if a.Inline != nil {
					for _, m := range a.Inline.Fields {
						add(m.Name.Text, m.Docs)
					}
				}
			}
		case *syntax.Service:
			for _, m := range d.Methods {
				add(m.Name.Text, m.Docs)
			}
		}
	}
	return lines
}

func TestFormattingMatchesGoldenFiles(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpus, "format/*.sdp"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files to format: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, ok := parse(string(text))
			if !ok {
				t.Fatal("the file is not of the grammar")
			}
			golden.Compare(t, strings.TrimSuffix(path, ".sdp")+".golden", format.File(file))
			golden.Compare(t, strings.TrimSuffix(path, ".sdp")+".canonical.golden", format.Canonical(file))
		})
	}
}

func TestFormattingKeepsSchemaAndComments(t *testing.T) {
	formatted := 0
	for path, text := range schemas(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if properties(t, text) {
				formatted++
			}
		})
	}
	if formatted < 10 {
		t.Errorf("only %d files of the corpus could be formatted", formatted)
	}
}

// TestCommentsAnywhereAreKept puts each sort of comment between every two
// tokens of a schema that has everything.
func TestCommentsAnywhereAreKept(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(corpus, "format/everything.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	places := tokenEnds(string(text))
	for _, comment := range []string{" // line\n", "\n// own line\n", " /* block */ ", "/* two\nlines */", "\n/// doc\n", " /// doc\n", "\n//! file\n", "/* a */ // b\n\n/* c */"} {
		for _, at := range places {
			if !properties(t, string(text[:at])+comment+string(text[at:])) {
				t.Fatalf("comment %q at byte %d makes the file ill-formed", comment, at)
			}
		}
	}
}

// tokenEnds finds the offsets at which a comment may stand.
func tokenEnds(text string) []int {
	ends := []int{0}
	inWord, inString := false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		word := c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '.'
		switch {
		case inString:
			if c == '"' {
				inString = false
			}
			continue
		case inWord && word:
			continue
		}
		if c != '>' {
			ends = append(ends, i)
		}
		inWord, inString = word, c == '"'
	}
	return append(ends, len(text))
}

func FuzzFormat(f *testing.F) {
	for _, text := range schemas(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		properties(t, text)
	})
}
