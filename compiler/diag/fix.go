package diag

import (
	"fmt"
	"sort"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Apply returns the text of a file after those edits that are in it. Edits of
// other files are left out. Two edits that overlap are an error, because
// neither order would be what their authors meant.
func Apply(file *source.File, edits []Edit) (string, error) {
	var own []Edit
	for _, e := range edits {
		if e.Span.File == file {
			own = append(own, e)
		}
	}
	sort.SliceStable(own, func(i, j int) bool { return own[i].Span.Start < own[j].Span.Start })
	var out strings.Builder
	done := 0
	for _, e := range own {
		if e.Span.Start < done {
			return "", fmt.Errorf("two edits overlap at %s", e.Span)
		}
		out.WriteString(file.Text()[done:e.Span.Start])
		out.WriteString(e.Text)
		done = e.Span.End
	}
	out.WriteString(file.Text()[done:])
	return out.String(), nil
}
