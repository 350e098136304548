package compat

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// matchNumbered pairs members, alternatives or methods: those that kept their
// name, then those whose number has another name that is new on both sides
// [EVO-3.4]. A number whose name went to another number is not a renaming: it
// would be read as something else.
func matchNumbered[T any](before, after []T, name func(T) string, number func(T) int64) matching[T] {
	return matchBy(before, after, name).thenBy(func(m T) string { return fmt.Sprint(number(m)) })
}

func matchMembers(before, after *ir.Enum) matching[*ir.EnumMember] {
	return matchNumbered(before.Members, after.Members,
		func(m *ir.EnumMember) string { return m.Name }, func(m *ir.EnumMember) int64 { return m.Number })
}

func matchCases(before, after *ir.Union) matching[*ir.Alternative] {
	return matchNumbered(before.Alternatives, after.Alternatives,
		func(a *ir.Alternative) string { return a.Name }, func(a *ir.Alternative) int64 { return int64(a.Tag) })
}

// jsonName is what JSON calls a member or alternative.
func jsonName(name string, meta *ir.Meta) string {
	if n, found := meta.Names["json"]; found {
		return n
	}
	return name
}

func isReserved(in ir.Reserved, number int64) bool {
	for _, r := range in.Numbers {
		if r.Contains(number) {
			return true
		}
	}
	return false
}

// askReserved asks that a number that was given up does not come back with
// another meaning [EVO-3.5].
func (c *Change) askReserved(in ir.Reserved, number int64, numberText, name, where string) *Change {
	if !isReserved(in, number) {
		c.Help = fmt.Sprintf("add `reserved %s, \"%s\";` to %s, so that neither comes back with another meaning", numberText, name, where)
	}
	return c
}

// warnReused marks what takes a number that earlier releases retired: their
// bytes still use it.
func (c *Change) warnReused(in ir.Reserved, number int64) *Change {
	if isReserved(in, number) {
		c.NewReaders = broken("its number was reserved")
		c.Help = "take a number that was never used"
	}
	return c
}

// reservedGivenUp reports what is no longer reserved and not used either.
func (c *comparer) reservedGivenUp(subject string, before, after ir.Reserved, used []int64, at *ir.Meta) {
	for _, r := range before.Numbers {
		if reservedWithin(r, after.Numbers) || usedWithin(r, used) {
			continue
		}
		text := fmt.Sprint(r.First)
		if r.Last != r.First {
			text = fmt.Sprintf("%d..%d", r.First, r.Last)
		}
		c.add(codeReservedGivenUp, nowhere, at.Span, subject, "no longer reserves %s", text).
			Help = "keep the reservation: bytes of earlier releases still use the number"
	}
}

// reservedWithin tells whether the ranges together contain all of r.
func reservedWithin(r ir.Range, ranges []ir.Range) bool {
	for next := r.First; ; {
		end, found := next, false
		for _, have := range ranges {
			if have.Contains(next) && (!found || have.Last > end) {
				end, found = have.Last, true
			}
		}
		if !found {
			return false
		}
		if end >= r.Last {
			return true
		}
		next = end + 1
	}
}

func usedWithin(r ir.Range, numbers []int64) bool {
	for _, n := range numbers {
		if r.Contains(n) {
			return true
		}
	}
	return false
}

// renamed reports another name of a member, alternative or field, which JSON
// spells.
func (c *comparer) renamed(code diag.Code, owner, before, after string, old, now *ir.Meta) {
	c.add(code, old.Span, now.Span, owner+"."+before, "renamed to `%s`", after).
		source(c.everywhere(true)).json(verdict(jsonName(before, old) == jsonName(after, now), ""))
}

func closedText(closed bool) string {
	if closed {
		return "became `@closed`"
	}
	return "is no longer `@closed`"
}

func openness(kind string, closed bool) string {
	if closed {
		return "a closed " + kind
	}
	return "an open " + kind
}

func numbersOf[T any](list []T, number func(T) int64) []int64 {
	var numbers []int64
	for _, item := range list {
		numbers = append(numbers, number(item))
	}
	return numbers
}
