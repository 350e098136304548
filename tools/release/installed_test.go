//go:build release

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// made is a folder of a release. Each of its files is installed from it, without a network, where
// nothing else is; then it generates code, which is compiled and run.
var made = flag.String("made", "", "a folder that `release build` has made, of which the files are installed")

// releaseMade is the release of the folder.
func releaseMade(t *testing.T) *release {
	t.Helper()
	if *made == "" {
		t.Fatal("no -made says where a release is")
	}
	folder, err := filepath.Abs(*made)
	if err != nil {
		t.Fatal(err)
	}
	r := &release{folder: folder, work: folder + "-work"}
	if r.version, err = versionOf(r.source()); err != nil {
		t.Fatal(err)
	}
	return r
}

// machine is the target that the tests run on.
func machine(t *testing.T) target {
	t.Helper()
	at := slices.IndexFunc(targets, func(one target) bool { return one.os == runtime.GOOS && one.arch == runtime.GOARCH })
	if at < 0 {
		t.Fatalf("there is no release for %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	return targets[at]
}

// has fails where a tool is missing that the installation is tested with.
func has(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Fatalf("%s is missing, and the release is not known to work without it", tool)
	}
}

// sourceFolder is the archive of sources, unpacked. Programs that are built on installed libraries come from it.
func sourceFolder(t *testing.T, r *release) string {
	t.Helper()
	folder := t.TempDir()
	name := "sdp_" + r.version + "_source"
	unpack(t, r.file(name+".tar.gz"), folder)
	return filepath.Join(folder, name)
}

// archived is the tool as the archive for a target has it, and archivedProgram any program.
func archived(t *testing.T, r *release, on target) string {
	t.Helper()
	return archivedProgram(t, r, sdp, on)
}

func archivedProgram(t *testing.T, r *release, p program, on target) string {
	t.Helper()
	folder := t.TempDir()
	unpack(t, r.file(r.archive(p, on)), folder)
	found, err := filepath.Glob(filepath.Join(folder, "*", p.file(on)))
	if err != nil || len(found) != 1 {
		t.Fatalf("the archive for %s has %v (%v)", on, found, err)
	}
	return found[0]
}

// offline is how Go finds the released modules in a folder, others in the caches of
// modules, and nothing anywhere else.
func offline(t *testing.T, r *release) []string {
	t.Helper()
	folder := t.TempDir()
	name := "sdp_" + r.version + "_goproxy"
	unpack(t, r.file(name+".tar.gz"), folder)
	proxies := []string{filepath.Join(folder, name)}
	for _, cache := range []string{r.modcache(), strings.TrimSpace(does(t, ".", nil, "go", "env", "GOMODCACHE"))} {
		proxies = append(proxies, filepath.Join(cache, "cache", "download"))
	}
	return []string{
		"GOPROXY=file://" + strings.Join(proxies, ",file://") + ",off", "GOSUMDB=off", "GOFLAGS=-modcacherw", "GOWORK=off",
		"GOPATH=" + filepath.Join(t.TempDir(), "go"), "GOMODCACHE=", "GOBIN=", "GOTOOLCHAIN=local", "GONOPROXY=", "GOPRIVATE=",
	}
}

// generates lets a tool begin a project and generate its code in every language, and compiles and runs that in Go.
func generates(t *testing.T, r *release, tool ...string) (project string) {
	t.Helper()
	folder := t.TempDir()
	if version := does(t, folder, nil, append(tool, "--version")...); strings.TrimSpace(version) != "sdp "+r.version {
		t.Fatalf("it says that it is %q", version)
	}
	does(t, folder, nil, append(tool, "init", "plugins")...)
	project = filepath.Join(folder, "plugins")
	does(t, project, nil, append(tool, "gen")...)
	does(t, project, nil, append(tool, "gen", "--check")...)
	write(t, filepath.Join(project, "tried", "main.go"), `package main

import (
	"fmt"

	"plugins/go/plugins"
)

func main() {
	data, err := plugins.EncodePlugin(&plugins.Plugin{Name: "EQ"})
	if err != nil {
		panic(err)
	}
	var plugin plugins.Plugin
	err = plugins.DecodePlugin(&plugin, data)
	fmt.Println(plugin.Name, err)
}
`)
	if out := does(t, project, []string{"GOPROXY=off", "GOWORK=off", "GOFLAGS="}, "go", "run", "./tried"); out != "EQ <nil>\n" {
		t.Fatalf("the program prints %q", out)
	}
	return project
}

func TestArchiveOfThisMachineGenerates(t *testing.T) {
	r := releaseMade(t)
	tool := archived(t, r, machine(t))
	generates(t, r, tool)
	hasManual(t, filepath.Dir(tool), "")
}

// hasManual fails where a prefix lacks man pages, which packages of Linux compress.
func hasManual(t *testing.T, prefix, ending string) {
	t.Helper()
	for _, page := range []string{"sdp.1", "sdp-gen.1", "sdp-export-json-schema.1"} {
		file := filepath.Join(prefix, filepath.FromSlash(manPlace), page+ending)
		if text := does(t, ".", nil, "zcat", "--force", file); !strings.HasPrefix(text, ".TH SDP") {
			t.Errorf("%s is %q", page, text)
		}
	}
}

// emulators run programs of other targets here. Programs of targets without one are built, and no more is known of
// them.
var emulators = map[string]string{"linux_arm64": "qemu-aarch64", "windows_amd64": "wine"}

// runsHere is how a program of a target is run here.
func runsHere(t *testing.T, on target, program string) []string {
	t.Helper()
	if on == machine(t) {
		return []string{program}
	}
	has(t, emulators[on.String()])
	if on.os == "windows" {
		wine(t)
	}
	return []string{emulators[on.String()], program}
}

// wine makes a Windows of its own for a test.
func wine(t *testing.T) {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "wine")
	t.Setenv("WINEPREFIX", prefix)
	t.Setenv("WINEDEBUG", "-all")
	t.Setenv("WINEARCH", "win64")
	has(t, "x86_64-w64-mingw32-gcc")
	does(t, ".", nil, "wineboot", "--init")
	library := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); err != nil {
		does(t, ".", nil, "x86_64-w64-mingw32-gcc", "-shared", "-O1", "-o", library, filepath.Join("testdata", "prng.c"), "-ladvapi32")
	}
	t.Cleanup(func() {
		if _, err := outputWith(context.Background(), ".", []string{"WINEPREFIX=" + prefix}, "wineboot", "--shutdown"); err != nil {
			t.Log(err)
		}
	})
}

