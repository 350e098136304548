package lower

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Flow is one of the five kinds of methods: what a request is followed by.
type Flow int

// A language has a row for each of them in its table.
const (
	Event        Flow = iota // nothing
	Call                     // a response
	ServerStream             // a stream of responses
	ClientStream             // a stream of requests, then a response
	BidiStream               // a stream in each direction
)

// FlowOf is a method's kind.
func FlowOf(m *ir.Method) Flow {
	switch {
	case m.Kind == ir.Event:
		return Event
	case m.RequestFlows && m.ResponseFlows:
		return BidiStream
	case m.RequestFlows:
		return ClientStream
	case m.ResponseFlows:
		return ServerStream
	}
	return Call
}

// channelValueMax is how many bytes a value may have of which the largest ring has room for four
// [MXP-18.14].
const channelValueMax = 1 << 28

// ChannelOf says how many bytes the requests and responses of a method have that can be opened as
// a channel [MXP-18.12].
func ChannelOf(program *plan.Program, m *ir.Method) (request, response uint64, ok bool) {
	if FlowOf(m) != BidiStream || !program.Body(m.Request.Decl).Fixed() || !program.Body(m.Response.Decl).Fixed() {
		return 0, 0, false
	}
	request, response = program.SizeOf(m.Request).Min, program.SizeOf(m.Response).Min
	return request, response, min(request, response) > 0 && max(request, response) <= channelValueMax
}

// Fill is text about a method with the type of its requests for each Q, and that
// of its responses for each A. They are filled in at once, since a type's name may
// have these letters.
func Fill(m *ir.Method, text string, spell func(*ir.Type) string) string {
	filled := []string{"Q", spell(m.Request)}
	if m.Response != nil {
		filled = append(filled, "A", spell(m.Response))
	}
	return strings.NewReplacer(filled...).Replace(text)
}

// ServiceType is a type of a service's requests or responses, with the methods
// that have them.
type ServiceType struct {
	ir.Decl
	Requests, Responses []*ir.Method
}

// ServiceTypes are the types that a service's methods name, each once, by their full names: peers
// compare them before the first request [MXP-13.3].
func ServiceTypes(s *ir.Service) []*ServiceType {
	var all []*ServiceType
	find := func(t *ir.Type) *ServiceType {
		i := slices.IndexFunc(all, func(names *ServiceType) bool { return names.Decl == t.Decl })
		if i < 0 {
			i, all = len(all), append(all, &ServiceType{Decl: t.Decl})
		}
		return all[i]
	}
	for _, m := range s.Methods {
		request := find(m.Request)
		request.Requests = append(request.Requests, m)
		if m.Response != nil {
			response := find(m.Response)
			response.Responses = append(response.Responses, m)
		}
	}
	slices.SortFunc(all, func(a, b *ServiceType) int { return strings.Compare(ir.FullName(a.Decl), ir.FullName(b.Decl)) })
	return all
}
