package cpp_test

import (
	"path/filepath"
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
