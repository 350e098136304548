package doc_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"html"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/doc"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// compile compiles schemas in memory; the roots are the importing schemas.
func compile(t *testing.T, files map[string]string, roots ...string) *plan.Program {
	t.Helper()
	schema, problems := check.Program(check.Memory(files), roots, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	return plan.New(schema)
}

// folder compiles the schemas of a folder, each by itself.
func folder(t *testing.T, dir string) []*plan.Program {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.sdp"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no schemas: %v", dir, err)
	}
	files := map[string]string{}
	var roots []string
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(p)] = string(text)
		roots = append(roots, filepath.Base(p))
	}
	var programs []*plan.Program
	for _, root := range roots {
		programs = append(programs, compile(t, files, root))
	}
	return programs
}

func pages(program *plan.Program, form doc.Form, releases ...doc.Release) map[string]string {
	all := map[string]string{}
	for _, f := range doc.Make(program, doc.Options{Form: form, Version: "test", Releases: releases}) {
		all[f.Name] = string(f.Content)
	}
	return all
}

var hexBlock = map[doc.Form]*regexp.Regexp{
	doc.HTML:     regexp.MustCompile(`(?s)<pre tabindex="0" class="json"><code>(.*?)</code></pre>.*?<pre tabindex="0" class="hex"><code>(.*?)</code></pre>`),
	doc.Markdown: regexp.MustCompile("(?s)```json\n(.*?)\n```\n.*?```text\n(.*?)\n```\n"),
}

// TestExamplesAreValues decodes what pages show: the bytes of each example are a value of its
// type, and that value is the JSON.
func TestExamplesAreValues(t *testing.T) {
	for _, dir := range []string{"../../conformance/schemas", "../testdata/valid", "../../spec", "../../examples/registry"} {
		shown := 0
		for _, program := range folder(t, dir) {
			for form := range hexBlock {
				shown += examples(t, program, form)
			}
		}
		if shown < 6 {
			t.Errorf("%s has %d examples", dir, shown)
		}
	}
}

// examples decodes the examples of a program, and counts them.
func examples(t *testing.T, program *plan.Program, form doc.Form) int {
	t.Helper()
	all, shown := pages(program, form), 0
	for _, pkg := range program.Schema.Packages {
		for _, d := range pkg.Decls {
			page, found := all[ir.FullName(d)+form.Extension()]
			if program.Body(d) == nil || !found { // or one of two names that differ by case alone
				continue
			}
			match := hexBlock[form].FindStringSubmatch(page)
			if match == nil {
				if program.Body(d).Size.Min < 1000 {
					t.Errorf("%s has no example", ir.FullName(d))
				}
				continue
			}
			shown++
			json := match[1]
			if form == doc.HTML {
				json = html.UnescapeString(json)
			}
			decodes(t, program, d, json, match[2])
		}
	}
	return shown
}

func decodes(t *testing.T, program *plan.Program, d ir.Decl, json, digits string) {
	t.Helper()
	data, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
	if err != nil {
		t.Fatal(err)
	}
	codec, err := interp.New(program, d)
	if err != nil {
		t.Fatal(err)
	}
	options := interp.Options{Exact: true}
	if ir.IDOf(d) != nil {
		options.Mode = interp.MessageMode
	}
	var text bytes.Buffer
	if err := codec.WriteJSON(&text, interp.FromBytes(data), options); err != nil {
		t.Errorf("%s: the example is refused: %v", ir.FullName(d), err)
		return
	}
	if got := withoutSpace(json); got != withoutSpace(text.String()) {
		t.Errorf("%s: the bytes are\n%s\nand the page says\n%s", ir.FullName(d), text.String(), got)
	}
}

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

func TestPagesAreTheSameEachTime(t *testing.T) {
	for _, form := range []doc.Form{doc.HTML, doc.Markdown} {
		first := sampled(t, form)
		for range 5 {
			again := sampled(t, form)
			for name, text := range first {
				if again[name] != text {
					t.Fatalf("%s differs from one run to the next", name)
				}
			}
		}
		for name, text := range first {
			if line, _, _ := strings.Cut(text, "\n"); !strings.Contains(line, doc.Mark) {
				t.Errorf("%s does not say in its first line who made it", name)
			}
		}
	}
}

