package compat

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// unions compares two versions of a union [EVO-4.7].
func (c *comparer) unions(older, newer *ir.Union) {
	name := newer.Name
	if older.Closed != newer.Closed {
		c.add(codeClosed, older.Span, newer.Span, name, "%s", closedText(newer.Closed)).
			bytes(broken("the payload's length"), broken("the payload's length")).source(c.everywhere(true)).json(broken("unknown tags"))
	}
	m := matchCases(older, newer)
	for _, r := range m.removed {
		c.add(codeCaseRemoved, r.Span, nowhere, name+"."+r.Name, "removed from %s", openness("union", newer.Closed)).
			bytes(fine, verdict(!newer.Closed, "the tag is unknown")).source(c.everywhere(true)).json(broken("the name is unknown")).
			askReserved(newer.Reserved, int64(r.Tag), fmt.Sprint(r.Tag), r.Name, name)
	}
	for _, a := range m.added {
		change := c.add(codeCaseAdded, nowhere, a.Span, name+"."+a.Name, "added to %s", openness("union", older.Closed)).
			bytes(verdict(!older.Closed, "the tag is unknown"), fine).json(broken("old readers do not know the name")).
			warnReused(older.Reserved, int64(a.Tag))
		if older.Closed {
			change.source(c.breaking(ClosedCase))
		}
	}
	for _, p := range m.both {
		c.alternative(newer.Name, p.old, p.new)
	}
	c.reservedGivenUp(name, older.Reserved, newer.Reserved, numbersOf(newer.Alternatives, func(a *ir.Alternative) int64 { return int64(a.Tag) }), &newer.Meta)
}

func (c *comparer) alternative(owner string, older, newer *ir.Alternative) {
	subject := owner + "." + newer.Name
	if older.Name != newer.Name {
		c.renamed(codeCaseRenamed, owner, older.Name, newer.Name, &older.Meta, &newer.Meta)
	}
	if older.Tag != newer.Tag {
		c.add(codeCaseTag, older.Span, newer.Span, subject, "tag changed from %d to %d", older.Tag, newer.Tag).
			bytes(broken("it is read as another tag"), broken("it is read as another tag"))
	}
	c.meta(subject, older.Name == newer.Name, &older.Meta, &newer.Meta)
	if older.Inline != nil && newer.Inline != nil {
		c.fields(older.Inline, newer.Inline)
		return
	}
	if e := c.typeEffect(older.Type, newer.Type); e.changed {
		from, to := payloadText(older), payloadText(newer)
		c.effect(c.add(codeCasePayload, older.Span, newer.Span, subject, "payload changed from %s to %s", from, to), e)
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
