//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// listing is a backend that writes the names of types, one a line.
type listing struct{}

func (listing) Name() string { return "java" }

func (listing) Generate(_ *plan.Program, pkg *ir.Package, options backend.Options) ([]backend.File, *diag.List) {
	text := "runtime " + options.Runtime + "\n"
	for _, d := range pkg.Decls {
		text += d.DeclName() + "\n"
	}
	return []backend.File{{Name: pkg.Name + ".list", Content: []byte(text)}}, &diag.List{}
}

// together is a placement that puts all files into the output's folder.
type together struct{}

func (together) Place(_ *place.Batch, out place.Output, packages []*ir.Package) (place.PackagePlace, error) {
	at := place.PackagePlace{Folders: map[*ir.Package]string{}, Runtime: out.Option("runtime")}
	if out.Option("loud") == place.On {
		at.Runtime = strings.ToUpper(at.Runtime)
	}
	for _, pkg := range packages {
		at.Folders[pkg] = out.Dir
	}
	return at, nil
}

func (together) Library(string) (place.MissingLibrary, error)      { return place.MissingLibrary{}, nil }
func (together) Earlier(place.Output) ([]place.EarlierFile, error) { return nil, nil }
func (together) Files(pkg *ir.Package) []string                    { return []string{pkg.Name + ".list"} }
func (together) Starter(dir, _ string) ([]place.StarterFile, error) {
	return []place.StarterFile{{Path: filepath.Join(dir, "project.list"), Text: "{{package}}\n"}}, nil
}

var madeUp = language.Language{
	Backend:    listing{},
	Placement:  together{},
	Options:    []language.Option{{Name: "runtime", Flag: "name the runtime of lists"}, {Name: "loud", Kind: language.Switch, Flag: "name it in capitals"}, {Name: "quiet"}},
	Codes:      diag.NewTable(fstest.MapFS{"codes/G0901.md": {Data: []byte("# G0901: a list is too long\n\nIt has to end.\n")}}),
	Breaks:     []compat.Growth{compat.StructField},
	StarterDir: "lists",
	Help:       "Lists go to DIR.",
	Example:    "sdp gen plugins.sdp --out java=lists",
}

// asked runs the tool with the made-up language among the others, in a folder with a
// schema, and returns what it prints.
func asked(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	tool := &driver.Tool{Out: &out, Err: &out, Languages: append(slices.Clone(language.All), madeUp)}
	err := newRoot(tool).execute(args)
	var usage *driver.UsageError
	if errors.As(err, &usage) {
		out.WriteString(usage.Message + "\n" + usage.Help)
	}
	return out.String(), err
}

// project begins a folder with a schema and an older state of it.
func project(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, ".", "old.sdp", "package a;\nstruct S { a: u8 }\n")
	put(t, ".", "a.sdp", "package a;\nstruct S { a: u8, b: u8 }\n")
	put(t, ".", "sdp.toml", "schemas = [\"a.sdp\"]\n[[output]]\nlanguage = \"java\"\ndir = \"configured\"\njava-runtime = \"r\"\njava-loud = true\njava-quiet = \"yes\"\n")
}

func TestLanguageGeneratesByItsOptions(t *testing.T) {
	project(t)
	for _, c := range []struct{ args, file, runtime string }{
		{"gen a.sdp --out java=plain", "plain/a.list", ""},
		{"gen a.sdp --out java=flagged --java-runtime q --java-loud", "flagged/a.list", "Q"},
		{"gen a.sdp --out java=quiet --java-runtime q --java-loud=false", "quiet/a.list", "q"},
		{"gen a.sdp --out java=named --runtime q --loud", "named/a.list", "Q"},
		{"gen a.sdp --out java=own --java-runtime q --runtime r --loud --java-loud=false", "own/a.list", "q"},
		{"gen", "configured/a.list", "R"},
		{"gen --java-runtime q", "configured/a.list", "Q"},
	} {
		printed, err := asked(t, strings.Fields(c.args)...)
		if err != nil || !strings.Contains(printed, c.file) {
			t.Errorf("sdp %s: %v\n%s", c.args, err, printed)
		}
		if text, err := os.ReadFile(c.file); err != nil || string(text) != "runtime "+c.runtime+"\nS\n" {
			t.Errorf("sdp %s wrote %q: %v", c.args, text, err)
		}
	}
}

// TestLanguageOfTheListIsKnownEverywhere adds one that this repository does not have.
func TestLanguageOfTheListIsKnownEverywhere(t *testing.T) {
	project(t)
	put(t, ".", "foreign.toml", "[[output]]\nlanguage = \"go\"\ndir = \"x\"\njava-runtime = \"r\"\n")
	put(t, ".", "misspelt.toml", "[[output]]\njava-runtme = \"r\"\n")
	put(t, ".", "untyped.toml", "[[output]]\njava-loud = \"r\"\n")
	for _, c := range []struct {
		args    string
		refused bool
		prints  []string
	}{
		{"gen a.sdp --out jav=x", true, []string{"did you mean `java`?"}},
		{"gen a.sdp --out lisp=x", true, []string{"the languages are go, rust, cpp, python, typescript, java"}},
		{"gen a.sdp --config foreign.toml", true, []string{"is in go, and sets `java-runtime`"}},
		{"gen a.sdp --config misspelt.toml", true, []string{"did you mean `java-runtime`?"}},
		{"gen a.sdp --config untyped.toml", true, []string{"true or false is expected"}},
		{"gen --help", false, []string{"Lists go to DIR.", madeUp.Example, "go, rust, cpp, python, typescript, java", "--runtime string", "--loud  ", "name it in capitals"}},
		{"breaking --help", false, []string{"go, rust, cpp, python, typescript, java the same in one language", "source, go, rust, cpp, python, typescript, java, all"}},
		{"breaking a.sdp --against old.sdp --for java", true, []string{"rust python typescript java", "breaking change for java"}},
		{"breaking a.sdp --against old.sdp --for java --format json", true, []string{`"java": false`, `"go": true`}},
		{"explain g0901", false, []string{"G0901: a list is too long\n\nIt has to end.\n"}},
		{"explain", false, []string{"G0901\ta list is too long\n"}},
		{"init begun", false, []string{"begun/project.list"}},
	} {
		printed, err := asked(t, strings.Fields(c.args)...)
		if (err != nil) != c.refused {
			t.Errorf("sdp %s: %v", c.args, err)
		}
		for _, text := range c.prints {
			if !strings.Contains(printed, text) {
				t.Errorf("sdp %s does not print %q:\n%s", c.args, text, printed)
			}
		}
	}
	config, err := os.ReadFile("begun/sdp.toml")
	if err != nil || !strings.HasSuffix(string(config), "[[output]]\nlanguage = \"java\"\ndir = \"lists\"\n") {
		t.Errorf("the starter's config is %q: %v", config, err)
	}
}
