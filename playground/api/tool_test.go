package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/playground/api"
	"github.com/serial-data-protocol/sdp/playground/examples"
)

const repository = "../.."

// all are the page's examples.
func all(t *testing.T) []examples.Example {
	t.Helper()
	list, err := examples.Read(repository)
	if err != nil || len(list) < 15 {
		t.Fatalf("%d examples, %v", len(list), err)
	}
	return list
}

// lay writes a schema into the folder that the test works in.
func lay(t *testing.T, schema api.Schema) {
	t.Helper()
	for name, text := range schema.Files {
		if there, err := os.ReadFile(name); err != nil || string(there) != text {
			write(t, name, text)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// said is the printed text of a command of the tool.
func said(t *testing.T, do func(tool *driver.Tool) error) string {
	t.Helper()
	var out, problems bytes.Buffer
	tool := &driver.Tool{Out: &out, Err: &problems, Format: driver.FormatJSON}
	if err := do(tool); err != nil && !errors.Is(err, driver.ErrRefused) {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	return out.String()
}

// generatedByTool takes the files that `sdp gen` makes of schemas in every language. It leaves the
// runtimes, so that they need not be laid for each schema.
func generatedByTool(t *testing.T, root string, options map[string]map[string]string) map[string]string {
	t.Helper()
	write(t, "go.mod", "module "+api.Project+"\n\ngo 1.23\n")
	asked := driver.GenOptions{Schemas: []string{root}, Options: map[string]string{}}
	for _, l := range language.All {
		asked.Out = append(asked.Out, l.Name()+"="+l.StarterDir)
		for name, value := range options[l.Name()] {
			asked.Options[l.Name()+"-"+name] = value
		}
	}
	said(t, func(tool *driver.Tool) error { return tool.Gen(asked) })
	files := map[string]string{}
	for _, l := range language.All {
		err := filepath.WalkDir(l.StarterDir, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "sdp":
				return fs.SkipDir
			case entry.IsDir():
				return nil
			case entry.Name() == "__init__.py":
				return os.Remove(path)
			}
			text, err := os.ReadFile(path)
			files[filepath.ToSlash(path)] = string(text)
			return errors.Join(err, os.Remove(path))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// everything is all that can be chosen of each language on the page.
func everything() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, l := range language.All {
		all[l.Name()] = map[string]string{}
		for _, o := range l.Options {
			switch {
			case o.Kind == language.Several:
				all[l.Name()][o.Name] = strings.Join(o.Words, ",")
			case o.Kind == language.Switch && o.Name != place.Serde && o.Name != place.Tests:
				all[l.Name()][o.Name] = "true"
			}
		}
	}
	return all
}

func TestGeneratedCodeIsTheTools(t *testing.T) {
	list := all(t)
	t.Chdir(t.TempDir())
	for _, example := range list {
		for _, options := range []map[string]map[string]string{nil, everything()} {
			t.Run(example.Title, func(t *testing.T) {
				lay(t, example.Schema)
				want := generatedByTool(t, example.Schema.Root, options)
				compiler := api.New(driver.Version)
				for _, l := range language.All {
					got, err := compiler.Generate(api.GenerateQuestion{Schema: example.Schema, Language: l.Name(), Options: options[l.Name()]})
					if err != nil || len(got.Files) == 0 || len(got.Diagnostics) > 0 {
						t.Fatalf("%v, %v", got, err)
					}
					for _, f := range got.Files {
						if want[f.Path] != f.Text {
							t.Errorf("%s differs from the tool's", f.Path)
						}
						delete(want, f.Path)
					}
				}
				for path := range want {
					t.Errorf("%s is not made", path)
				}
			})
		}
	}
}

// Packages whose code would lie in one place are refused in the languages where the tool does.
func TestPackagesInOnePlaceAreRefusedAsByTheTool(t *testing.T) {
	const body = " struct A { a: u8 }"
	refused := 0
	for _, names := range [][]string{{"plain", "other"}, {"sdp", "other"}, {"a.b", "a_b"}, {"Case", "case"}} {
		schema := api.Schema{Root: "a.sdp", Files: map[string]string{
			"a.sdp": "package " + names[0] + "; import \"b.sdp\" as b; struct B { b: b.A }",
			"b.sdp": "package " + names[1] + ";" + body,
		}}
		t.Chdir(t.TempDir())
		lay(t, schema)
		write(t, "go.mod", "module "+api.Project+"\n\ngo 1.23\n")
		for _, l := range language.All {
			var problems bytes.Buffer
			tool := &driver.Tool{Out: &problems, Err: &problems}
			want := tool.Gen(driver.GenOptions{Schemas: []string{"a.sdp"}, Out: []string{l.Name() + "=" + l.StarterDir}})
			_, got := api.New(driver.Version).Generate(api.GenerateQuestion{Schema: schema, Language: l.Name()})
			if (got == nil) != (want == nil) {
				t.Errorf("%v in %s: %v, and the tool says %v\n%s", names, l.Name(), got, want, problems.String())
			}
			if got != nil {
				refused++
			}
		}
	}
	if refused < 4 {
		t.Errorf("only %d were refused", refused)
	}
}

// Every folder of examples has its schemas on the page, so that a new one is not forgotten.
func TestEveryExampleIsOnThePage(t *testing.T) {
	texts := map[string]bool{}
	for _, example := range all(t) {
		texts[example.Old] = true
		for _, text := range example.Schema.Files {
			texts[text] = true
		}
	}
	err := filepath.WalkDir(filepath.Join(repository, "examples"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".sdp" {
			return err
		}
		text, err := os.ReadFile(path)
		if !texts[string(text)] {
			t.Errorf("%s is not among the page's examples", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// diagnosed is the tool's JSON about problems.
type diagnosed struct {
	Diagnostics []struct {
		Code, Severity, Message, Label, Help string
		Span                                 *span
		Related                              []struct {
			Span  *span
			Label string
		}
		Fixes []struct {
			Title string
			Edits []struct {
				Span *span
				Text string
			}
		}
	}
	Errors, Warnings int
}

type span struct {
	File       string
	Start, End struct{ Offset, Line int }
}

// place is a span in the units of the page.
func (s *span) place(files map[string]string) *api.Place {
	if s == nil {
		return nil
	}
	units := func(bytes int) int {
		n := 0
		for _, r := range files[s.File][:bytes] {
			n += utf16.RuneLen(r)
		}
		return n
	}
	return &api.Place{File: s.File, From: units(s.Start.Offset), To: units(s.End.Offset)}
}

// asTold is the tool's answer in the words of the page.
func (d diagnosed) asTold(files map[string]string) []api.Diagnostic {
	told := []api.Diagnostic{}
	for _, one := range d.Diagnostics {
		t := api.Diagnostic{Severity: one.Severity, Message: one.Message, Place: one.Span.place(files), Label: one.Label, Help: one.Help, Related: []api.Label{}, Fixes: []api.Fix{}}
		for _, r := range one.Related {
			t.Related = append(t.Related, api.Label{Place: r.Span.place(files), Text: r.Label})
		}
		for _, f := range one.Fixes {
			fix := api.Fix{Title: f.Title, Edits: []api.Edit{}}
			for _, e := range f.Edits {
				fix.Edits = append(fix.Edits, api.Edit{Place: e.Span.place(files), Text: e.Text})
			}
			t.Fixes = append(t.Fixes, fix)
		}
		told = append(told, t)
	}
	return told
}

func sameJSON(t *testing.T, got, want any) bool {
	t.Helper()
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	return bytes.Equal(a, b)
}

// faulty are the schemas of the compiler's tests, most of which have problems, in a folder with
// their imports.
func faulty(t *testing.T) (schemas []api.Schema) {
	t.Helper()
	const folder = repository + "/compiler/testdata/diag"
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".sdp" {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if !strings.Contains(name, "/") {
			schemas = append(schemas, api.Schema{Root: name, Files: files})
		}
	}
	schemas = append(schemas, api.Schema{Root: "wide.sdp", Files: map[string]string{
		"wide.sdp": "package wide;\n\n// 語 \U0001f600 ü\nstruct \U0001f600 A { /* \U0001f600 */ a: u32, a: strr }\n",
	}})
	if len(schemas) < 50 {
		t.Fatalf("only %d schemas", len(schemas))
	}
	return schemas
}

func TestProblemsAreTheTools(t *testing.T) {
	schemas := faulty(t)
	for _, example := range all(t) {
		schemas = append(schemas, example.Schema)
	}
	problems := 0
	t.Chdir(t.TempDir())
	for _, schema := range schemas {
		t.Run(schema.Root, func(t *testing.T) {
			if !isUTF8(schema.Files[schema.Root]) || strings.Contains(schema.Files[schema.Root], `"lib"`) {
				return // a page has neither such a text nor folders
			}
			lay(t, schema)
			var want diagnosed
			text := said(t, func(tool *driver.Tool) error { return tool.Check(driver.CheckOptions{Schemas: []string{schema.Root}}) })
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			got, err := api.New("test").Check(api.CheckQuestion{Schema: schema})
			if err != nil {
				t.Fatal(err)
			}
			told := want.asTold(schema.Files)
			for i := range got.Diagnostics {
				problems++
				if i < len(want.Diagnostics) && string(got.Diagnostics[i].Code) != want.Diagnostics[i].Code {
					t.Errorf("%s, and the tool says %s", got.Diagnostics[i].Code, want.Diagnostics[i].Code)
				}
				got.Diagnostics[i].Code, got.Diagnostics[i].Line = "", 0
			}
			if !sameJSON(t, got.Diagnostics, told) || got.Errors != want.Errors || got.Warnings != want.Warnings {
				t.Errorf("%+v, and the tool says %+v", got, want)
			}
		})
	}
	if problems < 60 {
		t.Errorf("only %d problems were compared", problems)
	}
}

func isUTF8(text string) bool { return strings.ToValidUTF8(text, "") == text }

func TestFormattedTextIsTheTools(t *testing.T) {
	list := all(t)
	t.Chdir(t.TempDir())
	for _, example := range list {
		ugly := strings.ReplaceAll(example.Schema.Files[example.Schema.Root], "    ", "  ")
		got, err := api.New("test").Format(api.FormatQuestion{Name: "ugly.sdp", Text: ugly})
		if err != nil || !got.OK {
			t.Fatalf("%s: %v, %v", example.Title, got, err)
		}
		write(t, "ugly.sdp", ugly)
		want := said(t, func(tool *driver.Tool) error { return tool.Fmt(driver.FormatOptions{Schemas: []string{"ugly.sdp"}}) })
		if want != got.Text {
			t.Errorf("%s:\n%s", example.Title, got.Text)
		}
	}
}

// pairs are two releases of a schema, from the comparison's own tests.
func pairs(t *testing.T) (pairs [][2]string) {
	t.Helper()
	folders, err := filepath.Glob(repository + "/compiler/compat/testdata/*/old/s.sdp")
	if err != nil || len(folders) < 8 {
		t.Fatalf("%d pairs, %v", len(folders), err)
	}
	for _, old := range folders {
		before, errBefore := os.ReadFile(old)
		after, errAfter := os.ReadFile(filepath.Join(filepath.Dir(old), "..", "new", "s.sdp"))
		if errBefore != nil || errAfter != nil {
			t.Fatal(errBefore, errAfter)
		}
		if !strings.Contains(string(before)+string(after), "import ") {
			pairs = append(pairs, [2]string{string(before), string(after)})
		}
	}
	return pairs
}

func TestBreakingChangesAreTheTools(t *testing.T) {
	changes := 0
	for _, pair := range pairs(t) {
		for _, columns := range [][]string{nil, {"json"}, {"all"}} {
			t.Chdir(t.TempDir())
			write(t, "old/s.sdp", pair[0])
			write(t, "s.sdp", pair[1])
			want := said(t, func(tool *driver.Tool) error {
				return tool.Breaking(driver.BreakingOptions{Schemas: []string{"s.sdp"}, Against: "old/s.sdp", For: columns})
			})
			got, err := api.New("test").Breaking(api.BreakingQuestion{
				Schema: api.Schema{Root: "s.sdp", Files: map[string]string{"s.sdp": pair[1]}},
				Old:    api.Schema{Root: "old/s.sdp", Files: map[string]string{"old/s.sdp": pair[0]}},
				For:    columns,
			})
			if err != nil || string(got.Report) != want {
				t.Errorf("%v: %v\n%s\nwant\n%s", pair, err, got.Report, want)
			}
			changes += strings.Count(want, `"code"`)
		}
	}
	if changes < 50 {
		t.Errorf("only %d changes were compared", changes)
	}
}

func TestColumnsAndLanguagesAreTheTools(t *testing.T) {
	var about struct{ Answer api.CompilerInfo }
	if err := json.Unmarshal(api.New(driver.Version).Answer([]byte(`{"ask":"about"}`)), &about); err != nil {
		t.Fatal(err)
	}
	tool := &driver.Tool{}
	if !slices.Equal(about.Answer.Columns, tool.BreakingColumns()) || about.Answer.Version != driver.Version {
		t.Errorf("%+v", about.Answer)
	}
	var names []string
	for _, l := range about.Answer.Languages {
		names = append(names, l.Name)
	}
	if !slices.Equal(names, tool.LanguageNames()) {
		t.Errorf("languages %v", names)
	}
}
