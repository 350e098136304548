package lsp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

var (
	editCount = flag.Int("edits", 200, "how many random edits TestRandomEdits makes")
	editSeed  = flag.Uint64("seed", 1, "the seed of the edits")
)

// repositorySchemas are the texts of all schemas of this repository, by path. Editors have no
// others than UTF-8.
func repositorySchemas(t *testing.T) map[string]string {
	schemas := map[string]string{}
	root := "../.."
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && (slices.Contains([]string{"target", "node_modules", "out"}, entry.Name()) || strings.HasPrefix(entry.Name(), ".")) && path != ".." {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".sdp") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			inside, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if len(text) > 0 {
				schemas[filepath.ToSlash(inside)] = strings.ToValidUTF8(string(text), "\ufffd")
			}
		}
		return nil
	})
	if err != nil || len(schemas) < 20 {
		t.Fatalf("%d schemas, %v", len(schemas), err)
	}
	return schemas
}

var lineEnd = regexp.MustCompile("\r\n|\r|\n")

// positionIn is where an offset is, counted in another way than the server does.
func positionIn(text string, offset int, units encoding) position {
	before := text[:offset]
	ends := lineEnd.FindAllStringIndex(before, -1)
	if strings.HasSuffix(before, "\r") && strings.HasPrefix(text[offset:], "\n") {
		ends = ends[:len(ends)-1] // within one
	}
	if len(ends) > 0 {
		before = before[ends[len(ends)-1][1]:]
	}
	if units == utf8Units {
		return position{uint32(len(ends)), uint32(len(before))}
	}
	return position{uint32(len(ends)), uint32(len(utf16.Encode([]rune(before))))}
}

