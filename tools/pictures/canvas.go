package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// theme has the colours for light or dark pages.
type theme struct{ name, text, faint, line, accent, warn string }

var themes = []theme{
	{"light", "#1f2328", "#59636e", "#8c959f", "#0969da", "#bc4c00"},
	{"dark", "#f0f6fc", "#9198a1", "#656c76", "#4493f8", "#db6d28"},
}

// Looks of lines, boxes and texts, by the names of their classes.
const (
	plain  = ""
	bold   = "bold"
	faint  = "faint"
	accent = "accent"
	warn   = "warn"
	dashed = "dashed"
	lane   = "lane"
	mono   = "mono"
)

const (
	fontSize = 13
	pitch    = 17 // pitch is the distance between two lines of text.
	edge     = 4  // edge is the room around a picture.
)

// area is a rectangle.
type area struct{ left, top, right, bottom float64 }

// has reports whether a point is inside.
func (a area) has(p point) bool {
	return p.x > a.left && p.x < a.right && p.y > a.top && p.y < a.bottom
}

// meets reports whether two areas have a point in common.
func (a area) meets(b area) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

type point struct{ x, y float64 }

// caption is a text with the place that it takes in a wide font.
type caption struct {
	text string
	area area
}

// canvas collects what is drawn. It remembers the places of texts and lines, so that a test finds overlaps.
type canvas struct {
	out           strings.Builder
	captions      []caption
	ink           []point
	width, height float64
}

// widthOf is the most that a text takes.
func widthOf(text string) float64 { return 0.6 * fontSize * float64(len([]rune(text))) }

// text writes lines, the first of them with its baseline at y. The anchor is start, middle or end.
func (c *canvas) text(x, y float64, anchor, look, text string) {
	for i, line := range strings.Split(text, "\n") {
		at := y + float64(i*pitch)
		left := x - map[string]float64{"start": 0, "middle": 0.5, "end": 1}[anchor]*widthOf(line)
		c.captions = append(c.captions, caption{line, area{left, at - 10, left + widthOf(line), at + 3}})
		c.grow(left+widthOf(line), at+3)
		fmt.Fprintf(&c.out, "<text%s%s x=\"%g\" y=\"%g\">%s</text>\n", class(look), attribute("text-anchor", anchor, "start"), x, at, html.EscapeString(line))
	}
}

// line draws a line, with a head at its end where it is an arrow.
func (c *canvas) line(source, target point, look string, heads ...string) {
	c.trace(source, target)
	var markers string
	for _, head := range heads {
		markers += fmt.Sprintf(" marker-%s=\"url(#%s)\"", head, headOf(look))
	}
	fmt.Fprintf(&c.out, "<path%s d=\"M%g %gL%g %g\"%s/>\n", class(look), source.x, source.y, target.x, target.y, markers)
}

// rect draws a box.
func (c *canvas) rect(a area, look string) {
	for _, side := range [][2]point{
		{{a.left, a.top}, {a.right, a.top}}, {{a.left, a.bottom}, {a.right, a.bottom}},
		{{a.left, a.top}, {a.left, a.bottom}}, {{a.right, a.top}, {a.right, a.bottom}},
	} {
		c.trace(side[0], side[1])
	}
	fmt.Fprintf(&c.out, "<rect%s x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"4\"/>\n", class(look), a.left, a.top, a.right-a.left, a.bottom-a.top)
}

// trace remembers points of a line.
func (c *canvas) trace(source, target point) {
	n := math.Ceil(math.Hypot(target.x-source.x, target.y-source.y)/2) + 1
	for i := range int(n) {
		part := float64(i) / n
		c.ink = append(c.ink, point{source.x + part*(target.x-source.x), source.y + part*(target.y-source.y)})
	}
	c.grow(max(source.x, target.x), max(source.y, target.y))
}

// grow makes the picture as large as its content.
func (c *canvas) grow(right, bottom float64) {
	c.width, c.height = max(c.width, math.Ceil(right)), max(c.height, math.Ceil(bottom))
}

// center writes lines into the middle of a box: the first in bold.
func (c *canvas) center(a area, text string) {
	title, rest, more := strings.Cut(text, "\n")
	x, y := (a.left+a.right)/2, (a.top+a.bottom)/2+4.5-float64(strings.Count(text, "\n")*pitch)/2
	c.text(x, y, "middle", bold, title)
	if more {
		c.text(x, y+pitch, "middle", plain, rest)
	}
}

// svg is the whole picture.
func (c *canvas) svg(label string, colours theme) string {
	var out strings.Builder
	width, height := c.width+edge, c.height+edge
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\" aria-label=\"%s\">\n", width, height, width, height, html.EscapeString(label))
	fmt.Fprint(&out, "<!-- drawn by go run ./tools/pictures -->\n<style>\n")
	fmt.Fprintf(&out, "text{font:%dpx system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:%s}\n", fontSize, colours.text)
	fmt.Fprintf(&out, "text.bold{font-weight:600}text.faint{fill:%s}text.accent{fill:%s}text.warn{fill:%s}\n", colours.faint, colours.accent, colours.warn)
	fmt.Fprintf(&out, "text.mono{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px}\n")
	fmt.Fprintf(&out, "path{stroke:%s;stroke-width:1.5;fill:none}path.accent{stroke:%s}path.warn{stroke:%s}path.faint{stroke-dasharray:3 4;stroke-width:1}\n", colours.line, colours.accent, colours.warn)
	fmt.Fprintf(&out, "rect{stroke:%s;fill:%s;fill-opacity:.08}rect.accent{stroke:%s;fill:%s;fill-opacity:.1}rect.warn{stroke:%s;fill:%s;fill-opacity:.1}\n", colours.line, colours.line, colours.accent, colours.accent, colours.warn, colours.warn)
	fmt.Fprintf(&out, "rect.dashed{stroke-dasharray:4 3;fill:none}rect.lane{stroke-opacity:.4;fill-opacity:.05}\n</style>\n<defs>")
	for _, look := range []string{plain, accent, warn} {
		colour := map[string]string{plain: colours.line, accent: colours.accent, warn: colours.warn}[look]
		fmt.Fprintf(&out, "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path style=\"stroke:none;fill:%s\" d=\"M0 0 8 4 0 8z\"/></marker>", headOf(look), colour)
	}
	return out.String() + "</defs>\n" + c.out.String() + "</svg>\n"
}

// headOf is the marker of an arrow with a look.
func headOf(look string) string {
	if look == accent || look == warn {
		return "head-" + look
	}
	return "head"
}

func class(look string) string { return attribute("class", look, plain) }

// attribute is one of an element, or nothing where the value is the default.
func attribute(name, value, standard string) string {
	if value == standard {
		return ""
	}
	return fmt.Sprintf(" %s=\"%s\"", name, value)
}
