package random

import (
	"math/rand/v2"
	"slices"
)

// editor changes a schema. An edit that does not fit the schema returns false.
type editor struct {
	*rand.Rand
	*Schema
	// renamed leads from an old name to the new one: of a declaration, and of a
	// member as "Type.member" with the old names of both.
	renamed map[string]string
}

// Edit makes the edits, one after the other, and returns their renamings: from an old name to the
// new one, of a declaration, and of a member as "Type.member" with the old names of both. It is nil
// if an edit fits nothing in the schema.
func (s *Schema) Edit(r *rand.Rand, list ...Edit) (newer *Schema, renamed map[string]string) {
	e := &editor{Rand: r, Schema: s.Clone(), renamed: map[string]string{}}
	applied := true
	for _, edit := range list {
		applied = applied && edit.apply(e)
	}
	if !applied {
		return nil, nil
	}
	e.renameFields(s)
	return e.Schema, e.renamed
}

// renameFields replaces the edits' renamings of fields by the rule's: two names at one position are
// a renaming where neither version has the other's name elsewhere in the body [EVO-4.2]. Edits that
// meet in one body can undo each other, or look like another edit.
func (e *editor) renameFields(older *Schema) {
	for _, old := range older.Decls {
		name := old.Name
		if renamed, found := e.renamed[name]; found {
			name = renamed
		}
		now := e.Find(name)
		if now == nil || !hasFields(old) {
			continue
		}
		for i, f := range old.Members {
			delete(e.renamed, old.Name+"."+f.Name)
			if i < len(now.Members) && old.Member(now.Members[i].Name) == nil && now.Member(f.Name) == nil {
				e.renamed[old.Name+"."+f.Name] = now.Members[i].Name
			}
		}
	}
}

