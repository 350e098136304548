package cpp_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
)

// circles are types that lead to each other by lists, one of each way that two declarations can.
const circles = `package circles;
	message Folder { name: str, entries: []Entry }
	message Entry { size: u64, within: []Folder, by_name: map<str, Folder>, first: ?Folder }
	union Any { One(Node) = 1, Several([]Value) = 2 }
	message Node { any: ?Any, all: []Any, values: []Value }
	message Value { nodes: []Node, by_number: map<u32, Any> }
	struct Even { odds: []Odd, next: ?Even } struct Odd { evens: []Even, number: f32 }
	message Grid { rows: [][]Cell, corners: [2][]Cell } message Cell { grids: []Grid, named: @len(u8) []map<str, Grid> }
	union Path { Step { paths: []Path, roads: []Road } = 1, Road(Road) = 2 } message Road { path: ?Path, paths: []Path }
	message Level { inner: []Item, others: []Choice } message Item { level: Level, number: u8 }
	union Choice { Item(Item) = 1, Level(Level) = 2, Choices([]Choice) = 3 }`

// Since C++20 some compilers look into the elements of a list where the list is declared, so that
// each has to be defined before, or not be looked into.
func TestCirclesCompileWithEveryStandard(t *testing.T) {
	t.Parallel()
	made, problems := generate(checked(t, check.Memory{"circles.sdp": circles}, "circles.sdp"))
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	folder := t.TempDir()
	source := filepath.Join(folder, "circles.cpp")
	writeFile(t, filepath.Join(folder, "circles.hpp"), made["circles.hpp"])
	writeFile(t, source, `#include "circles.hpp"
template <class T>
bool is(sdp::bytes_view data) {
    T value;
    return static_cast<bool>(sdp::decode_into(value, data)) && static_cast<bool>(sdp::encode(value)) && T(value) == value;
}
template <class... T>
bool all(sdp::bytes_view data) { return (is<T>(data) && ...); }
namespace c = circles;
bool tried(sdp::bytes_view data);
bool tried(sdp::bytes_view data) {
    return all<c::Entry, c::Value, c::Odd, c::Cell, c::Road, c::Level, c::EntryRef, c::ValueRef, c::OddRef, c::CellRef, c::RoadRef, c::LevelRef,
               c::pmr::Entry, c::pmr::Value, c::pmr::Odd, c::pmr::Cell, c::pmr::Road, c::pmr::Level>(data);
}
`)
	for _, compiler := range []string{"g++ -std=c++17", "clang++-16 -std=c++20", "clang++-16 -std=c++2b"} {
		words := strings.Fields(compiler)
		command := exec.Command(words[0], slices.Concat(words[1:], warnings, []string{"-fsyntax-only", "-I" + runtimeFolder, "-I" + folder, source})...)
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", compiler, err, head(output))
		}
	}
}
