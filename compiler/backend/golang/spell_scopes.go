package golang

import (
	"regexp"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Go refuses a variable that nothing uses, and one that a scope declares twice.
// Whether a body uses one depends on all that the schema has in it, so that what
// declares it looks at the body's text.

// captured is the printed text of a body.
func (g *generator) captured(body func()) string {
	outer := g.Printer
	g.Printer = emit.NewPrinter("\t")
	body()
	text := g.String()
	g.Printer = outer
	return text
}

// block prints a snippet and an empty line behind it.
func (g *generator) block(vars emit.Vars, snippet string) {
	g.Emit(vars, snippet)
	g.Line("")
}

// literals are texts of the schema, in which any name may stand.
var literals = regexp.MustCompile("`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\"")

// uses reports whether code names a variable.
func uses(code, name string) bool {
	return regexp.MustCompile(`\b` + name + `\b`).MatchString(literals.ReplaceAllString(code, ""))
}

// declare prints a body behind the statement that declares a variable of it, if
// the body uses it.
func (g *generator) declare(name, statement string, body func()) {
	text := g.captured(body)
	if uses(text, name) {
		g.Line("%s", statement)
	}
	g.Raw(text)
}

// alternatives prints the switch over a union's alternatives, in whose cases a is the alternative
// that v holds.
func (g *generator) alternatives(cases func()) {
	text := g.captured(cases)
	if uses(text, "a") {
		g.Line("switch a := v.Value.(type) {")
	} else {
		g.Line("switch v.Value.(type) {")
	}
	g.Raw(text)
	g.Line("}")
}

// array prints what a body makes of a fixed array. One on the heap may be nil,
// which stands for zeros.
func (g *generator) array(p place, t *ir.Type, body func(place)) {
	if !g.types.OnHeap(t) {
		body(p)
		return
	}
	x := local("x", p.nesting)
	g.Line("{\n%s := sdp.ArrayOr(%s)", x, p.expr)
	p.expr = x
	body(p)
	g.Line("}")
}
