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
func (c *comparer) services(older, newer *ir.Package) {
	m := matchBy(older.Services, newer.Services, func(s *ir.Service) string { return s.Name })
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

func (c *comparer) methods(older, newer *ir.Service) {
	m := matchNumbered(older.Methods, newer.Methods,
		func(m *ir.Method) string { return m.Name }, func(m *ir.Method) int64 { return int64(m.Number) })
	for _, r := range m.removed {
		c.add(codeMethodRemoved, r.Span, nowhere, newer.Name+"."+r.Name, "removed, a method").
			bytes(broken("the server does not know it"), fine).source(c.everywhere(true)).
			askReserved(newer.Reserved, int64(r.Number), fmt.Sprint(r.Number), r.Name, newer.Name)
	}
	for _, a := range m.added {
		change := c.add(codeMethodAdded, nowhere, a.Span, newer.Name+"."+a.Name, "added, a method").
			warnReused(older.Reserved, int64(a.Number))
		// Here the old client uses the number with its old meaning.
		change.OldReaders, change.NewReaders = change.NewReaders, change.OldReaders
	}
	for _, p := range m.both {
		c.method(newer.Name, p.old, p.new)
	}
	c.reservedGivenUp(newer.Name, older.Reserved, newer.Reserved, numbersOf(newer.Methods, func(m *ir.Method) int64 { return int64(m.Number) }), &newer.Meta)
}

func (c *comparer) method(owner string, older, newer *ir.Method) {
	subject := owner + "." + newer.Name
	if older.Name != newer.Name {
		c.add(codeMethodRenamed, older.Span, newer.Span, owner+"."+older.Name, "renamed to `%s`", newer.Name).source(c.everywhere(true))
	}
	if older.Number != newer.Number {
		c.add(codeMethodNumber, older.Span, newer.Span, subject, "number changed from %d to %d", older.Number, newer.Number).
			bytes(broken(""), broken(""))
	}
	if from, to := signature(older), signature(newer); !c.sameSignature(older, newer) {
		c.add(codeMethodChanged, older.Span, newer.Span, subject, "changed from `%s` to `%s`", from, to).
			bytes(broken(""), broken("")).source(c.everywhere(true)).json(broken(""))
	}
	if older.Idempotent != newer.Idempotent {
		text, oldClients := "became `@idempotent`", fine
		if older.Idempotent {
			text, oldClients = "is no longer `@idempotent`", broken("old clients repeat it")
		}
		c.add(codeIdempotent, older.Span, newer.Span, subject, "%s", text).bytes(oldClients, fine)
	}
	c.meta(subject, older.Name == newer.Name, &older.Meta, &newer.Meta)
}

func (c *comparer) sameSignature(older, newer *ir.Method) bool {
	return older.Kind == newer.Kind && older.RequestFlows == newer.RequestFlows && older.ResponseFlows == newer.ResponseFlows &&
		!c.typeEffect(older.Request, newer.Request).changed && !c.typeEffect(older.Response, newer.Response).changed
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
