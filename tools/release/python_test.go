package main

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLibraryNeedsTheNewestGlibcOfItsSymbols(t *testing.T) {
	symbols := func(versions ...string) (all []elf.ImportedSymbol) {
		for _, version := range versions {
			all = append(all, elf.ImportedSymbol{Name: "f", Version: version})
		}
		return all
	}
	for _, c := range []struct {
		needed  []string
		symbols []elf.ImportedSymbol
		want    int
		refusal string
	}{
		{[]string{"libc.so.6", "ld-linux-x86-64.so.2"}, symbols("GLIBC_2.9", "GLIBC_2.34", "GCC_3.0", "", "GLIBC_2.4"), 34, ""},
		{[]string{"libc.so.6", "libgcc_s.so.1"}, symbols("GLIBC_2.2.5", "GLIBC_2.3.4"), 17, ""},
		{[]string{"libc.so.6", "libssl.so.3"}, symbols("GLIBC_2.34"), 0, "needs libssl.so.3"},
		{[]string{"libc.so.6"}, symbols("GCC_3.0"), 0, "no version of glibc"},
		{[]string{"libc.so.6"}, symbols("GLIBC_2.x"), 0, "needs GLIBC_2.x"},
	} {
		got, err := glibcOf(c.needed, c.symbols)
		if got != c.want || (err != nil) != (c.refusal != "") || err != nil && !strings.Contains(err.Error(), c.refusal) {
			t.Errorf("%v, %v: %d, %v", c.needed, c.symbols, got, err)
		}
	}
}

// repositoryAsSource is a release whose source is this repository.
func repositoryAsSource(t *testing.T) *release {
	t.Helper()
	r := &release{work: t.TempDir(), folder: t.TempDir()}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(here, r.source()); err != nil {
		t.Fatal(err)
	}
	if r.version, err = versionOf(root); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWheelOfALibraryHasItsModulesAndWhatItsProjectSays(t *testing.T) {
	r := repositoryAsSource(t)
	w, err := r.pythonWheel(pythonRuntime)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range w.files {
		names = append(names, strings.TrimPrefix(file.name, "serial_data_protocol/"))
	}
	if !slices.Contains(names, "__init__.py") || !slices.Contains(names, "_reader.py") || !slices.Contains(names, "py.typed") || strings.Contains(strings.Join(names, " "), "pyc") {
		t.Errorf("it has %q", names)
	}
	about := w.about()
	for _, line := range []string{"Name: serial-data-protocol", "Version: " + r.version, "License-File: LICENSE-MIT", "Requires-Python: >=3.11"} {
		if head, _, _ := strings.Cut(about, "\n\n"); !slices.Contains(strings.Split(head, "\n"), line) {
			t.Errorf("its metadata lack %q:\n%s", line, head)
		}
	}
	if !strings.Contains(about, "\n\n# The runtime of SDP's Python\n") {
		t.Errorf("its metadata lack the text of the readme:\n%s", about)
	}
	if tags := w.tags(); !strings.HasSuffix(tags, "Root-Is-Purelib: true\nTag: py3-none-any\n") {
		t.Errorf("its tags are\n%s", tags)
	}
}

func TestWheelOfMXPNeedsTheRuntimeOfItsRelease(t *testing.T) {
	r := repositoryAsSource(t)
	w, err := r.pythonWheel(pythonMXP)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(w.files, func(file archiveFile) bool { return file.name == "mesh_exchange_protocol/provided/mxp_health.py" }) {
		t.Errorf("it has %v", w.files)
	}
	lines := strings.Split(w.about(), "\n")
	for _, line := range []string{"Requires-Dist: serial-data-protocol==" + r.version, "Provides-Extra: telemetry", `Requires-Dist: opentelemetry-api>=1.31; extra == "telemetry"`} {
		if !slices.Contains(lines, line) {
			t.Errorf("its metadata lack %q", line)
		}
	}
}

// An engine of the codec lies beside the package, for interpreters of its ABI.
func TestMachineCodeBindsAWheelToMachines(t *testing.T) {
	r := repositoryAsSource(t)
	w, err := r.pythonWheel(pythonRuntime)
	if err != nil {
		t.Fatal(err)
	}
	before := len(w.files)
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	engine := machineCode{file: shell, place: "serial_data_protocol_native.abi3.so", interpreter: "cp311", abi: "abi3", licences: shell}
	if err := w.add(engine); err != nil {
		t.Fatal(err)
	}
	last := w.files[len(w.files)-1]
	if len(w.files) != before+1 || last.name != engine.place || w.papers[0].name != thirdParty {
		t.Errorf("it has %v, and the papers %v", last, w.papers)
	}
	if tags := w.tags(); !strings.Contains(tags, "Root-Is-Purelib: false\nTag: cp311-abi3-manylinux_2_") {
		t.Errorf("its tags are\n%s", tags)
	}
	engine.file = filepath.Join(root, "VERSION")
	if err := w.add(engine); err == nil {
		t.Error("a text is taken for a library")
	}
}

// Go's own linker makes programs of macOS, as zig's makes libraries.
func TestCodeOfAMacNamesItsPlatform(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "main.go"), "package main\n\nfunc main() {}\n")
	for arch, want := range map[string]string{"amd64": "macosx_12_0_x86_64", "arm64": "macosx_12_0_arm64"} {
		made := filepath.Join(folder, arch+".dylib")
		if _, err := outputWith(t.Context(), folder, []string{"GOOS=darwin", "GOARCH=" + arch, "CGO_ENABLED=0", "GOFLAGS="}, "go", "build", "-o", made, "main.go"); err != nil {
			t.Fatal(err)
		}
		if got, err := platformOf(made); err != nil || got != want {
			t.Errorf("%s: %q, %v", arch, got, err)
		}
	}
	text := filepath.Join(folder, "text.dylib")
	write(t, text, "text")
	if got, err := platformOf(text); err == nil {
		t.Errorf("a text is for %s", got)
	}
}

