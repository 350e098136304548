package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// comparison is a row of docs/performance.md: an operation of SDP beside Protobuf's and beside the fastest of all others.
type comparison struct {
	title                 string
	language              int // of chartLanguages
	mine, protobuf, other record
}

// comparisons are the rows of languages whose results have rounds.
var comparisons = []comparison{
	{"Go, encode", 0, own("encode_reused"), peer("protobuf-go", "encode_reused"), peer(fastestPeer, "encode_reused")},
	{"Go, decode", 0, own("decode_fresh"), peer("protobuf-go", "decode_fresh"), peer(fastestPeer, "decode_fresh")},
	{"Rust, encode", 1, rustRecord("encode_reused", sdp), rustRecord("encode_reused", "prost"), rustRecord("encode_reused", fastestPeer)},
	{"Rust, decode", 1, rustRecord("decode_fresh", sdp), rustRecord("decode_fresh", "prost"), rustRecord("decode_fresh", fastestPeer)},
	{"Rust, decode, strings borrowed", 1, rustRecord("decode_borrowed", sdp), record{}, rustRecord("decode_borrowed", fastestPeer)},
	{"Rust, validate and read every field", 1, rustRead("read_validate", sdp), record{}, rustRead("read_validate", fastestPeer)},
	{"C++, encode", 2, cppRecord("encode_reused", sdp), cppRecord("encode_reused", protobuf), cppRecord("encode_reused", fastestPeer)},
	{"C++, decode", 2, cppDecode("decode_fresh", sdp), cppDecode("decode_arena", protobufArena), cppDecode("decode_fresh", fastestPeer)},
	{"C++, validate and read every field", 2, cppRead("read_validate", sdp), record{}, cppRead("read_validate", fastestPeer)},
}

// withRatios returns text with the codecs' main ratios and missed targets, by the results in dir.
func withRatios(text, dir string) (string, error) {
	table, err := ratiosMarkdown(dir)
	if err != nil {
		return "", err
	}
	if text, err = Stamped(text, "bench-ratios", table); err != nil {
		return "", err
	}
	if table, err = missesMarkdown(dir); err != nil {
		return "", err
	}
	return Stamped(text, "bench-missed", table)
}

// ratiosMarkdown is a table of the main ratios.
func ratiosMarkdown(dir string) (string, error) {
	m, err := readMeasurements(dir)
	if err != nil {
		return "", err
	}
	var node, bun typescriptResults
	if err := readTypeScript(dir, map[string]any{"typescript.json": &node, "typescript_bun.json": &bun}); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | SDP, µs | beside Protobuf | beside the fastest other codec |\n|---|---|---|---|\n", full[0])
	for _, c := range comparisons {
		r := m.codecs[c.language]
		mine := r.find(c.mine)
		if mine == nil {
			fmt.Fprintf(&b, "| %s | not measured | | |\n", c.title)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.title, micros(mine.Nanoseconds.Median), ratioBeside(mine, r.find(c.protobuf)), ratioBeside(mine, r.find(c.other)))
	}
	for _, e := range []struct {
		engine string
		of     typescriptResults
	}{{"Node", node}, {"Bun", bun}} {
		d := e.of.Datasets[full[0]]
		for _, op := range []struct {
			title string
			times map[string]timed
		}{{"encode", d.Encode}, {"decode", d.Decode}} {
			fmt.Fprintf(&b, "| TypeScript in %s, %s | %s | %s | %s |\n", e.engine, op.title, Number(op.times[sdp].Us),
				fastest(op.times, func(codec string) bool { return strings.HasPrefix(codec, protobuf) }),
				fastest(op.times, func(codec string) bool { return codec != sdp }))
		}
	}
	if mine, other := m.codecs[0].find(own("encode_reused")), m.codecs[0].find(peer("protobuf-go", "encode_reused")); mine != nil && other != nil {
		fmt.Fprintf(&b, "\nSDP takes %s bytes, %.2f × Protobuf's %s.\n", Thousands(mine.Bytes), float64(mine.Bytes)/float64(other.Bytes), Thousands(other.Bytes))
	}
	b.WriteString("\n" + m.provenance() + " TypeScript: " + node.Machine + ", " + node.Engine + " and " + bun.Engine + ".\n")
	return b.String(), nil
}

// ratioBeside is how many times as fast mine is as other, empty if nothing is compared.
func ratioBeside(mine, other *Record) string {
	if other == nil {
		return "–"
	}
	v := ratio(other, mine)
	return fmt.Sprintf("%.2f × %s (%.2f–%.2f)", v.Median, other.Codec, v.Low, v.High)
}

// fastest is the ratio of the codec that takes the least time among some.
func fastest(times map[string]timed, among func(codec string) bool) string {
	best := ""
	for _, codec := range slices.Sorted(maps.Keys(times)) {
		if among(codec) && (best == "" || cmp.Less(times[codec].Us, times[best].Us)) {
			best = codec
		}
	}
	if best == "" {
		return "–"
	}
	t := times[best]
	return fmt.Sprintf("%s × %s (%s–%s)", Number(t.Ratio), best, Number(t.Interval[0]), Number(t.Interval[1]))
}

// provenance says when, where and how the codecs were measured, once for all languages that have it in common.
func (m *measurements) provenance() string {
	var sentences []string
	var said []string
	for i, r := range m.codecs {
		if r == nil {
			continue
		}
		text := fmt.Sprintf("measured on %s at commit %s with `%s`: %s, %d cores.", r.Date, r.Commit, r.Command, r.Machine.CPU, r.Machine.Cores)
		if at := slices.Index(sentences, text); at >= 0 {
			said[at] += ", " + chartLanguages[i]
			continue
		}
		sentences, said = append(sentences, text), append(said, chartLanguages[i])
	}
	for i := range sentences {
		sentences[i] = said[i] + ": " + sentences[i]
	}
	return strings.Join(sentences, " ")
}