const grown = `package host;
/// A level.
type Level = f32;
const MOST: u32 = 8;
enum Kind: u8 { None = 0, Effect = 1 }
struct Wheel { size: u16, @max(8) spare: str, level: Level }
/// See ` + "`Wheel`" + `.
@id(3) message Car {
    /// Its wheels.
    wheels: []Wheel,
    @deprecated("never sold") @since(2) kind: Kind = Effect,
}
union Change { Sold(Car) = 1, Moved { by: i16 } = 2 }
/// A garage.
service Garage {
    @idempotent call park(Car) -> Car = 1;
    stream watch(Car) -> stream Change = 2;
}
`

const older = `package host;
type Level = f32;
const MOST: u32 = 8;
struct Wheel { size: u32, @max(8) spare: str, level: Level }
@id(3) message Car { wheels: []Wheel }
`

// sampled are pages of a schema with a history.
func sampled(t *testing.T, form doc.Form) map[string]string {
	t.Helper()
	before := compile(t, map[string]string{"v1:host.sdp": older}, "v1:host.sdp")
	after := compile(t, map[string]string{"host.sdp": grown}, "host.sdp")
	release := doc.Release{Old: "v1", Before: before.Schema, After: after.Schema, Report: compat.Compare(before.Schema, after.Schema, nil, compat.Bytes)}
	return pages(after, form, release)
}

func TestPagesSayWhatIsKnown(t *testing.T) {
	html, markdown := sampled(t, doc.HTML), sampled(t, doc.Markdown)
	for _, c := range []struct{ page, html, markdown string }{
		{"host.Car", `<td class="place">4 or more</td><td class="place">1 byte</td>`, "| 4 or more | 1 byte | `kind` | [`Kind`](host.Kind.md) | 2 |"},
		{"host.Car", `<strong>Deprecated</strong>: never sold`, "**Deprecated:** never sold"},
		{"host.Car", `Where it is missing: <code>Effect</code>`, "where it is missing: `Effect`"},
		{"host.Car", `href="host.Wheel.html"><code>Wheel</code></a>.`, "See [`Wheel`](<host.Wheel.md>)."},
		{"host.Car", `<a href="host.Garage.html#method-park"><code>Garage.park</code></a>`, "[`Garage.park`](host.Garage.md)"},
		{"host.Car", `<dt>Type id</dt><dd>3</dd>`, "type id 3"},
		{"host.Car", `<td class="hex">53 44 50 32</td><td><code>magic</code></td>`, "| 0000 | `53 44 50 32` | `magic` | SDP2 |"},
		{"host.Wheel", `<strong class="badge bad">breaking</strong> <code>Wheel.size</code> changed from <code>u32</code> to <code>u16</code>`, "**breaking** `Wheel.size` changed from `u32` to `u16`"},
		{"host.Wheel", `<td class="place">6 to 14</td><td class="place">4 bytes</td>`, "| 6 to 14 | 4 bytes | `level` |"},
		{"host.Wheel", `<code>@max(8) str</code>`, "`@max(8) str`"},
		{"host.Kind", `<td class="number">1</td><th scope="row"><a class="here" href="#member-Effect">`, "| 1 | `Effect` |"},
		{"host.Change", `<td class="number">2</td><th scope="row"><a class="here" href="#case-Moved">`, "| 2 | `Moved` | [fields of Moved](#fields-of-moved) | 2 bytes |"},
		{"host.Garage", `<td>call<br><span class="badge">idempotent</span></td>`, "| 1 | `park` | call, idempotent |"},
		{"host.Garage", `<code>stream <a href="host.Change.html">Change</a></code>`, "| 2 | `watch` | stream | [`Car`](host.Car.md) | `stream` [`Change`](host.Change.md) |"},
		{"host", `<h3>Since v1</h3>`, "### Since v1"},
		{"host", `<tr id="const-MOST">`, "| `MOST` | `u32` | `8` |"},
		{"host", `<a href="host.Wheel.html#field-level">`, "[`Wheel.level`](host.Wheel.md)"},
	} {
		if !strings.Contains(html[c.page+".html"], c.html) {
			t.Errorf("%s.html lacks %s", c.page, c.html)
		}
		if !strings.Contains(markdown[c.page+".md"], c.markdown) {
			t.Errorf("%s.md lacks %s", c.page, c.markdown)
		}
	}
	if !strings.Contains(html["index.js"], `["host.Car.wheels","field","host.Car.html#field-wheels","Its wheels."]`) {
		t.Error("the search does not know a field")
	}
}

