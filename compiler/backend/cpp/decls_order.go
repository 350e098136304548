package cpp

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// order sorts declarations so that values of a type lie only in those after it.
// Types that a type holds on the heap stand before it too, unless they lead back to it;
// elements of lists even then, where it can be: some compilers look into a list before
// its elements are known.
func (g *generator) order() {
	circle := map[ir.Decl]int{}
	for i, group := range plan.Components(g.pkg.Decls, plan.Mentions) {
		for _, d := range group {
			circle[d] = i
		}
	}
	seen, stands := map[ir.Decl]bool{}, map[ir.Decl]bool{}
	var visit func(d ir.Decl)
	// awaits reports whether a declaration is one that is being visited, or values of such lie in it.
	var awaits func(d ir.Decl) bool
	awaits = func(d ir.Decl) bool {
		inside := func(t *ir.Type) bool {
			held := g.types.InPlace(t).Decl
			return held != nil && circle[held] == circle[d] && awaits(held)
		}
		return !stands[d] && (seen[d] || slices.ContainsFunc(g.types.within(d), inside))
	}
	visit = func(d ir.Decl) {
		if _, isEnum := d.(*ir.Enum); isEnum || seen[d] || d.DeclPackage() != g.pkg {
			return
		}
		seen[d] = true
		for _, held := range named(d) {
			if circle[held] != circle[d] {
				visit(held)
			}
		}
		for _, t := range g.types.within(d) {
			if held := g.types.InPlace(t).Decl; held != nil {
				visit(held)
			}
		}
		for _, t := range g.types.within(d) {
			if held := g.types.listed(t); held != nil && !awaits(held) {
				visit(held)
			}
		}
		g.decls, stands[d] = append(g.decls, d), true
	}
	for _, d := range g.pkg.Decls {
		visit(d)
	}
}

// within are the types of a declaration's fields, or of the payloads that lie in it.
func (t *types) within(d ir.Decl) (list []*ir.Type) {
	for _, f := range ir.FieldsOf(d) {
		list = append(list, f.Type)
	}
	if u, ok := d.(*ir.Union); ok {
		for _, a := range u.Alternatives {
			switch {
			case a.Type == nil || t.BoxedPayload(a.Type):
			case a.Inline != nil:
				list = append(list, t.within(a.Inline)...)
			default:
				list = append(list, a.Type)
			}
		}
	}
	return list
}

// listed is the declaration whose values the lists of a type have, or nil.
func (t *types) listed(typ *ir.Type) ir.Decl {
	switch {
	case typ == nil:
		return nil
	case typ.Kind == ir.ListKind && t.listed(typ.Elem) == nil:
		return t.InPlace(typ.Elem).Decl
	}
	return t.listed(typ.Elem)
}

// named are the declarations that another names, in order; for an inline alternative, the
// declarations that it names.
func named(d ir.Decl) (decls []ir.Decl) {
	for _, held := range plan.Mentions(d) {
		if s, ok := held.(*ir.Struct); ok && s.Owner != nil {
			decls = append(decls, named(s)...)
		} else {
			decls = append(decls, held)
		}
	}
	return decls
}

// orderedAliases are a package's aliases, each behind the aliases that its type names.
func orderedAliases(pkg *ir.Package) []*ir.Alias {
	var order []*ir.Alias
	seen := map[*ir.Alias]bool{}
	var visit func(a *ir.Alias)
	var name func(t *ir.Type)
	name = func(t *ir.Type) {
		switch {
		case t == nil:
		case t.Alias != nil && !seen[t.Alias]:
			visit(t.Alias)
		default:
			name(t.Key)
			name(t.Elem)
		}
	}
	visit = func(a *ir.Alias) {
		seen[a] = true
		name(a.Type)
		if a.Package == pkg {
			order = append(order, a)
		}
	}
	for _, a := range pkg.Aliases {
		if !seen[a] {
			visit(a)
		}
	}
	return order
}
