package report

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown is what docs/guide/tables-go.md shows: the targets, then the times on the first data set.
func Markdown(all map[string]*Results) string {
	var b strings.Builder
	judged := Judge(all)
	b.WriteString("| | target | " + strings.Join(general, " | ") + " |\n|---|---|" + strings.Repeat("---|", len(general)) + "\n")
	writeRows(&b, judged, general)
	b.WriteString("\n| | target | measured |\n|---|---|---|\n")
	writeRows(&b, judged, arrays)
	writeRows(&b, judged, absent)
	b.WriteString("\nOn " + general[1] + " and " + general[2] + " a ratio may fall short of its target by a fifth, where mixed has none of its own.\n\n")
	writeTimes(&b, all[general[0]])
	return b.String()
}

// writeRows writes the rows that are about the first of the data sets, with a column for each.
func writeRows(b *strings.Builder, judged []Outcome, datasets []string) {
	for _, o := range judged {
		if o.Dataset != datasets[0] {
			continue
		}
		fmt.Fprintf(b, "| %s | %s |", o.Title, o.Target)
		for _, name := range datasets {
			i := slices.IndexFunc(judged, func(p Outcome) bool {
				return p.Title == o.Title && p.Target == o.Target && p.Dataset == name
			})
			b.WriteString(" " + cell(judged, i) + " |")
		}
		b.WriteByte('\n')
	}
}

func cell(judged []Outcome, i int) string {
	switch {
	case i < 0:
		return ""
	case judged[i].Measured == "":
		return "not measured"
	case judged[i].Told:
		return judged[i].Measured
	case judged[i].Pass:
		return judged[i].Measured + " ✓"
	}
	return judged[i].Measured + " ✗ missed"
}

// columns of the table of times, by case and heap mode.
var columns = []struct{ title, name, heap string }{
	{"encode, fresh", "encode_fresh", minimal},
	{"encode, fresh, 64 MiB alive", "encode_fresh", live64},
	{"encode, reused", "encode_reused", minimal},
	{"decode, fresh", "decode_fresh", minimal},
	{"decode, fresh, 64 MiB alive", "decode_fresh", live64},
	{"decode, reused", "decode_reused", minimal},
	{"reused, aliasing", "decode_reused_alias", minimal},
	{"read", "read", minimal},
}

// writeTimes writes the medians of one data set in microseconds, a codec a line.
func writeTimes(b *strings.Builder, r *Results) {
	if r == nil {
		return
	}
	fmt.Fprintf(b, "Median µs on %s, nothing else alive on the heap unless said:\n\n| | bytes |", r.Dataset)
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, codec := range r.codecs() {
		line := ""
		size := 0
		for _, c := range columns {
			text := ""
			if m := r.find(record{c.name, codec.Codec, c.name, c.heap}); m != nil {
				text, size = micros(m.Nanoseconds.Median), m.Bytes
			}
			line += " " + text + " |"
		}
		fmt.Fprintf(b, "| %s %s | %d |%s\n", codec.Codec, codec.Version, size, line)
	}
	m := r.Machine
	fmt.Fprintf(b, "\nMeasured on %s at commit %s with `%s`: %s, %d cores, %s/%s, %s.\n",
		r.Date, r.Commit, r.Command, m.CPU, m.Cores, m.OS, m.Arch, m.Compiler)
}

func micros(ns float64) string {
	if ns < 100_000 {
		return fmt.Sprintf("%.1f", ns/1000)
	}
	return fmt.Sprintf("%.0f", ns/1000)
}

// codecs lists one record of each codec, SDP's first.
func (r *Results) codecs() []Record {
	var codecs []Record
	for _, m := range r.Records {
		if slices.ContainsFunc(codecs, func(c Record) bool { return c.Codec == m.Codec }) {
			continue
		}
		if m.Codec == sdp {
			codecs = slices.Insert(codecs, 0, m)
		} else {
			codecs = append(codecs, m)
		}
	}
	return codecs
}

// Text is the judgement for a terminal.
func Text(outcomes []Outcome) string {
	var b strings.Builder
	missed, missing := 0, 0
	for _, o := range outcomes {
		verdict := "ok"
		switch {
		case o.Measured == "":
			verdict = "not measured"
			missing++
		case o.Told:
			verdict = ""
		case !o.Pass:
			verdict = "MISSED"
			missed++
		}
		fmt.Fprintf(&b, "%-20s %-48s %-32s %16s  %s\n", o.Dataset, o.Title, o.Target, o.Measured, verdict)
	}
	fmt.Fprintf(&b, "%d targets missed, %d not measured\n", missed, missing)
	return b.String()
}
