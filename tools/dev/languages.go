package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// modules are the Go modules beside the root's, which have dependencies that the
// tool doesn't need.
var modules = []string{
	"bench/compile", "bench/go", "bench/mxp-go", "bench/rpc/go", "conformance/bridge", "conformance/runners/mxp/go",
	"conformance/services/pairs", "conformance/simulation", "conformance/telemetry", "examples/mxp/go", "mcp", "mesh", "mxp/go",
	"runtime",
}

// golden is the generated Go code that the tests compile. Its folder is called
// testdata, so that ./... has not got it.
const golden = "./compiler/backend/golang/testdata/golden/..."

// workspace is a file that joins all modules, so that one process of a tool looks at all of them and
// compiles their shared packages once. It is no file of the repository: with it a module would be built
// with the others' requirements, and not with its own go.mod. For the same reason it is not called
// go.work, which Go looks for in the folders above.
func workspace() error {
	var text strings.Builder
	fmt.Fprintf(&text, "go 1.26.0\n\nuse (\n\t%q\n", here)
	for _, module := range modules {
		fmt.Fprintf(&text, "\t%q\n", filepath.Join(here, module))
	}
	text.WriteString(")\n")
	folder := filepath.Join(here, "target")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	// A module of its own is no place where Go looks for packages: cargo removes folders there meanwhile.
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module target\n"), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "modules.work"), []byte(text.String()), 0o666)
}

// everywhere are the patterns of all packages of the workspace, but for benchmarks.
func everywhere() []string {
	patterns := []string{"./...", golden}
	for _, module := range modules {
		if !strings.HasPrefix(module, "bench/") {
			patterns = append(patterns, "./"+module+"/...")
		}
	}
	return patterns
}

// inWorkspace is a Go command for packages of any module.
func inWorkspace(s step) step {
	return s.with("GOWORK=" + filepath.Join(here, "target", "modules.work"))
}

// here is the repository's root, which is the working folder, too.
var here string

// Build folders of cargo, which locks each. Builds in one of them compile the crates that they share
// once.
const (
	workspaceFolder = "target"
	exampleFolder   = "target/examples"
	frameFolder     = "target/frames"
	vectorFolder    = "target/conformance"
)

// cargo is a call for a crate outside of the workspace, which is built in a folder.
func cargo(verb, crate, folder string, options ...string) step {
	command := []string{"cargo", verb, "--quiet", "--manifest-path", crate + "/Cargo.toml", "--target-dir", filepath.Join(here, folder)}
	return run(append(command, options...)...)
}

// clangTraps are what C++ is compiled with where it is run: clang takes about the time for it
// that gcc takes without them. gcc compiles what is generated, with all its warnings. They end a
// program where something is undefined without saying what, for which code that is long takes two
// thirds of the time; with -fno-sanitize-recover=all in their place it says so.
const clangTraps = "-fsanitize=address,undefined -fsanitize-trap=undefined"

// sanitized is how CMake is told to use them.
var sanitized = []string{"-DCMAKE_CXX_COMPILER=" + clang.name, "-DCMAKE_CXX_FLAGS=" + clangTraps}

// mxpTests is how CMake is told what to build of mxp/cpp.
var mxpTests = []string{"-DMXP_TESTS=ON", "-DMXP_TLS=ON", "-DMXP_WEBSOCKET=ON"}

// cmakeTests are the steps that configure, build and run the tests of a CMake project.
func cmakeTests(source, build string, options ...string) []step {
	jobs := fmt.Sprintf("-j%d", runtime.NumCPU())
	return []step{
		quietly(append([]string{"cmake", "-S", source, "-B", build}, options...)...),
		quietly("cmake", "--build", build, jobs),
		quietly("ctest", "--test-dir", build, jobs, "--no-tests=error", "--output-on-failure"),
	}
}

// schemas are the schemas of the conformance vectors.
func schemas() []string {
	files, err := filepath.Glob("conformance/schemas/*.sdp")
	if err != nil || len(files) == 0 {
		panic("there are no schemas of the vectors")
	}
	return files
}
