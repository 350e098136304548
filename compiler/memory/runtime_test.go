package memory

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// read finds the one number that a runtime's source has for a constant.
func read(t *testing.T, path, pattern string) int64 {
	t.Helper()
	text, err := os.ReadFile("../../runtime/" + path)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(pattern).FindAllSubmatch(text, -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d matches of %s", path, len(found), pattern)
	}
	n, err := strconv.ParseInt(string(found[0][1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestEntriesOfMapsCostWhatRuntimesTake holds the models against the runtimes,
// which take as much from a decode's budget: a bound that counts less refuses good
// values, and one that counts more allows too much.
func TestEntriesOfMapsCostWhatRuntimesTake(t *testing.T) {
	for _, c := range []struct {
		name, path, pattern string
		got                 uint64
	}{
		{"Go's factor", "go/aggregate.go", `const MapEntryFactor = (\d+)\n`, Go.MapEntry},
		{"Rust's factor", "rust/src/decoder.rs", `pub const MAP_ENTRY_FACTOR: usize = (\d+);`, Rust.MapEntry},
		{"C++'s node", "cpp/include/sdp/shapes_map.hpp", `inline constexpr std::size_t map_node = (\d+);`, CPP.MapNode},
	} {
		if want := read(t, c.path, c.pattern); c.got != uint64(want) {
			t.Errorf("%s is %d, and the runtime's %d", c.name, c.got, want)
		}
	}
	if Go.MapNode != 0 || Rust.MapNode != 0 || CPP.MapEntry != 1 {
		t.Error("a runtime has one of the two alone")
	}
}

// TestValuesAboveTheirShareFitTheRuntimesConstant is for the few values that cost
// more than their bytes pay for: the runtimes allow every decode a constant beside.
func TestValuesAboveTheirShareFitTheRuntimesConstant(t *testing.T) {
	for path, pattern := range map[string]string{
		"go/decoder.go":               `const memoryConstantBytes = (\d+) << 10\n`,
		"rust/src/decoder.rs":         `const MEMORY_CONSTANT: usize = (\d+) << 10;`,
		"cpp/include/sdp/decoder.hpp": `constexpr std::size_t memory_constant = std::size_t\{(\d+)\} << 10;`,
	} {
		if allowed := read(t, path, pattern) << 10; allowed < 2*constantBytes {
			t.Errorf("%s allows %d bytes, and values may cost %d", path, allowed, constantBytes)
		}
	}
}
