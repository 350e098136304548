package sdp

import (
	"strconv"
	"strings"
)

// LayoutPart is what layout texts say of one declared type [EVO-5.3]. It is for
// generated code.
type LayoutPart struct {
	text  string
	types []Described
}

// NewLayoutPart makes the part of a type from the text of its block. The text has no numbers of
// blocks: neither its own, nor a number behind a #. Each # stands for the next of the types, which
// are nil pointers.
func NewLayoutPart(text string, types ...Described) LayoutPart { return LayoutPart{text, types} }

// Described is a pointer to a declared type of a schema. It is for generated code.
type Described interface{ SDPLayout() LayoutPart }

// joinLayout makes the canonical layout text of a type and of all that it
// reaches [EVO-5.2].
func joinLayout(root Described) string {
	j := layoutJoin{numbers: map[Described]int{}}
	j.number(root)
	length := 0
	for _, part := range j.parts {
		length += len(part.text) + len("10 ") + len("10")*len(part.types)
	}
	text := make([]byte, 0, length)
	for i, part := range j.parts {
		text = append(strconv.AppendInt(text, int64(i), 10), ' ')
		block := part.text
		for _, named := range part.types {
			mark := strings.IndexByte(block, '#') + 1
			text = append(text, block[:mark]...)
			text = strconv.AppendInt(text, int64(j.numbers[named]), 10)
			block = block[mark:]
		}
		text = append(text, block...)
	}
	return string(text)
}

type layoutJoin struct {
	numbers map[Described]int
	parts   []LayoutPart // by number
}

// number gives types their numbers in order of first mention, depth first.
func (j *layoutJoin) number(typ Described) {
	if _, known := j.numbers[typ]; known {
		return
	}
	part := typ.SDPLayout()
	j.numbers[typ] = len(j.parts)
	j.parts = append(j.parts, part)
	for _, named := range part.types {
		j.number(named)
	}
}
