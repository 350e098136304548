package rust

import "strings"

// The widths at which rustfmt breaks types, found by trying. It lets the first line
// of what it breaks be longer than others.
const (
	// Of what a function returns, once its parameters have lines of their own:
	// first the brace moves to the next line, then the type is broken.
	resultWidthMax = 94
	resultLineMax  = 102
	// Of the head of a call whose argument has a line of its own, and of what
	// follows the call.
	headWidthMax = 103

	indentWidth = 4
)

// generic prints the call of a function that has a type as its parameter.
func (g *generator) generic(function, typ, arg, after string) {
	if line := function + "::<" + typ + ">(" + arg + ")" + after; g.fits(line) {
		g.Line("%s", line)
		return
	}
	g.broken(function, typ, arg, after)
}

// broken prints a call on several lines.
func (g *generator) broken(function, typ, arg, after string) {
	if head := function + "::<" + typ + ">("; g.Width()+len(head+after) <= headWidthMax {
		g.Line("%s", head)
		g.In(func() { g.Line("%s", arg+",") })
		g.Line("%s", ")"+after)
		return
	}
	g.Line("%s", function+"::<")
	g.In(func() { g.wideType(typ, ",") })
	g.Line("%s", ">("+arg+")"+after)
}

// bindGeneric prints a statement that gives the value of such a call a name.
func (g *generator) bindGeneric(name, function, typ, arg string) {
	call := function + "::<" + typ + ">(" + arg + ");"
	if deeper := strings.Repeat(" ", indentWidth); g.fits("let "+name+" = "+call) || g.fits(deeper+call) {
		g.bind("let "+name, call)
		return
	}
	g.broken("let "+name+" = "+function, typ, arg, ";")
}

// bind prints a statement that gives a value a name.
func (g *generator) bind(name, value string) {
	if line := name + " = " + value; g.fits(line) {
		g.Line("%s", line)
		return
	}
	g.Line("%s", name+" =")
	g.In(func() { g.Line("%s", value) })
}

// wideType prints a type, with lines for its parameters where it is too wide.
func (g *generator) wideType(typ, after string) {
	head, params := typeParams(typ)
	if g.fits(typ+after) || len(params) == 0 {
		g.Line("%s", typ+after)
		return
	}
	g.Line("%s", head+"<")
	g.In(func() {
		for _, param := range params {
			g.wideType(param, ",")
		}
	})
	g.Line("%s", ">"+after)
}

// typeParams splits a type into its name and its parameters.
func typeParams(typ string) (name string, params []string) {
	depth, start := 0, 0
	for i, c := range typ {
		switch {
		case c == '<':
			if depth++; depth == 1 {
				name, start = typ[:i], i+1
			}
		case c == '>':
			if depth--; depth == 0 {
				params = append(params, typ[start:i])
			}
		case c == ',' && depth == 1:
			params = append(params, typ[start:i])
			start = i + len(", ")
		}
	}
	return name, params
}

// getter prints the head of a function without parameters but self.
func (g *generator) getter(name, result string) {
	head, body := "pub fn "+name+"(&self) -> "+result+" {", ") -> "+result
	if g.fits(head) {
		g.Line("%s", head)
		return
	}
	g.Line("%s", "pub fn "+name+"(")
	g.In(func() { g.Line("&self,") })
	switch width := g.Width() + len(body); {
	case width <= resultWidthMax:
		g.Line("%s", body+" {")
	case width <= resultLineMax:
		g.Line("%s", body)
		g.Line("{")
	default:
		head, params := typeParams(result)
		g.Line("%s", ") -> "+head+"<")
		g.In(func() {
			for _, param := range params {
				g.wideType(param, ",")
			}
		})
		g.Line("> {")
	}
}
