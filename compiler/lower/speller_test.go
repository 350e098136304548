package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// english spells procedures in a language for people. A place is the name of a value.
type english struct{ *emit.Printer }

func (e english) block(each func(string), place, format string, args ...any) {
	e.Line(format+":", args...)
	e.In(func() { each(place) })
}

func (e english) Field(at string, f *ir.Field) string { return at + "." + f.Name }

func (e english) Charge(_ string, traits plan.Traits) {
	if traits.Levels > 0 || traits.Elements > 0 {
		e.Line("charge %d levels, %d elements", traits.Levels, traits.Elements)
	}
}

func (e english) Run(at string, run *plan.Run) {
	e.Line("take %d bytes", run.Bytes)
	lower.Items(e, at, run)
}

func (e english) Text(at string, t *ir.Type) { e.Line("%s is text by a %s", at, plan.LengthName(t)) }
func (e english) Blob(at string, t *ir.Type) { e.Line("%s is bytes by a %s", at, plan.LengthName(t)) }

func (e english) Items(at string, t *ir.Type, run *plan.Run, each func(string)) {
	e.block(each, "it", "%s is a %s of items of %d bytes", at, plan.LengthName(t), run.Bytes)
}

func (e english) List(at string, t *ir.Type, least uint64, each func(string)) {
	e.block(each, "it", "%s is a %s of elements of at least %d bytes", at, plan.LengthName(t), least)
}

func (e english) Array(at string, t *ir.Type, each func(string)) {
	e.block(each, "it", "%s is %d times", at, t.N)
}

func (e english) Map(at string, t *ir.Type, least uint64, key, value func(string)) {
	e.Line("%s is a %s of entries of at least %d bytes:", at, plan.LengthName(t), least)
	e.In(func() {
		key("key")
		value("value")
	})
}

func (e english) Optional(at string, _ *ir.Type, there func(string)) {
	e.block(there, at, "if %s is there", at)
}

func (e english) Call(at string, t *ir.Type) { e.Line("%s is a %s", at, t.Decl.DeclName()) }
func (e english) Window(at string, t *ir.Type) {
	e.Line("%s is a %s in a window", at, t.Decl.DeclName())
}

func (e english) Segment(_ string, m *ir.Message, s *plan.Segment, there func()) {
	e.block(func(string) { there() }, "", "if %s has segment %d", m.Name, s.Number)
}

func (e english) Tail(_ string, m *ir.Message) {
	e.Line("%s the rest", map[bool]string{true: "keep", false: "drop"}[m.KeepUnknown])
}

func (e english) Union(at string, _ *ir.Union, cases func()) {
	e.block(func(string) { cases() }, "", "by the tag of %s", at)
}

func (e english) Case(at string, _ *ir.Union, a *plan.Alternative, payload func(string)) {
	e.block(payload, at+"."+a.Alt.Name, "%d, of %s", a.Alt.Tag, a.Size)
}

func (e english) Item(at string, item plan.Item) string {
	for _, f := range item.Path {
		at += "." + f.Name
	}
	return fmt.Sprintf("%s+%d", at, item.Offset)
}

func (e english) Bools(bools []string)           { e.Line("bools: %s", strings.Join(bools, ", ")) }
func (e english) Scalar(at string, t *ir.Type)   { e.Line("%s is %s", at, t.Scalar()) }
func (e english) Struct(at string, b *plan.Body) { e.Line("%s is a %s", at, b.Decl.DeclName()) }

func (e english) Scalars(at string, t *ir.Type, elem *plan.Run, _ func(string)) {
	e.Line("%s is %d of %s, %d bytes each", at, t.N, t.Elem.Scalar(), elem.Bytes)
}

func (e english) Elements(at string, t *ir.Type, elem *plan.Run, each func(string)) {
	e.block(each, "it", "%s is %d runs of %d bytes", at, t.N, elem.Bytes)
}

