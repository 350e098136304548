// Package layout lays out generated Go as gofmt does: functions, which are most of it, are
// indented by their brackets, and the rest goes through gofmt.
package layout

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// Code lays out declarations, and says which of some packages they name.
//
// To print all of them from a tree would take most of the time that generating takes, and of
// the memory. Inside of a line the generator prints functions as gofmt does, to which a test
// holds all that it prints.
func Code(text string, packages []string) ([]byte, map[string]bool) {
	l := &paragraphs{out: make([]byte, 0, len(text)+len(text)/8), named: map[string]bool{}}
	for _, name := range packages {
		l.named[name] = false
	}
	for text != "" {
		text = l.paragraph(text)
	}
	return l.out, l.named
}

// paragraphs lays out one after the other: declarations without an empty line between them.
type paragraphs struct {
	out []byte
	// named are the packages that may be named, and whether they are.
	named map[string]bool
	// doubted says that the paragraph names one that may be a variable as well.
	doubted bool
	// plain says that the paragraph is a function, in lines that need only be indented.
	plain bool
	// begun says that a line of the function has come.
	begun bool
	// open are the brackets that no line before has closed.
	open []bracket
	// raw says that a raw string goes on.
	raw bool
	// last is the line before.
	last string
}

// bracket is an open one, and how deep the line lies that it is in.
type bracket struct {
	what   byte
	indent int
}

// paragraph lays out what stands in front of an empty line, and returns what is behind it.
func (l *paragraphs) paragraph(text string) (rest string) {
	l.doubted, l.plain, l.begun, l.raw, l.last, l.open = false, true, false, false, "", l.open[:0]
	before, end := len(l.out), 0
	if before > 0 {
		l.out = append(l.out, '\n')
	}
	for end < len(text) {
		line, _, _ := strings.Cut(text[end:], "\n")
		if len(l.open) == 0 && !l.raw && strings.Trim(line, " \t") == "" {
			break
		}
		l.line(line)
		end += len(line) + len("\n")
	}
	piece, rest := text[:min(end, len(text))], text[min(end+1, len(text)):]
	if l.doubted {
		l.resolve(piece)
	}
	switch {
	case piece == "":
		l.out = l.out[:before]
	case !l.plain:
		const head = "package p\n\n"
		l.out = append(l.out[:before], File([]byte(head + piece))[len(head)-min(before, 1):]...)
	}
	return rest
}

// line lays out a line. A line that needs more than indentation makes the paragraph one that is not
// plain.
func (l *paragraphs) line(line string) {
	if l.raw {
		l.out = append(append(l.out, line...), '\n')
		l.scan(line, 0)
		return
	}
	line = strings.TrimLeft(line, " \t")
	if !strings.Contains(line, "`") {
		line = strings.TrimRight(line, " \t")
	}
	switch {
	case !l.plain:
		l.scan(line, 0)
		return
	case strings.HasPrefix(line, "//"):
		l.plain = len(l.open) > 0 || !l.begun && isProse(line)
	case len(l.open) == 0:
		l.plain = !l.begun && strings.HasPrefix(line, "func ")
		l.begun = true
	case line == "":
		l.plain = l.last != "" && !strings.HasSuffix(l.last, "{") && !strings.HasSuffix(l.last, ":")
	}
	indent := l.indent(line)
	if line != "" {
		for range indent {
			l.out = append(l.out, '\t')
		}
	}
	start := len(l.out)
	l.out = append(append(l.out, line...), '\n')
	l.scan(line, indent)
	if len(l.open) == 0 && strings.HasSuffix(line, "}") && strings.HasPrefix(line, "func ") {
		l.inOneLine(line, start)
	}
	l.last = line
}

// indent is how deep a line lies.
func (l *paragraphs) indent(line string) int {
	if len(l.open) == 0 {
		return 0
	}
	inner := l.open[len(l.open)-1]
	switch closed := len(line) - len(strings.TrimLeft(line, ")}]")); {
	case closed > 0:
		// A comment in front of what closes a block lies deeper or not, as it did.
		l.plain = l.plain && !strings.HasPrefix(l.last, "//") && closed <= len(l.open) && l.open[len(l.open)-closed].indent == inner.indent
		return inner.indent
	case strings.HasPrefix(line, "case ") || line == "default:":
		l.plain = l.plain && !strings.HasPrefix(l.last, "//")
		return inner.indent
	case strings.HasSuffix(l.last, " &&"):
		return inner.indent + 2
	}
	return inner.indent + 1
}

