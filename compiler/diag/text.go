package diag

import (
	"bufio"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// WriteText renders diagnostics for a person: message, place, the source lines
// with underlines, help. The text ends without a summary; see Summary.
func WriteText(w io.Writer, diagnostics []*Diagnostic, color bool) error {
	out := bufio.NewWriter(w)
	for i, d := range diagnostics {
		if i > 0 {
			fmt.Fprintln(out)
		}
		p := textPrinter{out: out, paint: painter{on: color}, diagnostic: d}
		p.print()
	}
	return out.Flush()
}

// Summary is the line after the last diagnostic: "1 error, 0 warnings in
// plugins.sdp". With several files it counts them.
func Summary(l *List, files ...string) string {
	s := plural(l.ErrorCount(), "error") + ", " + plural(l.WarningCount(), "warning")
	switch len(files) {
	case 0:
	case 1:
		s += " in " + printable(files[0])
	default:
		s += " in " + plural(len(files), "file")
	}
	if l.Full() {
		s += fmt.Sprintf(" (only the first %d problems are kept)", listMax)
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// textPrinter renders one diagnostic.
type textPrinter struct {
	out        *bufio.Writer
	paint      painter
	diagnostic *Diagnostic
	// gutter is the width of the largest line number shown.
	gutter int
}

// mark is one underlined place within one line.
type mark struct {
	label   Label
	primary bool
	line    int
}

func (p *textPrinter) print() {
	d := p.diagnostic
	severity := p.paint.severity(d.Severity)
	fmt.Fprintf(p.out, "%s%s\n", severity(fmt.Sprintf("%s[%s]", d.Severity, d.Code)), p.paint.bold(": "+printable(d.Message)))
	groups := p.marksByFile()
	for _, group := range groups {
		for _, m := range group {
			p.gutter = max(p.gutter, len(strconv.Itoa(m.line)))
		}
	}
	for i, group := range groups {
		p.printFile(group, i == 0)
	}
	if d.Help != "" {
		fmt.Fprintf(p.out, "%s %s %s\n", strings.Repeat(" ", p.gutter+1)+p.paint.frame("="), p.paint.help("help:"), printable(d.Help))
	}
}

// marksByFile groups the places by file, that of the primary place first, and
// sorts each group by place.
func (p *textPrinter) marksByFile() [][]mark {
	d := p.diagnostic
	if d.Span.IsZero() {
		return nil
	}
	labels := append([]Label{{Span: d.Span, Text: d.Label}}, d.Related...)
	index := map[*source.File]int{}
	var groups [][]mark
	for i, label := range labels {
		file := label.Span.File
		at, known := index[file]
		if !known {
			at = len(groups)
			index[file] = at
			groups = append(groups, nil)
		}
		m := mark{label: label, primary: i == 0, line: label.Span.StartPosition().Line}
		groups[at] = append(groups[at], m)
	}
	for _, group := range groups {
		sort.SliceStable(group, func(i, j int) bool { return group[i].label.Span.Start < group[j].label.Span.Start })
	}
	return groups
}

// printFile shows the lines of one file. The heading names the primary place,
// or in a further file the first one.
func (p *textPrinter) printFile(marks []mark, primary bool) {
	arrow, place := ":::", marks[0].label.Span
	if primary {
		arrow, place = "-->", p.diagnostic.Span
	}
	margin := strings.Repeat(" ", p.gutter)
	fmt.Fprintf(p.out, "%s %s\n", margin+p.paint.frame(arrow), printable(place.String()))
	fmt.Fprintf(p.out, "%s %s\n", margin, p.paint.frame("|"))
	shown := 0
	for _, m := range marks {
		line := newLine(m.label.Span, m.line)
		if m.line != shown || line.clipped {
			number := fmt.Sprintf("%-*d", p.gutter, m.line)
			fmt.Fprintln(p.out, strings.TrimRight(p.paint.frame(number+" |")+" "+line.text, " "))
			shown = m.line
		}
		style, char := p.paint.frame, "-"
		if m.primary {
			style, char = p.paint.severity(p.diagnostic.Severity), "^"
		}
		underline := strings.Repeat(char, line.width)
		if m.label.Text != "" {
			underline += " " + printable(m.label.Text)
		}
		fmt.Fprintf(p.out, "%s %s %s%s\n", margin, p.paint.frame("|"), strings.Repeat(" ", line.indent), style(underline))
	}
}

// painter adds ANSI colours, or nothing.
type painter struct{ on bool }

func (p painter) wrap(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p painter) bold(s string) string  { return p.wrap("1", s) }
func (p painter) frame(s string) string { return p.wrap("1;34", s) }
func (p painter) help(s string) string  { return p.wrap("1;36", s) }

func (p painter) severity(s Severity) func(string) string {
	code := "1;33"
	if s == SeverityError {
		code = "1;31"
	}
	return func(text string) string { return p.wrap(code, text) }
}
