package sdp

import (
	"bytes"
	"cmp"
	"math/bits"
	"sort"
	"unicode/utf8"
)

// value walks a value of any type; depth is that of the aggregate around it.
func (w *walker) value(index int32, depth int) *refusal {
	switch t := w.layout.types[index]; t.kind {
	case boolLayout:
		return w.flag(ErrBoolInvalid)
	case strLayout:
		return w.text(t)
	case bytesLayout:
		n, r := w.length(t.width, t.n)
		w.at += n
		return r
	case listLayout:
		return w.list(t, depth)
	case arrayLayout:
		return w.array(t, depth)
	case optLayout:
		return w.optional(t, depth)
	case mapLayout:
		return w.entries(t, depth)
	case refLayout:
		b := &w.layout.blocks[t.elem]
		if b.kind == enumBlock {
			return w.enum(b)
		}
		return w.aggregate(b, depth+1)
	default:
		return w.item(int(t.width))
	}
}

// flag passes a byte that is 0 or 1.
func (w *walker) flag(invalid Kind) *refusal {
	n, r := w.number(1)
	if r == nil && n > 1 {
		return w.refuse(invalid, w.at-1)
	}
	return r
}

// enum passes an enum and checks a closed one's number.
func (w *walker) enum(b *layoutBlock) *refusal {
	at := w.at
	n, r := w.number(b.base.width)
	if r != nil || !b.closed {
		return r
	}
	members := w.layout.membersOf(b)
	i := sort.Search(len(members), func(i int) bool { return members[i].number >= n })
	if i == len(members) || members[i].number != n {
		return w.refuse(ErrEnumUnknown, at)
	}
	return nil
}

// text passes a string. The offset of a refused one is the end of its longest
// well-formed prefix [WIRE-5.2].
func (w *walker) text(t layoutType) *refusal {
	n, r := w.length(t.width, t.n)
	if r != nil {
		return r
	}
	for s := w.input[w.at : w.at+n]; len(s) > 0; {
		c, size := utf8.DecodeRune(s)
		if c == utf8.RuneError && size == 1 {
			return w.refuse(ErrUTF8Invalid, w.at)
		}
		s = s[size:]
		w.at += size
	}
	return nil
}

// count passes the count of a list or map whose elements take at least smallest
// bytes each [WIRE-3.4].
func (w *walker) count(t layoutType, smallest uint64) (uint64, *refusal) {
	at := w.at
	n, r := w.number(t.width)
	if r != nil {
		return 0, r
	}
	high, low := bits.Mul64(n, smallest)
	switch {
	case n > t.n:
		return 0, w.refuse(ErrLimitMax, at)
	case high != 0 || low > uint64(w.rest()):
		return 0, w.refuse(ErrCountExceedsInput, at)
	case n > w.elements:
		return 0, w.refuse(ErrLimitElements, at)
	}
	w.elements -= n
	return n, w.ask(at)
}

func (w *walker) list(t layoutType, depth int) *refusal {
	n, r := w.count(t, w.layout.smallestOf(t.elem))
	if r != nil {
		return r
	}
	return w.elementsOf(t, n, depth)
}

func (w *walker) array(t layoutType, depth int) *refusal {
	if _, isScalar := w.layout.scalar(w.layout.types[t.elem]); !isScalar {
		if t.n > w.elements {
			return w.refuse(ErrLimitElements, w.at)
		}
		w.elements -= t.n
	}
	if r := w.ask(w.at); r != nil {
		return r
	}
	return w.elementsOf(t, t.n, depth)
}

// elementsOf walks n elements. Numbers can only be missing, so that they are
// passed at once.
func (w *walker) elementsOf(t layoutType, n uint64, depth int) *refusal {
	elem := w.layout.types[t.elem]
	if elem.kind <= plainLayout {
		width := int(elem.width)
		fit := uint64(w.rest() / width)
		w.at += width * int(min(n, fit))
		if n > fit {
			return w.refuse(w.over, w.at).withinElement(fit)
		}
		return nil
	}
	for i := uint64(0); i < n; i++ {
		if r := w.value(t.elem, depth); r != nil {
			return r.withinElement(i)
		}
	}
	return nil
}

func (w *walker) optional(t layoutType, depth int) *refusal {
	at := w.at
	if r := w.flag(ErrPresenceInvalid); r != nil {
		return r
	}
	if w.input[at] == 0 {
		return nil
	}
	if r := w.ask(at); r != nil {
		return r
	}
	return w.value(t.elem, depth)
}

// entries walks a map: of each entry the key, then its order, then the value
// [WIRE-5.11].
func (w *walker) entries(t layoutType, depth int) *refusal {
	n, r := w.count(t, addSizes(w.layout.smallestOf(t.key), w.layout.smallestOf(t.elem)))
	if r != nil {
		return r
	}
	var last []byte
	for i := uint64(0); i < n; i++ {
		at := w.at
		if r := w.value(t.key, depth); r != nil {
			return r.within("key").withinElement(i)
		}
		key := w.input[at:w.at]
		if i > 0 && w.compareKeys(t.key, last, key) >= 0 {
			return w.refuse(ErrMapOrder, at).within("key").withinElement(i)
		}
		last = key
		if r := w.value(t.elem, depth); r != nil {
			return r.within("value").withinElement(i)
		}
	}
	return nil
}

// compareKeys orders two keys, given as they stand on the wire [WIRE-5.12].
func (w *walker) compareKeys(index int32, a, b []byte) int {
	t := w.layout.types[index]
	if t.kind == strLayout {
		return bytes.Compare(a[t.width:], b[t.width:])
	}
	x, y := bitsOf(a), bitsOf(b)
	if key, _ := w.layout.scalar(t); key.kind == signedLayout {
		sign := uint64(1) << (8*key.width - 1)
		x, y = x^sign, y^sign
	}
	return cmp.Compare(x, y)
}
