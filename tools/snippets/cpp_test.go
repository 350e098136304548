package snippets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const cppWarnings = "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror"

// cppIncludes stand before a piece of C++ that has none.
var cppIncludes = "#include <array>\n#include <cstdio>\n#include <string>\n#include <vector>\n\n#include \"cpp/plugins.hpp\"\n\n"

// cppProgram writes and compiles a program in a folder, and returns what it prints.
// A piece that is none is only looked at by the compiler.
func cppProgram(t *testing.T, folder, name, text string) string {
	t.Helper()
	if !strings.Contains(text, "#include") {
		text = cppIncludes + text
	}
	source := filepath.Join(folder, name+".cpp")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, name)
	made, isProgram := []string{"-fsyntax-only"}, strings.Contains(text, "int main()")
	if isProgram {
		made = []string{"-o", program}
	}
	options := append(strings.Fields(cppWarnings), "-std=c++17", source)
	run(t, t.TempDir(), "g++", append(options, made...)...)
	style, err := filepath.Abs(root + "/runtime/cpp/.clang-format")
	if err != nil {
		t.Fatal(err)
	}
	run(t, folder, "clang-format-16", "--style=file:"+style, "--dry-run", "-Werror", source)
	if !isProgram {
		return ""
	}
	return run(t, folder, program)
}

func TestReadmeCppProgramPrintsThatNothingIsLost(t *testing.T) {
	module := begin(t)
	programs := of("cpp", snippetsOf(t, "README.md"))
	if len(programs) != 1 {
		t.Fatalf("README.md has %d programs in C++", len(programs))
	}
	if out := cppProgram(t, module, "program", programs[0].text); out != "true\nCompressor 1\n" {
		t.Errorf("the C++ program of README.md prints %q", out)
	}
}

func TestCppInDocumentsCompilesAndPrintsWhatItSays(t *testing.T) {
	module := begin(t)
	// What the programs print, in their order; pieces print nothing.
	want := []string{"8\n", "length_exceeds_input at byte 5 in plugins[0].name\n", "0 plugins\n", "EQ\ntype 3\ntype 3\n"}
	pieces := of("cpp", snippetsOf(t, "docs/cpp.md"))
	for i, s := range pieces {
		t.Run(fmt.Sprintf("docs/cpp.md:%d", s.line), func(t *testing.T) {
			out := cppProgram(t, module, fmt.Sprintf("piece%d", i), s.text)
			if out == "" {
				return
			}
			if len(want) == 0 || out != want[0] {
				t.Fatalf("printed %q, want %q", out, want)
			}
			want = want[1:]
		})
	}
	if len(want) > 0 || len(pieces) < 7 {
		t.Errorf("of %d pieces none printed %q", len(pieces), want)
	}
}
