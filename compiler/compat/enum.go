package compat

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// enums compares two versions of an enum [EVO-4.6].
func (c *comparer) enums(older, newer *ir.Enum) {
	name := newer.Name
	if older.Base != newer.Base {
		c.add(codeEnumBase, older.Span, newer.Span, name, "base changed from `%s` to `%s`", older.Base, newer.Base).
			bytes(broken(""), broken("")).source(c.everywhere(true)).json(verdict(older.Closed && newer.Closed, ""))
	}
	if older.Closed != newer.Closed {
		c.add(codeClosed, older.Span, newer.Span, name, "%s", closedText(newer.Closed)).
			bytes(verdict(newer.Closed, "they refuse unknown numbers"), verdict(older.Closed, "they refuse unknown numbers")).
			source(c.everywhere(true)).json(broken("unknown numbers"))
	}
	m := matchMembers(older, newer)
	for _, r := range m.removed {
		c.add(codeMemberRemoved, r.Span, nowhere, name+"."+r.Name, "removed from %s", openness("enum", newer.Closed)).
			bytes(fine, verdict(!newer.Closed, "the number is unknown")).source(c.everywhere(true)).json(broken("the name is unknown")).
			askReserved(newer.Reserved, r.Number, plan.EnumNumber(older.Base, r.Number), r.Name, name)
	}
	for _, a := range m.added {
		change := c.add(codeMemberAdded, nowhere, a.Span, name+"."+a.Name, "added to %s", openness("enum", older.Closed)).
			bytes(verdict(!older.Closed, "the number is unknown"), fine).json(broken("old readers do not know the name")).
			warnReused(older.Reserved, a.Number)
		if older.Closed {
			change.source(c.breaking(ClosedMember))
		}
	}
	for _, p := range m.both {
		c.member(older, newer, p.old, p.new)
	}
	c.reservedGivenUp(name, older.Reserved, newer.Reserved, numbersOf(newer.Members, func(m *ir.EnumMember) int64 { return m.Number }), &newer.Meta)
}

func (c *comparer) member(e, f *ir.Enum, older, newer *ir.EnumMember) {
	subject := f.Name + "." + newer.Name
	if older.Name != newer.Name {
		c.renamed(codeMemberRenamed, f.Name, older.Name, newer.Name, &older.Meta, &newer.Meta)
	}
	if older.Number != newer.Number {
		c.add(codeMemberNumber, older.Span, newer.Span, subject, "number changed from %s to %s",
			plan.EnumNumber(e.Base, older.Number), plan.EnumNumber(f.Base, newer.Number)).
			bytes(broken("it is read as another number"), broken("it is read as another number"))
	}
	c.meta(subject, older.Name == newer.Name, &older.Meta, &newer.Meta)
}
