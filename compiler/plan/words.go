package plan

import "github.com/serial-data-protocol/sdp/compiler/ir"

// Words spell a type as a layout text does, by itself: #0 is any declared type.
func Words(t *ir.Type) string {
	if t.Decl != nil {
		return "#0"
	}
	text := word(t, maxMark(t))
	for _, part := range parts(t) {
		text += " " + Words(part)
	}
	return text
}
