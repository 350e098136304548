package plan_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

var update = flag.Bool("update", false, "write the golden files")

func compile(t *testing.T, files check.Memory, root string) (*plan.Program, *ir.Package) {
	t.Helper()
	schema, problems := check.Program(files, []string{root}, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	return plan.New(schema), schema.Roots[0]
}

func find(t *testing.T, pkg *ir.Package, name string) ir.Decl {
	t.Helper()
	for _, d := range pkg.Decls {
		if d.DeclName() == name {
			return d
		}
	}
	t.Fatalf("no type %s", name)
	return nil
}

func TestDumpAndLayoutMatchGoldenFiles(t *testing.T) {
	files := check.Memory{}
	paths, err := filepath.Glob("../backend/golang/testdata/*.sdp")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	for name := range files {
		program, pkg := compile(t, files, name)
		got := program.Dump(pkg)
		for _, d := range pkg.Decls {
			got += "\nlayout of " + d.DeclName() + "\n" + plan.Layout(d)
			for i, text := range plan.FingerprintTexts(d) {
				prints := plan.FingerprintsOf(d)
				got += fmt.Sprintf("%016x %016x %q\n", prints.Segments[i], prints.Cumulative[i], text)
			}
		}
		golden := filepath.Join("testdata", strings.TrimSuffix(name, ".sdp")+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; look at the change and run with -update", golden)
		}
	}
}

// TestFingerprintsAreThoseOfTheSpecification uses the worked examples of
// spec/evolution.md, which were computed without this code [EVO-6].
func TestFingerprintsAreThoseOfTheSpecification(t *testing.T) {
	_, pkg := compile(t, check.Memory{"a.sdp": `
		struct Plugin { name: @len(u8) str, gain: f32, on: bool, unit: ?str }
		message Registry { plugins: []Plugin, @since(2) total: u32, @since(2) host: str }
		union HostEvent { Loaded(Plugin) = 1, Changed { id: u32, value: f32 } = 2, Stopped = 3 }
		enum Open: u8 { A = 0 }
		@closed enum Shut: u8 { B = 1, A = 0 }
		struct Leaf { x: u8 }
		struct Pair { a: Leaf, b: Leaf }
		struct Tree { value: i16, children: []Tree, pair: ?Pair, shut: Shut, open: Open }
	`}, "a.sdp")
	for _, c := range []struct {
		name       string
		segments   []uint64
		cumulative []uint64
	}{
		{"Registry", []uint64{0xa146b53f3593cd3b, 0x9172088e5a7bda6b}, []uint64{0xa146b53f3593cd3b, 0xa9d00f62aac49788}},
		{"HostEvent", []uint64{0xa9bb22394deb73b8}, []uint64{0xa9bb22394deb73b8}},
		{"Tree", []uint64{0xefbb54bdcf65f72c}, []uint64{0xefbb54bdcf65f72c}},
	} {
		got := plan.FingerprintsOf(find(t, pkg, c.name))
		if fmt.Sprintf("%x %x", got.Segments, got.Cumulative) != fmt.Sprintf("%x %x", c.segments, c.cumulative) {
			t.Errorf("%s: got %x %x, want %x %x", c.name, got.Segments, got.Cumulative, c.segments, c.cumulative)
		}
	}
}

func TestSizesFollowTheWireFormat(t *testing.T) {
	program, pkg := compile(t, check.Memory{"a.sdp": `
		struct Fixed { a: u8, b: [3]u16, c: bool }
		struct Text { s: str }
		struct Short { s: @len(u8) str }
		struct Bounded { s: @max(10) str, l: @max(3) []u16 }
		struct Maybe { f: ?Fixed }
		message Grown { a: u8, @since(2) b: u64 }
		struct Holder { g: Grown }
		struct List { next: ?List }
		union Open { A = 1 }
		@closed union Closed { A(u32) = 1, B = 2 }
		struct Tail { c: Closed, m: map<u8, u8> }
	`}, "a.sdp")
	for name, want := range map[string]string{
		"Fixed": "8 bytes", "Text": "4.. bytes", "Short": "1..256 bytes", "Bounded": "8..24 bytes",
		"Maybe": "1..9 bytes", "Grown": "1..9 bytes", "Holder": "5..13 bytes", "List": "1.. bytes",
		"Open": "5.. bytes", "Closed": "1..5 bytes", "Tail": "5.. bytes",
	} {
		if got := program.Body(find(t, pkg, name)).Size.String(); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestStructsWithoutBytesArePlannedInLinearTime nests structs of nothing but
// each other, as deep as the language lets them be. Of the smallest, a walk of
// every way would never end.
func TestStructsWithoutBytesArePlannedInLinearTime(t *testing.T) {
	schema := "struct S0 {}\n"
	for i := 1; i < 60; i++ {
		schema += fmt.Sprintf("struct S%d { a: S%d, b: S%d }\n", i, i-1, i-1)
	}
	program, pkg := compile(t, check.Memory{"a.sdp": schema + "struct Holder { nothing: S59, one: u8 }"}, "a.sdp")
	run := program.Body(find(t, pkg, "Holder")).Segments[0].Ops[0].(*plan.Run)
	if len(run.Items) != 1 || run.Bytes != 1 || run.Levels != 60 {
		t.Errorf("%d items in %d bytes and %d levels, where one byte lies beside 60 levels of none", len(run.Items), run.Bytes, run.Levels)
	}
}

// TestStructsWithinStructsArePlannedInLinearTime doubles at each level: walking
// every way that leads to a type would never end.
func TestStructsWithinStructsArePlannedInLinearTime(t *testing.T) {
	schema := "struct S0 { a: u8, b: bool }\n"
	for i := 1; i < 20; i++ {
		schema += fmt.Sprintf("struct S%d { a: S%d, b: S%d, v: ?S%d }\n", i, i-1, i-1, i-1)
	}
	started := time.Now()
	program, pkg := compile(t, check.Memory{"a.sdp": schema}, "a.sdp")
	for _, d := range pkg.Decls {
		plan.FingerprintsOf(d)
		plan.Layout(d)
	}
	if len(program.Dump(pkg)) == 0 {
		t.Error("nothing was planned")
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}
