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

// installed is where the package of a folder of the repository was installed to.
func installed(t *testing.T, folder string, options ...string) string {
	t.Helper()
	build, prefix := t.TempDir(), t.TempDir()
	run(t, "..", "cmake", append([]string{"-S", folder, "-B", build, "-DSDP_TESTS=OFF"}, options...)...)
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
	p.fails(t, says, "--build", p.build)
}

// isNotConfigured configures the project, which has to fail and say something.
func (p project) isNotConfigured(t *testing.T, says string, options ...string) {
	t.Helper()
	p.fails(t, says, append([]string{"-S", ".", "-B", p.build}, options...)...)
}

func (p project) fails(t *testing.T, says string, args ...string) {
	t.Helper()
	command := exec.Command("cmake", args...)
	command.Dir = p.source
	out, err := command.CombinedOutput()
	// CMake breaks the lines of its messages.
	if text := strings.Join(strings.Fields(string(out)), " "); err == nil || !strings.Contains(text, says) {
		t.Errorf("cmake ended with %v, want %q, and said\n%s", err, says, out)
	}
}

// TestInstalledPackageCompilesSchemas builds the example as its README says, and
// again after schemas changed.
func TestInstalledPackageCompilesSchemas(t *testing.T) {
	p := projectOf(t, "cmake")
	p.configure(t, "-DCMAKE_PREFIX_PATH="+installed(t, "."), "-DSDP_COMPILER="+tool)
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

// TestSubdirectoryCompilesSchemas has the repository within the project, and views of its
// types.
func TestSubdirectoryCompilesSchemas(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	p := projectOf(t, "cmake")
	p.edit(t, "CMakeLists.txt", "find_package(sdp 0.5 CONFIG REQUIRED)", "add_subdirectory(\""+filepath.ToSlash(root)+"\" sdp)")
	// The types are a library, whose users see its headers.
	p.edit(t, "CMakeLists.txt", "IMPORTS shared", "IMPORTS shared FORMS owned views")
	p.edit(t, "main.cpp", "#include \"mixer.hpp\"\n", "#include \"mixer.hpp\"\n\nstatic_assert(sizeof(mixer::DeskView) > 0);\n")
	p.edit(t, "CMakeLists.txt", "sdp_generate(mixer ", "add_library(types INTERFACE)\ntarget_link_libraries(mixer PRIVATE types)\nsdp_generate(types ")
	p.configure(t, "-DSDP_COMPILER="+tool)
	p.prints(t, "mixer", "cmake/output.txt")
}

// TestSplitCodeIsCompiledOnce has what encodes and decodes in a source of its own, also that of a package that an
// import has become.
func TestSplitCodeIsCompiledOnce(t *testing.T) {
	prefix := installed(t, ".")
	options := []string{"-DCMAKE_PREFIX_PATH=" + prefix, "-DSDP_COMPILER=" + tool}
	p := projectOf(t, "cmake")
	p.edit(t, "CMakeLists.txt", "IMPORTS shared", "IMPORTS shared SPLIT")
	p.configure(t, options...)
	p.prints(t, "mixer", "cmake/output.txt")
	defines := func(object, of string) bool {
		files, err := filepath.Glob(filepath.Join(p.build, "CMakeFiles/mixer.dir", object))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s is %q, %v", object, files, err)
		}
		return strings.Contains(run(t, p.build, "nm", "-C", "--defined-only", files[0]), "decode_at<"+of+">")
	}
	if defines("main.cpp.o", "mixer::Desk") || !defines("sdp_generate/mixer/types.cpp.o", "mixer::Desk") {
		t.Error("what decodes is not compiled in the source of its own alone")
	}

	room := "package room;\n\nstruct Room {\n    size: u8,\n}\n"
	if err := os.WriteFile(filepath.Join(p.source, "shared/room.sdp"), []byte(room), 0o644); err != nil {
		t.Fatal(err)
	}
	p.edit(t, "schemas/mixer.sdp", "package mixer;\n", "package mixer;\n\nimport \"room.sdp\" as room;\n")
	p.edit(t, "schemas/mixer.sdp", "channel: u16,", "channel: u16,\n    room: room.Room,")
	p.edit(t, "main.cpp", "LevelChanged{2, ", "LevelChanged{2, room::Room{7}, ")
	p.prints(t, "mixer", "cmake/output.txt")
	if !defines("sdp_generate/mixer/types.cpp.o", "room::Room") {
		t.Error("what decodes a package that was imported since is not compiled")
	}

	p = projectOf(t, "cmake")
	p.edit(t, "CMakeLists.txt", "sdp_generate(mixer ", "add_library(types INTERFACE)\nsdp_generate(types ")
	p.edit(t, "CMakeLists.txt", "IMPORTS shared", "IMPORTS shared SPLIT")
	p.isNotConfigured(t, "needs a target that compiles sources", options...)
}

