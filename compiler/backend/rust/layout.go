package rust

import (
	"slices"
	"strings"
)

// The widths at which rustfmt breaks lines, all by default.
const (
	lineWidthMax    = 100
	callWidthMax    = 60 // the arguments of a call
	arrayWidthMax   = 60 // the elements of an array
	chainWidthMax   = 60
	literalWidthMax = 18 // the fields of a struct literal
	// shortElementMax is how wide elements may be that share lines of an array.
	shortElementMax = 10
)

// fits reports whether a line has room for a text.
func (g *generator) fits(text string) bool { return g.Width()+len([]rune(text)) <= lineWidthMax }

// list prints items between what stands before and after them: in one line if
// they take at most so many characters, else an item a line.
func (g *generator) list(before string, items []string, after string, most int) {
	joined := strings.Join(items, ", ")
	if line := before + joined + after; len(joined) <= most && g.fits(line) {
		g.Line("%s", line)
		return
	}
	g.Line("%s", before)
	g.In(func() { g.lines(items) })
	g.Line("%s", after)
}

// lines prints an item a line, each with its comma.
func (g *generator) lines(items []string) {
	for _, item := range items {
		g.Line("%s", item+",")
	}
}

// call prints a function call. Where that gives a value a name, it moves to the
// next line as a whole if it fits only there.
func (g *generator) call(before string, args []string, after string) {
	list := strings.Join(args, ", ")
	name, function, named := strings.Cut(before, " = ")
	value := function + "(" + list + ")" + after
	if named && len(list) <= callWidthMax && !g.fits(name+" = "+value) && g.fits("    "+value) {
		g.Line("%s", name+" =")
		g.In(func() { g.Line("%s", value) })
		return
	}
	g.list(before+"(", args, ")"+after, callWidthMax)
}

// signature prints the head of a function.
func (g *generator) signature(before string, params []string, after string) {
	g.list(before+"(", params, ")"+after, lineWidthMax)
}

// literal prints a struct literal.
func (g *generator) literal(before string, fields []string, after string) {
	list := strings.Join(fields, ", ")
	switch line := before + " { " + list + " }" + after; {
	case len(fields) == 0:
		g.Line("%s", before+" {}"+after)
	case len(list) <= literalWidthMax && g.fits(line):
		g.Line("%s", line)
	default:
		g.Line("%s", before+" {")
		g.In(func() { g.lines(fields) })
		g.Line("%s", "}"+after)
	}
}

// arm prints one arm of a match.
func (g *generator) arm(pattern, value string) {
	function, args, isCall := outermost(value)
	wide := isCall && len(args) > callWidthMax
	switch line := pattern + " => " + value + ","; {
	case !wide && g.fits(line):
		g.Line("%s", line)
	case wide:
		g.Line("%s", pattern+" => "+function+"(")
		g.In(func() { g.Line("%s", args+",") })
		g.Line("),")
	default:
		g.Line("%s", pattern+" => {")
		g.In(func() { g.Line("%s", value) })
		g.Line("}")
	}
}

// outermost splits a call of one argument.
func outermost(expression string) (function, arg string, ok bool) {
	function, rest, _ := strings.Cut(expression, "(")
	arg, ok = strings.CutSuffix(rest, ")")
	depth := 0
	for _, r := range arg {
		switch r {
		case '(', '<', '[', '{':
			depth++
		case ')', '>', ']', '}':
			depth--
		case ',':
			ok = ok && depth > 0
		}
		ok = ok && depth >= 0
	}
	return function, arg, ok
}

// apart is what a body prints one level deeper.
func (g *generator) apart(body func()) string {
	outer := g.Printer
	defer func() { g.Printer = outer }()
	g.Printer = outer.Deeper()
	body()
	return g.String()
}

// chain prints calls of methods of a place, one behind the other.
func (g *generator) chain(before, place string, calls []string, after string) {
	line := place + strings.Join(calls, "")
	if len(line) <= chainWidthMax && g.fits(before+line+after) {
		g.Line("%s", before+line+after)
		return
	}
	// An element is looked up before the chain begins, a field within it.
	root := place
	if dot := strings.LastIndex(place, "."); dot > strings.LastIndex(place, "]") {
		root = place[:dot]
		calls = append([]string{place[dot:]}, calls...)
	}
	g.Line("%s", before+root)
	g.In(func() {
		for i, call := range calls {
			if i == len(calls)-1 {
				call += after
			}
			g.Line("%s", call)
		}
	})
}

// block prints a body in braces. An expression that fits the line of what stands
// around it needs none.
func (g *generator) block(before string, body func(), after string) {
	text := g.apart(body)
	expression := strings.TrimSpace(text)
	if line := before + expression + after; !strings.HasSuffix(expression, ";") && !strings.Contains(expression, "\n") && g.fits(line) {
		g.Line("%s", line)
		return
	}
	g.Line("%s", before+"{")
	g.Raw(text)
	g.Line("%s", "}"+strings.TrimPrefix(after, ","))
}

// arguments prints a call, or its beginning, one of whose arguments is an array.
func (g *generator) arguments(function string, before, array, after []string, tail string) {
	args := slices.Concat(before, []string{"&[" + strings.Join(array, ", ") + "]"}, after)
	list := strings.Join(args, ", ")
	if line := function + "(" + list + ")" + tail; len(list) <= callWidthMax && g.fits(line) {
		g.Line("%s", line)
		return
	}
	g.Line("%s", function+"(")
	g.In(func() {
		g.lines(before)
		if line := "&[" + strings.Join(array, ", ") + "],"; len(line) <= arrayWidthMax+len("&[],") && g.fits(line) {
			g.Line("%s", line)
		} else {
			g.Line("&[")
			g.In(func() { g.elements(array) })
			g.Line("],")
		}
		g.lines(after)
	})
	g.Line("%s", ")"+tail)
}

// table prints a constant that is made of an array, perhaps by a call.
func (g *generator) table(head, before string, items []string, after string) {
	joined := strings.Join(items, ", ")
	value := before + "&[" + joined + "]" + after + ";"
	inline := len(joined) <= arrayWidthMax
	switch {
	case inline && g.fits(head+" "+value):
		g.Line("%s", head+" "+value)
	case inline && g.fits("    "+value):
		g.Line("%s", head)
		g.In(func() { g.Line("%s", value) })
	default:
		g.Line("%s", head+" "+before+"&[")
		g.In(func() { g.elements(items) })
		g.Line("%s", "]"+after+";")
	}
}

// elements prints those of an array that has lines of its own: as many as fit a
// line if all are short, else one.
func (g *generator) elements(items []string) {
	for _, item := range items {
		if len(item) > shortElementMax {
			g.lines(items)
			return
		}
	}
	line := ""
	for _, item := range items {
		if line != "" && !g.fits(line+" "+item+",") {
			g.Line("%s", line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+item+",", " ")
	}
	g.Line("%s", line)
}
