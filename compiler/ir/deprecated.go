package ir

import "slices"

// DeprecatesTypes reports whether a schema deprecates a type or alias, or a part of a type.
func DeprecatesTypes(schema *Schema) bool {
	isDeprecated := func(meta *Meta) bool { return meta.Deprecated != nil }
	return slices.ContainsFunc(schema.Packages, func(pkg *Package) bool {
		return slices.ContainsFunc(pkg.Aliases, func(a *Alias) bool { return isDeprecated(&a.Meta) }) ||
			slices.ContainsFunc(pkg.Decls, func(d Decl) bool { return slices.ContainsFunc(metas(d), isDeprecated) })
	})
}

// metas are what is said of a declaration, its members, alternatives and fields.
func metas(d Decl) []*Meta {
	all := []*Meta{d.DeclMeta()}
	switch d := d.(type) {
	case *Enum:
		for _, m := range d.Members {
			all = append(all, &m.Meta)
		}
	case *Union:
		for _, a := range d.Alternatives {
			all = append(all, &a.Meta)
		}
	}
	for _, d := range WithInline(d) {
		for _, f := range FieldsOf(d) {
			all = append(all, &f.Meta)
		}
	}
	return all
}

// DeprecatesServices reports whether a package deprecates a service or a method.
func DeprecatesServices(pkg *Package) bool {
	return slices.ContainsFunc(pkg.Services, func(s *Service) bool {
		return s.Deprecated != nil || slices.ContainsFunc(s.Methods, func(m *Method) bool { return m.Deprecated != nil })
	})
}