// Go's programs of Windows need the kernel's library alone; one that mingw-w64 links needs its own, unless it is told otherwise.
func TestCodeOfWindowsNamesItsPlatform(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "main.go"), "package main\n\nfunc main() {}\n")
	for arch, want := range map[string]string{"amd64": "win_amd64", "arm64": ""} {
		made := filepath.Join(folder, arch+".dll")
		if _, err := outputWith(t.Context(), folder, []string{"GOOS=windows", "GOARCH=" + arch, "CGO_ENABLED=0", "GOFLAGS="}, "go", "build", "-o", made, "main.go"); err != nil {
			t.Fatal(err)
		}
		if got, err := platformOf(made); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", arch, got, err)
		}
	}
	known := onEveryWindows
	defer func() { onEveryWindows = known }()
	onEveryWindows = nil
	if got, err := platformOf(filepath.Join(folder, "amd64.dll")); err == nil || !strings.Contains(err.Error(), "needs kernel32.dll") {
		t.Errorf("a library that needs another is for %q, %v", got, err)
	}
	text := filepath.Join(folder, "text.dll")
	write(t, text, "text")
	if got, err := platformOf(text); err == nil {
		t.Errorf("a text is for %s", got)
	}
}

func TestLinkedCratesAreNeitherMacrosNorBuilders(t *testing.T) {
	registry := "registry"
	kind := func(name string) []struct{ Kind []string } { return []struct{ Kind []string }{{[]string{name}}} }
	var graph crateGraph
	graph.Packages = []crate{
		{ID: "own", Name: "own", Targets: kind("cdylib")},
		{ID: "a", Name: "a", Source: &registry, Targets: kind("lib")},
		{ID: "macro", Name: "macro", Source: &registry, Targets: kind("proc-macro")},
		{ID: "syn", Name: "syn", Source: &registry, Targets: kind("lib")},
		{ID: "cc", Name: "cc", Source: &registry, Targets: kind("lib")},
	}
	type dependency = struct {
		Pkg      string
		DepKinds []struct{ Kind string } `json:"dep_kinds"`
	}
	on := func(name, kind string) dependency { return dependency{name, []struct{ Kind string }{{kind}}} }
	graph.Resolve.Nodes = append(graph.Resolve.Nodes, struct {
		ID   string
		Deps []dependency
	}{"own", []dependency{on("a", ""), on("macro", ""), on("cc", "build")}}, struct {
		ID   string
		Deps []dependency
	}{"macro", []dependency{on("syn", "")}})
	if found := graph.linked("own"); len(found) != 1 || found[0].Name != "a" {
		t.Errorf("found %v", found)
	}
}
