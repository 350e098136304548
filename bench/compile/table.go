package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/bench/go/report"
)

// pageParts are the parts of pages that show results.
var pageParts = []struct {
	page, name string // from the repository's root; of its markers
	table      func([]*results) string
}{
	{"docs/guide/build-costs.md", "compile-targets", targetTable},
	{"docs/guide/tables-builds.md", "compile", resultTables},
}

// tables are the targets and the measurements, for a terminal.
func tables(folder string) (string, error) {
	all, err := readResults(folder)
	if err != nil {
		return "", err
	}
	return targetTable(all) + "\n" + resultTables(all), nil
}

// targetTable is the targets, and how each is met.
func targetTable(all []*results) string {
	var b strings.Builder
	b.WriteString("| | target | measured |\n|---|---|---|\n")
	for _, t := range targets {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", t.title, t.text(), t.judge(all))
	}
	return b.String()
}

// resultTables are what was measured of each language and schema.
func resultTables(all []*results) string {
	var parts []string
	for _, r := range all {
		parts = append(parts, r.markdown())
	}
	return strings.Join(parts, "\n")
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

// stampDocuments writes the tables into the pages, and draws the chart, which shows some of them.
func stampDocuments(root string) error {
	all, err := readResults(filepath.Join(root, resultsFolder))
	if err != nil {
		return err
	}
	for _, s := range pageParts {
		name := filepath.Join(root, s.page)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		stamped, err := report.Stamped(string(text), s.name, s.table(all))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name, []byte(stamped), 0o644); err != nil {
			return err
		}
	}
	return report.Draw(root, filepath.Join(root, "bench/results"))
}
