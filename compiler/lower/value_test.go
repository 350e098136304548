package lower_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// looking spells operations as a person describes a value.
type looking struct {
	*emit.Printer
	costs *memory.Costs
}

func (l looking) Costs() *memory.Costs { return l.costs }

func (l looking) Index(at lower.Place) string { return strings.Repeat("i", at.Depth+1) }

func (l looking) Print(level int, line string) { l.Line("%s", strings.Repeat("  ", level)+line) }

func (l looking) Hole(name string, _ *ir.Type, at lower.Place) string {
	switch name {
	case "v":
		return at.At
	case "i":
		return l.Index(at)
	case "path":
		return strings.Join(at.Steps, ".")
	}
	panic("unknown hole " + name)
}

// saying is a table of leaves that tell a value's form.
func saying() map[lower.Form]lower.Leaf {
	leaves := map[lower.Form]lower.Leaf{
		lower.List:         {Do: "list $v$", Each: "each $i$\n\t=> $v$[$i$]"},
		lower.Numbers:      {Do: "numbers $v$", Each: "each $i$\n\t=> $v$[$i$]"},
		lower.Array:        {Do: "array $v$", Each: "each $i$\n\t-> $v$[$i$]"},
		lower.HeapArray:    {Do: "far array $v$", Each: "array -> *$v$"},
		lower.Optional:     {Each: "=> $v$?"},
		lower.Boxed:        {Do: "box $v$", Each: "=> *$v$"},
		lower.BoxedArray:   {Do: "box of array $v$", Each: "=> *$v$"},
		lower.OptionalHeap: {Do: "maybe far $v$", Each: "=> $v$"},
		lower.Map:          {Do: "map $v$", Each: "each $i$\n\tkey => k$i$\n\t=> x$i$ := $v$[k$i$]"},
	}
	for form, name := range map[lower.Form]string{
		lower.Scalar: "scalar", lower.Enum: "enum", lower.Str: "str", lower.Bytes: "bytes", lower.Declared: "declared",
		lower.Message: "message",
	} {
		leaves[form] = lower.Leaf{Do: name + " $v$ at $path$"}
	}
	return leaves
}

// walked is what an operation prints of the fields of a struct.
func walked(t *testing.T, fields string, wants func(*ir.Type) bool) string {
	t.Helper()
	text := "package s; struct S { " + fields + " } struct Big { a: [100]u8 } message M {} @closed union U { none = 1 } enum E: u8 { a = 1 }"
	schema, problems := check.Program(check.Memory{"s.sdp": text}, []string{"s.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	l := looking{emit.NewPrinter("  "), memory.New(plan.New(schema), memory.Go)}
	op := &lower.Operation{Leaves: lower.MustPerForm(saying()), Wants: wants}
	for _, f := range schema.Roots[0].Decls[0].(*ir.Struct).Fields {
		op.Value(l, f.Type, lower.Place{At: f.Name, Steps: []string{`"` + f.Name + `"`}})
	}
	return l.String()
}

func TestValueIsWalkedByItsForm(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{"a: u8", `scalar a at "a"`},
		{"a: E", `enum a at "a"`},
		{"a: str", `str a at "a"`},
		{"a: bytes", `bytes a at "a"`},
		{"a: U", `declared a at "a"`},
		{"a: Big", `declared a at "a"`},
		{"a: M", `message a at "a"`},
		{"a: []str", "list a\neach i\n  str a[i] at \"a\".i"},
		{"a: []i16", "numbers a\neach i\n  scalar a[i] at \"a\".i"},
		{"a: [2][]str", "array a\neach i\n  list a[i]\n  each i\n    str a[i][i] at \"a\".i.i"},
		{"a: [][]str", "list a\neach i\n  list a[i]\n  each ii\n    str a[i][ii] at \"a\".i.ii"},
		{"a: [2000]str", "far array a\narray *a\neach i\n  str *a[i] at \"a\".i"},
		{"a: ?u8", `scalar a? at "a"`},
		{"a: ?Big", "box a\ndeclared *a at \"a\""},
		{"a: ?[100]u8", "box of array a\narray *a\neach ii\n  scalar *a[ii] at \"a\".ii"},
		{"a: ?[2000]u8", "maybe far a\nfar array a\narray *a\neach ii\n  scalar *a[ii] at \"a\".ii"},
		{"a: map<str, M>", "map a\neach i\n  str ki at \"a\".i.\"key\"\n  xi := a[ki]\n  message xi at \"a\".i.\"value\""},
	} {
		if got := walked(t, c.field, nil); got != c.want+"\n" {
			t.Errorf("%s:\n%swant:\n%s", c.field, got, c.want)
		}
	}
}

func TestNothingIsDoneWithWhatAnOperationDoesNotWant(t *testing.T) {
	wants := func(t *ir.Type) bool { return lower.Innermost(t).Kind != ir.U8 && t.Kind != ir.BytesKind }
	for _, c := range []struct{ field, want string }{
		{"a: u8", ""},
		{"a: []u16", "numbers a\neach i\n  scalar a[i] at \"a\".i\n"},
		{"a: []bytes", "list a\n"},
		{"a: map<str, bytes>", "map a\neach i\n  str ki at \"a\".i.\"key\"\n"},
		{"a: map<u8, str>", "map a\neach i\n  xi := a[ki]\n  str xi at \"a\".i.\"value\"\n"},
	} {
		if got := walked(t, c.field, wants); got != c.want {
			t.Errorf("%s:\n%swant:\n%s", c.field, got, c.want)
		}
	}
}

func TestTableWithoutRowForAFormIsRefused(t *testing.T) {
	for form := range saying() {
		leaves := saying()
		delete(leaves, form)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a table without a row for form %d is taken", form)
				}
			}()
			lower.MustPerForm(leaves)
		}()
	}
}

func TestEveryKindHasAForm(t *testing.T) {
	costs := memory.New(plan.New(&ir.Schema{}), memory.Go)
	elem := &ir.Type{Kind: ir.U8}
	for kind := range ir.MessageKind {
		lower.FormOf(&ir.Type{Kind: kind + 1, Elem: elem, Key: elem, N: 1}, costs)
	}
}
