package plan

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Components groups declarations that lead to each other in circles. A group
// stands behind all others that it leads to, and so does, outside of circles,
// each declaration within it. A declaration in no circle is a group by itself.
//
// It is Tarjan's algorithm without recursion, because a hostile file can chain
// millions of declarations.
func Components(decls []ir.Decl, uses func(ir.Decl) []ir.Decl) [][]ir.Decl {
	type visit struct {
		decl ir.Decl
		uses []ir.Decl
		// number is that of the visit, and low the least that it leads back to.
		number, low int
		closed      bool
	}
	var groups [][]ir.Decl
	var open, trail []*visit
	visits := map[ir.Decl]*visit{}
	begin := func(d ir.Decl) {
		v := &visit{decl: d, uses: uses(d), number: len(visits), low: len(visits)}
		visits[d] = v
		open, trail = append(open, v), append(trail, v)
	}
	for _, root := range decls {
		if visits[root] != nil {
			continue
		}
		begin(root)
		for len(trail) > 0 {
			top := trail[len(trail)-1]
			if len(top.uses) > 0 {
				next := visits[top.uses[0]]
				switch {
				case next == nil:
					begin(top.uses[0])
				case !next.closed:
					top.low = min(top.low, next.number)
				}
				top.uses = top.uses[1:]
				continue
			}
			trail = trail[:len(trail)-1]
			if len(trail) > 0 {
				before := trail[len(trail)-1]
				before.low = min(before.low, top.low)
			}
			if top.low < top.number {
				continue
			}
			var group []ir.Decl
			for closed := false; !closed; {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				last.closed, last.uses = true, nil
				group = append(group, last.decl)
				closed = last == top
			}
			groups = append(groups, group)
		}
	}
	return groups
}

// isCircle tells whether a group of Components is one.
func isCircle(group []ir.Decl) bool {
	return len(group) > 1 || slices.Contains(Mentions(group[0]), group[0])
}

// Mentions returns the declared types that d's own fields or alternatives
// name, in order of first mention.
func Mentions(d ir.Decl) []ir.Decl {
	m := mentions{seen: map[ir.Decl]bool{}}
	switch d := d.(type) {
	case *ir.Struct:
		m.fields(d.Fields)
	case *ir.Message:
		m.fields(d.Fields)
	case *ir.Union:
		for _, a := range d.Alternatives {
			m.visit(a.Type)
		}
	}
	return m.found
}

type mentions struct {
	found []ir.Decl
	seen  map[ir.Decl]bool
}

func (m *mentions) fields(fields []*ir.Field) {
	for _, f := range fields {
		m.visit(f.Type)
	}
}

func (m *mentions) visit(t *ir.Type) {
	if t == nil {
		return
	}
	if t.Decl != nil && !m.seen[t.Decl] {
		m.seen[t.Decl] = true
		m.found = append(m.found, t.Decl)
	}
	m.visit(t.Key)
	m.visit(t.Elem)
}