// TestPagesAreServedWhereJekyllRuns looks at what it leaves out: files whose names begin with
// "~", "_" or ".", unless there is a .nojekyll.
func TestPagesAreServedWhereJekyllRuns(t *testing.T) {
	program := compile(t, map[string]string{"a.sdp": "package a; struct S { @x.ts(number) x: u64, @x.unit(\"dB\") y: u8 }"}, "a.sdp")
	html := pages(program, doc.HTML)
	for name := range html {
		if name != ".nojekyll" && strings.ContainsRune("~_.", rune(name[0])) {
			t.Errorf("%s would be left out", name)
		}
	}
	if _, there := html[".nojekyll"]; !there {
		t.Error("packages whose names begin with an underscore would be left out")
	}
	if page := html["a.S.html"]; strings.Contains(page, "x.ts") || !strings.Contains(page, "@x.unit") {
		t.Error("an attribute for one language is shown as it stands, or one of the user's is not")
	}
}

func TestNamesThatDifferByCaseHavePagesOfTheirOwn(t *testing.T) {
	program := compile(t, map[string]string{"a.sdp": "package a; struct Gain { x: u8 } @allow(L0101, \"a test\") struct GAIN { x: u16 } service index {}"}, "a.sdp")
	seen := map[string]bool{}
	for name := range pages(program, doc.HTML) {
		if seen[strings.ToLower(name)] {
			t.Errorf("two files are %s where no case counts", name)
		}
		seen[strings.ToLower(name)] = true
	}
	if !seen["a.gain-2.html"] {
		t.Error("one of the types has no page")
	}
}

// TestTypesThatAreTooLargeHaveNoExample holds the time that examples take against types whose
// parts are many.
func TestTypesThatAreTooLargeHaveNoExample(t *testing.T) {
	var text strings.Builder
	text.WriteString("package deep;\nstruct S0 {}\nstruct Long { all: [60000]u8 }\nstruct Few { all: ?[60000]u8 }\nstruct Loop { next: ?Loop, all: []Loop, by: map<u8, Loop> }\n")
	for i := range 24 {
		fmt.Fprintf(&text, "struct S%d { a: S%d, b: S%d }\nstruct L%d { a: ?S%d, b: ?S%d }\n", i+1, i, i, i+1, i, i)
	}
	begun := time.Now()
	all := pages(compile(t, map[string]string{"deep.sdp": text.String()}, "deep.sdp"), doc.HTML)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	for name, want := range map[string]bool{"deep.Long": false, "deep.S24": false, "deep.Loop": true, "deep.L1": true, "deep.S3": true} {
		if has := strings.Contains(all[name+".html"], `id="example"`); has != want {
			t.Errorf("%s has an example: %v", name, has)
		}
	}
}

// large is a schema of many types.
func large(types int) string {
	var text strings.Builder
	text.WriteString("package big;\n")
	for i := range types {
		fmt.Fprintf(&text, "/// Node %d is **one** of many, see `Node%d`.\n@id(%d)\nmessage Node%d {\n    /// Its number.\n    id: u32,\n    name: str,\n    values: []f64,\n    /// The child.\n    child: ?Node%d,\n    at: timestamp,\n    names: map<str, u32>,\n    level: f32,\n    on: bool,\n}\n",
			i, max(0, i-1), i+1, i, max(0, i-1))
	}
	return text.String()
}

// TestLinksLead follows each link of each page to a file, and in it to a place.
func TestLinksLead(t *testing.T) {
	sets := []map[string]string{sampled(t, doc.HTML)}
	for _, dir := range []string{"../../conformance/schemas", "../../spec"} {
		for _, program := range folder(t, dir) {
			sets = append(sets, pages(program, doc.HTML))
		}
	}
	followed := 0
	for _, all := range sets {
		ids := map[string]map[string]bool{}
		for name, text := range all {
			ids[name] = parsed(t, name, text).ids
		}
		for name, text := range all {
			if path.Ext(name) != ".html" {
				continue
			}
			for _, link := range parsed(t, name, text).links {
				file, id, _ := strings.Cut(link, "#")
				if file = strings.TrimPrefix(file, "./"); file == "" {
					file = name
				}
				followed++
				if _, found := all[file]; !found {
					t.Errorf("%s leads to %s, which is not there", name, link)
				} else if id != "" && !ids[file][id] {
					t.Errorf("%s leads to %s, and the page has no such place", name, link)
				}
			}
		}
	}
	if followed < 1000 {
		t.Errorf("%d links were followed", followed)
	}
}
