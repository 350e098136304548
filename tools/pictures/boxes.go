package main

import (
	"fmt"
	"strings"
)

// box is a rectangle with lines of text; the first line is its title.
type box struct {
	name string
	text string
	area area
	look string
}

// arrow leads from a box to another, straight: the two face each other. Its label stands above it, or to the
// right of one that is vertical.
type arrow struct {
	source, target string
	label          string
	look           string
	// shift moves it from the middle of what faces.
	shift float64
	// slide moves the label along a horizontal arrow.
	slide float64
	// mutual arrows have two heads.
	mutual bool
}

// boxes is a picture of boxes with arrows.
type boxes struct {
	boxes  []box
	arrows []arrow
	// notes are texts in no box.
	notes []note
}

// note is a text by itself.
type note struct {
	at   point
	look string
	text string
}

// sized is an area by its corner and its size.
func sized(left, top, width, height float64) area {
	return area{left, top, left + width, top + height}
}

func (b *boxes) draw(sheet *canvas) {
	all := map[string]area{}
	for _, one := range b.boxes {
		all[one.name] = one.area
		sheet.rect(one.area, one.look)
		if one.look == lane {
			sheet.text(one.area.left+10, one.area.top+18, "start", faint, one.text)
		} else {
			sheet.center(one.area, one.text)
		}
	}
	for _, a := range b.arrows {
		a.draw(sheet, all)
	}
	for _, n := range b.notes {
		sheet.text(n.at.x, n.at.y, "start", n.look, n.text)
	}
}

func (a *arrow) draw(sheet *canvas, all map[string]area) {
	source, sourceIs := all[a.source]
	target, targetIs := all[a.target]
	if !sourceIs || !targetIs {
		panic(fmt.Sprintf("an arrow from %q to %q, of which one is no box", a.source, a.target))
	}
	heads := []string{"end"}
	if a.mutual {
		heads = []string{"start", "end"}
	}
	if top, bottom := max(source.top, target.top), min(source.bottom, target.bottom); top < bottom {
		y := (top+bottom)/2 + a.shift
		left, right := source.right, target.left
		if left > right {
			left, right = source.left, target.right
		}
		sheet.line(point{left, y}, point{right, y}, a.look, heads...)
		above, below, _ := strings.Cut(a.label, "\n")
		sheet.text((left+right)/2+a.slide, y-6, "middle", labelOf(a.look), above)
		if below != "" {
			sheet.text((left+right)/2+a.slide, y+16, "middle", labelOf(a.look), below)
		}
		return
	}
	left, right := max(source.left, target.left), min(source.right, target.right)
	if left >= right {
		panic(fmt.Sprintf("boxes %q and %q do not face each other", a.source, a.target))
	}
	x, top, bottom := (left+right)/2+a.shift, source.bottom, target.top
	if top > bottom {
		top, bottom = source.top, target.bottom
	}
	sheet.line(point{x, top}, point{x, bottom}, a.look, heads...)
	sheet.text(x+7, (top+bottom)/2+4-float64(strings.Count(a.label, "\n")*pitch)/2, "start", labelOf(a.look), a.label)
}

// labelOf is the look of a text beside a line.
func labelOf(look string) string {
	if look == plain || look == dashed {
		return plain
	}
	return look
}