// of picks a declaration of one of the kinds.
func (e *editor) of(fits func(*Decl) bool) *Decl {
	var found []*Decl
	for _, d := range e.Decls {
		if fits(d) {
			found = append(found, d)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[e.IntN(len(found))]
}

func hasFields(d *Decl) bool { return d.Kind == "struct" || d.Kind == "message" }

func is(kind string) func(*Decl) bool { return func(d *Decl) bool { return d.Kind == kind } }

func named(name string) func(*Decl) bool { return func(d *Decl) bool { return d.Name == name } }

func isOpen(kind string) func(*Decl) bool {
	return func(d *Decl) bool { return d.Kind == kind && !d.Closed }
}

func isClosed(kind string) func(*Decl) bool {
	return func(d *Decl) bool { return d.Kind == kind && d.Closed }
}

func (e *editor) newExpr() *Expr { return e.newExprOf("Point", "Open") }

// newExprOf makes a type expression that may name the given types.
func (e *editor) newExprOf(names ...string) *Expr {
	b := &builder{Rand: e.Rand, Schema: e.Schema, known: names}
	return b.expr(1)
}

func (e *editor) newLate(since int) *Member {
	b := &builder{Rand: e.Rand, Schema: e.Schema, known: []string{"Point"}}
	return b.late(since)
}

func last(d *Decl) int { return max(1, d.Members[len(d.Members)-1].Since) }

// in makes an edit of a declaration that fits and has members to choose from.
func in(fits func(*Decl) bool, change func(e *editor, d *Decl) bool) func(*editor) bool {
	return func(e *editor) bool {
		d := e.of(fits)
		return d != nil && len(d.Members) > 1 && change(e, d)
	}
}

func (e *editor) pick(d *Decl) int { return e.IntN(len(d.Members)) }

func (e *editor) renameMember(d *Decl, m *Member, prefix string) {
	old := m.Name
	m.Name = e.fresh(prefix)
	e.renamed[d.Name+"."+old] = m.Name
}

func remove(d *Decl, i int) bool {
	d.Members = slices.Delete(d.Members, i, i+1)
	return len(d.Members) > 0
}

// insertBefore puts a field before the one at position i, in its segment.
func (e *editor) insertBefore(d *Decl, i int) bool {
	f := &Member{Name: e.fresh("f"), Type: e.newExpr()}
	if d.Kind == "message" {
		f = e.newLate(max(1, d.Members[i].Since))
		f.Default = ""
	}
	d.Members = slices.Insert(d.Members, i, f)
	return true
}

// move lets two fields change places, and keeps the segments where they are.
func (e *editor) move(d *Decl) bool {
	i, j := e.pick(d), e.pick(d)
	a, b := d.Members[i], d.Members[j]
	d.Members[i], d.Members[j] = b, a
	a.Since, b.Since = b.Since, a.Since
	return i != j
}

func (e *editor) renameAndMove(d *Decl) bool {
	e.renameMember(d, d.Members[e.pick(d)], "g")
	return e.move(d)
}

// bodyEdits are what may happen to one body between two releases, in any number
// and order.
var bodyEdits = []func(e *editor, d *Decl) bool{
	(*editor).move,
	(*editor).renameAndMove,
	func(e *editor, d *Decl) bool { return e.insertBefore(d, e.pick(d)) },
	func(e *editor, d *Decl) bool { return remove(d, e.pick(d)) },
	func(e *editor, d *Decl) bool { e.renameMember(d, d.Members[e.pick(d)], "g"); return true },
	func(e *editor, d *Decl) bool { d.Members[e.pick(d)].Type = e.newExpr(); return true },
	func(e *editor, d *Decl) bool {
		f := &Member{Name: e.fresh("f"), Type: e.newExpr()}
		if d.Kind == "message" {
			f = e.newLate(last(d) + e.IntN(2))
		}
		d.Members = append(d.Members, f)
		return true
	},
}

// free finds a number that no member has or had.
func free(d *Decl) int {
	n := 20
	for _, m := range d.Members {
		n = max(n, m.Number+1)
	}
	return n
}

// onExpr makes an edit of one type expression of a field of segment 1 or of a
// payload: there any type may stand.
func onExpr(change func(e *editor, x *Expr) bool) func(*editor) bool {
	return func(e *editor) bool {
		var all []*Expr
		for _, d := range e.Decls {
			for _, m := range d.Members {
				if m.Since <= 1 {
					m.Type.Walk(func(x *Expr) { all = append(all, x) })
				}
			}
		}
		return len(all) > 0 && change(e, all[e.IntN(len(all))])
	}
}

func onLength(change func(e *editor, x *Expr) bool) func(*editor) bool {
	return onExpr(func(e *editor, x *Expr) bool {
		// A map has at most two bool keys, under any bound.
		hasLength := slices.Contains([]string{"str", "bytes", "[]", "map"}, x.Word) && (x.Key == nil || x.Key.Word != "bool")
		return hasLength && change(e, x)
	})
}

// swapTwins lets two fields of one type and segment change places.
func swapTwins(_ *editor, d *Decl) bool {
	for i, a := range d.Members {
		for j, b := range d.Members[:i] {
			if a.Type.String() == b.Type.String() && max(1, a.Since) == max(1, b.Since) {
				d.Members[i], d.Members[j] = b, a
				return true
			}
		}
	}
	return false
}

func addMember(e *editor, d *Decl) bool {
	d.Members = append(d.Members, &Member{Name: e.fresh("M"), Number: free(d)})
	return true
}

func removeMember(e *editor, d *Decl) bool { return remove(d, 1+e.IntN(len(d.Members)-1)) }

func addCase(e *editor, d *Decl) bool {
	d.Members = append(d.Members, &Member{Name: e.fresh("A"), Number: free(d), Type: e.newExpr()})
	return true
}

func swapNumbers(e *editor, d *Decl) bool {
	i, j := e.pick(d), e.pick(d)
	d.Members[i].Number, d.Members[j].Number = d.Members[j].Number, d.Members[i].Number
	return i != j
}
