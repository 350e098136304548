package typescript

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

// methodKinds are the runtime's types of methods, with Q and A for the types of requests and
// responses, the name of a kind there, and the comment of a method without its own.
var methodKinds = [...]struct{ typ, kind, doc string }{
	lower.Event:        {"EventMethod<Q>", "event", "An event, which nothing answers."},
	lower.Call:         {"CallMethod<Q, A>", "call", "Asks for an answer."},
	lower.ServerStream: {"ServerStreamMethod<Q, A>", "serverStream", "Is answered by a stream."},
	lower.ClientStream: {"ClientStreamMethod<Q, A>", "clientStream", "Answers a stream of requests."},
	lower.BidiStream:   {"BidiStreamMethod<Q, A>", "bidiStream", "Streams both ways."},
}

// services prints, for each service, its methods as a type and as data.
func (g *generator) services() {
	for _, s := range g.pkg.Services {
		name := g.names.Of(s)
		methods := name + "Methods"
		g.typed(func() {
			g.Line("/** The methods of %s. */", name)
			g.Line("export interface %s {", methods)
			g.In(func() {
				for _, m := range s.Methods {
					kind := methodKinds[lower.FlowOf(m)]
					var notes []string
					if m.Idempotent {
						notes = []string{"It is idempotent: it may be asked again, even where the peer may have acted."}
					}
					g.doc(&m.Meta, kind.doc, notes...)
					g.Line("readonly %s: sdp.%s;", g.names.Of(m), lower.Fill(m, kind.typ, g.spell))
				}
			})
			g.Line("}\n")
		})
		g.doc(&s.Meta, "A service of the schema.")
		g.constant(name, "sdp.Service<"+methods+">", "{", func() {
			g.Line("name: %s,", quote(g.pkg.Name+"."+s.Name))
			g.Line("methods: {")
			g.In(func() {
				for _, m := range s.Methods {
					g.method(m)
				}
			})
			g.Line("},")
		}, "}")
	}
}

func (g *generator) method(m *ir.Method) {
	g.Line("%s: {", g.names.Of(m))
	g.In(func() {
		g.Line("kind: %s,", quote(methodKinds[lower.FlowOf(m)].kind))
		g.Line("name: %s,", quote(m.Name))
		g.Line("number: %d,", m.Number)
		g.Line("idempotent: %v,", m.Idempotent)
		g.Line("request: %s,", g.codec(m.Request))
		if m.Response != nil {
			g.Line("response: %s,", g.codec(m.Response))
		}
	})
	g.Line("},")
}

// codec is an expression of what writes and reads a type.
func (g *generator) codec(t *ir.Type) string {
	d := t.Decl
	name := g.names.Of(d)
	of := func(prefix, newer string) string { return g.qualified(d.DeclPackage(), prefix+name+newer) }
	return fmt.Sprintf("/* @__PURE__ */ sdp.codec(%s, %s, %s, %s)", of("", ""), of("fingerprintsOf", "$"), of("encode", ""), of("decode", ""))
}
