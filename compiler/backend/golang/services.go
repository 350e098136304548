package golang

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// mxpPath is what generated code imports the MXP library by.
const mxpPath = "github.com/serial-data-protocol/sdp/mxp/go"

// servicesFile has the clients and servers of a package.
const servicesFile = "services.sdp.go"

// takenByServices are the names that clients and servers use, beside those of all
// generated code.
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
	g.Emit(emit.Vars{
		"name": g.names.Of(s),
		"types": func() {
			for _, d := range reached(s) {
				name := g.types.decl(d)
				g.Line("{Name: %q, Fingerprints: %sFingerprints(), Layout: %sLayout%s},", ir.FullName(d), name, name, g.methodsOf(s, d))
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
	g.Line("")
}

// methodsOf are the fields of a type that say which requests and responses are of it.
func (g *generator) methodsOf(s *ir.Service, d ir.Decl) string {
	var requests, responses []string
	for _, m := range s.Methods {
		if m.Request.Decl == d {
			requests = append(requests, g.names.Get(m, names.Method))
		}
		if m.Response != nil && m.Response.Decl == d {
			responses = append(responses, g.names.Get(m, names.Method))
		}
	}
	fields := ""
	if len(requests) > 0 {
		fields += ", Requests: []mxp.Method{" + strings.Join(requests, ", ") + "}"
	}
	if len(responses) > 0 {
		fields += ", Responses: []mxp.Method{" + strings.Join(responses, ", ") + "}"
	}
	return fields
}

// reached are the types of a service's requests and responses, each once, by their
// full names.
func reached(s *ir.Service) []ir.Decl {
	var all []ir.Decl
	for _, m := range s.Methods {
		for _, t := range []*ir.Type{m.Request, m.Response} {
			if t != nil && !slices.Contains(all, t.Decl) {
				all = append(all, t.Decl)
			}
		}
	}
	slices.SortFunc(all, func(a, b ir.Decl) int { return strings.Compare(ir.FullName(a), ir.FullName(b)) })
	return all
}
