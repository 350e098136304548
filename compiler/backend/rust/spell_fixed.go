package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// fixedStruct prints how a struct of fixed size is read and written by value.
func (g *generator) fixedStruct(s *ir.Struct) {
	run, bytes := &plan.Run{}, "_"
	var fields []string
	for _, op := range g.bodyOf(s).Segments[0].Ops {
		if f := op.OpField(); f != nil { // it has no bytes
			fields = append(fields, g.field(f, g.zero(f.Type, owned)))
			continue
		}
		run, bytes = op.(*plan.Run), "bytes"
		for _, p := range run.Parts {
			fields = append(fields, g.field(p.Field, g.fromBytes(p.Field.Type, wirePart(p))))
		}
	}
	traits := g.program.Body(s).Traits
	g.Emit(emit.Vars{
		"name": g.types.name(s, owned),
		"size": run.Bytes,
		"consts": func() {
			g.Line("const LEVELS: usize = %d;", traits.Levels)
			if traits.Elements > 0 {
				g.Line("const ELEMENTS: usize = %s;", integer(traits.Elements))
			}
			if traits.Checked {
				g.Line("const CHECKED: bool = true;")
			}
		},
		"put": func() {
			if run.Bytes == 0 {
				g.Line("[]")
				return
			}
			g.putRun(run)
			g.Line("run")
		},
		"valid": func() { g.fixedValid(run) },
		"bytes": bytes,
		"get":   func() { g.literal("Self", fields, "") },
	}, `
		impl wire::Fixed for $name$ {
			type Bytes = [u8; $size$];
			$consts$

			#[inline(always)]
			fn sdp_bytes(&self) -> Self::Bytes {
				$put$
			}
			$valid$

			#[inline(always)]
			fn sdp_from($bytes$: &[u8]) -> Self {
				$get$
			}
		}
	`)
	g.Line("")
}

// wirePart is the bytes of a field among those of its struct.
func wirePart(p plan.Part) string { return fmt.Sprintf("wire::part(bytes, %d, %d)", p.Offset, p.Bytes) }

func (g *generator) fixedValid(run *plan.Run) {
	if !run.Checked {
		return
	}
	g.Emit(emit.Vars{"checks": func() {
		for _, p := range run.Parts {
			if p.Checked {
				g.Line("if wire::valid::<%s>(%s).is_none() {", g.types.spell(p.Field.Type, owned), wirePart(p))
				g.In(func() { g.Line("return false;") })
				g.Line("}")
			}
		}
		g.Line("true")
	}}, `

		#[inline(always)]
		fn sdp_valid(bytes: &[u8]) -> bool {
			$checks$
		}
	`)
}

// fromBytes is a value of fixed size out of its bytes.
func (g *generator) fromBytes(t *ir.Type, bytes string) string {
	spelt := g.types.spell(t, owned)
	if spelt[0] == '[' {
		spelt = "wire::Fixed" // the place for an array says its type
	} else {
		g.usesFixed = true
	}
	return spelt + "::sdp_from(" + bytes + ")"
}

// slice is the bytes of a field in a run.
func slice(run string, offset, bytes uint64) string {
	return fmt.Sprintf("&%s[%d..%d]", run, offset, offset+bytes)
}
