package lint

import "github.com/serial-data-protocol/sdp/compiler/ir"

// itemKind is the kind of a named thing of a package.
type itemKind string

const (
	typeItem        itemKind = "type"
	aliasItem       itemKind = "alias"
	constItem       itemKind = "constant"
	serviceItem     itemKind = "service"
	fieldItem       itemKind = "field"
	memberItem      itemKind = "member"
	alternativeItem itemKind = "alternative"
	methodItem      itemKind = "method"
)

// item is one named thing of a package.
type item struct {
	kind itemKind
	name string
	meta *ir.Meta
	// around are the declarations that contain it, outermost first.
	around []*ir.Meta
}

// within are the declarations whose waivers count for the item: its own too.
func (i item) within() []*ir.Meta { return append(i.around[:len(i.around):len(i.around)], i.meta) }

// items lists all named things of a package, in no particular order.
func items(pkg *ir.Package) []item {
	var all []item
	for _, c := range pkg.Consts {
		all = append(all, item{kind: constItem, name: c.Name, meta: &c.Meta})
	}
	for _, a := range pkg.Aliases {
		all = append(all, item{kind: aliasItem, name: a.Name, meta: &a.Meta})
	}
	for _, d := range pkg.Decls {
		own := item{kind: typeItem, name: d.DeclName(), meta: d.DeclMeta()}
		all = append(append(all, own), members(d, own.within())...)
	}
	for _, s := range pkg.Services {
		own := item{kind: serviceItem, name: s.Name, meta: &s.Meta}
		all = append(all, own)
		for _, m := range s.Methods {
			all = append(all, item{methodItem, m.Name, &m.Meta, own.within()})
		}
	}
	return all
}

func members(d ir.Decl, around []*ir.Meta) []item {
	var all []item
	for _, f := range ir.FieldsOf(d) {
		all = append(all, item{fieldItem, f.Name, &f.Meta, around})
	}
	switch d := d.(type) {
	case *ir.Enum:
		for _, m := range d.Members {
			all = append(all, item{memberItem, m.Name, &m.Meta, around})
		}
	case *ir.Union:
		for _, a := range d.Alternatives {
			own := item{alternativeItem, a.Name, &a.Meta, around}
			all = append(all, own)
			if a.Inline != nil {
				all = append(all, members(a.Inline, own.within())...)
			}
		}
	}
	return all
}

// around are the declarations that a body's members lie in.
func around(d ir.Decl) []*ir.Meta {
	if s, ok := d.(*ir.Struct); ok && s.Owner != nil {
		for _, a := range s.Owner.Alternatives {
			if a.Inline == s {
				return []*ir.Meta{&s.Owner.Meta, &a.Meta}
			}
		}
	}
	return []*ir.Meta{d.DeclMeta()}
}
