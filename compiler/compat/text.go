package compat

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteText renders a report for a person: each change with its place and,
// under it, the verdicts; then how many changes break something.
func WriteText(w io.Writer, r *Report, color bool) error {
	out := bufio.NewWriter(w)
	p := painter(color)
	for _, c := range r.Changes {
		place := c.placeText()
		indent := strings.Repeat(" ", len([]rune(place))+2)
		fmt.Fprintf(out, "%s  %s %s\n", place, p.bold(c.Subject), c.What)
		fmt.Fprintf(out, "%sold readers of new bytes %s   new readers of old bytes %s   source %s   JSON %s\n",
			indent, p.verdict(c.OldReaders), p.verdict(c.NewReaders), p.source(c.SourceBreaks), p.verdict(c.JSON))
		if c.Help != "" {
			fmt.Fprintf(out, "%shelp: %s\n", indent, c.Help)
		}
	}
	fmt.Fprintln(out, r.Summary())
	return out.Flush()
}

// Summary is the last line of the text: "1 breaking change".
func (r *Report) Summary() string {
	switch n := r.Breaking(); n {
	case 0:
		return "no breaking change"
	case 1:
		return "1 breaking change"
	default:
		return fmt.Sprintf("%d breaking changes", n)
	}
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

func (p painter) mark(ok bool) string {
	if ok {
		return p.wrap("32", "✓")
	}
	return p.wrap("1;31", "✗")
}

func (p painter) verdict(v Verdict) string {
	if v.Note == "" {
		return p.mark(v.OK)
	}
	return p.mark(v.OK) + " (" + v.Note + ")"
}

func (p painter) source(breaks []Language) string {
	text := p.mark(len(breaks) == 0)
	for _, l := range breaks {
		text += " " + string(l)
	}
	return text
}
