package doc

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// use is a place that names a type or an alias.
type use struct {
	pkg  *ir.Package
	text string
	href string
}

// findUses notes for each type and alias who names it.
func (s *site) findUses() {
	s.uses = map[*ir.Meta][]use{}
	for _, pkg := range s.program.Schema.Packages {
		for _, a := range pkg.Aliases {
			// An alias's own type has no alias of that name.
			s.note(a.Type, use{pkg, a.Name, s.owners[pkg].File + "#alias-" + a.Name})
		}
		for _, d := range pkg.Decls {
			page := s.pages[d]
			for _, inner := range ir.WithInline(d) {
				prefix := "field-"
				if inner != d {
					prefix = "field-" + inner.DeclName()[len(d.DeclName())+1:] + "."
				}
				for _, f := range ir.FieldsOf(inner) {
					s.note(f.Type, use{pkg, inner.DeclName() + "." + f.Name, page.File + "#" + prefix + f.Name})
				}
			}
			if u, isUnion := d.(*ir.Union); isUnion {
				for _, a := range u.Alternatives {
					if a.Type != nil && a.Inline == nil {
						s.note(a.Type, use{pkg, u.Name + "." + a.Name, page.File + "#case-" + a.Name})
					}
				}
			}
		}
		for _, service := range pkg.Services {
			for _, m := range service.Methods {
				u := use{pkg, service.Name + "." + m.Name, s.serving[service] + "#method-" + m.Name}
				s.note(m.Request, u)
				s.note(m.Response, u)
			}
		}
	}
}

// note notes the use of all that a type names.
func (s *site) note(t *ir.Type, u use) {
	if t == nil {
		return
	}
	if t.Alias != nil {
		s.addUse(&t.Alias.Meta, u)
		return // the rest is the alias's
	}
	if t.Decl != nil {
		s.addUse(t.Decl.DeclMeta(), u)
	}
	s.note(t.Key, u)
	s.note(t.Elem, u)
}

func (s *site) addUse(meta *ir.Meta, u use) {
	if !slices.Contains(s.uses[meta][max(0, len(s.uses[meta])-1):], u) {
		s.uses[meta] = append(s.uses[meta], u)
	}
}

// usesOf are links to who names something, from a package's pages.
func (s *site) usesOf(pkg *ir.Package, meta *ir.Meta) []link {
	var all []link
	for _, u := range s.uses[meta] {
		text := u.text
		if u.pkg != pkg {
			text = u.pkg.Name + "." + text
		}
		all = append(all, link{text, u.href})
	}
	return all
}
