package golang

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// skipper spells stepping over what is valid: each statement moves p, a position in
// s, behind a value.
type skipper struct {
	*generator
	lower.Plain[place]
}

// skip prints what moves p behind the value of an op.
func (g *generator) skip(op plan.Op) { lower.Value(skipper{generator: g}, place{}, op) }

func (k skipper) Run(_ place, run *plan.Run) {
	if run.Bytes > 0 {
		k.Line("p += %d", run.Bytes)
	}
}

func (k skipper) Text(_ place, t *ir.Type)   { k.Line("p = sdp.Skip%d(s, p)", plan.Prefix(t)) }
func (k skipper) Blob(p place, t *ir.Type)   { k.Text(p, t) }
func (k skipper) Window(p place, t *ir.Type) { k.Text(p, t) }

func (k skipper) Items(_ place, t *ir.Type, run *plan.Run, _ func(place)) {
	k.Line("p = sdp.SkipRuns%d(s, p, %d)", t.LenBytes, run.Bytes)
}

func (k skipper) List(p place, t *ir.Type, _ uint64, visit func(place)) {
	k.Line("for n := sdp.Number%d(s, &p); n > 0; n-- {", t.LenBytes)
	visit(p)
	k.Line("}")
}

func (k skipper) Map(p place, t *ir.Type, least uint64, key, value func(place)) {
	k.List(p, t, least, func(p place) {
		key(p)
		value(p)
	})
}

func (k skipper) Array(p place, t *ir.Type, visit func(place)) {
	k.Line("for range %d {", t.N)
	visit(p)
	k.Line("}")
}

func (k skipper) Optional(p place, _ *ir.Type, there func(place)) {
	k.Line("p++")
	k.Line("if s[p-1] == 1 {")
	there(p)
	k.Line("}")
}

func (k skipper) Call(_ place, t *ir.Type) {
	k.Line("p = %s(s, p)", k.types.qualified(t.Decl.DeclPackage(), "SDPSkip"+k.names.Of(t.Decl)))
}

func (k skipper) Tail(place, *ir.Message) {}

func (k skipper) Union(_ place, u *ir.Union, cases func()) {
	if !u.Closed {
		k.Line("return sdp.Skip%d(s, p+%d)", plan.WindowBytes, plan.TagBytes)
		return
	}
	k.Line("p++")
	k.Line("switch s[p-1] {")
	cases()
	k.Line("}")
	k.Line("return p")
}

func (k skipper) Case(p place, _ *ir.Union, a *plan.Alternative, payload func(place)) {
	if a.Op != nil {
		k.Line("case %d:", a.Alt.Tag)
		payload(p)
	}
}