// fresh is what `sdp check` reports, as a client is told it.
func fresh(t *testing.T, config, path string, units encoding) map[string][]diagnostic {
	var out bytes.Buffer
	tool := &driver.Tool{In: strings.NewReader(""), Out: &out, Err: &out, Format: driver.FormatJSON, ConfigPath: config}
	options := driver.CheckOptions{}
	if config == "" {
		options.Schemas = []string{path}
	}
	_ = tool.Check(options)
	var report struct {
		Diagnostics []struct {
			Code, Severity, Message, Label, Help string
			Span                                 *span
			Related                              []struct {
				Label string
				Span  *span
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("sdp check: %v\n%s", err, out.String())
	}
	texts := map[string]string{}
	found := map[string][]diagnostic{}
	for _, d := range report.Diagnostics {
		shown := diagnostic{Code: d.Code, Severity: 2, Source: "sdp", Message: d.Message}
		if d.Severity == "error" {
			shown.Severity = 1
		}
		if strings.HasPrefix(d.Code, "L02") {
			shown.Tags = []int{1}
		}
		if d.Label != "" {
			shown.Message += "\n" + d.Label
		}
		if d.Help != "" {
			shown.Message += "\nhelp: " + d.Help
		}
		uri := uriAt(path)
		if d.Span != nil {
			uri, shown.Range = d.Span.location(t, texts, units)
		}
		for _, r := range d.Related {
			uri, at := r.Span.location(t, texts, units)
			shown.Related = append(shown.Related, relatedInfo{location{uri, at}, r.Label})
		}
		found[uri] = append(found[uri], shown)
	}
	return found
}

type span struct {
	File       string
	Start, End struct{ Offset int }
}

func (s *span) location(t *testing.T, texts map[string]string, units encoding) (uri string, at textRange) {
	text, known := texts[s.File]
	if !known {
		read, err := os.ReadFile(s.File)
		if err != nil {
			t.Fatal(err)
		}
		text = string(read)
		texts[s.File] = text
	}
	return uriAt(s.File), textRange{positionIn(text, s.Start.Offset, units), positionIn(text, s.End.Offset, units)}
}

// pieces are what an edit inserts.
var pieces = []string{
	"\r\n", "\n", "\r", "\t", "😀", "𝔸", "é", "\ufeff", "\u2028", "\x00", "\"", "/*", "*/", "//", "/// doc 😀\n", "//! file\n", "{", "}", "(", ")", "[", "]", "<", ">",
	",", ";", ":", "=", "?", "@", ".", "..", "->", "-", "0", "4294967296", "-1", "1e9", "0x_", "u8", "str", "map<str, ", "Option<", "Box<", "[3]", "[]", "struct ", "message M {",
	"enum E: u8 { A = 0 }\n", "union U { A = 1 }\n", "service S { call a(X) -> Y = 1; }\n", "import \"x.sdp\";\n", "import \"../", "const N: u32 = 3;\n", "type A = B;\n", "type B = A;\n",
	"package p;\n", "@id(3)\n", "@since(2) ", "@max(N) ", "@allow(L0101, \"why\") ", "@x.a.b(c = 1)\n", "@deprecated(\"x\") ", "reserved 3..5, \"a\";", "x: u32,\n", "@closed ", "@len(u8) ", "stream ",
}

type editor struct {
	*rand.Rand
	text string
}

// boundary is an offset between two characters that a position can name.
func (e *editor) boundary() int {
	at := e.IntN(len(e.text) + 1)
	for at < len(e.text) && (!utf8.RuneStart(e.text[at]) || at > 0 && e.text[at] == '\n' && e.text[at-1] == '\r') {
		at++
	}
	return at
}

// edit changes the text, and says so.
func (e *editor) edit(units encoding, whole string) change {
	start := e.boundary()
	end := start
	inserted := ""
	switch e.IntN(10) {
	case 0: // cut at any byte
		e.text = strings.ToValidUTF8(e.text[:e.IntN(len(e.text)+1)], "\ufffd")
		return change{Text: e.text}
	case 1, 2:
		end = e.boundary()
	case 3:
		end = e.boundary()
		inserted = pieces[e.IntN(len(pieces))]
	case 4: // a piece of another schema
		from := e.IntN(len(whole))
		inserted = strings.ToValidUTF8(whole[from:min(len(whole), from+e.IntN(200))], "\ufffd")
	case 5:
		e.text = whole
		return change{Text: whole}
	default:
		inserted = pieces[e.IntN(len(pieces))]
	}
	if start > end {
		start, end = end, start
	}
	if end-start > 300 && e.IntN(4) > 0 {
		end = start
	}
	c := change{&textRange{positionIn(e.text, start, units), positionIn(e.text, end, units)}, inserted}
	if end == len(e.text) && e.IntN(2) == 0 {
		c.Range.End = position{1 << 31, 1 << 31} // beyond the end
	}
	e.text = e.text[:start] + inserted + e.text[end:]
	return c
}

// questions are asked at random places. The answer may be anything but a mistake of the server's.
var questions = []string{
	"hover", "definition", "references", "documentHighlight", "prepareRename", "rename", "documentSymbol", "completion", "formatting",
	"semanticTokens/full", "foldingRange", "inlayHint", "codeAction", "codeLens",
}

// After every edit the problems are the problems of a fresh check, for any edit.
func TestRandomEdits(t *testing.T) {
	for _, units := range []encoding{utf8Units, utf16Units} {
		t.Run(string(units), func(t *testing.T) { randomEdits(t, units, *editCount/2) })
	}
}

// A file that is not open is cut at every byte, also within characters.
func TestCutsAtEveryByteOfAnImport(t *testing.T) {
	whole := "\ufeffpackage a;\r\n/// 😀 𝔸\r\nstruct A { x: u8, /* é */ y: str }\n@x.a(b = \"😀\")\nenum E: u8 { B = 0 }\n"
	c := start(t, map[string]string{"a.sdp": whole}, "")
	text := "package b;\nimport \"a.sdp\";\nstruct B { a: a.A, e: a.E }\n"
	c.write("b.sdp", text)
	c.opens("b.sdp", text)
	for cut := range len(whole) {
		c.write("a.sdp", whole[:cut])
		c.notify("workspace/didChangeWatchedFiles", `{"changes":[]}`)
		wanted := fresh(t, "", c.path("b.sdp"), utf16Units)
		c.must("textDocument/codeAction", c.at("b.sdp", position{})) // waits for the check
		c.arrived.L.Lock()
		for _, uri := range union(wanted, c.problems) {
			if got := c.problems[uri].Diagnostics; quoted(got) != quoted(wanted[uri]) && len(got)+len(wanted[uri]) > 0 {
				t.Errorf("cut at %d: %s has\n%s\nand a fresh check\n%s", cut, uri, quoted(got), quoted(wanted[uri]))
			}
		}
		c.arrived.L.Unlock()
	}
}

func randomEdits(t *testing.T, units encoding, count int) {
	t.Logf("seed %d", *editSeed)
	random := rand.New(rand.NewPCG(*editSeed, uint64(len(units))))
	schemas := repositorySchemas(t)
	var names []string
	configs := map[string]string{} // by folder
	for name := range schemas {
		names = append(names, name)
	}
	slices.Sort(names)
	c := start(t, schemas, `{"general":{"positionEncodings":["`+string(units)+`"]},"workspace":{"codeLens":{"refreshSupport":true}}}`)
	for i, name := range names {
		folder := filepath.Dir(name)
		beside, _ := filepath.Glob(c.path(folder + "/*.sdp"))
		if _, known := configs[folder]; !known && i%2 == 0 && folder != "." && len(beside) < 12 {
			configs[folder] = c.path(folder + "/sdp.toml")
			c.write(folder+"/sdp.toml", "schemas = [\".\"]\n\n[lint]\nenable = [\"L0204\"]\n")
		}
	}
	configOf := func(name string) string {
		for folder := filepath.Dir(name); ; folder = filepath.Dir(folder) {
			if configs[folder] != "" || folder == "." {
				return configs[folder]
			}
		}
	}
	checks := 0
	var early int64
	for done := 0; done < count; {
		name := names[random.IntN(len(names))]
		e := &editor{random, schemas[name]}
		if random.IntN(3) == 0 {
			e.text = strings.ReplaceAll(e.text, "\n", "\r\n")
		}
		if random.IntN(8) == 0 {
			e.text = "\ufeff" + e.text
		}
		c.opens(name, e.text)
		rounds := min(40, count-done)
		for version := int32(2); version < int32(rounds)+2; version++ {
			done++
			var all []change
			for range 1 + random.IntN(3) {
				all = append(all, e.edit(units, schemas[name]))
			}
			c.changes(name, version, all...)
			c.must("textDocument/foldingRange", c.document(name)) // those of other files come before the answer
			c.write(name, e.text)
			wanted := fresh(t, configOf(name), c.path(name), units)
			checks++
			c.arrived.L.Lock()
			for _, uri := range union(wanted, c.problems) {
				if got := c.problems[uri].Diagnostics; quoted(got) != quoted(wanted[uri]) && len(got)+len(wanted[uri]) > 0 {
					t.Errorf("edit %d: %s has\n%s\nand a fresh check\n%s\nof %q", done, uri, quoted(got), quoted(wanted[uri]), e.text)
				}
			}
			c.arrived.L.Unlock()
			if t.Failed() {
				return
			}
			for range 2 {
				c.askAnything(questions[random.IntN(len(questions))], name, positionIn(e.text, e.boundary(), units))
			}
		}
		c.notify("textDocument/didClose", c.document(name))
		c.must("workspace/symbol", `{"query":"there is no such symbol"}`)
		c.arrived.L.Lock()
		for uri, told := range c.problems {
			if len(told.Diagnostics) > 0 {
				t.Errorf("after close %s has %v", uri, messages(told.Diagnostics))
			}
		}
		c.arrived.L.Unlock()
		c.write(name, schemas[name])
		if early == 0 && done >= count/5 {
			early = c.memory()
		}
	}
	if late := c.memory(); count > 2000 && late > early+early/20+1<<20 {
		t.Errorf("after a fifth of the edits %d bytes are in use, at the end %d", early, late)
	} else {
		t.Logf("%d checks; %d bytes in use after a fifth of the edits, %d at the end", checks, early, late)
	}
}

// memory is the memory in use once the client has forgotten its received messages.
func (c *client) memory() int64 {
	c.must("workspace/symbol", `{"query":"there is no such symbol"}`)
	c.arrived.L.Lock()
	clear(c.answers)
	clear(c.problems)
	c.asked = nil
	c.arrived.L.Unlock()
	return memoryInUse()
}

func union(a map[string][]diagnostic, b map[string]publishParams) []string {
	var all []string
	for uri := range a {
		all = append(all, uri)
	}
	for uri := range b {
		if _, both := a[uri]; !both {
			all = append(all, uri)
		}
	}
	slices.Sort(all)
	return all
}

func (c *client) askAnything(question, name string, at position) {
	c.t.Helper()
	params := fmt.Sprintf(`{"textDocument":{"uri":%q},"position":%s,"range":{"start":{"line":0,"character":0},"end":%s},"newName":"Zz","context":{"includeDeclaration":true}}`,
		c.uri(name), quoted(at), quoted(at))
	if got := c.ask("textDocument/"+question, params); got.Error != nil && got.Error.Code != codeRequestFailed {
		c.t.Errorf("%s at %v: %v", question, at, got.Error)
	}
}
