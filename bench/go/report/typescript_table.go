package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// typescriptCodecs are the rows of the tables, in their order.
var typescriptCodecs = []string{"sdp", "protobuf.js", "protobuf-es", "avsc", "msgpackr records", "flatbuffers", "JSON"}

// timed is a median, and its ratio to the compared one.
type timed struct {
	Us       float64
	Ratio    float64
	Interval [2]float64
}

// beside is the time with the bounds of its ratio.
func (t timed) beside() string {
	return fmt.Sprintf("%s, %s × (%s to %s)", Number(t.Us), Number(t.Ratio), Number(t.Interval[0]), Number(t.Interval[1]))
}

// typescriptResults is what an engine has come to with the codecs, by data sets.
type typescriptResults struct {
	Machine, Engine string
	Rounds          int
	Datasets        map[string]struct {
		Decode, Encode, View, Kept map[string]timed
		Bytes                      map[string]int
	}
	Bundle struct{ Bytes, Brotli int }
}

// typescriptTexts is the results about JSON, for messages of so many bytes.
type typescriptTexts struct {
	Machine, Engine string
	Rounds          int
	Datasets        map[string]struct {
		Bytes       int
		Read, Write map[string]timed
	}
}

// readTypeScript reads the named files of a folder.
func readTypeScript(dir string, files map[string]any) error {
	for name, into := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// TypeScriptMarkdown is what docs/guide/tables-typescript.md shows, by the results in a folder.
func TypeScriptMarkdown(dir string) (string, error) {
	var node, bun typescriptResults
	var texts typescriptTexts
	if err := readTypeScript(dir, map[string]any{"typescript.json": &node, "typescript_bun.json": &bun, "typescript_json.json": &texts}); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Median µs, of processor time in Node and on the clock in Bun, and behind it how many times SDP's time that is. There are no targets.\n")
	for _, dataset := range full[:2] {
		fmt.Fprintf(&b, "\n| %s | bytes | decode, Node | encode, Node | decode, Bun | encode, Bun |\n|---|---|---|---|---|---|\n", dataset)
		inNode, inBun := node.Datasets[dataset], bun.Datasets[dataset]
		for _, codec := range typescriptCodecs {
			cells := []string{codec, Thousands(inNode.Bytes[codec])}
			for _, times := range []map[string]timed{inNode.Decode, inNode.Encode, inBun.Decode, inBun.Encode} {
				cells = append(cells, timeOf(times, codec, codec == sdp))
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		}
	}
	b.WriteString("\nMedian µs, and how many times as fast as decoding anew that is:\n\n| Node | decode into a value that is there | look at a view's bytes | and read a field |\n|---|---|---|---|\n")
	for _, dataset := range full[:2] {
		d := node.Datasets[dataset]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", dataset, timeOf(d.Kept, "into", false), timeOf(d.View, "open", false), timeOf(d.View, "open and read a field", false))
	}
	fmt.Fprintf(&b, "\nA page that decodes the plugins has %s bytes of script for it, and %s of them on the wire, by brotli.\n", Thousands(node.Bundle.Bytes), Thousands(node.Bundle.Brotli))
	b.WriteString("\nJSON in Node, median µs, and behind it the share that SDP's time is of it:\n\n| | bytes | read, sdp | read, protobuf-es | read, JSON.parse | write, sdp | write, protobuf-es | write, JSON.stringify |\n|---|---|---|---|---|---|---|---|\n")
	for _, dataset := range []string{"session", "plugins", full[0]} {
		d := texts.Datasets[dataset]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", dataset, Thousands(d.Bytes),
			timeOf(d.Read, sdp, true), timeOf(d.Read, "protobuf-es", false), timeOf(d.Read, "JSON.parse", false),
			timeOf(d.Write, sdp, true), timeOf(d.Write, "protobuf-es", false), timeOf(d.Write, "JSON.stringify", false))
	}
	fmt.Fprintf(&b, "\nMeasured with `bench/ts/run.sh`: %s, %s and %s, %d rounds; JSON with `bench/ts/json.sh`: %s, %s, %d rounds.\n",
		node.Machine, node.Engine, bun.Engine, node.Rounds, texts.Machine, texts.Engine, texts.Rounds)
	return b.String(), nil
}

// timeOf is a cell: a time, alone where nothing is compared, and nothing where nobody measured it.
func timeOf(times map[string]timed, name string, alone bool) string {
	t, there := times[name]
	switch {
	case !there:
		return ""
	case alone:
		return Number(t.Us)
	}
	return t.beside()
}
