package check

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// services fills the services of the file.
func (u *unit) services() {
	for _, s := range u.declared {
		if node, ok := s.node.(*syntax.Service); ok {
			u.service(s.service, node)
		}
	}
}

var methodKinds = [...]ir.MethodKind{
	syntax.CallMethod:   ir.Call,
	syntax.StreamMethod: ir.Stream,
	syntax.EventMethod:  ir.Event,
}

var methodRange = numberRange{what: "method number", min: methodNumberMin, max: methodNumberMax}

func (u *unit) service(s *ir.Service, node *syntax.Service) {
	s.Meta = u.meta(&node.Head, u.attributes(node.Attributes, onService))
	s.Reserved = u.reserved(node.Reserved, methodRange, true)
	names, used, retired := u.newNames("method"), u.newNumbers(methodRange, s.Reserved), nameSet(s.Reserved.Names)
	for _, n := range node.Methods {
		names.add(n.Name)
		u.reservedName("method", n.Name, retired)
		method := u.method(n)
		if number, ok := u.integer(n.Number, "a "+methodRange.what); ok && used.add(number, n.Number.Span) {
			method.Number = uint16(number.magnitude)
		}
		s.Methods = append(s.Methods, method)
	}
}

func (u *unit) method(n *syntax.Method) *ir.Method {
	at := onOtherMethod
	if n.Kind == syntax.CallMethod {
		at = onCall
	}
	a := u.attributes(n.Attributes, at)
	m := &ir.Method{
		Name:          n.Name.Text,
		Kind:          methodKinds[n.Kind],
		RequestFlows:  n.RequestStream,
		ResponseFlows: n.ResponseStream,
		Idempotent:    a.idempotent,
		Meta:          u.meta(&n.Head, a),
	}
	m.Request = u.methodType(n.Request)
	if n.Response != nil {
		m.Response = u.methodType(n.Response)
	}
	flows := m.RequestFlows || m.ResponseFlows
	if m.Kind == ir.Stream && !flows {
		u.problems.Error(codeMethodStream, n.Name.Span, "neither side of stream %s streams", quote(m.Name)).
			WithHelp("write `stream` before the request or the response, or make it a call")
	}
	if m.Kind != ir.Stream && flows {
		u.problems.Error(codeMethodStream, n.Name.Span, "%s streams, but is not a stream", quote(m.Name)).
			WithHelp("start the method with `stream`, or remove `stream` from its types")
	}
	return m
}

// methodType resolves the request or response of a method [LANG-4.6].
func (u *unit) methodType(n *syntax.Type) *ir.Type {
	t := u.resolve(n)
	if t == nil {
		return nil
	}
	if k := t.Kind; k != ir.StructKind && k != ir.MessageKind && k != ir.UnionKind {
		u.problems.Error(codeMethodType, n.Span, "a method cannot take or return %s", quote(n.Span.Text())).
			WithHelp("methods take and return structs, messages and unions")
		return nil
	}
	return t
}
