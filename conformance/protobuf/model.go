package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// model is a .proto that is edited.
type model struct {
	*rand.Rand
	fields   []*field
	members  []*enumMember
	methods  []*rpc
	reserved []int
	// next is a number that nothing has had, and named counts names.
	next, named int
}

type field struct {
	name, label, kind string
	number            int
	within            bool // of the oneof
}

type enumMember struct {
	name   string
	number int
}

type rpc struct {
	name, takes, gives string
}

// edit is one edit, and why an import may tell of it alone.
type edit struct{ what, alone string }

func newModel(random *rand.Rand) *model {
	m := &model{Rand: random, next: 1, members: []*enumMember{{"KIND_NONE", 0}}}
	for range 6 {
		m.addField()
	}
	m.fields = append(m.fields, m.newField(true))
	m.methods = []*rpc{{"Get", "M", "N"}}
	return m
}

func (m *model) name() string {
	m.named++
	return fmt.Sprintf("x%d", m.named)
}

func (m *model) newField(within bool) *field {
	f := &field{name: m.name(), number: m.next, within: within}
	m.next++
	f.kind = kinds[m.IntN(len(kinds))]
	if !within {
		f.label = []string{"", "optional ", "repeated "}[m.IntN(3)]
	}
	return f
}

func (m *model) addField() { m.fields = append(m.fields, m.newField(false)) }

var kinds = []string{"int32", "int64", "uint32", "sint32", "bool", "string", "bytes", "double", "fixed32", "Kind", "N"}

// edit edits the .proto once.
func (m *model) edit() edit {
	var free []*field
	for _, f := range m.fields {
		if !f.within {
			free = append(free, f)
		}
	}
	f := free[m.IntN(len(free))]
	switch m.IntN(12) {
	case 0, 1:
		m.addField()
		return edit{what: "a field added"}
	case 2:
		if len(free) < 4 {
			break
		}
		m.remove(f)
		return edit{what: "a field removed"}
	case 3:
		if len(free) < 4 {
			break
		}
		m.remove(f)
		m.reserved = append(m.reserved, f.number)
		return edit{"a field removed, its number reserved", "removed and reserved"}
	case 4:
		f.name = m.name()
		return edit{"a field renamed", "renamed"}
	case 5, 6:
		was := f.kind
		for f.kind == was {
			f.kind = kinds[m.IntN(len(kinds))]
		}
		return edit{fmt.Sprintf("%s%s made %s", f.label, was, f.kind), "a type that buf takes for the same"}
	case 7:
		was := f.label
		for f.label == was {
			f.label = []string{"", "optional ", "repeated "}[m.IntN(3)]
		}
		return edit{fmt.Sprintf("%q %s made %q", was, f.kind, f.label), "optional put or taken"}
	case 8:
		m.members = append(m.members, &enumMember{"KIND_" + strings.ToUpper(m.name()), m.next})
		m.next++
		return edit{what: "a member added"}
	case 9:
		if len(m.members) > 1 {
			at := 1 + m.IntN(len(m.members)-1)
			m.members = append(m.members[:at:at], m.members[at+1:]...)
			return edit{what: "a member removed"}
		}
	case 10:
		m.fields = append(m.fields, m.newField(true))
		return edit{what: "a field of the oneof added"}
	case 11:
		return m.editMethod()
	}
	m.addField()
	return edit{what: "a field added"}
}

func (m *model) editMethod() edit {
	r := m.methods[m.IntN(len(m.methods))]
	switch m.IntN(3) {
	case 0:
		m.methods = append(m.methods, &rpc{"R" + m.name(), "M", "N"})
		return edit{what: "a method added"}
	case 1:
		if strings.HasPrefix(r.gives, "stream ") {
			r.gives = "N"
		} else {
			r.gives = "stream N"
		}
		return edit{what: "a method's stream put or taken"}
	}
	if r.takes == "M" {
		r.takes = "N"
	} else {
		r.takes = "M"
	}
	return edit{what: "a method takes another type"}
}

func (m *model) remove(f *field) {
	for i, other := range m.fields {
		if other == f {
			m.fields = append(m.fields[:i:i], m.fields[i+1:]...)
			return
		}
	}
}

// text is the .proto.
func (m *model) text() string {
	var b strings.Builder
	b.WriteString("syntax = \"proto3\";\npackage v;\n\nmessage M {\n")
	for _, n := range m.reserved {
		fmt.Fprintf(&b, "  reserved %d;\n", n)
	}
	for _, f := range m.fields {
		if !f.within {
			fmt.Fprintf(&b, "  %s%s %s = %d;\n", f.label, f.kind, f.name, f.number)
		}
	}
	b.WriteString("  oneof choice {\n")
	for _, f := range m.fields {
		if f.within {
			fmt.Fprintf(&b, "    %s %s = %d;\n", f.kind, f.name, f.number)
		}
	}
	b.WriteString("  }\n}\n\nmessage N {}\n\nenum Kind {\n")
	for _, e := range m.members {
		fmt.Fprintf(&b, "  %s = %d;\n", e.name, e.number)
	}
	b.WriteString("}\n\nservice S {\n")
	for _, r := range m.methods {
		fmt.Fprintf(&b, "  rpc %s(%s) returns (%s);\n", r.name, r.takes, r.gives)
	}
	b.WriteString("}\n")
	return b.String()
}
