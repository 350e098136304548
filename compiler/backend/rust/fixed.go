package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// fixedStruct prints how a struct of fixed size is read and written by value.
func (g *generator) fixedStruct(s *ir.Struct) {
	t := &ir.Type{Kind: ir.StructKind, Decl: s}
	pieces, traits := g.segments(s)[0].Pieces, g.program.Body(s).Traits
	g.Emit(emit.Vars{
		"name": g.types.name(s, owned),
		"size": g.program.Body(s).Size.Min,
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
			if len(pieces) == 0 || !pieces[0].IsRun() {
				g.Line("[]")
				return
			}
			g.Line("let mut run = [0; %d];", pieces[0].Bytes)
			for i, f := range pieces[0].Fields {
				g.Line("wire::put(&mut run, %d, &self.%s);", pieces[0].Offsets[i], g.names.Of(f))
			}
			g.Line("run")
		},
		"valid": func() { g.fixedValid(t, pieces) },
		"bytes": map[bool]string{true: "bytes", false: "_"}[len(pieces) > 0 && pieces[0].IsRun()],
		"get": func() {
			var fields []string
			for _, p := range pieces {
				if !p.IsRun() {
					fields = append(fields, g.field(p.Field, g.zero(p.Field.Type, owned)))
				}
				for i, f := range p.Fields {
					fields = append(fields, g.field(f, g.fromBytes(f.Type, wirePart(p, i, g))))
				}
			}
			g.literal("Self", fields, "")
		},
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
func wirePart(p backend.Piece, i int, g *generator) string {
	size := g.program.SizeOf(p.Fields[i].Type).Min
	return fmt.Sprintf("wire::part(bytes, %d, %d)", p.Offsets[i], size)
}

func (g *generator) fixedValid(t *ir.Type, pieces []backend.Piece) {
	if !g.program.Traits(t).Checked {
		return
	}
	g.Emit(emit.Vars{"checks": func() {
		p := pieces[0]
		for i, f := range p.Fields {
			if g.program.Traits(f.Type).Checked {
				g.Line("if wire::valid::<%s>(%s).is_none() {", g.types.spell(f.Type, owned), wirePart(p, i, g))
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
