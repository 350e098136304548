package report

import (
	"bytes"
	"fmt"
	"html"
	"strings"
)

// theme are the colours of a chart, and where it lies from the repository's root.
type theme struct{ file, ink, faint, mine, other, line string }

var chartThemes = []theme{
	{"docs/performance-light.svg", "#1f2328", "#59636e", "#0969da", "#afb8c1", "#1f2328"},
	{"docs/performance-dark.svg", "#f0f6fc", "#9198a1", "#4493f8", "#656c76", "#f0f6fc"},
}

// Lengths in a chart, in pixels.
const (
	chartWidth   = 840
	columnWidth  = chartWidth / 3
	labelWidth   = 104 // the end of labels, and 6 before the bars
	barsFrom     = labelWidth + 6
	barMax       = 118 // the longest bar of a panel
	barHeight    = 11
	barPitch     = 17
	titleHeight  = 26
	sectionSpace = 14
	noteHeight   = 15
)

// svg draws sections below each other, the panels of one beside each other.
func svg(sections []section, c theme) []byte {
	var b bytes.Buffer
	y := 40
	for _, s := range sections {
		y += sectionHeight(s)
	}
	height := y + noteHeight*len(chartNotes) + 4
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n",
		chartWidth, height, chartWidth, height, "SDP and MXP beside other libraries in Go, Rust and C++; docs/performance.md has the numbers")
	fmt.Fprintf(&b, "<style>\ntext{font:11.5px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:%s}\n"+
		".head{font-size:15px;font-weight:600}.title{font-size:12.5px;font-weight:600}.faint{fill:%s}.name{text-anchor:end}"+
		".mine{font-weight:700}\n.bar{fill:%s}.our{fill:%s}.error{stroke:%s;stroke-width:1.5}.rule{stroke:%s;stroke-opacity:.4}\n</style>\n",
		c.ink, c.faint, c.other, c.mine, c.line, c.other)
	for i, language := range chartLanguages {
		fmt.Fprintf(&b, `<text class="head" x="%d" y="20">%s</text>`+"\n", i*columnWidth+barsFrom, language)
	}
	y = 36
	for _, s := range sections {
		drawSection(&b, s, y)
		y += sectionHeight(s)
	}
	for i, note := range chartNotes {
		fmt.Fprintf(&b, `<text class="faint" x="2" y="%d">%s</text>`+"\n", y+noteHeight*(i+1), html.EscapeString(note))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func sectionHeight(s section) int {
	most := 0
	for _, p := range s.panels {
		most = max(most, len(p))
	}
	return titleHeight + most*barPitch + sectionSpace
}

func drawSection(b *bytes.Buffer, s section, y int) {
	fmt.Fprintf(b, `<line class="rule" x1="0" x2="%d" y1="%d" y2="%d"/>`+"\n", chartWidth, y, y)
	fmt.Fprintf(b, `<text class="title" x="2" y="%d">%s <tspan class="faint" font-weight="400">%s</tspan></text>`+"\n",
		y+17, html.EscapeString(s.title), html.EscapeString(s.unit))
	for i, p := range s.panels {
		x := i * columnWidth
		if len(p) == 0 {
			fmt.Fprintf(b, `<text class="faint" x="%d" y="%d">not measured</text>`+"\n", x+barsFrom, y+titleHeight+10)
		}
		longest := 0.0
		for _, one := range p {
			longest = max(longest, one.value.reach())
		}
		for j, one := range p {
			drawBar(b, one, x, y+titleHeight+j*barPitch, barMax/longest)
		}
	}
}

// reach is where a bar and the line across its end are over.
func (i Interval) reach() float64 {
	if i.Samples > 0 {
		return i.Median
	}
	return max(i.Median, i.High)
}

// drawBar draws a bar whose value is so many pixels for each unit long.
func drawBar(b *bytes.Buffer, one bar, x, y int, scale float64) {
	name, fill := "name", "bar"
	if one.mine {
		name, fill = "name mine", "our"
	}
	from, middle := x+barsFrom, float64(y)+barHeight/2.0
	fmt.Fprintf(b, `<text class="%s" x="%d" y="%d">%s</text>`, name, x+labelWidth, y+barHeight-1, html.EscapeString(shortName(one.label)))
	fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="%s" height="%d" rx="1.5"/>`, fill, from, y, pixels(one.value.Median*scale), barHeight)
	if one.value.Samples == 0 {
		fmt.Fprintf(b, `<line class="error" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`,
			pixels(float64(from)+one.value.Low*scale), pixels(float64(from)+one.value.High*scale), middle, middle)
	}
	end := pixels(float64(from) + one.value.reach()*scale + 5)
	mine := ""
	if one.mine {
		mine = ` class="mine"`
	}
	fmt.Fprintf(b, `<text%s x="%s" y="%d">%s</text>`+"\n", mine, end, y+barHeight-1, Number(one.value.Median))
}

// shortName is a label that fits before a bar.
func shortName(label string) string {
	return strings.NewReplacer("sdp, everything on", "sdp, all forms", "protobuf-go + vtprotobuf", "vtprotobuf", "protobuf-arena", "protobuf, arena").Replace(label)
}

func pixels(v float64) string { return fmt.Sprintf("%.2f", v) }
