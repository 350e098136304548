//go:build release

package main

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// edited is a copy of a folder, in which texts of files are replaced by others.
func edited(t *testing.T, from, to string, edits map[string][]string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for name, pairs := range edits {
		file := filepath.Join(to, name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(string(text), pairs[i]) {
				t.Fatalf("%s has no %q", name, pairs[i])
			}
			text = []byte(strings.ReplaceAll(string(text), pairs[i], pairs[i+1]))
		}
		write(t, file, string(text))
	}
}

// prints fails unless a program of an example prints what is beside it.
func prints(t *testing.T, example, got string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(example, "output.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("it prints\n%s\nand not\n%s", got, want)
	}
}

func TestGoInstallsTheToolByItsVersion(t *testing.T) {
	r := releaseMade(t)
	folder, env := t.TempDir(), offline(t, r)
	does(t, folder, env, "go", "install", modulePath("cmd/sdp")+"@v"+r.version)
	generates(t, r, filepath.Join(goPath(env), "bin", "sdp"))
}

func goPath(env []string) string {
	for _, one := range env {
		if path, ok := strings.CutPrefix(one, "GOPATH="); ok {
			return path
		}
	}
	return ""
}

func TestGoInstallsProgramsBesideTheToolByTheirVersion(t *testing.T) {
	r := releaseMade(t)
	env := offline(t, r)
	for _, program := range []string{"mesh/cmd/sdp-mesh", "mcp/cmd/sdp-mcp"} {
		does(t, t.TempDir(), env, "go", "install", modulePath(program)+"@v"+r.version)
		if out := does(t, t.TempDir(), nil, filepath.Join(goPath(env), "bin", path.Base(program)), "--version"); !strings.Contains(out, r.version) {
			t.Errorf("%s says %q", program, out)
		}
	}
}

func TestGoModuleServesAndCalls(t *testing.T) {
	r := releaseMade(t)
	example := filepath.Join(sourceFolder(t, r), "examples", "services")
	folder, env := t.TempDir(), offline(t, r)
	mixer := repository + "/examples/services/mixer"
	runtime := "runtime = \"" + repository + "/runtime/go\"\n"
	edited(t, example, folder, map[string][]string{
		"main.go": {}, "call.go": {mixer, "example.com/desk/mixer"}, "serve.go": {mixer, "example.com/desk/mixer"},
		"sdp.toml": {runtime, ""},
	})
	for _, made := range []string{"mixer", "rust", "cpp"} {
		if err := os.RemoveAll(filepath.Join(folder, made)); err != nil {
			t.Fatal(err)
		}
	}
	does(t, folder, env, "go", "mod", "init", "example.com/desk")
	does(t, folder, nil, archived(t, r, machine(t)), "gen")
	does(t, folder, env, "go", "get", modulePath("mxp/go")+"@v"+r.version)
	does(t, folder, env, "go", "mod", "tidy")
	prints(t, example, does(t, folder, env, "go", "run", "."))
}

func TestWheelInstalls(t *testing.T) {
	r := releaseMade(t)
	folder, on := t.TempDir(), machine(t)
	does(t, folder, nil, "python3", "-m", "venv", "venv")
	does(t, folder, nil, filepath.Join("venv", "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--find-links", r.folder, "sdp-compiler")
	generates(t, r, filepath.Join(folder, "venv", "bin", sdp.file(on)))
	if shown := does(t, folder, nil, filepath.Join("venv", "bin", "python"), "-m", "pip", "show", "--files", "sdp-compiler"); !strings.Contains(shown, "Version: "+r.version) || !strings.Contains(shown, thirdParty) {
		t.Errorf("pip shows %s", shown)
	}
}

func TestFormulaInstallsTheArchives(t *testing.T) {
	r := releaseMade(t)
	has(t, "ruby")
	script, err := filepath.Abs(filepath.Join("testdata", "formula.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range targets {
		if on.os == "windows" {
			continue
		}
		out := strings.Fields(does(t, r.folder, nil, "ruby", script, r.file("sdp.rb"), on.os, on.arch))
		if len(out) != 3 || out[0] != r.version || filepath.Base(out[1]) != r.archive(sdp, on) {
			t.Fatalf("the formula says %q for %s", out, on)
		}
		all, err := r.digests()
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			if one.name == r.archive(sdp, on) && one.sum != out[2] {
				t.Errorf("the formula says %s of %s, which has %s", out[2], one.name, one.sum)
			}
		}
	}
}
