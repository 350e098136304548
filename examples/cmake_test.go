package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// project is a CMake project in a folder that a test may change.
type project struct{ source, build string }

// installed is where the package was installed to.
func installed(t *testing.T) string {
	t.Helper()
	build, prefix := t.TempDir(), t.TempDir()
	run(t, "..", "cmake", "-S", ".", "-B", build, "-DSDP_TESTS=OFF")
	run(t, "..", "cmake", "--install", build, "--prefix", prefix)
	return prefix
}

// projectOf copies an example.
func projectOf(t *testing.T, example string) project {
	t.Helper()
	p := project{filepath.Join(t.TempDir(), "some project"), filepath.Join(t.TempDir(), "build")}
	if err := os.CopyFS(p.source, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p project) configure(t *testing.T, options ...string) {
	t.Helper()
	run(t, p.source, "cmake", append([]string{"-S", ".", "-B", p.build}, options...)...)
}

// edit replaces a text in a file of the project.
func (p project) edit(t *testing.T, file, old, next string) {
	t.Helper()
	path := filepath.Join(p.source, file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, next)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// prints builds the project and runs its program.
func (p project) prints(t *testing.T, program, golden string) {
	t.Helper()
	run(t, p.source, "cmake", "--build", p.build)
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, p.build, filepath.Join(p.build, program)); got != string(want) {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
}

// refuses builds the project, which has to fail and say something.
func (p project) refuses(t *testing.T, says string) {
	t.Helper()
	command := exec.Command("cmake", "--build", p.build)
	command.Dir = p.source
	if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), says) {
		t.Errorf("cmake ended with %v, want %q, and said\n%s", err, says, out)
	}
}

// TestInstalledPackageCompilesSchemas builds the example as its README says, and
// again after schemas changed.
func TestInstalledPackageCompilesSchemas(t *testing.T) {
	p := projectOf(t, "cmake")
	p.configure(t, "-DCMAKE_PREFIX_PATH="+installed(t), "-DSDP_COMPILER="+tool)
	p.prints(t, "mixer", "cmake/output.txt")
	if out := run(t, p.source, "cmake", "--build", p.build); strings.Contains(out, "Generating") {
		t.Errorf("nothing changed, and the compiler ran:\n%s", out)
	}

	// A schema that is only imported, and an import that is new.
	p.edit(t, "shared/audio.sdp", "decibel", "db")
	p.refuses(t, "decibel")
	p.edit(t, "shared/audio.sdp", "db", "decibel")
	p.edit(t, "shared/audio.sdp", "f32", "f33")
	p.refuses(t, "error[S0206]")
	p.edit(t, "shared/audio.sdp", "f33", "f32")
	room := "package room;\n\nstruct Room {\n    size: u8,\n}\n"
	if err := os.WriteFile(filepath.Join(p.source, "shared/room.sdp"), []byte(room), 0o644); err != nil {
		t.Fatal(err)
	}
	p.edit(t, "schemas/mixer.sdp", "package mixer;\n", "package mixer;\n\nimport \"room.sdp\" as room;\n")
	p.edit(t, "schemas/mixer.sdp", "channel: u16,", "channel: u16,\n    room: room.Room,")
	p.edit(t, "main.cpp", "LevelChanged{2, ", "LevelChanged{2, room::Room{7}, ")
	p.prints(t, "mixer", "cmake/output.txt")
	p.edit(t, "shared/room.sdp", "size", "volume")
	p.edit(t, "main.cpp", "room::Room{7}", "room::Room{room::Room{7}.size}")
	p.refuses(t, "size")
}

// TestSubdirectoryCompilesSchemas has the repository within the project.
func TestSubdirectoryCompilesSchemas(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	p := projectOf(t, "cmake")
	p.edit(t, "CMakeLists.txt", "find_package(sdp 0.3 CONFIG REQUIRED)", "add_subdirectory(\""+filepath.ToSlash(root)+"\" sdp)")
	// The types are a library, whose users see its headers.
	p.edit(t, "CMakeLists.txt", "sdp_generate(mixer ", "add_library(types INTERFACE)\ntarget_link_libraries(mixer PRIVATE types)\nsdp_generate(types ")
	p.configure(t, "-DSDP_COMPILER="+tool)
	p.prints(t, "mixer", "cmake/output.txt")
}

func TestMissingCompilerIsNamed(t *testing.T) {
	prefix := installed(t)
	other := filepath.Join(t.TempDir(), "sdp")
	if err := os.WriteFile(other, []byte("#!/bin/sh\necho sdp 0.2.9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ compiler, says string }{
		{"SDP_COMPILER-NOTFOUND", "go install github.com/serial-data-protocol/sdp/cmd/sdp@v0."},
		{"/bin/echo", "is not the SDP compiler"},
		{other, "is SDP 0.2, and the runtime is SDP 0."},
	} {
		p := projectOf(t, "cmake")
		// One that is installed here is not to be found.
		p.edit(t, "CMakeLists.txt", "sdp_generate(", "set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)\n"+
			"set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)\nsdp_generate(")
		command := exec.Command("cmake", "-S", p.source, "-B", p.build, "-DCMAKE_PREFIX_PATH="+prefix, "-DSDP_COMPILER="+c.compiler)
		out, err := command.CombinedOutput()
		text := strings.Join(strings.Fields(string(out)), " ")
		if err == nil || !strings.Contains(text, c.says) {
			t.Errorf("with %s cmake ended with %v, want %q, and said\n%s", c.compiler, err, c.says, out)
		}
	}
}

// TestCheckedInCodeNeedsNoCompiler builds the registry, whose generated code is
// here, where no sdp can be found.
func TestCheckedInCodeNeedsNoCompiler(t *testing.T) {
	build := t.TempDir()
	run(t, "registry/cpp", "cmake", "-S", ".", "-B", build, "-DSDP_COMPILER=/nowhere/sdp")
	run(t, ".", "cmake", "--build", build)
	bytes, back := filepath.Join(build, "bytes"), filepath.Join(build, "back")
	run(t, "..", "go", "run", "./examples/registry", "-message", bytes)
	run(t, ".", filepath.Join(build, "registry_example"), bytes, back)
	if there, err := os.ReadFile(bytes); err != nil || len(there) != 119_160 {
		t.Errorf("Go wrote %d bytes, %v", len(there), err)
	} else if again, err := os.ReadFile(back); err != nil || string(again) != string(there) {
		t.Errorf("C++ wrote %d other bytes, %v", len(again), err)
	}
}
