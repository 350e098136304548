package check

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// enums fills the enums of the file.
func (u *unit) enums() {
	for _, s := range u.declared {
		if node, ok := s.node.(*syntax.Enum); ok {
			u.within = s
			u.enum(s.decl.(*ir.Enum), node)
		}
	}
	u.within = nil
}

func (u *unit) enum(e *ir.Enum, node *syntax.Enum) {
	a := u.attributes(node.Attributes, onEnum)
	e.Meta = u.meta(&node.Head, a)
	e.Closed = a.closed
	e.Base = u.enumBase(node)
	r := numberRange{what: "member number", base: e.Base}
	if e.Base == 0 {
		// Any integer passes, so that a wrong base is one problem.
		r.base = ir.I64
	}
	if e.Base != 0 {
		e.Reserved = u.reserved(node.Reserved, r, true)
	}
	names, used, retired := u.newNames("member"), u.newNumbers(r, e.Reserved), nameSet(e.Reserved.Names)
	for _, m := range node.Members {
		names.add(m.Name)
		u.reservedName("member", m.Name, retired)
		member := &ir.EnumMember{Name: m.Name.Text, Meta: u.meta(&m.Head, u.attributes(m.Attributes, onMember))}
		if n, ok := u.integer(m.Value, "a "+r.what); ok && e.Base != 0 && used.add(n, m.Value.Span) {
			member.Number = n.bits()
		}
		e.Members = append(e.Members, member)
	}
	if len(node.Members) == 0 && !node.Broken {
		u.problems.Error(codeNoMembers, node.Name.Span, "enum %s has no members", quote(node.Name.Text)).
			WithHelp("an enum needs at least one")
	}
}

// enumBase returns 0 after a report.
func (u *unit) enumBase(node *syntax.Enum) ir.Kind {
	if node.Base == nil {
		return 0
	}
	base := u.resolve(node.Base)
	if base == nil {
		return 0
	}
	if !base.Kind.IsEnumBase() {
		u.problems.Error(codeEnumBase, node.Base.Span, "an enum's base cannot be %s", quote(node.Base.Span.Text())).
			WithHelp("it is one of " + enumBases())
		return 0
	}
	return base.Kind
}

// enumBases lists the types that an enum's base can be.
func enumBases() string {
	var names []string
	for _, k := range ir.Scalars() {
		if k.IsEnumBase() {
			names = append(names, k.String())
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
