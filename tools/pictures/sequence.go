package main

import "strings"

// sequence is what programs send each other, from top to bottom.
type sequence struct {
	// actors are the programs, from left to right.
	actors []string
	steps  []step
	// room is the distance of two actors, and margin that of the first from the edge.
	room, margin float64
}

// step is a message between neighbours, or a note.
type step struct {
	source, target int
	text           string
	look           string
	// opposite is the text of a message that goes the other way at the same time.
	opposite string
	// note stands in a box on the lines of the actors from the source to the target.
	note bool
	// last ends the actors' lines below the note.
	last bool
	// state is what holds at the first actor afterwards.
	state string
}

const (
	headHeight = 42
	half       = 76 // half is that of the width of heads and notes.
	stepHeight = 38
	crossing   = 22 // crossing is how far messages sink that pass each other.
)

func (s *sequence) draw(sheet *canvas) {
	x := func(actor int) float64 { return s.margin + float64(actor)*s.room }
	began, ended := make([]float64, len(s.actors)), make([]bool, len(s.actors))
	for i, name := range s.actors {
		head := sized(x(i)-half, edge, 2*half, headHeight)
		sheet.rect(head, plain)
		sheet.center(head, name)
		began[i] = head.bottom
	}
	y := float64(edge + headHeight)
	for _, one := range s.steps {
		source, target := x(one.source), x(one.target)
		if one.note {
			y += 14
			frame := area{min(source, target) - half, y, max(source, target) + half, y + 14 + float64(pitch*(1+strings.Count(one.text, "\n")))}
			for i := min(one.source, one.target); i <= max(one.source, one.target); i++ {
				sheet.line(point{x(i), began[i]}, point{x(i), frame.top}, faint)
				began[i] = frame.bottom
				ended[i] = one.last
			}
			sheet.rect(frame, one.look)
			sheet.text((frame.left+frame.right)/2, frame.top+20, "middle", labelOf(one.look), one.text)
			y = frame.bottom
			continue
		}
		y += stepHeight
		if one.opposite != "" {
			sheet.line(point{source, y}, point{target, y + crossing}, one.look, "end")
			sheet.line(point{target, y}, point{source, y + crossing}, one.look, "end")
			sheet.text(source+8, y-6, "start", labelOf(one.look), one.text)
			sheet.text(target-8, y-6, "end", labelOf(one.look), one.opposite)
			y += crossing
		} else {
			sheet.line(point{source, y}, point{target, y}, one.look, "end")
			sheet.text((source+target)/2, y-6, "middle", labelOf(one.look), one.text)
		}
		if one.state != "" {
			sheet.text(x(0)-10, y+4, "end", faint, one.state)
		}
	}
	for i := range s.actors {
		if !ended[i] {
			sheet.line(point{x(i), began[i]}, point{x(i), y + 16}, faint)
		}
	}
}
