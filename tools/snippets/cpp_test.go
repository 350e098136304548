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
	if strings.Contains(text, "_service.hpp") {
		mxp, err := filepath.Abs(root + "/mxp/cpp/include")
		if err != nil {
			t.Fatal(err)
		}
		options = append(options, "-DASIO_STANDALONE", "-I"+mxp, "-I"+filepath.Join(folder, "cpp"))
		made = append(made, "-lxxhash", "-lpthread")
	}
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

// generateServices makes the code of the services that docs/cpp.md has a schema of.
func generateServices(t *testing.T, module string) {
	t.Helper()
	schemas := of("sdp", snippetsOf(t, "docs/cpp.md"))
	if len(schemas) != 1 {
		t.Fatalf("docs/cpp.md has %d schemas", len(schemas))
	}
	if err := os.WriteFile(filepath.Join(module, "host.sdp"), []byte(schemas[0].text), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, module, "sdp", "gen", "host.sdp", "--services", "--out", "cpp=cpp")
}

func TestCppInDocumentsCompilesAndPrintsWhatItSays(t *testing.T) {
	module := begin(t)
	// What the programs print, in their order; pieces print nothing.
	const asked = "gain answered\nlist answered\n1\n2\n3\nchanged: 7\nchanged answered\n"
	want := []string{"8\n", "length_exceeds_input at byte 5 in plugins[0].name\n", "0 plugins\n", "EQ\ntype 3\ntype 3\n", asked}
	generateServices(t, module)
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
