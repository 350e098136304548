package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// services compares the services of a package [EVO-4.8]. For them the readers
// are sides of a conversation: an old client of a new server, and a new client
// of an old server.
func (c *comparer) services(before, after *ir.Package) {
	m := matchBy(before.Services, after.Services, func(s *ir.Service) string { return s.Name })
	named := len(m.both)
	m = m.thenBy(methodsKey)
	for _, p := range m.both[named:] {
		c.add(codeServiceRenamed, p.old.Span, p.new.Span, p.old.Name, "renamed to `%s`", p.new.Name).
			bytes(broken(""), broken("")).source(c.everywhere(true))
	}
	for _, s := range m.removed {
		c.add(codeServiceRemoved, s.Span, nowhere, s.Name, "removed, a service").
			bytes(broken("the server does not know it"), fine).source(c.everywhere(true))
	}
	for _, s := range m.added {
		c.add(codeServiceAdded, nowhere, s.Span, s.Name, "added, a service")
	}
	for _, p := range m.both {
		c.meta(p.new.Name, true, &p.old.Meta, &p.new.Meta)
		c.methods(p.old, p.new)
	}
}

// methodsKey recognises a renamed service by its methods.
func methodsKey(s *ir.Service) string {
	var key []string
	for _, m := range s.Methods {
		key = append(key, fmt.Sprint(m.Number, m.Name, m.Kind))
	}
	slices.Sort(key)
	return strings.Join(key, " ")
}

func (c *comparer) methods(before, after *ir.Service) {
	m := matchNumbered(before.Methods, after.Methods,
		func(m *ir.Method) string { return m.Name }, func(m *ir.Method) int64 { return int64(m.Number) })
	for _, r := range m.removed {
		c.add(codeMethodRemoved, r.Span, nowhere, after.Name+"."+r.Name, "removed, a method").
			bytes(broken("the server does not know it"), fine).source(c.everywhere(true)).
			askReserved(after.Reserved, int64(r.Number), fmt.Sprint(r.Number), r.Name, after.Name)
	}
	for _, a := range m.added {
		change := c.add(codeMethodAdded, nowhere, a.Span, after.Name+"."+a.Name, "added, a method").
			warnReused(before.Reserved, int64(a.Number))
		// It is the old client that uses the number with its old meaning.
		change.OldReaders, change.NewReaders = change.NewReaders, change.OldReaders
	}
	for _, p := range m.both {
		c.method(after.Name, p.old, p.new)
	}
	c.reservedGivenUp(after.Name, before.Reserved, after.Reserved, numbersOf(after.Methods, func(m *ir.Method) int64 { return int64(m.Number) }), &after.Meta)
}

func (c *comparer) method(owner string, before, after *ir.Method) {
	subject := owner + "." + after.Name
	if before.Name != after.Name {
		c.add(codeMethodRenamed, before.Span, after.Span, owner+"."+before.Name, "renamed to `%s`", after.Name).source(c.everywhere(true))
	}
	if before.Number != after.Number {
		c.add(codeMethodNumber, before.Span, after.Span, subject, "number changed from %d to %d", before.Number, after.Number).
			bytes(broken(""), broken(""))
	}
	if from, to := signature(before), signature(after); !c.sameSignature(before, after) {
		c.add(codeMethodChanged, before.Span, after.Span, subject, "changed from `%s` to `%s`", from, to).
			bytes(broken(""), broken("")).source(c.everywhere(true)).json(broken(""))
	}
	if before.Idempotent != after.Idempotent {
		text, oldClients := "became `@idempotent`", fine
		if before.Idempotent {
			text, oldClients = "is no longer `@idempotent`", broken("old clients repeat it")
		}
		c.add(codeIdempotent, before.Span, after.Span, subject, "%s", text).bytes(oldClients, fine)
	}
	c.meta(subject, before.Name == after.Name, &before.Meta, &after.Meta)
}

func (c *comparer) sameSignature(before, after *ir.Method) bool {
	return before.Kind == after.Kind && before.RequestFlows == after.RequestFlows && before.ResponseFlows == after.ResponseFlows &&
		!c.typeEffect(before.Request, after.Request).changed && !c.typeEffect(before.Response, after.Response).changed
}

func signature(m *ir.Method) string {
	flows := map[bool]string{true: "stream "}
	kind := [...]string{ir.Call: "call", ir.Stream: "stream", ir.Event: "event"}[m.Kind]
	text := fmt.Sprintf("%s (%s%s)", kind, flows[m.RequestFlows], spell(m.Request, ir.FullName))
	if m.Response != nil {
		text += fmt.Sprintf(" -> %s%s", flows[m.ResponseFlows], spell(m.Response, ir.FullName))
	}
	return text
}