// scan goes through a line's brackets, and looks for packages.
func (l *paragraphs) scan(line string, indent int) {
	blocks := 0 // that are opened in this line
	for i := 0; i < len(line); i++ {
		c := line[i]
		if l.raw {
			l.raw = c != '`'
			continue
		}
		switch c {
		case '`':
			l.raw = true
		case '"', '\'':
			for i++; i < len(line) && line[i] != c; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		case '/':
			if strings.HasPrefix(line[i:], "//") || strings.HasPrefix(line[i:], "/*") {
				l.plain = l.plain && i == 0
				return
			}
		case '.':
			l.selector(line[:i])
		case '(', '[', '{':
			isBlock := c == '{' && (i == 0 || line[i-1] == ' ')
			l.open = append(l.open, bracket{c, indent})
			if isBlock {
				blocks++
			}
		case ')', ']', '}':
			if len(l.open) == 0 {
				continue
			}
			l.open = l.open[:len(l.open)-1]
			if c == '}' && i > 0 && blocks > 0 && (line[i-1] == ' ' || line[i-1] == '{' && i > 1 && line[i-2] == ' ') {
				blocks--
				l.plain = l.plain && len(l.open) == 0 && i == len(line)-1
			}
		}
	}
	if !l.raw && line != "" {
		l.plain = l.plain && l.ends(line)
	}
}

// ends tells whether a statement, or the head of a block, ends with a line.
func (l *paragraphs) ends(line string) bool {
	if len(l.open) > 0 && l.open[len(l.open)-1].what != '{' || strings.Contains(line, " range (") {
		return false // gofmt takes parentheses around what is gone through
	}
	switch last := line[len(line)-1]; last {
	case '{':
		return len(line) > 2 && line[len(line)-2] == ' ' && !strings.HasSuffix(line, "struct {") && !strings.HasSuffix(line, "interface {")
	case ':':
		return strings.HasPrefix(line, "case ") || line == "default:"
	case '+', '-':
		return len(line) > 1 && line[len(line)-2] == last
	case '&':
		return strings.HasSuffix(line, " &&")
	case ',', '*', '/', '%', '|', '^', '<', '>', '=', '!', '.', ';':
		return false
	}
	return true
}

// selector looks at a name in front of a dot.
func (l *paragraphs) selector(prefix string) {
	start := len(prefix)
	for start > 0 && isNamed(prefix[start-1]) {
		start--
	}
	if is, known := l.named[prefix[start:]]; known && !is {
		l.doubted = true
	}
}

func isNamed(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// inOneLine breaks a function in one line, which starts in the output there, where gofmt does.
func (l *paragraphs) inOneLine(line string, start int) {
	const widthMax = 99
	head, body, found := strings.Cut(line, " { ")
	if body = strings.TrimSuffix(body, " }"); len(head)+len(body) <= widthMax {
		return
	}
	l.plain = l.plain && found && !strings.Contains(body, ";") && !strings.Contains(body, " {")
	l.out = append(append(append(append(l.out[:start], head...), " {\n\t"...), body...), "\n}\n"...)
}

// isProse tells whether a line of documentation is one that gofmt leaves as it is, in a paragraph.
func isProse(line string) bool {
	return proseLine.MatchString(line) && !strings.Contains(line, "''")
}

var proseLine = regexp.MustCompile(`^// [A-Za-z][ -Z\\\]-_a-~]*[!-~]$`)

// File is code as gofmt leaves it. Of a list with code in it, gofmt makes
// something else each time, up to a few times.
func File(source []byte) []byte {
	const timesMax = 5
	for range timesMax {
		formatted, err := format.Source(source)
		if err != nil {
			panic(fmt.Sprintf("layout: generated code does not parse: %v\n%s", err, source))
		}
		if bytes.Equal(formatted, source) || !listInComment.Match(formatted) {
			return formatted
		}
		source = formatted
	}
	return source
}

var listInComment = regexp.MustCompile(`(?m)^\s*//(?:\t|  )`)

// resolve notes the names before a dot that nothing in the code declares. They are found
// in the code's tree, where a variable is not taken for a package.
func (l *paragraphs) resolve(code string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, 0)
	if err != nil {
		panic(fmt.Sprintf("layout: generated code does not parse: %v\n%s", err, code))
	}
	unresolved := map[*ast.Ident]bool{}
	for _, name := range file.Unresolved {
		unresolved[name] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok && unresolved[name] {
				l.named[name.Name] = true
			}
		}
		return true
	})
}
