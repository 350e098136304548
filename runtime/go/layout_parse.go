package sdp

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// layoutNestingMax is how many lists, arrays, maps and optionals a type
// expression may hold inside each other [LANG-3.7].
const layoutNestingMax = 64

// unbounded stands for a missing @max.
const unbounded = 1<<64 - 1

// parseLayout reads a layout text. It takes any text and refuses, with an
// error, one that a walk could not follow safely. Its cost is linear in the text.
func parseLayout(text string) (*layoutTable, error) {
	p := layoutParser{layoutTable: newLayoutTable(text)}
	for n := 1; text != ""; n++ {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended || !p.line(line) {
			return nil, errors.New("sdp: line " + strconv.Itoa(n) + " of the layout text is damaged")
		}
		text = rest
	}
	if !p.sound() {
		return nil, errors.New("sdp: the layout text describes no type")
	}
	p.sortNumbers()
	return &p.layoutTable, nil
}

// newLayoutTable is an empty table with room for all that the text can mean: a
// table that grows would take its memory twice [WIRE-8.9].
func newLayoutTable(text string) layoutTable {
	members := strings.Count(text, "\n ")
	blocks := strings.Count(text, "\n") - members - strings.Count(text, "\n@")
	// A block's first line has two spaces at least, a member's one that no type is
	// behind.
	types := max(0, strings.Count(text, " ")-2*blocks-members)
	return layoutTable{
		blocks:  make([]layoutBlock, 0, blocks),
		members: make([]layoutMember, 0, members),
		types:   make([]layoutType, 0, types),
	}
}

type layoutParser struct {
	layoutTable
	segment uint64 // of the fields that follow
	words   string // what is left of a type expression or a block's first line
}

func (p *layoutParser) line(line string) bool {
	switch {
	case strings.HasSuffix(line, " "):
		return false
	case strings.HasPrefix(line, " "):
		return len(p.blocks) > 0 && p.member(&p.blocks[len(p.blocks)-1], line[1:])
	case strings.HasPrefix(line, "@"):
		return len(p.blocks) > 0 && p.nextSegment(&p.blocks[len(p.blocks)-1], line[1:])
	}
	return p.block(line)
}

// block reads the first line of a block: number, kind, name and the words behind them.
func (p *layoutParser) block(line string) bool {
	p.words = line
	number, isNumber := decimal(p.nextWord(), 31)
	kind, name := p.nextWord(), p.nextWord()
	if !isNumber || number != uint64(len(p.blocks)) || name == "" {
		return false
	}
	b := layoutBlock{first: int32(len(p.members)), last: int32(len(p.members))}
	flag := "closed"
	switch kind {
	case "struct":
		b.kind, flag = structBlock, ""
	case "message":
		b.kind, flag = messageBlock, "keep"
	case "union":
		b.kind = unionBlock
	case "enum":
		b.kind, b.base = enumBlock, scalarLayout(p.nextWord())
		if b.base.kind != unsignedLayout && b.base.kind != signedLayout {
			return false
		}
	default:
		return false
	}
	flagged := p.words != "" && p.words == flag
	b.closed, b.keep = flagged && flag == "closed", flagged && flag == "keep"
	p.blocks = append(p.blocks, b)
	p.segment = 1
	return flagged || p.words == ""
}

func (p *layoutParser) nextSegment(b *layoutBlock, number string) bool {
	p.segment++
	n, isNumber := decimal(number, 64)
	return b.kind == messageBlock && isNumber && n == p.segment
}

func (p *layoutParser) member(b *layoutBlock, line string) bool {
	name, rest, ok := strings.Cut(line, " ")
	if name == "" || !ok {
		return false
	}
	m := layoutMember{name: name, typ: noType, number: p.segment}
	switch b.kind {
	case enumBlock:
		m.number, ok = enumBits(b.base, rest)
		if !ok || !b.closed {
			return ok
		}
	case unionBlock:
		tag, payload, hasPayload := strings.Cut(rest, " ")
		number, isNumber := decimal(tag, 8)
		if !isNumber || number == 0 || p.alternative(b, number) != nil {
			return false
		}
		m.number = number
		if hasPayload {
			m.typ, ok = p.typ(payload)
		}
	default:
		m.typ, ok = p.typ(rest)
	}
	p.members = append(p.members, m)
	b.last = int32(len(p.members))
	return ok
}

