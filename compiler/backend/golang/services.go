package golang

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// mxpPath is what generated code imports the MXP library by.
const mxpPath = "github.com/serial-data-protocol/sdp/mxp/go"

// takenByServices are the names that clients and servers use, beside the names of all generated code.
var takenByServices = []string{"client", "context", "ctx", "mxp", "options", "request", "server", "services"}

// services prints a client and a server of each service.
func (g *generator) services() {
	for _, s := range g.pkg.Services {
		g.serviceNames(s)
		g.serviceTypes(s)
		g.client(s)
		g.server(s)
		g.unimplemented(s)
	}
}

func (g *generator) serviceNames(s *ir.Service) {
	name := g.names.Of(s)
	g.Line("// %sName is the full name of %s.", name, name)
	g.Line("const %sName = %q", name, g.pkg.Name+"."+s.Name)
	g.Line("")
	if len(s.Methods) == 0 {
		return
	}
	g.Line("// The numbers of the methods of %s.", name)
	g.Line("const (")
	for _, m := range s.Methods {
		g.Line("%s uint16 = %d", g.names.Get(m, names.Number), m.Number)
	}
	g.Line(")\n")
	g.Line("var (")
	for _, m := range s.Methods {
		idempotent := ""
		if m.Idempotent {
			idempotent = ", Idempotent: true"
		}
		g.Line("%s = mxp.Method{Service: %sName, Name: %q, Number: %s%s}", g.names.Get(m, names.Method), name, m.Name, g.names.Get(m, names.Number), idempotent)
	}
	g.Line(")\n")
}

// serviceTypes prints what peers compare before the first request [MXP-13.3].
func (g *generator) serviceTypes(s *ir.Service) {
	g.block(emit.Vars{
		"name": g.names.Of(s),
		"types": func() {
			for _, t := range lower.ServiceTypes(s) {
				name := g.types.decl(t.Decl)
				g.Line("{Name: %q, Fingerprints: %sFingerprints(), Layout: %sLayout()%s%s},", ir.FullName(t.Decl), name, name,
					g.methodsField("Requests", t.Requests), g.methodsField("Responses", t.Responses))
			}
		},
	}, `
		// $name$Types are the types of the requests and responses of $name$. A client
		// is given them in its options, so that methods whose schemas differ are found
		// before the first request.
		func $name$Types() []mxp.Type {
			return []mxp.Type{
				$types$
			}
		}
	`)
}

// methodsField is the field of a type that says which methods' requests or responses are of it.
func (g *generator) methodsField(name string, methods []*ir.Method) string {
	if len(methods) == 0 {
		return ""
	}
	var list []string
	for _, m := range methods {
		list = append(list, g.names.Get(m, names.Method))
	}
	return ", " + name + ": []mxp.Method{" + strings.Join(list, ", ") + "}"
}

// methodText is the generated code for methods of one kind, with Q and A for the types of requests and
// responses.
type methodText struct {
	// asks is the function that a client's method calls; given and passed are its parameters and
	// arguments beside context and options; gives is its result.
	asks, given, passed, gives string
	// serves is the function that registers a server's method; takes and answers are that method's
	// parameter beside a context and its result.
	serves, takes, answers string
	// asksDoc and servesDoc are the comments of methods without their own, and notes the guarantees
	// for a caller.
	asksDoc, servesDoc string
	notes              []string
}

var methodTexts = [...]methodText{
	lower.Event: {
		"Publish", "request *Q, ", "request, ", "error", "HandleEvent", "request *Q", "error",
		"sends an event.", "takes an event.", nil,
	},
	lower.Call: {
		"Invoke[A]", "request *Q, ", "request, ", "(*A, error)", "HandleCall", "request *Q", "(*A, error)",
		"asks for an answer.", "answers a request.", nil,
	},
	lower.ServerStream: {
		"OpenServerStream[A]", "request *Q, ", "request, ", "(*mxp.Receiver[A], error)", "HandleServerStream", "request *Q, responses *mxp.Sender[A]", "error",
		opensStream, servesStream, []string{"The stream ends when it was read to its end, by Close, or with the context."},
	},
	lower.ClientStream: {
		"OpenClientStream[Q, A]", "", "", "(*mxp.ClientStream[Q, A], error)", "HandleClientStream", "requests *mxp.Receiver[Q]", "(*A, error)",
		opensStream, servesStream, []string{"The stream ends by CloseAndRecv, by Close, or with the context."},
	},
	lower.BidiStream: {
		"OpenBidiStream[Q, A]", "", "", "(*mxp.BidiStream[Q, A], error)", "HandleBidiStream", "requests *mxp.Receiver[Q], responses *mxp.Sender[A]", "error",
		opensStream, servesStream, []string{"The stream ends when both directions have, by Close, or with the context."},
	},
}

const (
	opensStream  = "opens a stream."
	servesStream = "serves a stream, which ends when it returns."
)

// methodText is that of a method.
func (g *generator) methodText(m *ir.Method) methodText {
	text := methodTexts[lower.FlowOf(m)]
	for _, part := range []*string{&text.asks, &text.given, &text.gives, &text.takes, &text.answers} {
		*part = lower.Fill(m, *part, g.types.spell)
	}
	return text
}
