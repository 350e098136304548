package sdp

import "math/bits"

// measurePassesMax bounds how often sizes are computed again. Sizes are right
// for values that nest that many aggregates, far beyond what a decoder enters.
const measurePassesMax = 1024

// unmeasured is the size of a type of which no finite value is known yet.
const unmeasured = 1<<64 - 1

// sound reports whether references lead somewhere, keys can be keys, and every
// type has a finite value and every element a byte: a walk that believes a
// count then ends.
func (t *layoutTable) sound() bool {
	if len(t.blocks) == 0 || t.blocks[0].kind == enumBlock {
		return false
	}
	for i := range t.types {
		typ := &t.types[i]
		if typ.kind == refLayout && int(typ.elem) >= len(t.blocks) {
			return false
		}
	}
	if !t.measure() {
		return false
	}
	for i := range t.types {
		switch typ := &t.types[i]; typ.kind {
		case listLayout, arrayLayout:
			if t.smallestOf(typ.elem) == 0 {
				return false
			}
		case mapLayout:
			if !t.isKey(t.types[typ.key]) {
				return false
			}
		}
	}
	return true
}

func (t *layoutTable) isKey(typ layoutType) bool {
	key, isScalar := t.scalar(typ)
	return typ.kind == strLayout || isScalar && key.kind != plainLayout
}

// measure finds the smallest sizes. Types may refer to each other in cycles, so
// it starts from "no finite value known" and repeats until nothing changes;
// types mostly refer to later blocks, so it goes backwards.
func (t *layoutTable) measure() bool {
	for i := range t.blocks {
		t.blocks[i].smallest = unmeasured
	}
	for range measurePassesMax {
		changed, finite := false, true
		for i := len(t.blocks) - 1; i >= 0; i-- {
			b := &t.blocks[i]
			if n := t.smallestBody(b); n != b.smallest {
				b.smallest, changed = n, true
				if n == 0 && b.kind == structBlock {
					b.levels = t.levelsOf(b)
				}
			}
			finite = finite && b.smallest != unmeasured
		}
		if !changed {
			return finite
		}
	}
	return false
}

// smallestBody is a block's smallest size, without the length that a message
// has inside other values.
func (t *layoutTable) smallestBody(b *layoutBlock) uint64 {
	switch b.kind {
	case enumBlock:
		return uint64(b.base.width)
	case unionBlock:
		return t.smallestUnion(b)
	}
	sum := uint64(0)
	for _, m := range t.membersOf(b) {
		if m.number == 1 {
			sum = addSizes(sum, t.smallestOf(m.typ))
		}
	}
	return sum
}

// levelsOf is how many levels a struct without bytes is made of. It holds
// nothing but such structs, whose levels were found when their size was.
func (t *layoutTable) levelsOf(b *layoutBlock) int32 {
	deepest := int32(0)
	for _, m := range t.membersOf(b) {
		if typ := &t.types[m.typ]; typ.kind == refLayout {
			deepest = max(deepest, t.blocks[typ.elem].levels)
		}
	}
	return deepest + 1
}

func (t *layoutTable) smallestUnion(b *layoutBlock) uint64 {
	if !b.closed {
		return 5
	}
	least := uint64(unmeasured)
	for _, m := range t.membersOf(b) {
		if m.typ == noType {
			least = 0
		} else {
			least = min(least, t.smallestOf(m.typ))
		}
	}
	return addSizes(1, least)
}

// smallestOf is the smallest size of a type as a field or an element.
func (t *layoutTable) smallestOf(index int32) uint64 {
	typ := t.types[index]
	switch typ.kind {
	case optLayout:
		return 1
	case arrayLayout:
		high, low := bits.Mul64(typ.n, t.smallestOf(typ.elem))
		if high != 0 {
			return unmeasured
		}
		return low
	case refLayout:
		b := &t.blocks[typ.elem]
		if b.kind == messageBlock {
			return addSizes(4, b.smallest)
		}
		return b.smallest
	}
	return uint64(typ.width)
}

func addSizes(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return unmeasured
	}
	return sum
}
