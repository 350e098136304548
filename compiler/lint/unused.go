package lint

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// unused reports what nothing needs. An import must be needed by its own file.
// A type or alias is only looked at in a package that says, by type ids or
// services, what programs exchange: in another one every type may be what
// programs encode, and every alias may be meant for importers.
func (l *linter) unused() {
	for _, i := range l.pkg.Imports {
		if !i.Used {
			d := l.warn(codeUnusedImport, nil, i.Span, "import `%s` is not used", i.Name).WithHelp("remove it")
			d.WithFix("remove the import", deletion(i.Span))
		}
	}
	for _, c := range l.pkg.Consts {
		if !c.Used {
			l.warn(codeUnusedConst, []*ir.Meta{&c.Meta}, c.Span, "constant `%s` is not used in the schema", c.Name)
		}
	}
	if !hasEntries(l.pkg) {
		return
	}
	for _, a := range l.pkg.Aliases {
		if !a.Used {
			l.warn(codeUnusedAlias, []*ir.Meta{&a.Meta}, a.Span, "alias `%s` is not used", a.Name).WithHelp("remove it")
		}
	}
	for _, d := range l.pkg.Decls {
		if !l.reached[d] {
			l.unusedType(d)
		}
	}
}

func (l *linter) unusedType(d ir.Decl) {
	warning := l.warn(codeUnusedType, []*ir.Meta{d.DeclMeta()}, d.DeclMeta().Span, "type `%s` is not used", d.DeclName()).
		WithLabel("no type with an id and no service needs it")
	if _, isEnum := d.(*ir.Enum); isEnum {
		warning.WithHelp("remove it")
		return
	}
	warning.WithHelp("remove it, or give it an `@id` if programs exchange it by itself")
}

// hasEntries tells whether the package says what programs exchange.
func hasEntries(pkg *ir.Package) bool {
	for _, d := range pkg.Decls {
		if ir.IDOf(d) != nil {
			return true
		}
	}
	return len(pkg.Services) > 0
}

// reached are the types that are, or are held by, what programs may exchange.
func reached(schema *ir.Schema) map[ir.Decl]bool {
	found := map[ir.Decl]bool{}
	reach := func(d ir.Decl) {
		for next := []ir.Decl{d}; len(next) > 0; {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			if !found[at] {
				found[at] = true
				next = append(next, plan.Mentions(at)...)
			}
		}
	}
	for _, pkg := range schema.Packages {
		entries := hasEntries(pkg)
		for _, d := range pkg.Decls {
			if !entries || ir.IDOf(d) != nil {
				reach(d)
			}
		}
		for _, s := range pkg.Services {
			for _, m := range s.Methods {
				reach(m.Request.Decl)
				if m.Response != nil {
					reach(m.Response.Decl)
				}
			}
		}
	}
	return found
}
