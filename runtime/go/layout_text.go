package sdp

import (
	"slices"
	"strings"
)

// LayoutBlocks is a layout text of any origin, by its blocks. A block is parsed when it is asked
// for: a peer's text may have thousands that no type names. It is for MXP.
type LayoutBlocks struct {
	text   string
	starts []int // of the blocks
	parsed map[int]*textBlock
	names  map[string]int // the places of the first blocks of names, once one was looked for
}

// textBlock is the form of a declared type on the wire [EVO-5.3].
type textBlock struct {
	kind    string // "struct", "message", "enum" or "union"
	name    string
	base    string // of an enum
	closed  bool
	members []textMember
	ends    []int // how many fields stand before the end of a segment, ascending
	// Where the first member of a name stands, and the first of a number: a peer's
	// block may have thousands.
	names, numbers map[string]int
}

// textMember is a field, a member of an enum, or an alternative.
type textMember struct {
	name   string
	number string   // of a member, or the tag of an alternative
	words  []string // the type of a field, or of an alternative's payload
}

// NewLayoutBlocks finds the blocks of a text. A text that is no layout text gives blocks too, which
// differ from the blocks of any layout text.
func NewLayoutBlocks(text string) *LayoutBlocks {
	l := &LayoutBlocks{text: strings.TrimSuffix(text, "\n"), parsed: map[int]*textBlock{}}
	for at := 0; ; {
		if at == len(l.text) || l.text[at] != ' ' && l.text[at] != '@' {
			l.starts = append(l.starts, at)
		}
		line := strings.IndexByte(l.text[at:], '\n')
		if line < 0 {
			return l
		}
		at += line + 1
	}
}

// Names are the names of the blocks.
func (l *LayoutBlocks) Names() []string {
	names := make([]string, len(l.starts))
	for i, start := range l.starts {
		line, _, _ := strings.Cut(l.text[start:], "\n")
		names[i] = blockName(line)
	}
	return names
}

// Lines are the lines of a block.
func (l *LayoutBlocks) Lines(place int) []string {
	return strings.Split(l.text[l.starts[place]:l.end(place)], "\n")
}

// end is where a block ends.
func (l *LayoutBlocks) end(place int) int {
	if place+1 < len(l.starts) {
		return l.starts[place+1] - 1
	}
	return len(l.text)
}

// block gives the block at a place.
func (l *LayoutBlocks) block(place int) *textBlock {
	if b := l.parsed[place]; b != nil {
		return b
	}
	lines := l.Lines(place)
	b := newTextBlock(append(strings.Split(lines[0], " "), "", "", "", ""))
	for _, line := range lines[1:] {
		if member, is := strings.CutPrefix(line, " "); is {
			b.add(strings.Split(member, " "))
		} else {
			b.end()
		}
	}
	l.parsed[place] = b
	return b
}

// named gives the place of the first block of a name, or -1.
func (l *LayoutBlocks) named(name string) int {
	if l.names == nil {
		l.names = map[string]int{}
		for place, start := range l.starts {
			if end := l.end(place); end-start < len("0 k n") {
				continue
			}
			line, _, _ := strings.Cut(l.text[start:], "\n")
			if name := blockName(line); name != "" && placeOf(l.names, name) < 0 {
				l.names[name] = place
			}
		}
	}
	return placeOf(l.names, name)
}

// blockName is the name in the first line of a block.
func blockName(line string) string {
	_, line, _ = strings.Cut(line, " ")
	_, line, _ = strings.Cut(line, " ")
	name, _, _ := strings.Cut(line, " ")
	return name
}

// newTextBlock makes a block of the words of its first line, which are at least five.
func newTextBlock(words []string) *textBlock {
	b := &textBlock{kind: words[1], name: words[2], names: map[string]int{}, numbers: map[string]int{}}
	switch b.kind {
	case "enum":
		b.base, b.closed = words[3], words[4] == "closed"
	case "union":
		b.closed = words[3] == "closed"
	}
	return b
}

// add adds a member, by the words of its line.
func (b *textBlock) add(words []string) {
	m := textMember{name: words[0], words: words[1:]}
	if (b.kind == "enum" || b.kind == "union") && len(m.words) > 0 {
		m.number, m.words = m.words[0], m.words[1:]
	}
	at := len(b.members)
	if b.find(m.name) < 0 {
		b.names[m.name] = at
	}
	if b.numbered(m.number) < 0 {
		b.numbers[m.number] = at
	}
	b.members = append(b.members, m)
}

// end adds an end of a segment behind the fields that are there.
func (b *textBlock) end() {
	if at := len(b.members); !b.ended(at) {
		b.ends = append(b.ends, at)
	}
}

// ended reports whether a segment ends in front of a field.
func (b *textBlock) ended(field int) bool {
	_, found := slices.BinarySearch(b.ends, field)
	return found
}

// String is the kind of the block with the words behind it.
func (b *textBlock) String() string {
	text := b.kind
	if b.base != "" {
		text += " " + b.base
	}
	if b.closed {
		text = "closed " + text
	}
	return text
}

// find gives the place of the member of a name, or -1.
func (b *textBlock) find(name string) int { return placeOf(b.names, name) }

// numbered gives the place of the member of a number, or -1.
func (b *textBlock) numbered(number string) int { return placeOf(b.numbers, number) }

func placeOf(places map[string]int, key string) int {
	if at, known := places[key]; known {
		return at
	}
	return -1
}

// segment is the number of the segment that a field is in.
func (b *textBlock) segment(field int) int {
	ends, _ := slices.BinarySearch(b.ends, field+1)
	return ends + 1
}

// place gives the place of the block that a word of a type names, or -1.
func (l *LayoutBlocks) place(word string) int {
	if n := LayoutReference(word); n < len(l.starts) {
		return n
	}
	return -1
}

// LayoutReference is the number in a word that may name a block, or -1.
func LayoutReference(word string) int {
	digits, ok := strings.CutPrefix(word, "#")
	if !ok || digits == "" || len(digits) > 6 {
		return -1
	}
	n := 0
	for _, digit := range []byte(digits) {
		if digit < '0' || digit > '9' {
			return -1
		}
		n = 10*n + int(digit-'0')
	}
	return n
}

// spell writes a type with the names of blocks in the places of their numbers. Words beyond the
// greatest length of a difference are left out: a short text may name a long name often.
func (l *LayoutBlocks) spell(words []string) string {
	if len(words) == 0 {
		return layoutNothing
	}
	var spelled strings.Builder
	for i, word := range words {
		if spelled.Len() > differenceBytes {
			break
		}
		if i > 0 {
			spelled.WriteByte(' ')
		}
		if n := l.place(word); n >= 0 {
			word = l.block(n).name
		}
		spelled.WriteString(word)
	}
	return spelled.String()
}

// IsLayoutText reports whether a text may be a layout text: it has a first block, and is
// ASCII.
func IsLayoutText(text string) bool {
	for _, c := range []byte(text) {
		if c != '\n' && (c < ' ' || c > '~') {
			return false
		}
	}
	return strings.HasPrefix(text, "0 ")
}
