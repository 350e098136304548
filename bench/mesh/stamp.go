package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// The document that has the table, between these lines.
const (
	document = "docs/mesh.md"
	begins   = "<!-- mesh:begin -->\n"
	ends     = "<!-- mesh:end -->\n"
)

// stamp writes the table and the pictures of the results.
func stamp(root string) error {
	made, err := stamped(root)
	if err != nil {
		return err
	}
	for name, text := range made {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// stamped are the files that show the results, by their names.
func stamped(root string) (map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, resultsFile))
	if err != nil {
		return nil, err
	}
	var r results
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	doc, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		return nil, err
	}
	before, rest, found := bytes.Cut(doc, []byte(begins))
	_, after, closed := bytes.Cut(rest, []byte(ends))
	if !found || !closed {
		return nil, fmt.Errorf("%s has no place for the table", document)
	}
	made := map[string][]byte{document: []byte(string(before) + begins + table(&r) + ends + string(after))}
	for _, t := range themes {
		made[t.file] = chart(&r, t)
	}
	return made, nil
}

func table(r *results) string {
	var b strings.Builder
	b.WriteString("| nodes | agents | register, ms: p50, p99 | discover, µs: p50, p99 | event, µs: p50, p99 | events a second | node, MB |\n|---|---|---|---|---|---|---|\n")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %d | %d | %.2f, %.2f | %.0f, %.0f | %.0f, %.0f | %.0f | %.0f |\n", row.Nodes, row.Agents,
			float64(row.Register.P50)/1e6, float64(row.Register.P99)/1e6, float64(row.Discover.P50)/1e3, float64(row.Discover.P99)/1e3,
			float64(row.Event.P50)/1e3, float64(row.Event.P99)/1e3, row.Events, float64(row.Memory)/1e6)
	}
	fmt.Fprintf(&b, "\nMeasured on %s at commit %s with `go run ./bench/mesh`, medians of 3 rounds: %s, %d cores, load %.1f before.\n", r.Date, r.Commit, r.CPU, r.Cores, r.Load)
	return b.String()
}

// theme are the colours of a picture, and where it lies.
type theme struct{ file, ink, faint, one, three string }

var themes = []theme{
	{"docs/mesh-light.svg", "#1f2328", "#8c959f", "#0969da", "#bc4c00"},
	{"docs/mesh-dark.svg", "#f0f6fc", "#656c76", "#4493f8", "#db6d28"},
}

// panels are what a picture shows, each a line for each number of nodes.
var panels = []struct {
	title string
	value func(row) float64
}{
	{"register, ms, p50", func(r row) float64 { return float64(r.Register.P50) / 1e6 }},
	{"discover one, µs, p99", func(r row) float64 { return float64(r.Discover.P99) / 1e3 }},
	{"event, µs, p50", func(r row) float64 { return float64(r.Event.P50) / 1e3 }},
	{"memory of a node, MB", func(r row) float64 { return float64(r.Memory) / 1e6 }},
}

// Lengths in a picture, in pixels.
const (
	panelWidth, panelHeight = 210, 168
	left, top, bottom       = 14, 44, 44
)

// chart draws a panel for each cost, over the logarithm of the agents.
func chart(r *results, t theme) []byte {
	var b bytes.Buffer
	width := panelWidth * len(panels)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Cost of a mesh with 10 to 10,000 agents; docs/mesh.md has the numbers">`+"\n",
		width, panelHeight, width, panelHeight)
	fmt.Fprintf(&b, "<style>text{font:11.5px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:%s}.faint{fill:%s}.title{font-weight:600}polyline{fill:none;stroke-width:2}</style>\n", t.ink, t.faint)
	for i, p := range panels {
		from := i * panelWidth
		most := 0.0
		for _, row := range r.Rows {
			most = max(most, p.value(row))
		}
		fmt.Fprintf(&b, `<text class="title" x="%d" y="16">%s</text>`, from+left, html.EscapeString(p.title))
		fmt.Fprintf(&b, `<text class="faint" x="%d" y="32">up to %.3g</text>`+"\n", from+left, most)
		x := func(agents int) float64 {
			return float64(from+left) + (math.Log10(float64(agents))-1)/3*(panelWidth-3*left)
		}
		y := func(value float64) float64 { return panelHeight - bottom - value/most*(panelHeight-top-bottom) }
		fmt.Fprintf(&b, `<line x1="%.0f" x2="%.0f" y1="%.0f" y2="%.0f" stroke="%s"/>`, x(10), x(10_000), y(0), y(0), t.faint)
		for _, agents := range []int{10, 100, 1_000, 10_000} {
			fmt.Fprintf(&b, `<text class="faint" text-anchor="middle" x="%.0f" y="%d">%d</text>`, x(agents), panelHeight-28, agents)
		}
		for _, line := range []struct {
			nodes  int
			colour string
		}{{1, t.one}, {3, t.three}} {
			var points []string
			for _, row := range r.Rows {
				if row.Nodes == line.nodes {
					points = append(points, fmt.Sprintf("%.1f,%.1f", x(row.Agents), y(p.value(row))))
				}
			}
			fmt.Fprintf(&b, `<polyline points="%s" stroke="%s"/>`, strings.Join(points, " "), line.colour)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" style="fill:%s">one node</text><text x="%d" y="%d" style="fill:%s">three</text>`+"\n</svg>\n",
		left, panelHeight-6, t.one, left+64, panelHeight-6, t.three)
	return b.Bytes()
}