func TestMissingCompilerIsNamed(t *testing.T) {
	prefix := installed(t, ".")
	other := filepath.Join(t.TempDir(), "sdp")
	if err := os.WriteFile(other, []byte("#!/bin/sh\necho sdp 0.2.9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ compiler, says string }{
		{"SDP_COMPILER-NOTFOUND", "go install ./cmd/sdp"},
		{"/bin/echo", "is not the SDP compiler"},
		{other, "is SDP 0.2, and the runtime is SDP 0."},
	} {
		p := projectOf(t, "cmake")
		// An installed one is not to be found.
		p.edit(t, "CMakeLists.txt", "sdp_generate(", "set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)\n"+
			"set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)\nsdp_generate(")
		p.isNotConfigured(t, c.says, "-DCMAKE_PREFIX_PATH="+prefix, "-DSDP_COMPILER="+c.compiler)
	}
}

// TestInstalledPackageCompilesServices adds a service to the example's schema, and MXP to
// its project.
func TestInstalledPackageCompilesServices(t *testing.T) {
	madeOf(t, "../mxp/cpp/include", "../mxp/cpp/src", "../mxp/cpp/cmake", "../runtime/cpp")
	p := projectOf(t, "cmake")
	// clang compiles the library in half the time of gcc, which compiles that of the other examples.
	options := []string{"-DCMAKE_PREFIX_PATH=" + installed(t, "mxp/cpp"), "-DSDP_COMPILER=" + tool, "-DCMAKE_CXX_COMPILER=clang++-16"}
	p.configure(t, options...)
	p.edit(t, "schemas/mixer.sdp", "/// All channels,", "service Screens {\n    event changed(LevelChanged) = 1;\n}\n\n/// All channels,")
	p.edit(t, "CMakeLists.txt", "IMPORTS shared", "IMPORTS shared SERVICES")
	p.isNotConfigured(t, "write add_subdirectory(path/to/sdp/mxp/cpp mxp) with a copy", options...)

	p.edit(t, "CMakeLists.txt", "find_package(sdp 0.5 CONFIG", "find_package(mxp 0.5 CONFIG")
	p.edit(t, "main.cpp", "#include \"mixer.hpp\"", "#include \"mixer_service.hpp\"")
	p.edit(t, "main.cpp", "    return 0;\n", "    return mixer::ScreensService::types().size() == 1 ? 0 : 1;\n")
	// A build that was without services generates anew.
	p.configure(t, options...)
	p.prints(t, "mixer", "cmake/output.txt")
}

// TestInstalledPackageSaysWhetherItHasTLS asks for the component of packages with and
// without it.
func TestInstalledPackageSaysWhetherItHasTLS(t *testing.T) {
	p := projectOf(t, "cmake")
	p.edit(t, "CMakeLists.txt", "find_package(sdp 0.5 CONFIG REQUIRED)", "find_package(mxp 0.5 CONFIG REQUIRED COMPONENTS tls)")
	p.edit(t, "CMakeLists.txt", "sdp_generate(", "target_link_libraries(mixer PRIVATE mxp::tls)\nsdp_generate(")
	p.configure(t, "-DCMAKE_PREFIX_PATH="+installed(t, "mxp/cpp", "-DMXP_TLS=ON"), "-DSDP_COMPILER="+tool)
	p = projectOf(t, "cmake")
	p.edit(t, "CMakeLists.txt", "find_package(sdp 0.5 CONFIG REQUIRED)", "find_package(mxp 0.5 CONFIG REQUIRED COMPONENTS tls)")
	p.isNotConfigured(t, "mxp was built without TLS", "-DCMAKE_PREFIX_PATH="+installed(t, "mxp/cpp"), "-DSDP_COMPILER="+tool)
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
