package sdp

import (
	"strconv"
	"strings"
)

// differenceBytes is how long the text of a difference is at most.
const differenceBytes = 400

// layoutNothing stands in a difference for the side that lacks a member.
const layoutNothing = "nothing"

// LayoutPair is a block here and one there, by their places. It is for MXP.
type LayoutPair [2]int

// layoutVerdict is the result of the comparison of a pair of blocks: the first difference, if there is one, and the
// pairs that their members name.
type layoutVerdict struct {
	difference string
	named      []LayoutPair
}

// LayoutComparison finds out whether the layout text of one side reads that of the
// other [EVO-5.7]. A pair of blocks is compared once, however many types of a joint text reach it.
type LayoutComparison struct {
	here, there *LayoutBlocks
	isReader    bool // this side reads what the peer writes; else the peer reads
	verdicts    map[LayoutPair]*layoutVerdict
	named       []LayoutPair // by the blocks that are compared now
}

// NewLayoutComparison compares texts of this side and of another: whether this side
// reads what the other writes, or the reverse. It is for MXP.
func NewLayoutComparison(here, there *LayoutBlocks, isReader bool) *LayoutComparison {
	return &LayoutComparison{here: here, there: there, isReader: isReader, verdicts: map[LayoutPair]*layoutVerdict{}}
}

// Root gives the pair of the blocks of a type, if both texts have it.
func (r *LayoutComparison) Root(name string) (root LayoutPair, both bool) {
	root = LayoutPair{r.here.named(name), r.there.named(name)}
	return root, root[0] >= 0 && root[1] >= 0
}

