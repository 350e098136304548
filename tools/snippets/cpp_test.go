package snippets_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

const cppWarnings = "-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror"

// cppIncludes stand before a piece of C++ that has none.
var cppIncludes = "#include <array>\n#include <cstdio>\n#include <string>\n#include <vector>\n\n#include \"cpp/plugins.hpp\"\n\n"

// translation is a source that is compiled once: at most one program, and pieces that are
// none, each in a namespace of its own.
type translation struct{ includes, body string }

func (s *translation) add(b block) {
	isProgram := strings.Contains(b.text, "int main(")
	if !isProgram {
		s.body += fmt.Sprintf("namespace line_%d_of_%s {\n", b.line, strings.TrimSuffix(filepath.Base(b.document), ".md"))
	}
	for _, line := range strings.SplitAfter(withIncludes(b.text), "\n") {
		if strings.HasPrefix(line, "#include") {
			s.includes += line
		} else {
			s.body += line
		}
	}
	if !isProgram {
		s.body += "}\n"
	}
}

func withIncludes(text string) string {
	if strings.Contains(text, "#include") {
		return text
	}
	return cppIncludes + text
}

// compile compiles a source in a folder that has the generated code. Of a program it
// returns what it prints.
func (s *translation) compile(t *testing.T, compiler, folder, name string, more ...string) string {
	t.Helper()
	put(t, folder, map[string]string{name + ".cpp": s.includes + s.body})
	source, program := filepath.Join(folder, name+".cpp"), filepath.Join(folder, name)
	isProgram := strings.Contains(s.body, "int main(")
	made := []string{"-fsyntax-only"}
	if isProgram {
		made = []string{"-o", program}
	}
	options := append(strings.Fields(cppWarnings), source)
	run(t, t.TempDir(), compiler, append(append(options, made...), more...)...)
	if !isProgram {
		return ""
	}
	return run(t, folder, program)
}

// isFormattedCpp asks clang-format.
func isFormattedCpp(t *testing.T, folder string, blocks []block) {
	t.Helper()
	options := []string{"--style=file:" + absolute(t, "runtime/cpp/.clang-format"), "--dry-run", "-Werror"}
	for _, b := range blocks {
		name := fmt.Sprintf("%s-%d.cpp", filepath.Base(b.document), b.line)
		put(t, folder, map[string]string{name: withIncludes(b.text)})
		options = append(options, name)
	}
	run(t, folder, "clang-format-16", options...)
}

// TestCppInDocumentsCompilesAndPrintsWhatItSays compiles each program of docs/cpp.md, and
// with one of them all pieces that are none: those about services, also of guides, with
// the one about services, but for those about TLS, which a library has as an option.
func TestCppInDocumentsCompilesAndPrintsWhatItSays(t *testing.T) {
	module := begin(t)
	put(t, module, map[string]string{"host.sdp": schemaOf(t, "docs/cpp.md"), "meters.sdp": schemaOf(t, "docs/shm.md")})
	run(t, module, "sdp", "gen", "host.sdp", "meters.sdp", "plugins.sdp", "--services", "--out", "cpp=cpp", formsOf(t, "docs/cpp.md"))
	blocks := of("cpp", blocksOf(t, "docs/cpp.md"))
	for _, document := range guides(t) {
		blocks = append(blocks, of("cpp", blocksOf(t, document))...)
	}
	isFormattedCpp(t, module, blocks)

	var plain, services, secure translation
	var programs []translation
	for _, b := range blocks {
		switch {
		case strings.Contains(strings.ToLower(b.text), "tls"):
			secure.add(b)
		case strings.Contains(b.text, "_service.hpp") || strings.Contains(b.text, "mxp/"):
			services.add(b)
		case strings.Contains(b.text, "int main("):
			var one translation
			one.add(b)
			programs = append(programs, one)
		default:
			plain.add(b)
		}
	}
	plain.compile(t, "g++", module, "pieces")
	// The output of the programs, in their order.
	want := []string{"8\n", "length_exceeds_input at byte 5 in plugins[0].name\n", "0 plugins\n", "EQ\ntype 3\ntype 3\n", ""}
	for i, one := range programs {
		out := one.compile(t, "g++", module, fmt.Sprintf("program%d", i))
		if i >= len(want) || out != want[i] {
			t.Errorf("program %d of docs/cpp.md printed %q, and should %q", i+1, out, want)
		}
	}
	if len(programs) != len(want) {
		t.Errorf("docs/cpp.md has %d programs", len(programs))
	}
	library, err := building.Net(absolute(t, "."), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	headers := []string{"-I" + absolute(t, "mxp/cpp/include"), "-I" + filepath.Join(module, "cpp"), "-DASIO_STANDALONE"}
	secure.compile(t, "clang++-16", module, "secure", append(headers, "-DMXP_TLS=1")...)
	out := services.compile(t, "clang++-16", module, "services", append(headers, library, "-lxxhash", "-lpthread")...)
	if asked := "gain answered\nlist answered\n1\n2\n3\nchanged: 7\nchanged answered\n"; out != asked {
		t.Errorf("the program about services of docs/cpp.md printed %q, and should %q", out, asked)
	}
}
