package golang

import (
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

// clone prints Clone of a type, and what makes its memory its own.
func (g *generator) clone(d ir.Decl) {
	g.block(emit.Vars{"name": g.names.Of(d), "detach": func() {
		if u, ok := d.(*ir.Union); ok {
			g.detachUnion(u)
		}
		for _, f := range ir.FieldsOf(d) {
			g.value(g.copies(), f.Type, "v."+g.names.Of(f))
		}
		if keepsUnknown(d) {
			g.Line("v.unknown = sdp.CloneBytes(v.unknown)")
		}
	}}, `
		// Clone returns a copy that shares no memory with v but that of strings, which
		// nobody can change.
		func (v *$name$) Clone() *$name$ {
			if v == nil {
				return nil
			}
			c := *v
			c.SDPDetach()
			return &c
		}

		// SDPDetach gives v memory of its own after its fields were copied.
		func (v *$name$) SDPDetach() {
			$detach$
		}
	`)
}

func (g *generator) detachUnion(u *ir.Union) {
	copied := func(body func()) {
		g.Line("if a == nil {\nreturn\n}\nc := *a")
		body()
		g.Line("v.Value = &c")
	}
	g.alternatives(func() {
		g.cases(u, func(a *ir.Alternative) {
			copied(func() {
				if a.Type != nil {
					g.value(g.copies(), a.Type, payload(a, "c"))
				}
			})
		}, func() { copied(func() { g.Line("c.Payload = sdp.CloneBytes(c.Payload)") }) })
	})
}

// copies replace memory that a value shares with another by copies.
func (g *generator) copies() *lower.Operation {
	return &lower.Operation{Wants: g.types.shares, Leaves: copyLeaves}
}

var copyLeaves = lower.MustPerForm(map[lower.Form]lower.Leaf{
	lower.Scalar:       {},
	lower.Enum:         {},
	lower.Str:          {}, // never changes
	lower.Bytes:        {Do: "$v$ = sdp.CloneBytes($v$)"},
	lower.List:         {Do: "$v$ = sdp.CloneSlice($v$)", Each: copyItems},
	lower.Numbers:      {Do: "$v$ = sdp.CloneSlice($v$)", Each: copyItems},
	lower.Array:        {Each: copyItems},
	lower.HeapArray:    {Do: "if $v$ != nil {\n$v$ = sdp.ClonePointer($v$)\narray -> $v$\n}"},
	lower.Optional:     {Each: "-> $v$.Value"},
	lower.Boxed:        {Do: copyBoxed},
	lower.BoxedArray:   {Do: copyBoxed},
	lower.OptionalHeap: {Each: "-> $v$"},
	lower.Map: {Do: "$v$ = sdp.CloneMap($v$)", Each: `for $k$, $x$ := range $v$ {
		=> $x$
		$v$[$k$] = $x$
	}`},
	lower.Declared: {Do: "$v$.SDPDetach()"},
	lower.Message:  {Do: "$v$.SDPDetach()"},
})

const (
	copyItems = "for $i$ := range $v$ {\n=> $v$[$i$]\n}"
	copyBoxed = "if $v$ != nil {\n$v$ = sdp.ClonePointer($v$)\n=> (*$v$)\n}"
)

// shares reports whether copying a value leaves memory that both copies could
// change. Declared types always have SDPDetach, so they count as sharing.
func (t *types) shares(typ *ir.Type) bool {
	typ = t.InPlace(typ)
	return typ.Scalar() == 0 && typ.Kind != ir.StrKind
}
