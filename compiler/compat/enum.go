package compat

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// enums compares two versions of an enum [EVO-4.6].
func (c *comparer) enums(before, after *ir.Enum) {
	name := after.Name
	if before.Base != after.Base {
		c.add(codeEnumBase, before.Span, after.Span, name, "base changed from `%s` to `%s`", before.Base, after.Base).
			bytes(broken(""), broken("")).source(c.everywhere(true)).json(verdict(before.Closed && after.Closed, ""))
	}
	if before.Closed != after.Closed {
		c.add(codeClosed, before.Span, after.Span, name, "%s", closedText(after.Closed)).
			bytes(verdict(after.Closed, "they refuse unknown numbers"), verdict(before.Closed, "they refuse unknown numbers")).
			source(c.everywhere(true)).json(broken("unknown numbers"))
	}
	m := matchMembers(before, after)
	for _, r := range m.removed {
		c.add(codeMemberRemoved, r.Span, nowhere, name+"."+r.Name, "removed from %s", openness("enum", after.Closed)).
			bytes(fine, verdict(!after.Closed, "the number is unknown")).source(c.everywhere(true)).json(broken("the name is unknown")).
			askReserved(after.Reserved, r.Number, plan.EnumNumber(before.Base, r.Number), r.Name, name)
	}
	for _, a := range m.added {
		change := c.add(codeMemberAdded, nowhere, a.Span, name+"."+a.Name, "added to %s", openness("enum", before.Closed)).
			bytes(verdict(!before.Closed, "the number is unknown"), fine).json(broken("old readers do not know the name")).
			warnReused(before.Reserved, a.Number)
		if before.Closed {
			change.source(c.breaking(ClosedMember))
		}
	}
	for _, p := range m.both {
		c.member(before, after, p.old, p.new)
	}
	c.reservedGivenUp(name, before.Reserved, after.Reserved, numbersOf(after.Members, func(m *ir.EnumMember) int64 { return m.Number }), &after.Meta)
}

func (c *comparer) member(e, f *ir.Enum, before, after *ir.EnumMember) {
	subject := f.Name + "." + after.Name
	if before.Name != after.Name {
		c.renamed(codeMemberRenamed, f.Name, before.Name, after.Name, &before.Meta, &after.Meta)
	}
	if before.Number != after.Number {
		c.add(codeMemberNumber, before.Span, after.Span, subject, "number changed from %s to %s",
			plan.EnumNumber(e.Base, before.Number), plan.EnumNumber(f.Base, after.Number)).
			bytes(broken("it is read as another number"), broken("it is read as another number"))
	}
	c.meta(subject, before.Name == after.Name, &before.Meta, &after.Meta)
}
