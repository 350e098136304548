package plan

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Place is the place of a field in the bytes of its body.
type Place struct {
	Field *ir.Field
	// Before is the size of the fields before it, so that its offset is from the smallest
	// to the largest of that.
	Before, Size Size
}

// Places are the places of all fields of a struct or message.
func (p *Program) Places(d ir.Decl) []Place {
	var places []Place
	before := fixedSize(0)
	for _, f := range ir.FieldsOf(d) {
		size := p.SizeOf(f.Type)
		places = append(places, Place{f, before, size})
		before = before.With(size)
	}
	return places
}

// Offset is the place in words: "4", "4 to 12" or "4 or more".
func (p Place) Offset() string {
	switch {
	case p.Before.Min == p.Before.Max && p.Before.Bounded:
		return fmt.Sprint(p.Before.Min)
	case p.Before.Bounded:
		return fmt.Sprintf("%d to %d", p.Before.Min, p.Before.Max)
	}
	return fmt.Sprintf("%d or more", p.Before.Min)
}

// Text is the size in words: "1 byte", "4 to 12 bytes" or "4 bytes or more".
func (s Size) Text() string {
	switch {
	case s.Bounded && s.Min == s.Max:
		return BytesText(s.Min)
	case s.Bounded:
		return fmt.Sprintf("%d to %s", s.Min, BytesText(s.Max))
	}
	return BytesText(s.Min) + " or more"
}

// BytesText is a number of bytes in words.
func BytesText(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
