package mxp

import (
	"cmp"
	"slices"
)

// Description is a served method: its name, kind and types.
type Description struct {
	Method
	Kind Kind
	// Request and Response are the full names of the types, empty of handlers that were
	// registered by number.
	Request, Response string
	// RequestFlows and ResponseFlows say that there are any number of them; neither is known of
	// handlers by number.
	RequestFlows, ResponseFlows bool
}

// Names are the full names of the services, in the order in which peers are told.
func (s *Services) Names() []string { return slices.Clone(s.names) }

// Describe gives the methods of a service, by their numbers, and the types that their requests
// and responses have, by their names, of each of which it is known which it is. Of a service that
// there is not, ok is false.
func (s *Services) Describe(name string) (methods []Description, types []Type, ok bool) {
	at := slices.Index(s.names, name)
	if at < 0 {
		return nil, nil, false
	}
	for _, m := range s.list[at].methods {
		methods = append(methods, Description{
			Method: Method{Service: name, Name: m.Name, Number: m.Number, Idempotent: m.Idempotent}, Kind: m.kind,
			RequestFlows: m.flows.requests, ResponseFlows: m.flows.responses,
		})
	}
	slices.SortFunc(methods, func(a, b Description) int { return cmp.Compare(a.Number, b.Number) })
	for _, t := range reached(s, nil) {
		reaches := false
		for i := range methods {
			d := &methods[i]
			if of(t.Requests, d) {
				d.Request, reaches = t.Name, true
			}
			if of(t.Responses, d) {
				d.Response, reaches = t.Name, true
			}
		}
		if reaches {
			types = append(types, t)
		}
	}
	return methods, types, true
}

func of(methods []Method, d *Description) bool {
	return slices.ContainsFunc(methods, func(m Method) bool { return m.Service == d.Service && m.Number == d.Number })
}

// flows says which messages of a stream there are any number of.
type flows struct{ requests, responses bool }
