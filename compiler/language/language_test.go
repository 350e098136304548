package language_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

const root = "../.."

func TestEveryLanguageIsComplete(t *testing.T) {
	for _, l := range language.All {
		name := l.Name()
		if !slices.Contains(ir.TargetLanguages, name) {
			t.Errorf("%s is no target of @name [LANG-5.4]", name)
		}
		if found, _ := language.All.Find(name); found.Placement != l.Placement {
			t.Errorf("two languages are called %s", name)
		}
		for text, missing := range map[string]bool{
			"help":             l.Help == "" || strings.HasSuffix(l.Help, "\n"),
			"example":          !strings.Contains(l.Example, "--out "+name+"=") && (l.Alias == "" || !strings.Contains(l.Example, "--out "+l.Alias+"=")),
			"starter's folder": l.StarterDir == "",
			"code":             len(l.Codes.Codes()) == 0,
		} {
			if missing {
				t.Errorf("%s has no %s", name, text)
			}
		}
		for _, o := range l.Options {
			if o.Kind == language.Text && o.Flag != "" && !strings.Contains(l.Help, "--"+l.Key(o)) {
				t.Errorf("the help on %s does not tell of --%s", name, l.Key(o))
			}
		}
		folders := []string{"runtime", "conformance/runners"}
		if l.HasServices() {
			folders = append(folders, "mxp", "conformance/services")
			if !l.OnCore {
				folders = append(folders, "conformance/runners/mxp")
			}
		}
		for _, folder := range folders {
			if info, err := os.Stat(filepath.Join(root, folder, name)); err != nil || !info.IsDir() {
				t.Errorf("%s has no folder in %s", name, folder)
			}
		}
	}
}

// TestHarnessAsksEveryLanguage reads the harness's own lists, which are no Go.
func TestHarnessAsksEveryLanguage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "conformance", "runners.toml"))
	if err != nil {
		t.Fatal(err)
	}
	type runner struct{ Name string }
	var lists struct{ Runner, Frames []runner }
	if err := toml.Unmarshal(text, &lists); err != nil {
		t.Fatal(err)
	}
	for of, list := range map[string][]runner{"runner": lists.Runner, "frames": lists.Frames} {
		var names []string
		for _, r := range list {
			if r.Name != "reference" {
				names = append(names, r.Name)
			}
		}
		wanted := language.All
		if of == "frames" {
			wanted = slices.DeleteFunc(slices.Clone(wanted), func(l language.Language) bool { return !l.HasServices() || l.OnCore })
		}
		if !slices.Equal(names, wanted.Names()) {
			t.Errorf("[[%s]] of conformance/runners.toml are %v, and the languages %v", of, names, wanted.Names())
		}
	}
}

// TestTargetsAreThoseOfTheSpecification holds the list against the clause.
func TestTargetsAreThoseOfTheSpecification(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "spec", "language.md"))
	if err != nil {
		t.Fatal(err)
	}
	clause := regexp.MustCompile(`\[LANG-5\.4\][^\n]*targets are ([^.\n]*)\.`).FindSubmatch(text)
	if clause == nil {
		t.Fatal("LANG-5.4 lists no targets")
	}
	var listed []string
	for _, word := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(string(clause[1]), -1) {
		listed = append(listed, word[1])
	}
	if !slices.Equal(listed, ir.Targets()) {
		t.Errorf("LANG-5.4 lists %v, and the compiler %v", listed, ir.Targets())
	}
}
