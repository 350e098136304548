package random

import (
	"fmt"
	"slices"
)

// Edit is a kind of change.
type Edit struct {
	Name  string
	apply func(e *editor) bool
}

// Renames tells whether members or alternatives get other names.
func (e Edit) Renames() bool { return e.Name == "member renamed" || e.Name == "case renamed" }

// Renumbers tells it of numbers; after both nothing is left to recognise one by.
func (e Edit) Renumbers() bool {
	return slices.Contains([]string{"member renumbered", "members swapped", "case retagged", "cases swapped"}, e.Name)
}

// Shortens tells whether a message loses fields at its end.
func (e Edit) Shortens() bool {
	return e.Name == "last segment removed" || e.Name == "last field removed"
}

// Edits are all kinds of changes that reach bytes or JSON, and some that must
// not.
var Edits = []Edit{
	{"nothing", func(*editor) bool { return true }},
	{"type renamed", func(e *editor) bool {
		d := e.of(func(d *Decl) bool { return d.Kind != "enum" })
		old := d.Name
		d.Name = e.fresh("Renamed")
		e.renamed[old] = d.Name
		e.Exprs(func(x *Expr) {
			if x.Word == old {
				x.Word = d.Name
			}
		})
		return true
	}},
	{"type added", func(e *editor) bool {
		e.Decls = append(e.Decls, &Decl{Kind: "struct", Name: e.fresh("Added"), ID: 9, Members: []*Member{{Name: "x", Type: e.newExpr()}}})
		return true
	}},
	{"type removed", in(named("Outer"), func(e *editor, d *Decl) bool {
		e.Decls = slices.DeleteFunc(e.Decls, func(o *Decl) bool { return o == d })
		return true
	})},
	{"type removed and retargeted", func(e *editor) bool {
		d := e.of(func(d *Decl) bool { return d.Name != "Root" && d.Name != "Outer" })
		e.Decls = slices.DeleteFunc(e.Decls, func(o *Decl) bool { return o == d })
		var known []string
		for _, other := range e.Decls {
			known = append(known, other.Name)
		}
		e.Exprs(func(x *Expr) {
			switch {
			case x.Word != d.Name:
			case d.Base != "" && e.IntN(2) == 0:
				x.Word = d.Base
			default:
				*x = *e.newExprOf(known...)
			}
		})
		return true
	}},
	{"type id changed", in(named("Root"), func(e *editor, d *Decl) bool { d.ID = 7; return true })},
	{"type id removed", in(named("Root"), func(e *editor, d *Decl) bool { d.ID = 0; return true })},
	{"type id added", in(named("Point"), func(e *editor, d *Decl) bool { d.ID = 7; return true })},
	{"struct made message", in(named("Point"), func(e *editor, d *Decl) bool { d.Kind = "message"; return true })},
	{"keep_unknown toggled", in(is("message"), func(e *editor, d *Decl) bool { d.Keep = !d.Keep; return true })},

	{"struct field added", in(is("struct"), func(e *editor, d *Decl) bool {
		d.Members = slices.Insert(d.Members, e.IntN(len(d.Members)+1), &Member{Name: e.fresh("f"), Type: e.newExpr()})
		return true
	})},
	{"struct field removed", in(is("struct"), func(e *editor, d *Decl) bool { return remove(d, e.pick(d)) })},
	{"struct fields moved", in(is("struct"), func(e *editor, d *Decl) bool {
		i, j := e.pick(d), e.pick(d)
		d.Members[i], d.Members[j] = d.Members[j], d.Members[i]
		return i != j
	})},
	{"fields of one type swapped", in(hasFields, swapTwins)},
	{"inline fields moved", in(is("union"), func(e *editor, d *Decl) bool {
		for _, m := range d.Members {
			if n := len(m.Inline); n > 1 {
				m.Inline[0], m.Inline[n-1] = m.Inline[n-1], m.Inline[0]
				return true
			}
		}
		return false
	})},
	{"inline field added", in(is("union"), func(e *editor, d *Decl) bool {
		for _, m := range d.Members {
			if m.Inline != nil {
				m.Inline = append(m.Inline, &Member{Name: e.fresh("f"), Type: e.newExpr()})
				return true
			}
		}
		return false
	})},
	{"field renamed", in(hasFields, func(e *editor, d *Decl) bool {
		e.renameMember(d, d.Members[e.pick(d)], "g")
		return true
	})},
	{"field renamed, JSON kept", in(hasFields, func(e *editor, d *Decl) bool {
		m := d.Members[e.pick(d)]
		m.JSON = m.Name
		e.renameMember(d, m, "g")
		return true
	})},
	{"field renamed and moved", in(hasFields, (*editor).renameAndMove)},
	{"field inserted before a renamed one", in(hasFields, func(e *editor, d *Decl) bool {
		i := e.pick(d)
		e.renameMember(d, d.Members[i], "g")
		return e.insertBefore(d, e.IntN(i+1))
	})},
	{"fields edited together", in(hasFields, func(e *editor, d *Decl) bool {
		for range 2 + e.IntN(3) {
			change := bodyEdits[e.IntN(len(bodyEdits))]
			if len(d.Members) == 0 || !change(e, d) {
				return false
			}
		}
		return len(d.Members) > 0
	})},
	{"JSON name changed", in(is("struct"), func(e *editor, d *Decl) bool { d.Members[e.pick(d)].JSON = e.fresh("j"); return true })},

	{"segment added", in(is("message"), func(e *editor, d *Decl) bool {
		d.Members = append(d.Members, e.newLate(last(d)+1), e.newLate(last(d)+1))
		return true
	})},
	{"last segment extended", in(is("message"), func(e *editor, d *Decl) bool {
		f := e.newLate(last(d))
		if last(d) == 1 {
			f.Default = ""
		}
		d.Members = append(d.Members, f)
		return true
	})},
	{"message field inserted", in(is("message"), func(e *editor, d *Decl) bool { return e.insertBefore(d, e.pick(d)) })},
	{"last segment removed", in(is("message"), func(e *editor, d *Decl) bool {
		since := last(d)
		if since == 1 {
			return false
		}
		d.Members = slices.DeleteFunc(d.Members, func(m *Member) bool { return m.Since == since })
		return true
	})},
	{"last field removed", in(is("message"), func(e *editor, d *Decl) bool {
		if len(d.Members) < 2 || d.Members[len(d.Members)-2].Since != d.Members[len(d.Members)-1].Since {
			return false
		}
		return remove(d, len(d.Members)-1)
	})},
	{"message field removed", in(is("message"), func(e *editor, d *Decl) bool { return remove(d, e.IntN(len(d.Members)-1)) })},
	{"message fields moved", in(is("message"), func(e *editor, d *Decl) bool {
		i, j := e.pick(d), e.pick(d)
		if max(1, d.Members[i].Since) != max(1, d.Members[j].Since) {
			return false
		}
		d.Members[i], d.Members[j] = d.Members[j], d.Members[i]
		return i != j
	})},
	{"segments joined", in(is("message"), func(e *editor, d *Decl) bool {
		since := last(d)
		for _, m := range d.Members {
			if m.Since == since {
				m.Since--
				m.Default = ""
			}
		}
		return since > 1
	})},
	{"segment split", in(is("message"), func(e *editor, d *Decl) bool {
		m := d.Members[len(d.Members)-1]
		m.Since = last(d) + 1
		return true
	})},
	{"default changed", in(is("message"), func(e *editor, d *Decl) bool {
		for _, m := range d.Members {
			if m.Since > 1 && slices.Contains(narrow, m.Type.Word) {
				m.Default = fmt.Sprint(101 + e.IntN(20))
				return true
			}
		}
		return false
	})},

	{"type replaced", onExpr(func(e *editor, x *Expr) bool {
		n := e.newExpr()
		if n.String() == x.String() || n.Word == x.Word {
			return false
		}
		*x = *n
		return true
	})},
	{"optional put", onExpr(func(e *editor, x *Expr) bool {
		inner := *x
		*x = Expr{Word: "?", Elem: &inner}
		return inner.Word != "?"
	})},
	{"optional taken", onExpr(func(e *editor, x *Expr) bool {
		if x.Word != "?" {
			return false
		}
		*x = *x.Elem
		return true
	})},
	{"Box put", onExpr(func(e *editor, x *Expr) bool {
		inner := *x
		*x = Expr{Word: "Box", Elem: &inner}
		return true
	})},
	{"N changed", onExpr(func(e *editor, x *Expr) bool { x.N++; return x.Word == "[N]" })},
	{"width changed", onLength(func(e *editor, x *Expr) bool { x.Width = map[int]int{0: 8, 8: 16, 16: 0}[x.Width]; return true })},
	{"bound lowered", onLength(func(e *editor, x *Expr) bool {
		if x.Max == 0 {
			x.Max = 4
		} else {
			x.Max--
		}
		return true
	})},
	{"bound raised", onLength(func(e *editor, x *Expr) bool { x.Max++; return x.Max > 1 })},
	{"open enum made integer", onExpr(func(e *editor, x *Expr) bool {
		if x.Word != "Open" {
			return false
		}
		x.Word = e.Find("Open").Base
		return true
	})},
	{"closed enum made integer", onExpr(func(e *editor, x *Expr) bool {
		if x.Word != "Shut" {
			return false
		}
		x.Word = e.Find("Shut").Base
		return true
	})},
	{"integer made closed enum", onExpr(func(e *editor, x *Expr) bool {
		if shut := e.Find("Shut"); shut == nil || x.Word != shut.Base {
			return false
		}
		x.Word = "Shut"
		return true
	})},
	{"equal type used", onExpr(func(e *editor, x *Expr) bool {
		if x.Word != "Point" {
			return false
		}
		twin := *e.Find("Point")
		twin.Name, twin.ID = e.fresh("Twin"), 0
		e.Decls = append(e.Decls, &twin)
		x.Word = twin.Name
		return true
	})},

	{"open member added", in(isOpen("enum"), addMember)},
	{"closed member added", in(isClosed("enum"), addMember)},
	{"open member removed", in(isOpen("enum"), removeMember)},
	{"closed member removed", in(isClosed("enum"), removeMember)},
	{"member renamed", in(is("enum"), func(e *editor, d *Decl) bool { e.renameMember(d, d.Members[e.pick(d)], "R"); return true })},
	{"member renumbered", in(is("enum"), func(e *editor, d *Decl) bool { d.Members[1+e.IntN(len(d.Members)-1)].Number = free(d); return true })},
	{"members swapped", in(is("enum"), swapNumbers)},
	{"base changed", in(isOpen("enum"), func(e *editor, d *Decl) bool {
		d.Base = map[string]string{"u8": "u16", "i16": "u8", "u64": "i64", "u32": "i64"}[d.Base]
		return true
	})},
	{"enum closed", in(isOpen("enum"), func(e *editor, d *Decl) bool { d.Closed = true; return true })},
	{"enum opened", in(isClosed("enum"), func(e *editor, d *Decl) bool { d.Closed = false; return true })},
	{"reserved member reused", in(isOpen("enum"), func(e *editor, d *Decl) bool {
		d.Reserved = nil
		d.Members = append(d.Members, &Member{Name: e.fresh("M"), Number: 90})
		return true
	})},

	{"open case added", in(isOpen("union"), addCase)},
	{"closed case added", in(isClosed("union"), addCase)},
	{"open case removed", in(isOpen("union"), removeMember)},
	{"closed case removed", in(isClosed("union"), removeMember)},
	{"case renamed", in(is("union"), func(e *editor, d *Decl) bool { e.renameMember(d, d.Members[e.pick(d)], "R"); return true })},
	{"case retagged", in(is("union"), func(e *editor, d *Decl) bool { d.Members[e.pick(d)].Number = free(d); return true })},
	{"cases swapped", in(is("union"), swapNumbers)},
	{"payload put", in(is("union"), func(e *editor, d *Decl) bool { d.Members[2].Type = &Expr{Word: "u16"}; return true })},
	{"payload taken", in(is("union"), func(e *editor, d *Decl) bool { d.Members[0].Type = nil; return true })},
	{"inline made struct", in(is("union"), func(e *editor, d *Decl) bool {
		m := d.Members[1]
		name := e.fresh("Was")
		e.Decls = append(e.Decls, &Decl{Kind: "struct", Name: name, Members: m.Inline})
		m.Inline, m.Type = nil, &Expr{Word: name}
		return true
	})},
	{"union closed", in(isOpen("union"), func(e *editor, d *Decl) bool { d.Closed = true; return true })},
	{"union opened", in(isClosed("union"), func(e *editor, d *Decl) bool { d.Closed = false; return true })},
	{"reserved case reused", in(isOpen("union"), func(e *editor, d *Decl) bool {
		d.Reserved = nil
		d.Members = append(d.Members, &Member{Name: e.fresh("A"), Number: 90, Type: &Expr{Word: "u32"}})
		return true
	})},
}
