//go:build release

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

const everyFeature = "hashes\nlistens on mxp+tcp://127.0.0.1:0\nlistens on mxp+tls://127.0.0.1:0\nlistens on mxp+ws://127.0.0.1:0/\n"

// vcpkg itself is in no registry that can be reached here: functions stand in for its own.
func TestPortCompilesAndListens(t *testing.T) {
	r := releaseMade(t)
	unpacked := t.TempDir()
	unpack(t, r.file(r.recipe("vcpkg")+".tar.gz"), unpacked)
	features := []string{"sockets", "tls", "websocket"}
	prefix, err := portInstalled(t, r, filepath.Join(unpacked, r.recipe("vcpkg"), portName), features...)
	if err != nil {
		t.Fatal(err)
	}
	if got := trialPrints(t, prefix, features...); got != everyFeature {
		t.Errorf("the program prints\n%s", got)
	}
}

const conanTool = "conan==2.34.0"

// conanHere is Conan without remotes, and a recipe of the release that has its sources from a folder. Conan prints on
// its standard error.
func conanHere(t *testing.T, r *release) (recipe string, conan func(arguments ...string) (string, error)) {
	t.Helper()
	venv := filepath.Join(r.work, "conan")
	does(t, r.work, nil, "python3", "-m", "venv", venv)
	does(t, r.work, nil, filepath.Join(venv, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", conanTool)
	unpacked, env := t.TempDir(), []string{"CONAN_HOME=" + t.TempDir()}
	unpack(t, r.file(r.recipe("conan")+".tar.gz"), unpacked)
	recipe = filepath.Join(unpacked, r.recipe("conan"), portName)
	data := filepath.Join(recipe, "conandata.yml")
	write(t, data, strings.ReplaceAll(content(t, data), r.address(r.sourceArchive()), "file://"+filepath.ToSlash(r.file(r.sourceArchive()))))
	conan = func(arguments ...string) (string, error) {
		return outputWith(t.Context(), recipe, env, append([]string{"sh", "-c", `exec "$0" "$@" 2>&1`, filepath.Join(venv, "bin", "conan")}, arguments...)...)
	}
	for _, command := range [][]string{{"profile", "detect"}, {"remote", "disable", "*"}} {
		if _, err := conan(command...); err != nil {
			t.Fatal(err)
		}
	}
	return recipe, conan
}

func TestConanCreatesAndRefusesOtherSources(t *testing.T) {
	r := releaseMade(t)
	recipe, conan := conanHere(t, r)
	for _, one := range []struct {
		options []string
		prints  string
	}{
		{[]string{"-o", "&:sockets=False"}, "hashes\n"},
		{[]string{"-o", "&:tls=True", "-o", "&:websocket=True"}, everyFeature},
	} {
		out, err := conan(append([]string{"create", ".", "-o", "&:system=True"}, one.options...)...)
		if err != nil || !strings.Contains(out, one.prints) {
			t.Errorf("with %q, it prints\n%s\n%v", one.options, out, err)
		}
	}
	if _, err := conan("create", ".", "-o", "&:system=True", "-o", "&:tls=True", "-o", "&:sockets=False"); err == nil || !strings.Contains(err.Error(), "tls and websocket need sockets=True") {
		t.Errorf("without sockets, TLS is %v", err)
	}
	data := filepath.Join(recipe, "conandata.yml")
	text := content(t, data)
	copied := filepath.Join(t.TempDir(), "other.tar.gz")
	write(t, copied, content(t, r.file(r.sourceArchive()))[1:])
	for _, refuse := range []struct{ file, reason string }{{copied, "sha256 hash failed for 'other.tar.gz' file"}, {copied + "x", "other.tar.gzx"}} {
		write(t, data, strings.ReplaceAll(text, r.file(r.sourceArchive()), refuse.file))
		if _, err := conan("source", "."); err == nil || !strings.Contains(err.Error(), refuse.reason) {
			t.Errorf("of %s, it says %v", refuse.file, err)
		}
	}
}
