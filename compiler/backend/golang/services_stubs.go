package golang

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

func (g *generator) client(s *ir.Service) {
	name := g.names.Of(s)
	g.methodDoc(name+"Client", &s.Meta, "calls the methods of "+name+". It is safe for use by several goroutines.")
	g.Line("type %sClient struct{ client *mxp.Client }\n", name)
	g.Line("// New%sClient makes a client of the service that the client's peer serves.", name)
	g.Line("func New%sClient(client *mxp.Client) *%sClient { return &%sClient{client} }\n", name, name, name)
	for _, m := range s.Methods {
		text := g.methodText(m)
		if m.Idempotent {
			text.notes = []string{"It is idempotent: it may be asked again, even where the peer may have acted."}
		}
		g.ask(name, g.names.Of(m), m, &m.Meta, text)
		if m.Kind == ir.Event {
			text.asksDoc = "sends events as " + g.names.Of(m) + " does each, and says how many were sent."
			text.asks, text.given, text.passed, text.gives = "PublishBatch", "requests []"+g.types.spell(m.Request)+", ", "requests, ", "(int, error)"
			g.ask(name, g.names.Get(m, names.Batch), m, undocumented(m.Meta), text)
		}
	}
}

// ask prints what asks for a method of a service.
func (g *generator) ask(service, name string, m *ir.Method, meta *ir.Meta, text methodText) {
	g.methodDoc(name, meta, text.asksDoc, text.notes...)
	g.block(emit.Vars{
		"service": service, "name": name, "given": text.given, "gives": text.gives, "asks": text.asks, "method": g.names.Get(m, names.Method), "passed": text.passed,
	}, `
		func (c *$service$Client) $name$(ctx context.Context, $given$options ...mxp.Option) $gives$ {
			return mxp.$asks$(ctx, c.client, &$method$, $passed$options...)
		}
	`)
}

func (g *generator) server(s *ir.Service) {
	name := g.names.Of(s)
	g.methodDoc(name+"Server", &s.Meta, "is what serves "+name+".",
		"Its methods are called by several goroutines. Their contexts end when the deadline passes, the peer cancels, or the "+
			"connection is gone. An error that is a *mxp.Failure is told to the peer as it is.")
	g.Line("type %sServer interface {", name)
	g.In(func() {
		for _, m := range s.Methods {
			text := g.methodText(m)
			g.methodDoc(g.names.Of(m), &m.Meta, text.servesDoc)
			g.Line("%s(ctx context.Context, %s) %s", g.names.Of(m), text.takes, text.answers)
		}
	})
	g.Line("}\n")
	g.block(emit.Vars{
		"name": name,
		"handlers": func() {
			for _, m := range s.Methods {
				g.Line("mxp.%s(services, &%s, server.%s)", g.methodText(m).serves, g.names.Get(m, names.Method), g.names.Of(m))
			}
		},
	}, `
		// Register$name$ adds $name$ to services; the methods of server are its handlers.
		func Register$name$(services *mxp.Services, server $name$Server) {
			services.Service($name$Name).Reaches($name$Types()...)
			$handlers$
		}
	`)
}

func (g *generator) unimplemented(s *ir.Service) {
	name := g.names.Of(s)
	g.block(emit.Vars{"name": name}, `
		// Unimplemented$name$ refuses everything. A server that embeds it needs no code
		// for methods that are new in the schema, or that it doesn't serve.
		type Unimplemented$name$ struct{}

		var _ $name$Server = Unimplemented$name${}
	`)
	for _, m := range s.Methods {
		text, result := g.methodText(m), "mxp.ErrUnimplemented"
		if strings.HasPrefix(text.answers, "(") {
			result = "nil, " + result
		}
		g.block(emit.Vars{
			"name": name, "method": g.names.Of(m), "result": result, "answers": text.answers,
			"takes": strings.NewReplacer("requests *", "_ *", "responses *", "_ *", "request *", "_ *").Replace(text.takes),
		}, `
			// $method$ refuses all requests.
			func (Unimplemented$name$) $method$(_ context.Context, $takes$) $answers$ {
				return $result$
			}
		`)
	}
}
