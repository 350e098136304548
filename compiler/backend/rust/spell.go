package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// list prints items between what stands before and after them. Like all statements
// it is one line: the package layout breaks what is too wide.
func (g *generator) list(prefix string, items []string, newer string) {
	g.Line("%s", prefix+strings.Join(items, ", ")+newer)
}

// call prints a function's call or head.
func (g *generator) call(prefix string, args []string, newer string) {
	g.list(prefix+"(", args, ")"+newer)
}

// literal prints a struct literal.
func (g *generator) literal(prefix string, fields []string, newer string) {
	if len(fields) == 0 {
		g.Line("%s", prefix+" {}"+newer)
		return
	}
	g.list(prefix+" { ", fields, " }"+newer)
}

// arm prints one arm of a match.
func (g *generator) arm(pattern, value string) { g.Line("%s", pattern+" => "+value+",") }

// apart is the text of a body one level deeper.
func (g *generator) apart(body func()) string {
	outer := g.Printer
	defer func() { g.Printer = outer }()
	g.Printer = outer.Deeper()
	body()
	return g.String()
}

// block prints a body in braces, which an expression needs none of.
func (g *generator) block(prefix string, body func(), newer string) {
	text := g.apart(body)
	expression := strings.TrimSpace(text)
	if !strings.HasSuffix(expression, ";") && !strings.Contains(expression, "\n") {
		g.Line("%s", prefix+expression+newer)
		return
	}
	g.Line("%s", prefix+"{")
	g.Raw(text)
	g.Line("%s", "}"+strings.TrimPrefix(newer, ","))
}

// arguments prints a call, or its beginning, one of whose arguments is an array.
func (g *generator) arguments(function string, older, array, newer []string, tail string) {
	args := slices.Concat(older, []string{"&[" + strings.Join(array, ", ") + "]"}, newer)
	g.call(function, args, tail)
}

// table prints a table of which a macro of the runtime makes code that is the same for
// all types.
func (g *generator) table(macro, head string, rows func()) {
	g.Line("%s! {", macro)
	g.In(func() {
		g.Line("%s {", head)
		g.In(rows)
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

// generic prints the call of a function that has a type as its parameter.
func (g *generator) generic(function, typ, arg, newer string) {
	g.Line("%s", function+"::<"+typ+">("+arg+")"+newer)
}

// field is one field of a struct literal.
func (g *generator) field(f *ir.Field, value string) string {
	if name := g.names.Of(f); name != value {
		return name + ": " + value
	}
	return value
}

// place is a value in memory: an expression for it, or a variable that refers to
// it.
type place struct {
	text string
	ref  bool
}

// value is the place as an expression that can be assigned to.
func (p place) value() string {
	if p.ref {
		return "*" + p.text
	}
	return p.text
}

// mut is a mutable reference to the place.
func (p place) mut() string {
	if p.ref {
		return p.text
	}
	return "&mut " + p.text
}

// shared is a reference to the place.
func (p place) shared() string {
	if p.ref {
		return p.text
	}
	return "&" + p.text
}

// element is the name of the variable for an element of the list in a variable.
func (g *generator) element(list string) string {
	if list == "item" {
		return "item2"
	}
	if n := len(list) - 1; n > 3 && list[:4] == "item" && '2' <= list[n] && list[n] < '9' {
		return list[:n] + string(list[n]+1)
	}
	return "item"
}
