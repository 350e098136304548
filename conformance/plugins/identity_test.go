//go:build unix

package plugins

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/plugin"
)

const root = "../.."

// TestMain makes the test's own program the plugins that it runs: by the name that it has
// been started by.
func TestMain(m *testing.M) {
	name, isPlugin := strings.CutPrefix(filepath.Base(os.Args[0]), plugin.Prefix)
	switch {
	case !isPlugin:
		os.Exit(m.Run())
	case name != "again":
		misbehave(name)
	default:
		if err := plugin.Serve(os.Stdin, os.Stdout, builtIn); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// named is a path of the test's own program whose name is that of a plugin.
func named(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), plugin.Prefix+name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// schemas are the schemas of the repository that are not generated.
func schemas(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, folder := range []string{"examples", "spec", "conformance/schemas"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if entry.IsDir() && entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if err == nil && filepath.Ext(path) == ".sdp" {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 20 {
		t.Fatalf("only %d schemas were found", len(found))
	}
	return found
}

// made are the files below a folder.
func made(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(files, "go.mod")
	return files
}

// everything is the options that the languages get.
var everything = map[string]map[string]string{
	"cpp":        {"forms": "owned,borrowed,pmr,views", "services": "true", "split": "true", "runtime": "sdp/sdp.hpp"},
	"go":         {"forms": "owned,views", "services": "true", "runtime": "example.com/sdp"},
	"rust":       {"forms": "owned,borrowed,views", "services": "true", "runtime": "::sdp", "serde": "true"},
	"typescript": {"services": "true", "runtime": "serial-data-protocol"},
}

// TestRequestHasAllThatCodeIsMadeOf lets each language of the compiler's work as a plugin,
// which has the request alone, and compares every byte.
func TestRequestHasAllThatCodeIsMadeOf(t *testing.T) {
	again := named(t, "again")
	for _, schema := range schemas(t) {
		for _, language := range slices.Sorted(maps.Keys(everything)) {
			t.Run(language+"/"+filepath.ToSlash(strings.TrimPrefix(schema, root)), func(t *testing.T) {
				t.Parallel()
				options := everything[language]
				compare(t, schema, language, options, again)
			})
		}
	}
}

// TestPluginMakesARuntimeToo is of what most users have: no option at all.
func TestPluginMakesARuntimeToo(t *testing.T) {
	for _, language := range []string{"cpp", "typescript"} {
		compare(t, filepath.Join(root, "examples/registry/plugins.sdp"), language, nil, named(t, "again"))
	}
}

// rare is a schema of the things that the repository's schemas lack: deprecated things, attributes
// for a language, documentation with hidden characters, constants, and places of problems.
const rare = "//! Of all.\u202e\npackage rare.things;\n\n" + `
const MOST: u64 = 18446744073709551615;
const TITLE: str = "a\"b";
type Gain = f32;

/// Documented` + "\r#error injected\n" + `
@deprecated("use Other")
enum Kind: i8 { @deprecated("gone") Low = -1, High = 1, reserved 5..9; }

@id(7)
message Thing {
    @deprecated("why") old: u8,
    @x.ts(number) number: u64,
    @name(cpp = "renamed") gain: Gain,
    @since(2) kind: Kind = Low,
    @since(2) late: ?u32 = 4,
    @since(3) title: str = "é",
    @since(3) id: uuid = "00112233-4455-6677-8899-aabbccddeeff",
}

union Choice { None = 1, Pair { left: ?Choice, right: []Choice } = 2, One(Thing) = 9 }

@deprecated("no more")
service Desk {
    @deprecated("slow") call set(Thing) -> Thing = 1;
    stream meters(stream Thing) -> stream Choice = 4;
    event changed(Thing) = 65535;
}
`

func TestRequestHasWhatFewSchemasHave(t *testing.T) {
	schema := filepath.Join(t.TempDir(), "rare.sdp")
	if err := os.WriteFile(schema, []byte(rare), 0o600); err != nil {
		t.Fatal(err)
	}
	again := named(t, "again")
	for language, options := range everything {
		compare(t, schema, language, options, again)
	}
}

func compare(t *testing.T, schema, language string, options map[string]string, again string) {
	t.Helper()
	itself, asPlugin := t.TempDir(), t.TempDir()
	for _, dir := range []string{itself, asPlugin} {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plugged := driver.PluginOptions{Programs: []string{"again=" + again}, Options: []string{"again:language=" + language, "again:module=example.com"}}
	for name, value := range options {
		plugged.Options = append(plugged.Options, "again:"+name+"="+value)
	}
	var said [2]bytes.Buffer
	for i, gen := range []driver.GenOptions{
		{Out: []string{language + "=" + itself}, Options: options},
		{Out: []string{"again=" + asPlugin}, Plugins: plugged},
	} {
		gen.Schemas = []string{schema}
		tool := &driver.Tool{Out: &said[i], Err: &said[i], Include: []string{filepath.Join(filepath.Dir(schema), "..", "shared")}}
		if err := tool.Gen(gen); err != nil {
			t.Fatalf("%v\n%s", err, said[i].String())
		}
	}
	wanted, got := made(t, itself), made(t, asPlugin)
	if len(wanted) == 0 || !slices.Equal(slices.Sorted(maps.Keys(wanted)), slices.Sorted(maps.Keys(got))) {
		t.Fatalf("files are %q, and by the plugin %q", slices.Sorted(maps.Keys(wanted)), slices.Sorted(maps.Keys(got)))
	}
	for name, text := range wanted {
		if !bytes.Equal(text, got[name]) {
			t.Errorf("%s is another one by the plugin", name)
		}
	}
}