// enumBits is the number of an enum's member as it stands on the wire, read as
// an unsigned number.
func enumBits(base layoutScalar, text string) (uint64, bool) {
	bits := 8 * int(base.width)
	if base.kind == unsignedLayout {
		return decimal(text, bits)
	}
	digits, negative := strings.CutPrefix(text, "-")
	n, ok := decimal(digits, bits)
	most := uint64(1)<<(bits-1) - 1
	if negative {
		return -n & (unbounded >> (64 - bits)), ok && n <= most+1
	}
	return n, ok && n <= most
}

// decimal reads a number of so many bits, without sign or leading zeros.
func decimal(text string, bits int) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, bits)
	return n, err == nil && (text[0] != '0' || text == "0")
}

// typ reads a whole type expression and returns its index.
func (p *layoutParser) typ(text string) (index int32, ok bool) {
	p.words = text
	index, ok = p.nextType(0)
	return index, ok && p.words == ""
}

// nextWord takes a word from the front of words; it is empty if there is none.
func (p *layoutParser) nextWord() string {
	word, rest, _ := strings.Cut(p.words, " ")
	p.words = rest
	return word
}

// nextType reads one type from the front of words and returns its index.
func (p *layoutParser) nextType(nesting int) (index int32, ok bool) {
	t, ok := layoutWord(p.nextWord())
	index = int32(len(p.types))
	p.types = append(p.types, t)
	if !ok || nesting > layoutNestingMax {
		return index, false
	}
	switch t.kind {
	case arrayLayout:
		if t.n, ok = decimal(p.nextWord(), 64); !ok || t.n == 0 {
			return index, false
		}
	case mapLayout:
		if t.key, ok = p.nextType(nesting + 1); !ok {
			return index, false
		}
	case listLayout, optLayout:
	default:
		return index, true
	}
	t.elem, ok = p.nextType(nesting + 1)
	p.types[index] = t
	return index, ok
}

// layoutWord reads one word of a type.
func layoutWord(word string) (layoutType, bool) {
	switch word {
	case "array":
		return layoutType{layoutScalar: layoutScalar{kind: arrayLayout}}, true
	case "opt":
		return layoutType{layoutScalar: layoutScalar{kind: optLayout}}, true
	}
	if number, isRef := strings.CutPrefix(word, "#"); isRef {
		n, ok := decimal(number, 31)
		return layoutType{layoutScalar: layoutScalar{kind: refLayout}, elem: int32(n)}, ok
	}
	if s := scalarLayout(word); s.kind != 0 {
		return layoutType{layoutScalar: s}, true
	}
	return lengthLayout(word)
}

// lengthLayout reads the word of a type that starts with a length or count: its
// name, the width, and perhaps a bound.
func lengthLayout(word string) (layoutType, bool) {
	word, bound, bounded := strings.Cut(word, "<=")
	if word == "" {
		return layoutType{}, false
	}
	t := layoutType{layoutScalar: layoutScalar{width: word[len(word)-1] - '0'}, n: unbounded}
	switch word[:len(word)-1] {
	case "str":
		t.kind = strLayout
	case "bytes":
		t.kind = bytesLayout
	case "list":
		t.kind = listLayout
	case "map":
		t.kind = mapLayout
	}
	if bounded {
		var ok bool
		if t.n, ok = decimal(bound, 64); !ok {
			return t, false
		}
	}
	return t, t.kind != 0 && (t.width == 1 || t.width == 2 || t.width == 4)
}

// sortNumbers puts the numbers of each closed enum in order, for a walk to
// search.
func (p *layoutParser) sortNumbers() {
	for i := range p.blocks {
		if b := &p.blocks[i]; b.kind == enumBlock {
			slices.SortFunc(p.membersOf(b), func(m, n layoutMember) int { return cmp.Compare(m.number, n.number) })
		}
	}
}
