package ir

import "slices"

// Annotation is something that carries custom attributes of one name.
type Annotation struct {
	Customs []Custom
	// Type is that of a field or payload, and Default a field's; nil where it has none.
	Type    *Type
	Default *Value
}

// HasCustom reports whether a custom attribute of a name is there.
func (m *Meta) HasCustom(name string) bool {
	return slices.ContainsFunc(m.Custom, func(c Custom) bool { return c.Name == name })
}

// Says reports whether the only argument of an attribute is a word.
func (c Custom) Says(word string) bool {
	return len(c.Args) == 1 && c.Args[0].Name == "" && c.Args[0].Value.Str == word
}

// CustomsOf are the custom attributes of a name in a package, by what carries them.
func CustomsOf(pkg *Package, name string) []Annotation {
	var all []Annotation
	add := func(customs []Custom, t *Type, byDefault *Value) {
		customs = slices.DeleteFunc(slices.Clone(customs), func(c Custom) bool { return c.Name != name })
		if len(customs) > 0 {
			all = append(all, Annotation{customs, t, byDefault})
		}
	}
	add(pkg.Custom, nil, nil)
	for _, c := range pkg.Consts {
		add(c.Custom, nil, nil)
	}
	for _, a := range pkg.Aliases {
		add(a.Custom, nil, nil)
	}
	for _, s := range pkg.Services {
		add(s.Custom, nil, nil)
		for _, m := range s.Methods {
			add(m.Custom, nil, nil)
		}
	}
	for _, d := range pkg.Decls {
		add(d.DeclMeta().Custom, nil, nil)
		for _, d := range WithInline(d) {
			for _, f := range FieldsOf(d) {
				add(f.Custom, f.Type, f.Default)
			}
			switch d := d.(type) {
			case *Enum:
				for _, m := range d.Members {
					add(m.Custom, nil, nil)
				}
			case *Union:
				for _, a := range d.Alternatives {
					add(a.Custom, a.Type, nil)
				}
			}
		}
	}
	return all
}
