package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// row is a row of a table of an enum or union, by which, as by the tags of fields, the
// runtime does what it does with values of any type: a name, its key in JSON where that
// is another, and more.
func (g *generator) row(name string, meta *ir.Meta, format string, args ...any) {
	key := ""
	if given, ok := meta.Names["json"]; ok && given != name {
		key = ", Key: " + quote(given)
	}
	g.Line("{Name: %s%s, %s},", quote(name), key, fmt.Sprintf(format, args...))
}

func (g *generator) enumTable(e *ir.Enum) {
	name := g.names.Of(e)
	g.block(emit.Vars{"name": name, "base": func() {
		g.Line("Bits: %d,", 8*e.Base.Bytes())
		if e.Base.IsSigned() {
			g.Line("Signed: true,")
		}
		if e.Closed {
			g.Line("Closed: true,")
		}
	}, "members": func() {
		for _, m := range e.Members {
			g.row(m.Name, &m.Meta, "Number: %d", m.Number)
		}
	}}, `
		var sdp$name$ = sdp.EnumTable{
			$base$
			Members: []sdp.EnumMember{
				$members$
			},
		}

		// SDPEnum is the table of members. It is for generated code.
		func ($name$) SDPEnum() *sdp.EnumTable { return &sdp$name$ }
	`)
}

// known prints what decoders ask of closed enums, for each value.
func (g *generator) known(e *ir.Enum) {
	var members []string
	for _, m := range e.Members {
		members = append(members, g.names.Of(m))
	}
	g.block(emit.Vars{"name": g.names.Of(e), "members": strings.Join(members, ",\n")}, `
		// SDPKnown reports whether the number has a name.
		func (e $name$) SDPKnown() bool {
			switch e {
			case $members$:
				return true
			}
			return false
		}
	`)
}

func (g *generator) unionTable(u *ir.Union) {
	name := g.names.Of(u)
	g.block(emit.Vars{"name": name, "alternatives": func() {
		for _, a := range u.Alternatives {
			inline := ""
			if a.Inline != nil {
				inline = ", Inline: true"
			}
			g.row(a.Name, &a.Meta, "Tag: %d, Type: (*%s)(nil)%s", a.Tag, g.names.Of(a), inline)
		}
	}, "unknown": func() {
		if !u.Closed {
			g.Line("Unknown: (*%sUnknown)(nil),", name)
		}
	}}, `
		var sdp$name$ = sdp.UnionTable{
			Alternatives: []sdp.Alternative{
				$alternatives$
			},
			$unknown$
		}

		// SDPUnion is the table of alternatives. It is for generated code.
		func (*$name$) SDPUnion() *sdp.UnionTable { return &sdp$name$ }
	`)
}