// Unread is the first difference that keeps the reader from reading a type of the other
// side's. It is empty if there is none.
func (r *LayoutComparison) Unread(root LayoutPair) string {
	queue, seen := []LayoutPair{root}, map[LayoutPair]bool{root: true}
	for i := 0; i < len(queue); i++ {
		v := r.verdict(queue[i])
		if v == nil {
			return r.here.block(root[0]).name + ": layouts unknown"
		}
		if v.difference != "" {
			return v.difference
		}
		for _, next := range v.named {
			if !seen[next] && len(queue) <= LayoutPairs {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return ""
}

// verdict compares a pair of blocks. It is nil where too many were compared.
func (r *LayoutComparison) verdict(p LayoutPair) *layoutVerdict {
	if v := r.verdicts[p]; v != nil || len(r.verdicts) == LayoutPairs {
		return v
	}
	r.named = nil
	difference := r.compare(r.here.block(p[0]), r.there.block(p[1]))
	v := &layoutVerdict{difference[:min(len(difference), differenceBytes)], r.named}
	r.verdicts[p] = v
	return v
}

// readerWriter gives a reader and a writer as the two sides here and there, and the
// reverse.
func readerWriter[T any](r *LayoutComparison, a, b T) (T, T) {
	if r.isReader {
		return a, b
	}
	return b, a
}

// layoutDiffers is the text of a difference.
func layoutDiffers(name, here, there string) string {
	return name + ": here " + here + ", there " + there
}

// LayoutDifference is the first difference that keeps a reader from reading what a
// writer with another layout text writes [EVO-5.7]. It is empty if there is none.
func LayoutDifference(reader, writer string) string {
	if reader == writer {
		return ""
	}
	return NewLayoutComparison(NewLayoutBlocks(reader), NewLayoutBlocks(writer), true).Unread(LayoutPair{})
}

// compare gives the first difference of two blocks [EVO-5.8].
func (r *LayoutComparison) compare(here, there *textBlock) string {
	switch {
	case !r.alike(here, there):
		return layoutDiffers(here.name, here.String(), there.String())
	case here.kind == "struct":
		return r.fields(here, there)
	case here.kind == "message":
		if d := r.fields(here, there); d != "" {
			return d
		}
		return r.segments(here, there)
	}
	return r.numbers(here, there)
}

// alike reports whether the first lines of two blocks read each other.
func (r *LayoutComparison) alike(here, there *textBlock) bool {
	reader, writer := readerWriter(r, here, there)
	if here.kind != there.kind || here.base != there.base {
		return false
	}
	return reader.closed == writer.closed || reader.kind == "enum" && writer.closed
}

// fields compares fields by their positions.
func (r *LayoutComparison) fields(here, there *textBlock) string {
	for i := range max(len(here.members), len(there.members)) {
		switch {
		case i < len(here.members) && i < len(there.members):
			if d := r.field(here, there, i); d != "" {
				return d
			}
		case here.kind == "message": // passed over, or missing
		case i < len(here.members):
			m := &here.members[i]
			return layoutDiffers(here.name+"."+m.name, r.here.spell(m.words), layoutNothing)
		default:
			m := &there.members[i]
			return layoutDiffers(here.name+"."+m.name, layoutNothing, r.there.spell(m.words))
		}
	}
	return ""
}

// field compares the two fields at a position.
func (r *LayoutComparison) field(here, there *textBlock, i int) string {
	a, b := &here.members[i], &there.members[i]
	if a.name != b.name {
		at, isHere := there.find(a.name), here.find(b.name) >= 0
		switch {
		case at >= 0 && isHere:
			return layoutDiffers(here.name+"."+a.name, "field "+strconv.Itoa(i+1), "field "+strconv.Itoa(at+1))
		case at >= 0:
			return layoutDiffers(here.name+"."+b.name, layoutNothing, r.there.spell(b.words))
		case isHere:
			return layoutDiffers(here.name+"."+a.name, r.here.spell(a.words), layoutNothing)
		}
	}
	return r.memberTypes(here, a, b)
}

// memberTypes compares the types of two members. Where they differ and the names do
// too, none was renamed, and the other side lacks the member.
func (r *LayoutComparison) memberTypes(here *textBlock, a, b *textMember) string {
	if r.types(a.words, b.words) {
		return ""
	}
	theirs := layoutNothing
	if a.name == b.name {
		theirs = r.there.spell(b.words)
	}
	return layoutDiffers(here.name+"."+a.name, r.here.spell(a.words), theirs)
}

// segments looks for an end of a segment that the writer has and the reader has
// not [EVO-4.4].
func (r *LayoutComparison) segments(here, there *textBlock) string {
	reader, writer := readerWriter(r, here, there)
	for i := range reader.members {
		if reader.ended(i) || !writer.ended(i) && i != len(writer.members) {
			continue
		}
		read, written := "segment "+strconv.Itoa(reader.segment(i)), layoutNothing
		if i < len(writer.members) {
			written = "segment " + strconv.Itoa(writer.segment(i))
		}
		x, y := readerWriter(r, read, written)
		return layoutDiffers(here.name+"."+reader.members[i].name, x, y)
	}
	return ""
}

// numbers compares the members of enums and the alternatives of unions.
func (r *LayoutComparison) numbers(here, there *textBlock) string {
	what := "number "
	if here.kind == "union" {
		what = "tag "
	}
	for i := range here.members {
		a := &here.members[i]
		if at := there.find(a.name); at >= 0 && there.members[at].number != a.number {
			return layoutDiffers(here.name+"."+a.name, what+a.number, what+there.members[at].number)
		}
		if at := there.numbered(a.number); at >= 0 {
			if d := r.memberTypes(here, a, &there.members[at]); d != "" {
				return d
			}
		}
	}
	reader, writer := readerWriter(r, here, there)
	for i := range writer.members {
		m := &writer.members[i]
		if reader.closed && reader.numbered(m.number) < 0 {
			x, y := readerWriter(r, layoutNothing, what+m.number)
			return layoutDiffers(here.name+"."+m.name, x, y)
		}
	}
	return ""
}

// types compares two types word by word, and adds the pairs of blocks that they
// name [EVO-5.9].
func (r *LayoutComparison) types(ours, theirs []string) bool {
	here, there := layoutWords{rest: ours}, layoutWords{rest: theirs}
	for {
		a, isA := here.next()
		b, isB := there.next()
		if !isA || !isB {
			return isA == isB
		}
		i, j := r.here.place(a), r.there.place(b)
		switch {
		case i >= 0 && j >= 0:
			if x, y := r.here.block(i), r.there.block(j); x.name != y.name && !r.alike(x, y) {
				return false
			}
			r.named = append(r.named, LayoutPair{i, j})
		case i >= 0:
			if !isEnumBase(r.here.block(i), b, !r.isReader) {
				return false
			}
		case j >= 0:
			if !isEnumBase(r.there.block(j), a, r.isReader) {
				return false
			}
		case isOctets(a, b):
			here.first = "u8"
		case isOctets(b, a):
			there.first = "u8"
		case a != b:
			return false
		}
	}
}

// layoutWords are the words of a type, without bounds.
type layoutWords struct {
	first string // a word in front of the rest, if it is not empty
	rest  []string
}

// next takes a word.
func (w *layoutWords) next() (word string, ok bool) {
	switch {
	case w.first != "":
		word, w.first = w.first, ""
	case len(w.rest) == 0:
		return "", false
	default:
		word, w.rest = w.rest[0], w.rest[1:]
	}
	word, _, _ = strings.Cut(word, "<=")
	return word, true
}

// isEnumBase reports whether an enum and an integer read each other. A closed enum
// can't read what any integer may be.
func isEnumBase(b *textBlock, word string, writes bool) bool {
	return b.kind == "enum" && b.base == word && (writes || !b.closed)
}

// isOctets reports whether one word is of bytes and the other of a list with as
// long a count.
func isOctets(octets, list string) bool {
	a, ok := strings.CutPrefix(octets, "bytes")
	b, also := strings.CutPrefix(list, "list")
	return ok && also && a == b
}
