package report

import (
	"fmt"
	"strings"
)

// CPPMarkdown is what docs/guide/tables-cpp.md shows: the targets, single operations on an arena, and the times on the first
// data set.
func CPPMarkdown(all map[string]*Results) string {
	var b strings.Builder
	b.WriteString("On " + full[0] + " where nothing else is said:\n\n| | target | measured |\n|---|---|---|\n")
	judged := JudgeCPP(all)
	for i, o := range judged {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", o.Title, o.Target, cell(judged, i))
	}
	if first := all[full[0]]; first != nil {
		writeLatencies(&b, first.Latencies)
		writeCPPTimes(&b, first)
	}
	return b.String()
}

// writeLatencies writes how long single operations took.
func writeLatencies(b *strings.Builder, latencies []Latency) {
	if len(latencies) == 0 {
		return
	}
	b.WriteString("\nµs of single operations on a prepared arena, timed one by one:\n\n")
	b.WriteString("| | operations | median | 99 % within | worst | allocations |\n|---|---|---|---|---|---|\n")
	for _, l := range latencies {
		fmt.Fprintf(b, "| %s %s | %d | %s | %s | %s | %.0f |\n",
			l.Codec, l.Case, l.Operations, micros(l.Median), micros(l.P99), micros(l.Worst), l.Allocations)
	}
}

// cppColumns are the columns of the table of times.
var cppColumns = []struct{ title, group, name string }{
	{"encode, fresh", "encode_fresh", "encode_fresh"},
	{"encode, reused", "encode_reused", "encode_reused"},
	{"decode to owned", "decode", "decode_fresh"},
	{"decode on an arena", "decode", "decode_arena"},
	{"decode into", "decode", "decode_reused"},
	{"decode borrowed", "decode", "decode_borrowed"},
	{"copy of the value", "decode", "clone"},
	{"validate and read", "read", "read_validate"},
	{"borrow into and read", "read", "read_borrowed"},
	{"read", "read", "read"},
}

// writeCPPTimes writes the medians of one data set, a codec a line.
func writeCPPTimes(b *strings.Builder, r *Results) {
	fmt.Fprintf(b, "\nMedian µs on %s:\n\n| | bytes |", r.Dataset)
	for _, c := range cppColumns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(cppColumns)) + "\n")
	for _, codec := range r.codecs() {
		fmt.Fprintf(b, "| %s %s | %d |", codec.Codec, codec.Version, codec.Bytes)
		for _, c := range cppColumns {
			cell := ""
			if m := r.find(record{c.group, codec.Codec, c.name, noHeap}); m != nil {
				cell = micros(m.Nanoseconds.Median)
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteByte('\n')
	}
	m := r.Machine
	fmt.Fprintf(b, "\nMeasured on %s at commit %s with `%s`: %s, %d cores, %s/%s, %s.\n",
		r.Date, r.Commit, r.Command, m.CPU, m.Cores, m.OS, m.Arch, m.Compiler)
}
