package typescript

import "strings"

// face is one of the texts that are made of one printed text: TypeScript, or JavaScript and its
// declarations. Parts between marks are in some of them only.
type face byte

const (
	typeScript face = 1 << iota
	javaScript
	declarations
	allFaces = typeScript | javaScript | declarations
)

// The marks begin a part, by the faces that it is in, and end it. They lie in each other, and
// are characters that no text of a schema gets into the code with.
const endMark = '\x0e'

var marks = map[byte]face{
	'\x01': typeScript | declarations,
	'\x02': typeScript | javaScript,
	'\x03': declarations,
}

// typed is a part that only the compiler reads, code one that runs, and declaration one that
// stands for code where there is none.
func typed(text string) string    { return "\x01" + text + string(endMark) }
func code(text string) string     { return "\x02" + text + string(endMark) }
func declared(text string) string { return "\x03" + text + string(endMark) }

// declare stands before what is declared elsewhere.
const declare = "\x03declare \x0e"

// of is a face's part of a text with marks.
func (f face) of(text string) string {
	var out strings.Builder
	within := []face{allFaces}
	for {
		at := strings.IndexFunc(text, func(r rune) bool { return r == endMark || r < '\t' })
		shown := within[len(within)-1]
		if at < 0 {
			at = len(text)
		}
		if shown&f != 0 {
			out.WriteString(text[:at])
		}
		switch {
		case at == len(text):
			return out.String()
		case text[at] == endMark:
			within = within[:len(within)-1]
		default:
			within = append(within, shown&marks[text[at]])
		}
		text = text[at+1:]
	}
}

// typed prints lines that only the compiler reads.
func (g *generator) typed(body func()) { g.marked("\x01", body) }

// code prints lines that are in no declaration.
func (g *generator) code(body func()) { g.marked("\x02", body) }

func (g *generator) marked(mark string, body func()) {
	g.Raw(mark)
	body()
	g.Raw(string(endMark))
}

// constant prints a constant of a type, whose value has further lines before its end.
func (g *generator) constant(name, typ, value string, more func(), end string) {
	g.Line("export %sconst %s%s\x02 = %s", declare, name, typed(": "+typ), value)
	g.In(more)
	g.Line("%s%c;\n", end, endMark)
}

// function prints a function with its parameters as TypeScript has them.
func (g *generator) function(name string, parameters []string, result string, body func()) {
	list := make([]string, len(parameters))
	for i, p := range parameters {
		at := strings.IndexAny(p, "?:")
		list[i] = p[:at] + typed(p[at:])
	}
	g.Line("export %sfunction %s(%s)%s%s\x02 {", declare, name, strings.Join(list, ", "), typed(": "+result), declared(";"))
	g.In(body)
	g.Line("}%c\n", endMark)
}
