package interp_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// everything uses each construct of the language that has bytes.
const everything = `
package demo;
const THREE: u8 = 3;
enum Kind: u8 { Effect = 0, Instrument = 1, @name(json = "tool!") Tool = 200 }
@closed enum Level: i16 { Low = -300, Zero = 0, High = 300 }
enum Wide: u64 { None = 0, All = 18446744073709551615 }
struct Empty {}
struct Plugin { name: @len(u8) str, gain: f32, on: bool, note: ?str }
struct Point { x: f64, y: f64, level: Level }
struct Grid { corners: [2]Point, raw: [3]u8, nothing: Empty, rows: [2][]u16 }
struct Large {
	a: u8, b: u16, c: u32, d: u64, e: i8, f: i16, g: i32, h: i64, i: f32, j: f64, k: bool,
	l: Kind, m: Level, n: timestamp, o: duration, p: uuid, q: [2]u32, r: Wide,
}
struct Node { value: u8, left: ?Node, right: ?Node, more: []Node }
union HostEvent { Loaded(Plugin) = 1, Changed { id: u32, value: f32 } = 2, Stopped = 3, Grew(Registry) = 4, Again(HostEvent) = 250 }
@closed union Shape { Dot(Point) = 1, Name(@len(u16) str) = 2, Nothing = 9, Nested(Shape) = 10 }
@id(7) message Registry { plugins: []Plugin, @since(2) total: u32, @since(2) host: str = "x", @since(3) kind: ?Kind = Tool }
@id(8) @keep_unknown message Kept { level: Level, @since(2) @name(json = "at") seen: timestamp = -1, @since(3) inner: Registry, @since(3) dots: [THREE]?Point }
struct Levels {
	m: map<@len(u8) str, i16>, byBool: map<bool, u8>, bySigned: map<i8, Shape>, byEnum: @len(u8) map<Kind, []bytes>, byLevel: map<Level, Empty2>, byWide: map<u64, map<i64, u8>>,
}
struct Empty2 { some: bool }
struct Bounded { name: @max(3) @len(u8) str, blob: @max(2) bytes, list: @len(u16) @max(2) []u8, items: @max(2) []u16, pairs: @max(1) map<u8, u8> }
@id(9) struct All {
	large: Large, grid: Grid, tree: Node, events: []HostEvent, shape: ?Shape, kept: []Kept, levels: Levels,
	bounded: Bounded, flags: [5]bool, matrix: [][]f32, deep: ?[]?[2]?u8, blob: @len(u8) bytes, larges: []Large,
}
@id(10) union Top { All(All) = 1, Kept(Kept) = 2, Bare = 3 }
@id(11) message Old { a: u8 }
message New { a: u8, @since(2) b: u16 = 500, @since(3) c: ?str = "c", @since(3) d: Grid2 }
struct Grid2 { cells: [2]u8, name: str, level: Level, nested: ?New }
struct Holder { m: New, after: u8 }
struct Exact { inner: []New }
`

func compile(t testing.TB, text string) *plan.Program {
	t.Helper()
	schema, problems := check.Program(check.Memory{"demo.sdp": text}, []string{"demo.sdp"},
		func(*syntax.File) string { return "" })
	if schema == nil {
		for _, p := range problems.Sorted() {
			t.Errorf("%+v", p)
		}
		t.FailNow()
	}
	return plan.New(schema)
}

func declOf(t testing.TB, program *plan.Program, name string) ir.Decl {
	t.Helper()
	for _, d := range program.Schema.Roots[0].Decls {
		if d.DeclName() == name {
			return d
		}
	}
	t.Fatalf("there is no type %s", name)
	return nil
}

func codecOf(t testing.TB, program *plan.Program, name string) *interp.Codec {
	t.Helper()
	c, err := interp.New(program, declOf(t, program, name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tops are the top-level types of a program.
func tops(program *plan.Program) []ir.Decl {
	var decls []ir.Decl
	for _, d := range program.Schema.Roots[0].Decls {
		if program.Body(d) != nil {
			decls = append(decls, d)
		}
	}
	return decls
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	var b []byte
	for _, digits := range strings.Fields(text) {
		n := 0
		for _, c := range digits {
			n = n*16 + strings.IndexRune("0123456789abcdef", c)
		}
		b = append(b, byte(n))
	}
	return b
}
