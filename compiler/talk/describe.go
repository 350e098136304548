package talk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/mxp/go/reflection"
)

// Describe says of the services of the schema what a server that serves them would by
// reflection.
func (c *Catalog) Describe() []*reflection.Service {
	services := named(c.Services())
	for _, service := range services {
		for _, m := range c.methods {
			if m.Service == service.Name {
				service.Methods = append(service.Methods, m.describe())
			}
		}
		slices.SortFunc(service.Methods, func(a, b reflection.Method) int { return cmp.Compare(a.Number, b.Number) })
		for _, t := range c.Types(service.Name) {
			service.Types = append(service.Types, reflection.Type{Name: t.Name, Fingerprints: t.Fingerprints, Layout: t.Layout})
		}
	}
	return services
}

// kinds are the schema's kinds as reflection has them.
var kinds = map[ir.MethodKind]reflection.Kind{ir.Call: reflection.KindCall, ir.Stream: reflection.KindStream, ir.Event: reflection.KindEvent}

func (m *Method) describe() reflection.Method {
	described := reflection.Method{
		Name: m.Name, Number: m.Number, Kind: kinds[m.Kind], Idempotent: m.Idempotent,
		Request: reflection.Value{Type: ir.FullName(m.Method.Request.Decl), Flows: m.RequestFlows},
	}
	if m.Method.Response != nil {
		described.Response = &reflection.Value{Type: ir.FullName(m.Method.Response.Decl), Flows: m.ResponseFlows}
	}
	return described
}

// Declaration is a method as a schema declares it, in one line, with full names; what
// is not known is a question mark.
func Declaration(service string, m *reflection.Method) string {
	known := func(text string) string {
		if text == "" {
			return "?"
		}
		return text
	}
	side := func(v *reflection.Value) string {
		if v.Flows {
			return "stream " + known(v.Type)
		}
		return known(v.Type)
	}
	text := fmt.Sprintf("%s %s/%s(%s)", kindName(m.Kind), service, known(m.Name), side(&m.Request))
	if m.Response != nil {
		text += " -> " + side(m.Response)
	}
	text = fmt.Sprintf("%s = %d", text, m.Number)
	if m.Idempotent {
		text = "@idempotent " + text
	}
	return Printable(text)
}

// kindName is the word of the schema for a kind.
func kindName(k reflection.Kind) string {
	switch k {
	case reflection.KindCall:
		return "call"
	case reflection.KindStream:
		return "stream"
	case reflection.KindEvent:
		return "event"
	}
	return "?" // of a later release
}
