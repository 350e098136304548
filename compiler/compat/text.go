package compat

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// WriteText renders a report for a person: each change with its place and,
// under it, the verdicts; then how many changes break something that counts.
func WriteText(w io.Writer, r *Report, color bool) error {
	out := bufio.NewWriter(w)
	p := painter(color)
	for _, c := range r.Changes {
		place := source.Visible(c.placeText())
		indent := strings.Repeat(" ", len([]rune(place))+2)
		fmt.Fprintf(out, "%s  %s %s\n", place, p.bold(source.Visible(c.Subject)), source.Visible(c.What))
		fmt.Fprintf(out, "%sold readers of new bytes %s   new readers of old bytes %s   source %s   JSON %s\n",
			indent, p.verdict(c.OldReaders, r.Columns.OldReaders), p.verdict(c.NewReaders, r.Columns.NewReaders),
			p.source(c.SourceBreaks, r.Columns), p.verdict(c.JSON, r.Columns.JSON))
		if c.Help != "" {
			fmt.Fprintf(out, "%shelp: %s\n", indent, source.Visible(c.Help))
		}
	}
	fmt.Fprintln(out, r.Summary())
	return out.Flush()
}

func (c *Change) placeText() string {
	span := c.Place()
	if span.IsZero() {
		return "-"
	}
	return fmt.Sprintf("%s:%d", span.File.Name(), span.StartPosition().Line)
}

// painter adds ANSI colours, or nothing.
type painter bool

func (p painter) wrap(code, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p painter) bold(text string) string { return p.wrap("1", text) }

// mark is ✗ for a break that counts, and (✗) for one that does not.
func (p painter) mark(ok, counts bool) string {
	switch {
	case ok:
		return p.wrap("32", "✓")
	case counts:
		return p.wrap("1;31", "✗")
	}
	return p.wrap("2", "(✗)")
}

func (p painter) verdict(v Verdict, counts bool) string {
	if v.Note == "" {
		return p.mark(v.OK, counts)
	}
	return p.mark(v.OK, counts) + " (" + v.Note + ")"
}

func (p painter) source(breaks []string, columns Columns) string {
	text := p.mark(len(breaks) == 0, slices.ContainsFunc(breaks, columns.language))
	for _, l := range breaks {
		text += " " + l
	}
	return text
}
