// Package emit is the printer that all backends write code with: snippets of
// the target language with named holes. It knows no language.
package emit

import (
	"bytes"
	"fmt"
	"strings"
)

// Vars fills the holes of one snippet: strings and numbers go in as they are; a
// func() stands alone on its line and emits what belongs there.
type Vars map[string]any

// Printer collects text, indented to where it is called.
type Printer struct {
	text   bytes.Buffer
	indent string
	tab    string
}

// NewPrinter returns a printer that indents by tab.
func NewPrinter(tab string) *Printer { return &Printer{tab: tab} }

// String is all that was printed.
func (p *Printer) String() string { return p.text.String() }

// Width is how many characters the current indentation takes.
func (p *Printer) Width() int { return len(p.indent) }

// Line prints one line, formatted as by fmt.Sprintf. An empty format makes an
// empty line.
func (p *Printer) Line(format string, args ...any) {
	line := format
	if len(args) > 0 {
		line = fmt.Sprintf(format, args...)
	}
	if line != "" {
		p.text.WriteString(p.indent + line)
	}
	p.text.WriteByte('\n')
}

// Raw prints text as it is, without indentation.
func (p *Printer) Raw(text string) { p.text.WriteString(text) }

// CutSuffix takes back what was printed last, if that is the suffix.
func (p *Printer) CutSuffix(suffix string) bool {
	found := bytes.HasSuffix(p.text.Bytes(), []byte(suffix))
	if found {
		p.text.Truncate(p.text.Len() - len(suffix))
	}
	return found
}

// Deeper is an empty printer that indents from one level deeper than p does.
func (p *Printer) Deeper() *Printer { return &Printer{indent: p.indent + p.tab, tab: p.tab} }

// In prints what body prints one level deeper.
func (p *Printer) In(body func()) {
	outer := p.indent
	p.indent += p.tab
	body()
	p.indent = outer
}

// Emit prints a snippet: its lines without their common indentation, each tab
// as a level, each $hole$ filled from vars. Unknown and unused holes panic, so
// that every test of a backend tests its snippets.
func (p *Printer) Emit(vars Vars, snippet string) {
	used := map[string]bool{}
	for _, line := range dedent(snippet) {
		level := len(line) - len(strings.TrimLeft(line, "\t"))
		p.deeper(level, func() { p.fill(line[level:], vars, used) })
	}
	for name := range vars {
		if !used[name] {
			panic("emit: unused hole " + name + " in " + snippet)
		}
	}
}

func (p *Printer) deeper(level int, body func()) {
	outer := p.indent
	p.indent += strings.Repeat(p.tab, level)
	body()
	p.indent = outer
}

// fill prints one line with its holes.
func (p *Printer) fill(line string, vars Vars, numbers map[string]bool) {
	var out strings.Builder
	for rest := line; rest != ""; {
		before, after, found := strings.Cut(rest, "$")
		out.WriteString(before)
		if !found {
			break
		}
		name, behind, closed := strings.Cut(after, "$")
		value, known := vars[name]
		if !closed || !known {
			panic(fmt.Sprintf("emit: unknown hole %q in %q", name, line))
		}
		numbers[name] = true
		if body, isFunc := value.(func()); isFunc {
			if strings.TrimSpace(line) != "$"+name+"$" {
				panic("emit: a func() stands alone on its line: " + line)
			}
			body()
			return
		}
		fmt.Fprint(&out, value)
		rest = behind
	}
	p.Line("%s", out.String())
}

// dedent splits a snippet into lines, without a first and last line that are
// blank and without the tabs that all lines share.
func dedent(snippet string) []string {
	lines := strings.Split(snippet, "\n")
	if strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	if n := len(lines); n > 0 && strings.TrimSpace(lines[n-1]) == "" {
		lines = lines[:n-1]
	}
	shared := -1
	for _, line := range lines {
		if level := len(line) - len(strings.TrimLeft(line, "\t")); line != "" && (shared < 0 || level < shared) {
			shared = level
		}
	}
	for i, line := range lines {
		if line != "" {
			lines[i] = line[shared:]
		}
	}
	return lines
}