// planned is the plan of a schema, and its last type.
func planned(t *testing.T, text string) (*plan.Program, ir.Decl) {
	t.Helper()
	schema, problems := check.Program(check.Memory{"a.sdp": "package a;\n" + text}, []string{"a.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	decls := schema.Roots[0].Decls
	return plan.New(schema), decls[len(decls)-1]
}

// spelt is a body in English, without indentation before and behind it.
func spelt(body *plan.Body) string {
	e := english{emit.NewPrinter("\t")}
	lower.Body(e, "v", body)
	return strings.TrimSpace(e.String())
}

// wanted is a text without the indentation that it has in a test.
func wanted(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\n\t\t\t", "\n"))
}

func TestBodyIsSpelledStatementByStatement(t *testing.T) {
	for _, c := range []struct{ what, schema, want string }{
		{"fields of fixed size are one run, the bools of which come first", `
			enum E: u8 { A = 0 }
			struct P { x: f32, on: bool }
			struct S { a: u8, p: P, off: bool, e: E, wide: [3]u16, ps: [2]P }`, `
			charge 1 levels, 2 elements
			take 24 bytes
			bools: v.p.on+5, v.off+6
			v.a+0 is u8
			v.p.x+1 is f32
			v.p.on+5 is bool
			v.off+6 is bool
			v.e+7 is u8
			v.wide+8 is 3 of u16, 2 bytes each
			v.ps+14 is 2 runs of 5 bytes:
				bools: it.on+4
				it.x+0 is f32
				it.on+4 is bool`},
		{"a struct that is too large to be items is a call", `
			struct L { a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8, n: u8, o: u8, p: u8, q: u8 }
			struct S { l: L }`, `
			charge 1 levels, 0 elements
			take 17 bytes
			v.l+0 is a L`},
		{"a field without bytes is charged", `
			struct E {}
			struct S { e: E, t: str }`, `
			charge 1 levels, 0 elements
			take 0 bytes
			v.t is text by a u32`},
		{"values of varying size", `
			struct T { t: str }
			message M { a: u8 }
			struct S { t: @len(u8) str, b: bytes, us: []u32, ts: [][]str, os: [2]?T, m: map<str, M> }`, `
			v.t is text by a u8
			v.b is bytes by a u32
			v.us is a u32 of items of 4 bytes:
				take 4 bytes
				it+0 is u32
			v.ts is a u32 of elements of at least 4 bytes:
				it is a u32 of elements of at least 4 bytes:
					it is text by a u32
			charge 0 levels, 2 elements
			v.os is 2 times:
				if it is there:
					it is a T
			v.m is a u32 of entries of at least 9 bytes:
				key is text by a u32
				value is a M in a window`},
		{"a message by its segments", `
			@keep_unknown message M { a: u8, @since(2) b: str, @since(3) c: u16 }`, `
			take 1 bytes
			v.a+0 is u8
			if M has segment 2:
				v.b is text by a u32
			if M has segment 3:
				take 2 bytes
				v.c+0 is u16
			keep the rest`},
		{"a union by its alternatives in the order of their tags", `
			union U { B(str) = 2, A(u16) = 1, C = 3 }`, `
			by the tag of v:
				1, of 2 bytes:
					take 2 bytes
					v.A+0 is u16
				2, of 4.. bytes:
					v.B is text by a u32
				3, of 0 bytes:`},
	} {
		program, d := planned(t, c.schema)
		if got := spelt(program.Body(d)); got != wanted(c.want) {
			t.Errorf("%s:\n%s\nwant:\n%s", c.what, got, wanted(c.want))
		}
	}
}

// TestElementsAreChargedOnce plans for a language that reads arrays in loops.
func TestElementsAreChargedOnce(t *testing.T) {
	program, d := planned(t, "struct P { x: f32 } struct S { ps: [2]P, ts: [3]str, qs: [2][2]P }")
	got := spelt(program.BodyBy(d, func(t *ir.Type) bool { return t.Kind != ir.ArrayKind }))
	want := wanted(`
			charge 1 levels, 2 elements
			v.ps is 2 times:
				take 4 bytes
				it.x+0 is f32
			charge 0 levels, 3 elements
			v.ts is 3 times:
				it is text by a u32
			charge 0 levels, 2 elements
			v.qs is 2 times:
				charge 1 levels, 2 elements
				it is 2 times:
					take 4 bytes
					it.x+0 is f32`)
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
