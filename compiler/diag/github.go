package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WriteGitHub renders diagnostics as workflow commands, which GitHub shows at
// the lines of a change: message, label, related places and help. Columns are given only for places within one line,
// because GitHub ignores them elsewhere.
func WriteGitHub(w io.Writer, diagnostics []*Diagnostic) error {
	out := bufio.NewWriter(w)
	for _, d := range diagnostics {
		fmt.Fprintf(out, "::%s ", d.Severity)
		if !d.Span.IsZero() {
			start, end := d.Span.StartPosition(), d.Span.EndPosition()
			fmt.Fprintf(out, "file=%s,line=%d,endLine=%d,", githubProperty.Replace(d.Span.File.Name()), start.Line, end.Line)
			if start.Line == end.Line {
				fmt.Fprintf(out, "col=%d,endColumn=%d,", start.Column, end.Column)
			}
		}
		message := d.Message
		if d.Label != "" {
			message += "\n" + d.Label
		}
		for _, r := range d.Related {
			message += fmt.Sprintf("\n%s: %s", r.Span, r.Text)
		}
		if d.Help != "" {
			message += "\nhelp: " + d.Help
		}
		fmt.Fprintf(out, "title=%s::%s\n", githubProperty.Replace(string(d.Code)), githubMessage.Replace(message))
	}
	return out.Flush()
}
