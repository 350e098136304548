package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

const factsSchema = `
	@closed enum Shut: u8 { A = 0 }
	enum Wide: u16 { A = 0 }
	struct Leaf { n: u32 }
	struct Pair { left: Leaf, flags: [3]bool, more: [2]Leaf }
	struct Node { next: ?Node, m: Grown }
	message Grown { a: u8, @since(2) b: u64 }
	union Open { A(u32) = 1 }
	@closed union Closed { A(u32) = 1 }
	struct All {
		text: @len(u8) str,
		blob: @max(9) bytes,
		list: @len(u16) @max(7) []u32,
		table: map<u16, Pair>,
		maybe: ?u32,
		message: Grown,
		messages: [2]Grown,
		kept: ?Grown,
		open: Open,
		shut: Closed,
		pair: Pair,
		pairs: [4]Pair,
		member: Shut,
		members: [2]Shut,
		wide: Wide,
		on: bool,
		node: Node,
		nodes: [2]Node,
		id: uuid,
	}
`

func factsOf(t *testing.T) (*plan.Program, map[string]*ir.Type) {
	t.Helper()
	program, pkg := compile(t, check.Memory{"a.sdp": factsSchema}, "a.sdp")
	types := map[string]*ir.Type{}
	for _, f := range find(t, pkg, "All").(*ir.Struct).Fields {
		types[f.Name] = f.Type
	}
	return program, types
}

func TestHeadIsWhatEveryValueHas(t *testing.T) {
	program, types := factsOf(t)
	for name, want := range map[string]uint64{"text": 1, "maybe": 1, "message": 4, "messages": 0, "pair": 15, "pairs": 60, "on": 1} {
		if got := program.Head(types[name]); got != want {
			t.Errorf("%s has %d bytes at least, want %d", name, got, want)
		}
	}
}

func TestPrefixesAreThoseOfTheWireFormat(t *testing.T) {
	_, types := factsOf(t)
	for name, want := range map[string]uint64{
		"text": 1, "blob": 4, "list": 2, "table": 4, "maybe": 1, "message": 4,
		"messages": 0, "open": 0, "shut": 0, "pair": 0, "on": 0, "id": 0,
	} {
		if got := plan.Prefix(types[name]); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	for name, want := range map[string]uint64{"open": 5, "shut": 1} {
		if got := plan.UnionHead(types[name].Union()); got != want {
			t.Errorf("the head of %s: got %d, want %d", name, got, want)
		}
	}
}

func TestLengthsAreBoundByMaxAndByWidth(t *testing.T) {
	_, types := factsOf(t)
	for name, want := range map[string]struct {
		most, declared uint64
		width          string
		bound          bool
	}{
		"text":  {255, 1<<32 - 1, "u8", true},
		"blob":  {9, 9, "u32", true},
		"list":  {7, 7, "u16", true},
		"table": {1<<32 - 1, 1<<32 - 1, "u32", false},
	} {
		got := want
		got.most, got.declared = plan.LengthMax(types[name]), plan.DeclaredMax(types[name])
		got.width, got.bound = plan.LengthName(types[name]), plan.IsLengthBound(types[name])
		if got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestTraitsOfFixedValuesAddUp(t *testing.T) {
	program, types := factsOf(t)
	for name, want := range map[string]plan.Traits{
		"pair":    {Levels: 2, Elements: 2, Checked: true},
		"pairs":   {Levels: 2, Elements: 4 + 4*2, Checked: true},
		"member":  {Checked: true, Closed: true},
		"members": {Checked: true, Closed: true},
		"wide":    {},
		"on":      {Checked: true},
		"id":      {},
	} {
		if got := program.Traits(types[name]); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		if run, ok := program.Op(types[name]).(*plan.Run); !ok || run.Traits != want {
			t.Errorf("the run of %s has other traits than its type: %+v", name, run)
		}
	}
	if got := program.EntrySize(types["table"]).String(); got != "17 bytes" {
		t.Errorf("an entry has %s, not 2 for its key, 4 + 3 + 8 for its value", got)
	}
}

func TestGrowthAndRecursionReachThroughArrays(t *testing.T) {
	program, types := factsOf(t)
	for name, want := range map[string]struct{ grows, recursive bool }{
		"message": {true, false}, "messages": {true, false}, "kept": {false, false},
		"pair": {}, "member": {}, "open": {}, "text": {},
		"node": {true, true}, "nodes": {true, true},
	} {
		if program.Grows(types[name]) != want.grows || program.Recursive(types[name]) != want.recursive {
			t.Errorf("%s: grows %t, recursive %t, want %+v", name, program.Grows(types[name]), program.Recursive(types[name]), want)
		}
	}
}

// TestWhatIsNotWholeInterruptsARun plans a struct for a language that reads
// arrays and structs in loops and calls of their own.
func TestWhatIsNotWholeInterruptsARun(t *testing.T) {
	program, pkg := compile(t, check.Memory{"a.sdp": `
		struct Leaf { n: u16 }
		struct Empty {}
		struct Row { a: u8, b: u32, e: Empty, list: [3]Leaf, leaf: Leaf, c: bool, d: u64 }
	`}, "a.sdp")
	row := find(t, pkg, "Row")
	if ops := program.Body(row).Segments[0].Ops; len(ops) != 1 || ops[0].(*plan.Run).Bytes != 22 {
		t.Fatalf("a struct of fixed size is one run of 22 bytes, and not %v", ops)
	}
	ops := program.BodyBy(row, func(t *ir.Type) bool { return t.Scalar() != 0 }).Segments[0].Ops
	var got []string
	for _, op := range ops {
		switch op := op.(type) {
		case *plan.Run:
			text := "run"
			for _, item := range op.Items {
				text += fmt.Sprintf(" %s+%d", item.Path[0].Name, item.Offset)
			}
			got = append(got, text)
		default:
			got = append(got, fmt.Sprintf("%T %s", op, op.OpField().Name))
		}
	}
	want := "run a+0 b+1; *plan.NestedType e; *plan.Array list; *plan.NestedType leaf; run c+0 d+1"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
	elem := ops[2].(*plan.Array).Elem
	if _, isNested := elem.(*plan.NestedType); !isNested {
		t.Errorf("an element that isn't whole is %T", elem)
	}
	ops = program.BodyBy(row, func(*ir.Type) bool { return true }).Segments[0].Ops
	if len(ops) != 2 || len(ops[0].(*plan.Run).Parts) != 6 || ops[1].OpField().Name != "e" {
		t.Errorf("a field without bytes is apart behind the others, and not in %v", ops)
	}
}

// TestKindWithoutAPlanPanics keeps a new kind from becoming a value without
// bytes.
func TestKindWithoutAPlanPanics(t *testing.T) {
	program, _ := factsOf(t)
	unknown := &ir.Type{Kind: ir.MessageKind + 1}
	for name, ask := range map[string]func(){
		"SizeOf": func() { program.SizeOf(unknown) },
		"Op":     func() { program.Op(unknown) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s has an answer", name)
				}
			}()
			ask()
		}()
	}
}

func TestArraysOfScalarsTakeNoElements(t *testing.T) {
	_, types := factsOf(t)
	for name, want := range map[string]uint64{"pairs": 4, "messages": 2, "members": 0} {
		if got := plan.ArrayElements(types[name]); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}
