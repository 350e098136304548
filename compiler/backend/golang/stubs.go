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
	g.Line("type %sClient struct{ client *mxp.Client }", name)
	g.Line("")
	g.Line("// New%sClient makes a client of the service that the client's peer serves.", name)
	g.Line("func New%sClient(client *mxp.Client) *%sClient { return &%sClient{client} }", name, name, name)
	g.Line("")
	for _, m := range s.Methods {
		asked, answered, do := g.clientMethod(m)
		g.methodDoc(g.names.Of(m), &m.Meta, clientDoc(m), clientNotes(m)...)
		arguments := "ctx, c.client, &" + g.names.Get(m, names.Method)
		if asked != "" {
			asked, arguments = asked+", ", arguments+", request"
		}
		g.Line("func (c *%sClient) %s(ctx context.Context, %soptions ...mxp.Option) %s {", name, g.names.Of(m), asked, answered)
		g.Line("return mxp.%s(%s, options...)", do, arguments)
		g.Line("}")
		g.Line("")
	}
}

// clientMethod is what a client's method is given beside a context and options,
// what it returns, and the function that does it.
func (g *generator) clientMethod(m *ir.Method) (asked, answered, do string) {
	q, a := g.types.spell(m.Request), ""
	if m.Response != nil {
		a = g.types.spell(m.Response)
	}
	switch {
	case m.Kind == ir.Event:
		return "request *" + q, "error", "Publish"
	case m.Kind == ir.Call:
		return "request *" + q, "(*" + a + ", error)", "Invoke[" + a + "]"
	case !m.RequestFlows:
		return "request *" + q, "(*mxp.Receiver[" + a + "], error)", "OpenServerStream[" + a + "]"
	case !m.ResponseFlows:
		return "", "(*mxp.ClientStream[" + q + ", " + a + "], error)", "OpenClientStream[" + q + ", " + a + "]"
	}
	return "", "(*mxp.BidiStream[" + q + ", " + a + "], error)", "OpenBidiStream[" + q + ", " + a + "]"
}

// clientDoc is what is said of a client's method that has no comment.
func clientDoc(m *ir.Method) string {
	switch {
	case m.Kind == ir.Event:
		return "sends an event."
	case m.Kind == ir.Call:
		return "asks for an answer."
	}
	return "opens a stream."
}

// clientNotes says what a caller may rely on.
func clientNotes(m *ir.Method) []string {
	switch {
	case m.Idempotent:
		return []string{"It is idempotent: it may be asked again, even where the peer may have acted."}
	case m.Kind != ir.Stream:
		return nil
	case !m.ResponseFlows:
		return []string{"The stream ends by CloseAndRecv, by Close, or with the context."}
	case m.RequestFlows:
		return []string{"The stream ends when both directions have, by Close, or with the context."}
	}
	return []string{"The stream ends when it was read to its end, by Close, or with the context."}
}

func (g *generator) server(s *ir.Service) {
	name := g.names.Of(s)
	g.methodDoc(name+"Server", &s.Meta, "is what serves "+name+".",
		"Its methods are called by several goroutines. Their contexts end when the deadline passes, the peer cancels, or the "+
			"connection is gone. An error that is a *mxp.Failure is told to the peer as it is.")
	g.Line("type %sServer interface {", name)
	g.In(func() {
		for _, m := range s.Methods {
			given, answered, _ := g.serverMethod(m)
			g.methodDoc(g.names.Of(m), &m.Meta, serverDoc(m))
			g.Line("%s(ctx context.Context, %s) %s", g.names.Of(m), given, answered)
		}
	})
	g.Line("}\n")
	g.Emit(emit.Vars{
		"name": name,
		"handlers": func() {
			for _, m := range s.Methods {
				_, _, register := g.serverMethod(m)
				g.Line("mxp.%s(services, &%s, server.%s)", register, g.names.Get(m, names.Method), g.names.Of(m))
			}
		},
	}, `
		// Register$name$ adds $name$ to what is served, by the methods of server.
		func Register$name$(services *mxp.Services, server $name$Server) {
			services.Service($name$Name).Reaches($name$Types()...)
			$handlers$
		}
	`)
	g.Line("")
}

// serverMethod is what a server's method is given beside a context, what it
// returns, and the function that registers it.
func (g *generator) serverMethod(m *ir.Method) (given, answered, register string) {
	q, a := "*"+g.types.spell(m.Request), ""
	if m.Response != nil {
		a = g.types.spell(m.Response)
	}
	receiver, sender := "requests *mxp.Receiver["+g.types.spell(m.Request)+"]", "responses *mxp.Sender["+a+"]"
	switch {
	case m.Kind == ir.Event:
		return "request " + q, "error", "HandleEvent"
	case m.Kind == ir.Call:
		return "request " + q, "(*" + a + ", error)", "HandleCall"
	case !m.RequestFlows:
		return "request " + q + ", " + sender, "error", "HandleServerStream"
	case !m.ResponseFlows:
		return receiver, "(*" + a + ", error)", "HandleClientStream"
	}
	return receiver + ", " + sender, "error", "HandleBidiStream"
}

// serverDoc is what is said of a server's method that has no comment.
func serverDoc(m *ir.Method) string {
	switch {
	case m.Kind == ir.Event:
		return "takes an event."
	case m.Kind == ir.Call:
		return "answers a request."
	}
	return "serves a stream, which ends when it returns."
}

func (g *generator) unimplemented(s *ir.Service) {
	name := g.names.Of(s)
	g.Emit(emit.Vars{"name": name}, `
		// Unimplemented$name$ refuses everything. A server that embeds it needs no code
		// for methods that are new in the schema, or that it doesn't serve.
		type Unimplemented$name$ struct{}

		var _ $name$Server = Unimplemented$name${}
	`)
	g.Line("")
	for _, m := range s.Methods {
		given, answered, _ := g.serverMethod(m)
		result := "mxp.ErrUnimplemented"
		if strings.HasPrefix(answered, "(") {
			result = "nil, " + result
		}
		g.Line("// %s refuses all requests.", g.names.Of(m))
		g.Line("func (Unimplemented%s) %s(_ context.Context, %s) %s {", name, g.names.Of(m), unnamed(given), answered)
		g.Line("return %s", result)
		g.Line("}")
		g.Line("")
	}
}

// unnamed are parameters that are not used.
func unnamed(parameters string) string {
	return strings.NewReplacer("requests *", "_ *", "responses *", "_ *", "request *", "_ *").Replace(parameters)
}
