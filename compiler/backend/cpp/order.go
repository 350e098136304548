package cpp

import "github.com/serial-data-protocol/sdp/compiler/ir"

// order sorts declarations so that values of a type lie only in those after it.
// Types that a type holds on the heap stand before it too, unless they lead back to it:
// some compilers look into a list before its elements are known.
func (g *generator) order() {
	seen := map[ir.Decl]bool{}
	var visit func(d ir.Decl)
	var value func(t *ir.Type)
	value = func(t *ir.Type) {
		switch t.Kind {
		case ir.ArrayKind:
			if !g.types.OnHeap(t) {
				value(t.Elem)
			}
		case ir.OptionalKind:
			if !g.types.Boxed(t) {
				value(t.Elem)
			}
		case ir.UnionKind, ir.StructKind, ir.MessageKind:
			visit(t.Decl)
		case ir.StrKind, ir.BytesKind, ir.ListKind, ir.MapKind: // hold no value in place
		}
	}
	visit = func(d ir.Decl) {
		if seen[d] || d.DeclPackage() != g.pkg {
			return
		}
		seen[d] = true
		for _, held := range named(d) {
			if !leads(held, d) {
				visit(held)
			}
		}
		for _, f := range ir.FieldsOf(d) {
			value(f.Type)
		}
		if u, ok := d.(*ir.Union); ok {
			for _, a := range u.Alternatives {
				switch {
				case a.Type == nil || g.types.BoxedPayload(a.Type):
				case a.Inline != nil:
					for _, f := range a.Inline.Fields {
						value(f.Type)
					}
				default:
					value(a.Type)
				}
			}
		}
		g.decls = append(g.decls, d)
	}
	for _, d := range g.pkg.Decls {
		if _, isEnum := d.(*ir.Enum); !isEnum {
			visit(d)
		}
	}
}

// named are the structs, messages and unions that a declaration names, in order;
// for an inline alternative, those that it does.
func named(d ir.Decl) (decls []ir.Decl) {
	for _, f := range ir.FieldsOf(d) {
		decls = append(decls, namedBy(f.Type)...)
	}
	if u, ok := d.(*ir.Union); ok {
		for _, a := range u.Alternatives {
			if a.Type != nil {
				decls = append(decls, namedBy(a.Type)...)
			}
		}
	}
	return decls
}

// namedBy are those that a type names.
func namedBy(t *ir.Type) []ir.Decl {
	switch t.Kind {
	case ir.ListKind, ir.ArrayKind, ir.OptionalKind, ir.MapKind:
		return namedBy(t.Elem)
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		if s, ok := t.Decl.(*ir.Struct); ok && s.Owner != nil {
			return named(s)
		}
		return []ir.Decl{t.Decl}
	case ir.StrKind, ir.BytesKind:
	}
	return nil
}

// leads reports whether a declaration is another, or names it, directly or not.
func leads(from, to ir.Decl) bool {
	seen := map[ir.Decl]bool{from: true}
	for open := []ir.Decl{from}; len(open) > 0; {
		d := open[len(open)-1]
		open = open[:len(open)-1]
		if d == to {
			return true
		}
		for _, next := range named(d) {
			if !seen[next] {
				seen[next] = true
				open = append(open, next)
			}
		}
	}
	return false
}

// orderedAliases are a package's aliases, each behind those that its type names.
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
