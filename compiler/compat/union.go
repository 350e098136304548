package compat

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// unions compares two versions of a union [EVO-4.7].
func (c *comparer) unions(before, after *ir.Union) {
	name := after.Name
	if before.Closed != after.Closed {
		c.add(codeClosed, before.Span, after.Span, name, "%s", closedText(after.Closed)).
			bytes(broken("the payload's length"), broken("the payload's length")).source(c.everywhere(true)).json(broken("unknown tags"))
	}
	m := matchCases(before, after)
	for _, r := range m.removed {
		c.add(codeCaseRemoved, r.Span, nowhere, name+"."+r.Name, "removed from %s", openness("union", after.Closed)).
			bytes(fine, verdict(!after.Closed, "the tag is unknown")).source(c.everywhere(true)).json(broken("the name is unknown")).
			askReserved(after.Reserved, int64(r.Tag), fmt.Sprint(r.Tag), r.Name, name)
	}
	for _, a := range m.added {
		change := c.add(codeCaseAdded, nowhere, a.Span, name+"."+a.Name, "added to %s", openness("union", before.Closed)).
			bytes(verdict(!before.Closed, "the tag is unknown"), fine).json(broken("old readers do not know the name")).
			warnReused(before.Reserved, int64(a.Tag))
		if before.Closed {
			change.source(c.breaking(ClosedCase))
		}
	}
	for _, p := range m.both {
		c.alternative(after.Name, p.old, p.new)
	}
	c.reservedGivenUp(name, before.Reserved, after.Reserved, numbersOf(after.Alternatives, func(a *ir.Alternative) int64 { return int64(a.Tag) }), &after.Meta)
}

func (c *comparer) alternative(owner string, before, after *ir.Alternative) {
	subject := owner + "." + after.Name
	if before.Name != after.Name {
		c.renamed(codeCaseRenamed, owner, before.Name, after.Name, &before.Meta, &after.Meta)
	}
	if before.Tag != after.Tag {
		c.add(codeCaseTag, before.Span, after.Span, subject, "tag changed from %d to %d", before.Tag, after.Tag).
			bytes(broken("it is read as another tag"), broken("it is read as another tag"))
	}
	c.meta(subject, before.Name == after.Name, &before.Meta, &after.Meta)
	if before.Inline != nil && after.Inline != nil {
		c.fields(before.Inline, after.Inline)
		return
	}
	if e := c.typeEffect(before.Type, after.Type); e.changed {
		from, to := payloadText(before), payloadText(after)
		c.effect(c.add(codeCasePayload, before.Span, after.Span, subject, "payload changed from %s to %s", from, to), e)
	}
}

func payloadText(a *ir.Alternative) string {
	switch {
	case a.Inline != nil:
		return "inline fields"
	case a.Type == nil:
		return "nothing"
	}
	return "`" + spell(a.Type, ir.FullName) + "`"
}
