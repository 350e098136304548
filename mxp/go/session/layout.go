package session

import (
	"slices"
	"strings"
)

// layout is a layout text, by its blocks. A block is parsed when it is asked for: a peer's
// text may have thousands that no type names.
type layout struct {
	text   string
	starts []int // of the blocks
	parsed map[int]*block
	names  map[string]int // the places of the first blocks of names, once one was looked for
}

// block says what a declared type is on the wire [EVO-5.3].
type block struct {
	kind    string // "struct", "message", "enum" or "union"
	name    string
	base    string // of an enum
	closed  bool
	members []member
	ends    []int // how many fields stand before the end of a segment, ascending
	// Where the first member of a name stands, and the first of a number: a peer's
	// block may have thousands.
	names, numbers map[string]int
}

// member is a field, a member of an enum, or an alternative.
type member struct {
	name   string
	number string   // of a member, or the tag of an alternative
	words  []string // the type of a field, or of an alternative's payload
}

// newLayout finds the blocks of a text. A text that is no layout text gives blocks too, which
// differ from those of one.
func newLayout(text string) *layout {
	l := &layout{text: strings.TrimSuffix(text, "\n"), parsed: map[int]*block{}}
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

// lines are the lines of a block.
func (l *layout) lines(place int) []string {
	return strings.Split(l.text[l.starts[place]:l.end(place)], "\n")
}

// end is where a block ends.
func (l *layout) end(place int) int {
	if place+1 < len(l.starts) {
		return l.starts[place+1] - 1
	}
	return len(l.text)
}

// block gives the block at a place.
func (l *layout) block(place int) *block {
	if b := l.parsed[place]; b != nil {
		return b
	}
	lines := l.lines(place)
	b := newBlock(append(strings.Split(lines[0], " "), "", "", "", ""))
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
func (l *layout) named(name string) int {
	if l.names == nil {
		l.names = map[string]int{}
		for place, start := range l.starts {
			if end := l.end(place); end-start < len("0 k n") {
				continue
			}
			line, _, _ := strings.Cut(l.text[start:], "\n")
			if name := nameOf(line); name != "" && placeOf(l.names, name) < 0 {
				l.names[name] = place
			}
		}
	}
	return placeOf(l.names, name)
}

// nameOf is the name in the first line of a block.
func nameOf(line string) string {
	_, line, _ = strings.Cut(line, " ")
	_, line, _ = strings.Cut(line, " ")
	name, _, _ := strings.Cut(line, " ")
	return name
}

// newBlock makes a block of the words of its first line, which are at least five.
func newBlock(words []string) *block {
	b := &block{kind: words[1], name: words[2], names: map[string]int{}, numbers: map[string]int{}}
	switch b.kind {
	case "enum":
		b.base, b.closed = words[3], words[4] == "closed"
	case "union":
		b.closed = words[3] == "closed"
	}
	return b
}

// add adds a member, by the words of its line.
func (b *block) add(words []string) {
	m := member{name: words[0], words: words[1:]}
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
func (b *block) end() {
	if at := len(b.members); !b.ended(at) {
		b.ends = append(b.ends, at)
	}
}

// ended reports whether a segment ends in front of a field.
func (b *block) ended(field int) bool {
	_, found := slices.BinarySearch(b.ends, field)
	return found
}

// String is what the block is a block of.
func (b *block) String() string {
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
func (b *block) find(name string) int { return placeOf(b.names, name) }

// numbered gives the place of the member of a number, or -1.
func (b *block) numbered(number string) int { return placeOf(b.numbers, number) }

func placeOf(places map[string]int, key string) int {
	if at, known := places[key]; known {
		return at
	}
	return -1
}

// segment is the number of the segment that a field is in.
func (b *block) segment(field int) int {
	ends, _ := slices.BinarySearch(b.ends, field+1)
	return ends + 1
}

// place gives the place of the block that a word of a type names, or -1.
func (l *layout) place(word string) int {
	if n := reference(word); n < len(l.starts) {
		return n
	}
	return -1
}

// reference is the number in a word that may name a block, or -1.
func reference(word string) int {
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

// spell writes a type with the names of blocks in the places of their numbers. What
// would be behind the bytes of a difference is left out: a short text may name a long
// name often.
func (l *layout) spell(words []string) string {
	if len(words) == 0 {
		return nothing
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

// isText reports whether a text may be a layout text: it has a first block, and is
// ASCII.
func isText(text string) bool {
	for _, c := range []byte(text) {
		if c != '\n' && (c < ' ' || c > '~') {
			return false
		}
	}
	return strings.HasPrefix(text, "0 ")
}
