package check

import (
	"container/heap"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// measure is a number of a declaration that follows from the numbers of its parts, for instance its
// smallest size. Declarations may refer to each other in cycles, and then the least solution
// counts.
type measure struct {
	known map[ir.Decl]uint64
	// parts lists the types that a declaration's number follows from. If least
	// is true the least of them counts, else all.
	parts func(d ir.Decl) (parts []*ir.Type, least bool)
	// needs is the declaration that a type's number follows from, nil for none.
	needs func(t *ir.Type) ir.Decl
	// all is the number of a declaration that has all of its parts.
	all func(d ir.Decl, parts []*ir.Type) uint64
	// one is the number of a declaration that has this part alone.
	one func(t *ir.Type) uint64
}

// solve finds the numbers of declarations. Declarations without a finite value stay unknown. It
// settles the smallest number first, as Dijkstra's algorithm does with paths: no number is less
// than the numbers that it follows from.
func (m *measure) solve(decls []ir.Decl) {
	type use struct {
		user  ir.Decl
		part  *ir.Type
		least bool
	}
	users := map[ir.Decl][]use{}
	missing := map[ir.Decl]int{}
	var queue candidates
	for _, d := range decls {
		parts, least := m.parts(d)
		for _, part := range parts {
			need := m.needs(part)
			if _, known := m.known[need]; need != nil && !known {
				users[need] = append(users[need], use{d, part, least})
				missing[d]++
			} else if least {
				queue.add(d, m.one(part))
			}
		}
		if !least && missing[d] == 0 {
			queue.add(d, m.all(d, parts))
		}
	}
	for len(queue) > 0 {
		top := heap.Pop(&queue).(candidate)
		if _, known := m.known[top.decl]; known {
			continue
		}
		m.known[top.decl] = top.value
		for _, use := range users[top.decl] {
			missing[use.user]--
			switch {
			case use.least:
				queue.add(use.user, m.one(use.part))
			case missing[use.user] == 0:
				parts, _ := m.parts(use.user)
				queue.add(use.user, m.all(use.user, parts))
			}
		}
	}
}

// candidate is a number that a declaration has if it finds no smaller one.
type candidate struct {
	decl  ir.Decl
	value uint64
}

// candidates is a heap with the smallest number on top.
type candidates []candidate

func (c *candidates) add(d ir.Decl, value uint64) { heap.Push(c, candidate{d, value}) }

// Len implements heap.Interface.
func (c candidates) Len() int { return len(c) }

// Less implements heap.Interface.
func (c candidates) Less(i, j int) bool { return c[i].value < c[j].value }

// Swap implements heap.Interface.
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

// Push implements heap.Interface.
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }

// Pop implements heap.Interface.
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
