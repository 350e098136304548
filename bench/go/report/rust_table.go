package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// RustMarkdown is what docs/guide/tables-rust.md shows: the targets, SDP's place on the public data sets, and the times on the
// first data set.
func RustMarkdown(all map[string]*Results) string {
	var b strings.Builder
	b.WriteString("On " + full[0] + " where nothing else is said:\n\n")
	b.WriteString("| | target | " + strings.Join(allocators, " | ") + " |\n|---|---|---|---|\n")
	for i := range rustTargets {
		outcomes := rustTargets[i].judgeRust(all)
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", outcomes[0].Title, outcomes[0].Target, cell(outcomes, 0), cell(outcomes, 1))
	}
	writePlaces(&b, all)
	writeRustTimes(&b, all)
	return b.String()
}

// suiteColumns are the columns of the public suite.
var suiteColumns = []struct{ title, group, name, allocator string }{
	{"serialize", "encode_reused", "encode_reused", "glibc"},
	{"deserialize", "decode_fresh", "decode_fresh", "glibc"},
	{"deserialize, mimalloc", "decode_fresh", "decode_fresh", "mimalloc"},
	{"borrow", "decode_borrowed", "decode_borrowed", "glibc"},
	{"access, validated", "read", "access", "glibc"},
	{"read, validated", "read", "read_validate", "glibc"},
}

// writePlaces writes SDP's place among the codecs of each column on each public data set.
func writePlaces(b *strings.Builder, all map[string]*Results) {
	b.WriteString("\nSDP's place among the codecs that can, its median in µs, and in parentheses the best of the others:\n\n|")
	for _, c := range suiteColumns {
		b.WriteString(" | " + c.title)
	}
	b.WriteString(" | size |\n|---|" + strings.Repeat("---|", len(suiteColumns)+1) + "\n")
	for _, dataset := range publicSuite {
		b.WriteString("| " + dataset + " |")
		for _, c := range suiteColumns {
			r := all[rustKey(dataset, c.allocator)]
			b.WriteString(" " + place(r.contest(c.group, c.name, medianOf), microsOf) + " |")
		}
		sizes := all[rustKey(dataset, allocators[0])].contest("encode_reused", "encode_reused", sizeOf)
		b.WriteString(" " + place(sizes, sizeText) + " |\n")
	}
}

// contest lists the records of a case, least values first.
func (r *Results) contest(group, name string, value func(Record) float64) []Record {
	if r == nil {
		return nil
	}
	records := slices.Clone(r.Records)
	records = slices.DeleteFunc(records, func(c Record) bool { return c.Group != group || c.Case != name })
	slices.SortStableFunc(records, func(a, b Record) int { return cmp.Compare(value(a), value(b)) })
	return records
}

// place is SDP's place in sorted records, and the best of the others.
func place(sorted []Record, text func(Record) string) string {
	i := slices.IndexFunc(sorted, func(c Record) bool { return c.Codec == sdp })
	if i < 0 {
		return "–"
	}
	all := fmt.Sprintf("%d. %s", i+1, text(sorted[i]))
	if others := slices.Delete(slices.Clone(sorted), i, i+1); len(others) > 0 {
		all += fmt.Sprintf(" (%s %s)", others[0].Codec, text(others[0]))
	}
	return all
}

func medianOf(c Record) float64 { return c.Nanoseconds.Median }
func microsOf(c Record) string  { return micros(c.Nanoseconds.Median) }
func sizeOf(c Record) float64   { return float64(c.Bytes) }
func sizeText(c Record) string  { return fmt.Sprint(c.Bytes) }

// rustColumns are the columns of the table of times.
var rustColumns = []struct{ title, group, name, allocator string }{
	{"encode, fresh", "encode_fresh", "encode_fresh", "glibc"},
	{"encode, reused", "encode_reused", "encode_reused", "glibc"},
	{"decode to owned", "decode_fresh", "decode_fresh", "glibc"},
	{"the same, mimalloc", "decode_fresh", "decode_fresh", "mimalloc"},
	{"decode into", "decode_reused", "decode_reused", "glibc"},
	{"decode borrowed", "decode_borrowed", "decode_borrowed", "glibc"},
	{"validate and read", "read", "read_validate", "glibc"},
	{"read", "read", "read", "glibc"},
}

// writeRustTimes writes the medians on the first data set, a codec a line.
func writeRustTimes(b *strings.Builder, all map[string]*Results) {
	first := all[rustKey(full[0], allocators[0])]
	if first == nil {
		return
	}
	fmt.Fprintf(b, "\nMedian µs on %s:\n\n| | bytes |", first.Dataset)
	for _, c := range rustColumns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(rustColumns)) + "\n")
	for _, codec := range first.codecs() {
		fmt.Fprintf(b, "| %s %s | %d |", codec.Codec, codec.Version, codec.Bytes)
		for _, c := range rustColumns {
			cell := ""
			if m := all[rustKey(full[0], c.allocator)].find(record{c.group, codec.Codec, c.name, noHeap}); m != nil {
				cell = micros(m.Nanoseconds.Median)
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteByte('\n')
	}
	m := first.Machine
	fmt.Fprintf(b, "\nMeasured on %s at commit %s with `%s`: %s, %d cores, %s/%s, %s.\n",
		first.Date, first.Commit, first.Command, m.CPU, m.Cores, m.OS, m.Arch, m.Compiler)
}
