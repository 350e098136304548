package compat

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// matchNumbered pairs members, alternatives or methods: first by equal names, then by numbers whose
// name is new on both sides [EVO-3.4]. A number whose name went to another number is not a
// renaming: it would be read as something else.
func matchNumbered[T any](older, newer []T, name func(T) string, number func(T) int64) matcher[T] {
	return matchBy(older, newer, name).thenBy(func(m T) string { return fmt.Sprint(number(m)) })
}

func matchMembers(older, newer *ir.Enum) matcher[*ir.EnumMember] {
	return matchNumbered(older.Members, newer.Members,
		func(m *ir.EnumMember) string { return m.Name }, func(m *ir.EnumMember) int64 { return m.Number })
}

func matchCases(older, newer *ir.Union) matcher[*ir.Alternative] {
	return matchNumbered(older.Alternatives, newer.Alternatives,
		func(a *ir.Alternative) string { return a.Name }, func(a *ir.Alternative) int64 { return int64(a.Tag) })
}

// jsonName is what JSON calls a member or alternative.
func jsonName(name string, meta *ir.Meta) string {
	if n, found := meta.Names["json"]; found {
		return n
	}
	return name
}

func isReserved(scope ir.Reserved, number int64) bool {
	for _, r := range scope.Numbers {
		if r.Contains(number) {
			return true
		}
	}
	return false
}

// askReserved asks that a number that was given up does not come back with
// another meaning [EVO-3.5].
func (c *Change) askReserved(scope ir.Reserved, number int64, numberText, name, where string) *Change {
	if !isReserved(scope, number) {
		c.Help = fmt.Sprintf("add `reserved %s, \"%s\";` to %s, so that neither comes back with another meaning", numberText, name, where)
	}
	return c
}

// warnReused marks what takes a number that earlier releases retired: their
// bytes still use it.
func (c *Change) warnReused(scope ir.Reserved, number int64) *Change {
	if isReserved(scope, number) {
		c.NewReaders = broken("its number was reserved")
		c.Help = "take a number that was never used"
	}
	return c
}

// reservedGivenUp reports what is no longer reserved and not used either.
func (c *comparer) reservedGivenUp(subject string, older, newer ir.Reserved, numbers []int64, meta *ir.Meta) {
	for _, r := range older.Numbers {
		if reservedWithin(r, newer.Numbers) || usedWithin(r, numbers) {
			continue
		}
		text := fmt.Sprint(r.First)
		if r.Last != r.First {
			text = fmt.Sprintf("%d..%d", r.First, r.Last)
		}
		c.add(codeReservedGivenUp, nowhere, meta.Span, subject, "no longer reserves %s", text).
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
func (c *comparer) renamed(code diag.Code, owner, prefix, newer string, old, now *ir.Meta) {
	c.add(code, old.Span, now.Span, owner+"."+prefix, "renamed to `%s`", newer).
		source(c.everywhere(true)).json(verdict(jsonName(prefix, old) == jsonName(newer, now), ""))
}

func closedText(strict bool) string {
	if strict {
		return "became `@closed`"
	}
	return "is no longer `@closed`"
}

func openness(kind string, strict bool) string {
	if strict {
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
