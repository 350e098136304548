package cpp_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
)

const runtimeFolder = "../../../runtime/cpp/include"

// compiler is the command that compiles, with the standard and the options of the
// environment, which tools/cpp-compilers sets: `clang++-16 -std=c++20`.
func compiler() []string {
	if given := os.Getenv("SDP_CXX"); given != "" {
		return strings.Fields(given)
	}
	return []string{"g++", "-std=c++17"}
}

// warnings are the warnings that generated code and the runtime are free of.
var warnings = strings.Fields("-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror")

// compile runs the compiler, which must succeed.
func compile(t *testing.T, args ...string) {
	t.Helper()
	sources.Do(func() { readSources(t) })
	command := compileCommand(args...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, head(output))
	}
}

func compileCommand(args ...string) *exec.Cmd {
	command := append(compiler(), warnings...)
	command = append(command, "-I"+runtimeFolder)
	command = append(command, args...)
	return exec.Command(command[0], command[1:]...)
}

// head is the start of a compiler's output, which may be long.
func head(output []byte) []byte { return output[:min(len(output), 3000)] }

// sources are read so that go test knows the inputs of the results.
var sources sync.Once

func readSources(t *testing.T) {
	for _, folder := range []string{runtimeFolder, generated.Golden, "tests", "../rust/testdata/damaged.txt"} {
		readTree(t, folder)
	}
}

func readTree(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a program in this folder, and returns what it prints.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	output, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, output)
	}
	return string(output)
}

// TestGeneratedCodePassesItsTests compiles the C++ tests of this folder, which are of
// the golden code, as one source: what they share is then compiled once.
func TestGeneratedCodePassesItsTests(t *testing.T) {
	paths, err := filepath.Glob("tests/*.cpp")
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d tests: %v", len(paths), err)
	}
	var all strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&all, "#include %q\n", path)
	}
	all.WriteString(sizeAssertions(t))
	folder := t.TempDir()
	source, program := filepath.Join(folder, "tests.cpp"), filepath.Join(folder, "tests")
	writeFile(t, source, all.String())
	compile(t, "-I.", "-I"+generated.Golden, source, "-lgtest", "-lgtest_main", "-lpthread", "-o", program)
	output := run(t, program, "--gtest_brief=1")
	if !strings.Contains(output, "[  PASSED  ]") {
		t.Errorf("no test passes:\n%s", output)
	}
}

// TestTwoReleasesUnderstandEachOther compiles a program of the first release with
// the code of both, and lets programs of both releases read each other's bytes.
func TestTwoReleasesUnderstandEachOther(t *testing.T) {
	build := func(name, release string) string {
		folder := t.TempDir()
		writeFile(t, filepath.Join(folder, "evolution.hpp"), code.One(t, "../../../conformance/schemas/evolution_"+release+".sdp"))
		program := filepath.Join(folder, name)
		compile(t, "-I"+folder, "tests/evolution/"+name+".cpp", "-o", program)
		return program
	}
	first, recompiled := build("consumer", "v1"), build("consumer", "v2")
	second := build("newer", "v2")
	old, again, made := strings.Fields(run(t, first)), strings.Fields(run(t, recompiled)), strings.Fields(run(t, second))
	if len(old) != 4 || len(again) != 4 || len(made) != 4 {
		t.Fatalf("they write %d, %d and %d values", len(old), len(again), len(made))
	}
	// The first release writes everything back as it was, also what it doesn't know.
	for _, bytes := range [][]string{old, again, made} {
		run(t, first, bytes...)
	}
	run(t, recompiled, again...)
	run(t, recompiled, made...)
	run(t, second, old...)
}

// TestCopiesOfAPackageAreOne compiles a program with two libraries of which each
// brings a copy of a package and of the runtime, of another date.
func TestCopiesOfAPackageAreOne(t *testing.T) {
	schema := checked(t, check.Memory{"units.sdp": `package units; message Point { x: f32, y: f32 }`}, "units.sdp")
	generated, problems := generate(schema)
	if problems.Len() > 0 {
		t.Fatalf("%d problems", problems.Len())
	}
	folder := t.TempDir()
	for i, library := range []string{"first", "second"} {
		copied := filepath.Join(folder, library)
		if err := os.CopyFS(copied, os.DirFS(runtimeFolder)); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(copied, "units.hpp"), generated["units.hpp"])
		date := time.Date(2020, time.January, 1+i, 0, 0, 0, 0, time.UTC)
		err := filepath.WalkDir(copied, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, date, date))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(folder, "both.cpp")
	writeFile(t, program, `#include "first/units.hpp"
#include "second/units.hpp"
#include "second/sdp/json.hpp"
int main() { return sdp::encoded_size(units::Point{}) == 8 ? 0 : 1; }
`)
	compile(t, program, "-o", filepath.Join(folder, "both"))
	run(t, filepath.Join(folder, "both"))
}
