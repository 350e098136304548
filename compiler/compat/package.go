package compat

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// packageNames reports that a file names another package. No bytes of values hold
// the name; the layout text, generated code and names of services do.
func (c *comparer) packageNames(older, newer *ir.Package) {
	if older.Name != newer.Name {
		change := c.add(codePackageRenamed, older.Span, newer.Span, older.Name, "renamed to `%s`", newer.Name).source(c.everywhere(true))
		if len(older.Services) > 0 && len(newer.Services) > 0 {
			change.bytes(broken("the server does not know "+older.Name+"."+older.Services[0].Name),
				broken("the server does not know "+newer.Name+"."+newer.Services[0].Name))
		}
	}
	var used []int64
	for _, d := range newer.Decls {
		if id := ir.IDOf(d); id != nil {
			used = append(used, int64(id.Value))
		}
	}
	c.reservedGivenUp(newer.Name, ir.Reserved{Numbers: older.ReservedIDs}, ir.Reserved{Numbers: newer.ReservedIDs}, used, &ir.Meta{Span: newer.Span})
}

// consts compares constants. Where one reaches bytes, what it does there is a
// change of its own.
func (c *comparer) consts(older, newer *ir.Package) {
	m := matchBy(older.Consts, newer.Consts, func(k *ir.Const) string { return k.Name })
	for _, k := range m.removed {
		c.add(codeConstRemoved, k.Span, nowhere, k.Name, "removed, a constant").source(c.everywhere(true))
	}
	for _, k := range m.added {
		c.add(codeConstAdded, nowhere, k.Span, k.Name, "added, a constant")
	}
	for _, p := range m.both {
		c.meta(p.new.Name, true, &p.old.Meta, &p.new.Meta)
		from, to := p.old.Value.Text(p.old.Type), p.new.Value.Text(p.new.Type)
		switch {
		case p.old.Type.Kind != p.new.Type.Kind:
			c.add(codeConstChanged, p.old.Span, p.new.Span, p.new.Name, "changed from `%s` to `%s`", p.old.Type.Kind, p.new.Type.Kind).
				source(c.everywhere(true))
		case from != to:
			c.add(codeConstChanged, p.old.Span, p.new.Span, p.new.Name, "changed from %s to %s", from, to)
		}
	}
}

// aliases compares aliases, which generated code may name. Effects of another type behind an alias
// on bytes are reported at the uses of the alias.
func (c *comparer) aliases(older, newer *ir.Package) {
	m := matchBy(older.Aliases, newer.Aliases, func(a *ir.Alias) string { return a.Name })
	for _, a := range m.removed {
		c.add(codeAliasRemoved, a.Span, nowhere, a.Name, "removed, an alias").source(c.everywhere(true))
	}
	for _, a := range m.added {
		c.add(codeAliasAdded, nowhere, a.Span, a.Name, "added, an alias")
	}
	for _, p := range m.both {
		c.meta(p.new.Name, true, &p.old.Meta, &p.new.Meta)
		if e := c.typeEffect(p.old.Type, p.new.Type); e.changed {
			from, to := spelledPair(p.old.Type, p.new.Type)
			c.add(codeAliasChanged, p.old.Span, p.new.Span, p.new.Name, "changed from `%s` to `%s`", from, to).source(c.everywhere(!e.source))
		}
	}
}
