package cpp_test

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
)

// gcc looks for overflows where it has inlined, which it does where it optimizes.
func TestOptimizedCodeHasNoWarnings(t *testing.T) {
	schema := checked(t, check.Memory{"song.sdp": `package song;
		enum Kind: u8 { Effect = 0, Instrument = 1 }
		struct Plugin { name: @len(u8) str, kind: Kind }
		union Event { Loaded(Plugin) = 1, Stopped = 2, Moved { x: u8, y: u8 } = 3, Renamed(@len(u8) str) = 4 }
		struct Log { events: []Event }
		message Registry { plugins: []Plugin, total: u32, @since(2) host: @len(u8) str = "x", @since(2) scanned: ?u16, @since(3) kinds: []Kind }`,
	}, "song.sdp")
	generated, problems := generate(schema)
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	folder := t.TempDir()
	for name, text := range generated {
		writeFile(t, filepath.Join(folder, name), text)
	}
	source := filepath.Join(folder, "decodes.cpp")
	writeFile(t, source, `#include "song.hpp"
template <class T>
bool is(sdp::bytes_view data) {
    T value;
    return static_cast<bool>(sdp::decode_into(value, data));
}
template <class... T>
bool all(sdp::bytes_view data) { return (is<T>(data) && ...); }
bool tried(sdp::bytes_view data);
bool tried(sdp::bytes_view data) {
    return all<song::Log, song::LogRef, song::pmr::Log, song::Registry, song::RegistryRef, song::pmr::Registry>(data);
}
`)
	compile(t, "-O2", "-I"+folder, "-c", source, "-o", filepath.Join(folder, "decodes.o"))
}

// All that a list's elements hold is compiled into the list's functions, but for messages with many
// fields, and what ends values that lie elsewhere: each level of messages would else be there once
// for each that is around it.
func TestCodeOfAChainGrowsWithItsLength(t *testing.T) {
	short, long := decoderOfChain(t, 16), decoderOfChain(t, 32)
	t.Logf("%d and %d bytes", short, long)
	if long > 2*short {
		t.Errorf("decoding takes %d bytes of code for 16 messages in a chain, and %d for 32", short, long)
	}
}

// decoderOfChain is how many bytes of code decode the last of so many messages, each of which has its
// predecessor and a list.
func decoderOfChain(t *testing.T, messages int) (code uint64) {
	t.Helper()
	var text strings.Builder
	text.WriteString("package chain; message M0 { a: u32, b: str }\n")
	for i := 1; i < messages; i++ {
		fmt.Fprintf(&text, "message M%d { child: ?M%d, kids: []M%d }\n", i, i-1, i/2)
	}
	made, problems := generate(checked(t, check.Memory{"chain.sdp": text.String()}, "chain.sdp"))
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	folder := t.TempDir()
	source, object := filepath.Join(folder, "decodes.cpp"), filepath.Join(folder, "decodes.o")
	writeFile(t, filepath.Join(folder, "chain.hpp"), made["chain.hpp"])
	last := fmt.Sprintf("chain::M%d", messages-1)
	writeFile(t, source, fmt.Sprintf(`#include "chain.hpp"
bool decodes(%[1]s& value, sdp::bytes_view data);
bool decodes(%[1]s& value, sdp::bytes_view data) { return static_cast<bool>(sdp::decode_into(value, data)); }
`, last))
	compile(t, "-O1", "-I"+folder, "-c", source, "-o", object)
	return codeIn(t, object)
}

// codeIn is how many bytes of code an object has.
func codeIn(t *testing.T, object string) (code uint64) {
	t.Helper()
	file, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, section := range file.Sections {
		if section.Flags&elf.SHF_EXECINSTR != 0 {
			code += section.Size
		}
	}
	return code
}

// A list of messages that hold lists, and so on: what moves and ends their elements must not be there
// once more for each way that leads to it. Code of a few levels took minutes to compile.
func TestCodeOfListsInListsStaysSmall(t *testing.T) {
	made, problems := generate(checked(t, check.Memory{"deep.sdp": `package deep;
		message Leaf { text: str, numbers: []u8 }
		message Twig { a: []Leaf, b: []Leaf, c: ?Leaf }
		message Branch { a: []Twig, b: []Twig, c: ?Twig }
		message Tree { a: []Branch, b: []Branch, c: ?Branch }`}, "deep.sdp"))
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	folder := t.TempDir()
	source, object := filepath.Join(folder, "decodes.cpp"), filepath.Join(folder, "decodes.o")
	writeFile(t, filepath.Join(folder, "deep.hpp"), made["deep.hpp"])
	writeFile(t, source, `#include "deep.hpp"
template <class T>
bool is(sdp::bytes_view data) {
    T value;
    return static_cast<bool>(sdp::decode_into(value, data));
}
bool decodes(sdp::bytes_view data);
bool decodes(sdp::bytes_view data) { return is<deep::Tree>(data) && is<deep::TreeRef>(data) && is<deep::pmr::Tree>(data); }
`)
	compile(t, "-O2", "-I"+folder, "-c", source, "-o", object)
	code := codeIn(t, object)
	t.Logf("%d bytes", code)
	if code > 150_000 {
		t.Errorf("decoding takes %d bytes of code", code)
	}
}
