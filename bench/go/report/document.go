package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stamps are the pages that show results, from the repository's root, with the function that writes a folder's
// results into the text of each.
var stamps = map[string]func(text, dir string) (string, error){
	"README.md":                       withSummary,
	"docs/performance.md":             withRatios,
	"docs/guide/tables-go.md":         withGo,
	"docs/guide/tables-rust.md":       withRust,
	"docs/guide/tables-cpp.md":        withCPP,
	"docs/guide/tables-typescript.md": withTypeScript,
	"docs/guide/tables-python.md":     withPython,
}

// Stamp writes what the results in dir have come to into root's pages, and draws the chart.
func Stamp(root, dir string) error {
	for page, stamp := range stamps {
		name := filepath.Join(root, page)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		changed, err := stamp(string(text), dir)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
			return err
		}
	}
	return Draw(root, dir)
}

// Stamped returns text with the table between the markers of its section replaced.
func Stamped(text, section, table string) (string, error) {
	begin, end := "<!-- "+section+":begin -->\n", "<!-- "+section+":end -->"
	before, rest, _ := strings.Cut(text, begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok || strings.Count(text, begin) != 1 || strings.Count(text, end) != 1 {
		return "", fmt.Errorf("the text needs the lines %s and %s once, in this order", strings.TrimSpace(begin), end)
	}
	return before + begin + table + end + after, nil
}

// withGo returns text with Go's tables of the results in dir.
func withGo(text, dir string) (string, error) {
	all, err := Read(dir)
	if err != nil {
		return "", err
	}
	return Stamped(text, "bench-go", Markdown(all))
}

// withRust returns text with Rust's tables of the results in dir.
func withRust(text, dir string) (string, error) {
	all, err := ReadRust(dir)
	if err != nil {
		return "", err
	}
	return Stamped(text, "bench-rust", RustMarkdown(all))
}

// withCPP returns text with the tables of C++ of the results in dir.
func withCPP(text, dir string) (string, error) {
	all, err := ReadCPP(dir)
	if err != nil {
		return "", err
	}
	return Stamped(text, "bench-cpp", CPPMarkdown(all))
}

// withTypeScript returns text with TypeScript's tables of the results in dir.
func withTypeScript(text, dir string) (string, error) {
	typescript, err := TypeScriptMarkdown(dir)
	if err != nil {
		return "", err
	}
	return Stamped(text, "bench-typescript", typescript)
}

// withSummary returns text with the results in dir about the codecs beside Protobuf.
func withSummary(text, dir string) (string, error) {
	m, err := readMeasurements(dir)
	if err != nil {
		return "", err
	}
	return Stamped(text, "bench", m.summary())
}

// summary is a sentence about the codecs beside Protobuf.
func (m *measurements) summary() string {
	var said []string
	for i, c := range []struct {
		title                                    string
		encode, otherEncode, decode, otherDecode record
	}{
		{"protobuf-go", own("encode_reused"), peer("protobuf-go", "encode_reused"), own("decode_fresh"), peer("protobuf-go", "decode_fresh")},
		{"prost", rustRecord("encode_reused", sdp), rustRecord("encode_reused", "prost"), rustRecord("decode_fresh", sdp), rustRecord("decode_fresh", "prost")},
		{"protobuf, which decodes on an arena", cppRecord("encode_reused", sdp), cppRecord("encode_reused", protobuf),
			cppDecode("decode_fresh", sdp), cppDecode("decode_arena", protobufArena)},
	} {
		of := func(mine, other record) string {
			fast, slow := m.codecs[i].find(mine), m.codecs[i].find(other)
			if fast == nil || slow == nil {
				return "not measured"
			}
			return ratio(slow, fast).Times()
		}
		said = append(said, fmt.Sprintf("%s encodes %s and decodes %s as fast as %s",
			chartLanguages[i], of(c.encode, c.otherEncode), of(c.decode, c.otherDecode), c.title))
	}
	bytes := "not measured"
	if mine, other := m.codecs[0].find(own("encode_reused")), m.codecs[0].find(peer("protobuf-go", "encode_reused")); mine != nil && other != nil {
		bytes = fmt.Sprintf("%.2f ×", float64(mine.Bytes)/float64(other.Bytes))
	}
	return fmt.Sprintf("On 62 real audio plugins %s. They take %s the bytes of Protobuf. Behind each ratio is its interval of 95 %%; [missed targets, and tables of all numbers](docs/performance.md).\n",
		strings.Join(said, ". "), bytes)
}
