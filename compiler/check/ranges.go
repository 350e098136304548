package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// The ranges of numbers that a schema gives out.
const (
	typeIDMin, typeIDMax             = 1, 0xFEFF
	unionTagMin, unionTagMax         = 1, 255
	methodNumberMin, methodNumberMax = 1, 65535
)

// numberRange is what numbers of one sort can be.
type numberRange struct {
	what     string
	min, max uint64
	// base is set for the members of an enum, and then counts instead.
	base ir.Kind
}

func (r numberRange) holds(n number) bool {
	if r.base != 0 {
		return n.fits(r.base)
	}
	return !n.negative && r.min <= n.magnitude && n.magnitude <= r.max
}

func (r numberRange) String() string {
	if r.base != 0 {
		return rangeOf(r.base)
	}
	return decimal(r.min) + " to " + decimal(r.max)
}

// numbers finds numbers of one body that are out of range, reserved or used
// twice.
type numbers struct {
	unit     *unit
	reserved rangeSet
	numberRange
	first map[int64]syntax.Span
}

func (u *unit) newNumbers(r numberRange, reserved ir.Reserved) numbers {
	return numbers{unit: u, numberRange: r, reserved: newRangeSet(reserved.Numbers), first: map[int64]syntax.Span{}}
}

// add checks one number and tells whether it can be used.
func (s numbers) add(n number, span syntax.Span) bool {
	u := s.unit
	if !s.holds(n) {
		u.problems.Error(codeNumberRange, span, "%s is out of range", s.what).
			WithHelp(fmt.Sprintf("a %s is %s", s.what, s.numberRange))
		return false
	}
	if s.reserved.contains(n.bits()) {
		u.problems.Error(codeUsesReserved, span, "%s %s is reserved", s.what, span.Text()).
			WithHelp("a retired number never comes back; take another")
	}
	if first, taken := s.first[n.bits()]; taken {
		u.problems.Error(codeNumberTwice, span, "%s %s is used twice", s.what, span.Text()).
			WithRelated(first, "first used here").
			WithHelp("give one of the two another number")
		return false
	}
	s.first[n.bits()] = span
	return true
}

// rangeSet is ranges in ascending order that do not overlap.
type rangeSet []ir.Range

func newRangeSet(ranges []ir.Range) rangeSet {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b ir.Range) int { return cmp.Compare(a.First, b.First) })
	var set rangeSet
	for _, r := range sorted {
		if last := len(set) - 1; last >= 0 && r.First <= set[last].Last {
			set[last].Last = max(set[last].Last, r.Last)
			continue
		}
		set = append(set, r)
	}
	return set
}

func (s rangeSet) contains(n int64) bool {
	i, found := slices.BinarySearchFunc(s, n, func(r ir.Range, n int64) int { return cmp.Compare(r.First, n) })
	return found || i > 0 && s[i-1].Contains(n)
}

// reservedName refuses a name that is reserved in its body.
func (u *unit) reservedName(subject string, name syntax.Ident, reserved map[string]bool) {
	if reserved[name.Text] {
		u.problems.Error(codeUsesReserved, name.Span, "%s %s is reserved", subject, quote(name.Text)).
			WithHelp("a retired name never comes back; take another")
	}
}

func nameSet(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// reserved understands the reserved statements of one body.
func (u *unit) reserved(statements []*syntax.Reserved, r numberRange, names bool) ir.Reserved {
	var all ir.Reserved
	for _, statement := range statements {
		for _, item := range statement.Items {
			switch {
			case item.First != nil:
				all.Numbers = append(all.Numbers, u.reservedRange(item, r)...)
			case !names:
				u.problems.Error(codeReserved, item.Span, "type ids are numbers").
					WithHelp("`reserved` at the top level of a file keeps type ids from coming back")
			case identifier(item.Name.Text) != item.Name.Text:
				u.problems.Error(codeReserved, item.Span, "this is not a name").
					WithHelp("a name starts with a letter or `_`, and goes on with letters, digits and `_`")
			default:
				all.Names = append(all.Names, item.Name.Text)
			}
		}
	}
	return all
}

// reservedRange understands `n` or `a..b`. A range of u64 that has the sign
// bit set in some of its numbers becomes two, since ir compares signed numbers.
func (u *unit) reservedRange(item syntax.ReservedItem, r numberRange) []ir.Range {
	last := item.First
	if item.Last != nil {
		last = item.Last
	}
	a, _ := u.integer(item.First, r.what)
	b, _ := u.integer(last, r.what)
	if !r.holds(a) || !r.holds(b) {
		u.problems.Error(codeReserved, item.Span, "no %s is in this range", r.what).
			WithHelp(fmt.Sprintf("a %s is %s", r.what, r))
		return nil
	}
	if b.less(a) {
		u.problems.Error(codeReserved, item.Span, "this range ends before it starts").
			WithHelp("write the smaller number first; both ends are reserved")
		return nil
	}
	if !a.negative && a.bits() >= 0 && !b.negative && b.bits() < 0 {
		return []ir.Range{{First: a.bits(), Last: math.MaxInt64}, {First: math.MinInt64, Last: b.bits()}}
	}
	return []ir.Range{{First: a.bits(), Last: b.bits()}}
}

func (n number) less(m number) bool {
	switch {
	case n.negative != m.negative:
		return n.negative
	case n.negative:
		return n.magnitude > m.magnitude
	}
	return n.magnitude < m.magnitude
}

// typeIDs checks the ids of the file's types, and gives a legacy file's
// structs theirs [LANG-8.2].
func (u *unit) typeIDs() {
	u.pkg.ReservedIDs = u.reserved(u.file.ReservedIDs, typeIDRange, false).Numbers
	retired := newRangeSet(u.pkg.ReservedIDs)
	first := map[uint16]*ir.TypeID{}
	position := uint64(0)
	for _, s := range u.declared {
		if s.decl == nil {
			continue
		}
		position++
		id := ir.IDOf(s.decl)
		if u.pkg.Legacy {
			id = u.positionalID(s, position)
		}
		if id == nil {
			continue
		}
		if other, taken := first[id.Value]; taken {
			u.problems.Error(codeTypeIDTwice, id.Span, "type id %d is used twice", id.Value).
				WithRelated(other.Span, "first used here").
				WithHelp("ids are unique in a package; take another")
			continue
		}
		first[id.Value] = id
		if retired.contains(int64(id.Value)) {
			u.problems.Error(codeUsesReserved, id.Span, "type id %d is reserved", id.Value).
				WithHelp("a retired id never comes back; take another")
		}
	}
}

var typeIDRange = numberRange{what: "type id", min: typeIDMin, max: typeIDMax}

func (u *unit) positionalID(s *symbol, position uint64) *ir.TypeID {
	if position > typeIDMax {
		if position == typeIDMax+1 {
			u.problems.Error(codeTypeIDRange, s.span, "there is no type id for the %dth struct of this file", position).
				WithHelp("split the file")
		}
		return nil
	}
	id := &ir.TypeID{Value: uint16(position), Positional: true, Span: s.span}
	s.decl.(*ir.Struct).ID = id
	return id
}

// typeID understands @id.
func (u *unit) typeID(v *syntax.Value) *ir.TypeID {
	if v == nil {
		return nil
	}
	n, _ := u.integer(v, typeIDRange.what)
	if !typeIDRange.holds(n) {
		u.problems.Error(codeTypeIDRange, v.Span, "a type id is %s", typeIDRange).
			WithHelp("0 and 65280 to 65535 are reserved")
		return nil
	}
	return &ir.TypeID{Value: uint16(n.magnitude), Span: v.Span}
}
