package report

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// theme are the colours of a chart, for pages of a name.
type theme struct{ name, ink, faint, mine, other, line string }

var chartThemes = []theme{
	{"light", "#1f2328", "#59636e", "#0969da", "#afb8c1", "#1f2328"},
	{"dark", "#f0f6fc", "#9198a1", "#4493f8", "#656c76", "#f0f6fc"},
}

// layout is where the parts of a chart are. Lengths are in pixels.
type layout struct {
	name   string // within the names of files
	width  int
	column int // from a language to the next one; 0 where languages stand below each other
	labels int // the end of labels
	most   int // the longest bar
	note   int // the letters of a line below the chart
}

// chartLayouts are the chart for wide pages, and for telephones.
var chartLayouts = []layout{
	{"", 840, 280, 104, 118, 200},
	{"-narrow", 360, 0, 128, 172, 54},
}

// file is where a chart lies from the repository's root.
func (l layout) file(c theme) string { return "docs/performance" + l.name + "-" + c.name + ".svg" }

// bars is where bars begin.
func (l layout) bars() int { return l.labels + 6 }

// Lengths in a chart, in pixels.
const (
	barHeight    = 11
	barPitch     = 17
	titleHeight  = 26
	panelSpace   = 6
	sectionSpace = 14
	noteHeight   = 15
)

// places are where the panels of a section begin, below its title, and how high all are.
func (l layout) places(s section) (x, y [len(chartLanguages)]int, height int) {
	for i, p := range s.panels {
		rows := max(len(p), 1) * barPitch
		if l.column > 0 {
			x[i], height = i*l.column, max(height, rows)
			continue
		}
		if i > 0 {
			height += panelSpace
		}
		y[i] = height
		height += rows
	}
	return x, y, height
}

// svg draws sections below each other, the panels of a section as the layout has them.
func (l layout) svg(sections []section, c theme) []byte {
	var b bytes.Buffer
	if l.column > 0 {
		for i, language := range chartLanguages {
			fmt.Fprintf(&b, `<text class="head" x="%d" y="20">%s</text>`+"\n", i*l.column+l.bars(), language)
		}
	}
	y := 0
	if l.column > 0 {
		y = 36
	}
	for _, s := range sections {
		y += l.drawSection(&b, s, y)
	}
	for _, note := range chartNotes {
		for _, line := range lines(note, l.note) {
			y += noteHeight
			fmt.Fprintf(&b, `<text class="faint" x="2" y="%d">%s</text>`+"\n", y, html.EscapeString(line))
		}
	}
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n",
		l.width, y+8, l.width, y+8, "SDP and MXP beside other libraries in Go, Rust and C++; docs/performance.md has the numbers")
	head += fmt.Sprintf("<style>\ntext{font:%spx system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:%s}\n"+
		".head{font-size:15px;font-weight:600}.title{font-size:12.5px;font-weight:600}.faint{fill:%s}.name{text-anchor:end}"+
		".mine{font-weight:700}\n.bar{fill:%s}.our{fill:%s}.error{stroke:%s;stroke-width:1.5}.rule{stroke:%s;stroke-opacity:.4}\n</style>\n",
		letterSize, c.ink, c.faint, c.other, c.mine, c.line, c.other)
	return append(append([]byte(head), b.Bytes()...), "</svg>\n"...)
}

// letterSize is the height of the smallest letters, in pixels.
const letterSize = "11.5"

// lines breaks a text between words, each line with so many letters at most.
func lines(text string, most int) (all []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > most {
			all, line = append(all, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(all, line)
}

// drawSection draws a section, and gives its height.
func (l layout) drawSection(b *bytes.Buffer, s section, y int) int {
	fmt.Fprintf(b, `<line class="rule" x1="0" x2="%d" y1="%d" y2="%d"/>`+"\n", l.width, y, y)
	fmt.Fprintf(b, `<text class="title" x="2" y="%d">%s <tspan class="faint" font-weight="400">%s</tspan></text>`+"\n",
		y+17, html.EscapeString(s.title), html.EscapeString(s.unit))
	left, top, height := l.places(s)
	for i, p := range s.panels {
		x, top := left[i], y+titleHeight+top[i]
		if l.column == 0 {
			fmt.Fprintf(b, `<text class="mine" x="2" y="%d">%s</text>`+"\n", top+barHeight-1, chartLanguages[i])
		}
		if len(p) == 0 {
			fmt.Fprintf(b, `<text class="faint" x="%d" y="%d">not measured</text>`+"\n", x+l.bars(), top+barHeight-1)
		}
		longest := 0.0
		for _, one := range p {
			longest = max(longest, one.value.reach())
		}
		for j, one := range p {
			l.drawBar(b, one, x, top+j*barPitch, float64(l.most)/longest)
		}
	}
	return titleHeight + height + sectionSpace
}

// reach is where a bar and the line across its end are over.
func (i Interval) reach() float64 {
	if i.Samples > 0 {
		return i.Median
	}
	return max(i.Median, i.High)
}

// drawBar draws a bar whose value is so many pixels for each unit long.
func (l layout) drawBar(b *bytes.Buffer, row bar, x, y int, scale float64) {
	name, fill := "name", "bar"
	if row.mine {
		name, fill = "name mine", "our"
	}
	from, middle := x+l.bars(), float64(y)+barHeight/2.0
	fmt.Fprintf(b, `<text class="%s" x="%d" y="%d">%s</text>`, name, x+l.labels, y+barHeight-1, html.EscapeString(shortName(row.label)))
	fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="%s" height="%d" rx="1.5"/>`, fill, from, y, pixels(row.value.Median*scale), barHeight)
	if row.value.Samples == 0 {
		fmt.Fprintf(b, `<line class="error" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`,
			pixels(float64(from)+row.value.Low*scale), pixels(float64(from)+row.value.High*scale), middle, middle)
	}
	end := pixels(float64(from) + row.value.reach()*scale + 5)
	mine := ""
	if row.mine {
		mine = ` class="mine"`
	}
	fmt.Fprintf(b, `<text%s x="%s" y="%d">%s</text>`+"\n", mine, end, y+barHeight-1, Number(row.value.Median))
}

// shortName is a label that fits before a bar.
func shortName(label string) string {
	return strings.NewReplacer("sdp, everything on", "sdp, all forms", "protobuf-go + vtprotobuf", "vtprotobuf", "protobuf-arena", "protobuf, arena").Replace(label)
}

func pixels(v float64) string { return fmt.Sprintf("%.2f", v) }