func TestArchivesOfOtherMachinesGenerateTheSame(t *testing.T) {
	r := releaseMade(t)
	want := textsBelow(t, generates(t, r, archived(t, r, machine(t))))
	for _, on := range targets {
		if emulators[on.String()] == "" {
			continue
		}
		t.Run(on.String(), func(t *testing.T) {
			got := textsBelow(t, generates(t, r, runsHere(t, on, archived(t, r, on))...))
			for name, text := range want {
				if got[name] != text {
					t.Errorf("%s differs", name)
				}
			}
		})
	}
}

func textsBelow(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := below(folder, "")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file.from)
		if err != nil {
			t.Fatal(err)
		}
		texts[file.name] = string(text)
	}
	return texts
}

func TestSumsAreThoseOfTheFiles(t *testing.T) {
	r := releaseMade(t)
	all, err := r.digests()
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, one := range all {
		fmt.Fprintf(&want, "%s  %s\n", one.sum, one.name)
	}
	if text, err := os.ReadFile(r.file(sumsFile)); err != nil || string(text) != want.String() {
		t.Errorf("%s does not have the sums of the files (%v)", sumsFile, err)
	}
	does(t, r.folder, nil, "sha256sum", "--check", "--quiet", sumsFile)
}

// The same commit makes the same files in a folder of another name, of another Go cache, at another time.
func TestReleaseIsTheSameFromAnotherFolder(t *testing.T) {
	r := releaseMade(t)
	clone := filepath.Join(t.TempDir(), "a", "deeper", "folder")
	does(t, ".", nil, "git", "clone", "--quiet", "--no-tags", r.source(), clone)
	parent := strings.TrimSpace(does(t, r.source(), nil, "git", "rev-parse", tagOf("runtime", r.version)))
	does(t, clone, nil, "git", "checkout", "--quiet", parent)
	t.Setenv("GOCACHE", t.TempDir())
	into := filepath.Join(t.TempDir(), "elsewhere")
	if err := build(t.Context(), clone, into); err != nil {
		t.Fatal(err)
	}
	again := &release{folder: into, work: into + "-work"}
	want, err := r.digests()
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.digests()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("there are %d files, and %d again", len(want), len(got))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s is another again", want[i].name)
		}
	}
}
