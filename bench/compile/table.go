package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/bench/go/report"
)

// document is the page that has the tables, from the repository's root.
const document = "docs/guide/build-costs.md"

// tables are the targets and what was measured of each language and schema.
func tables(folder string) (string, error) {
	all, err := readResults(folder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| | target | measured |\n|---|---|---|\n")
	for _, t := range targets {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", t.title, t.text(), t.judge(all))
	}
	for _, r := range all {
		b.WriteByte('\n')
		b.WriteString(r.markdown())
	}
	return b.String(), nil
}

// markdown is a table of all that was measured of a language on a schema.
func (r *results) markdown() string {
	l := languages[slices.Index(languageNames(), r.Language)]
	var builds []string
	for _, c := range r.Code {
		for _, b := range c.Builds {
			builds = appendNew(builds, b.Build)
		}
	}
	columns := []string{"lines", "bytes of code and data", "program, bytes"}
	for _, b := range builds {
		columns = append(columns, b+": s", "MB", "ratio")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s, %s**\n\n| | %s |\n|---|%s\n", l.title, r.Title, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for i := range r.Code {
		c := &r.Code[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |", c.Codec, count(c.Lines), count(c.Object), count(c.Program))
		for _, name := range builds {
			b.WriteString(c.cells(name, r.find(l.peer)) + " |")
		}
		b.WriteByte('\n')
	}
	m := r.Machine
	fmt.Fprintf(&b, "\nMeasured on %s at commit %s with `%s`: %s, %d cores, %s/%s; %s.\n",
		r.Date, r.Commit, r.Command, m.CPU, m.Cores, m.OS, m.Arch, strings.Join(append([]string{m.Compiler}, r.With...), "; "))
	return b.String()
}

// cells are the time, the memory and the ratio to the peer of one build.
func (c *codeRecord) cells(name string, peer *codeRecord) string {
	mine := c.find(name)
	if mine == nil {
		return "  |  | "
	}
	text := " " + spread(mine.Seconds) + " | " + report.Number(report.IntervalOf(mine.Megabytes).Median) + " | "
	if other := peer.find(name); other != nil && c.Codec != peer.Codec {
		text += ratio(mine, other).Times()
	}
	return text
}

// count is a number of something, empty if nobody has counted.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return report.Thousands(n)
}

// stampDocument writes the tables into the page, and draws the chart, which shows some of them.
func stampDocument(root string) error {
	name := filepath.Join(root, document)
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	stamped, err := stamped(string(text), filepath.Join(root, resultsFolder))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := os.WriteFile(name, []byte(stamped), 0o644); err != nil {
		return err
	}
	return report.Draw(root, filepath.Join(root, "bench/results"))
}

func stamped(text, folder string) (string, error) {
	tables, err := tables(folder)
	if err != nil {
		return "", err
	}
	return report.Stamped(text, "compile", tables)
}
