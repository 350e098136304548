package golang

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// mxpPath is what generated code imports the MXP library by.
const mxpPath = "github.com/serial-data-protocol/sdp/mxp/go"

// servicesFile has the clients and servers of a package.
const servicesFile = "services.sdp.go"

// takenByServices are the names that clients and servers use, beside those of all
// generated code.
var takenByServices = []string{"client", "context", "ctx", "mxp", "options", "request", "server", "services"}

// checkServices reports collisions of what is made for services.
func (n *names) checkServices(pkg *ir.Package) {
	for _, s := range pkg.Services {
		name, what := nameOf(&s.Meta, s.Name), "what is generated for the service `"+s.Name+"`"
		for _, made := range []string{
			name + "Client", "New" + name + "Client", name + "Server", "Register" + name, "Unimplemented" + name,
			name + "Name", name + "Types",
		} {
			n.claim(made, what, &s.Meta)
		}
		own := &names{problems: n.problems, taken: map[string]origin{}}
		for _, m := range s.Methods {
			what := "the method `" + s.Name + "." + m.Name + "`"
			problems := n.problems.Len()
			own.claim(methodName(m), what, &m.Meta)
			if n.problems.Len() == problems { // once is enough
				n.claim(methodConst(s, m), what, &m.Meta)
			}
		}
	}
}

func methodName(m *ir.Method) string { return methodOf(nameOf(&m.Meta, m.Name)) }

// methodConst is the name of a method's number.
func methodConst(s *ir.Service, m *ir.Method) string {
	return nameOf(&s.Meta, s.Name) + methodName(m) + "Method"
}

// methodVar is the name of what says all about a method.
func methodVar(s *ir.Service, m *ir.Method) string {
	return "method" + nameOf(&s.Meta, s.Name) + methodName(m)
}

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
	name := nameOf(&s.Meta, s.Name)
	g.Line("// %sName is the full name of %s.", name, name)
	g.Line("const %sName = %q", name, g.pkg.Name+"."+s.Name)
	g.Line("")
	if len(s.Methods) == 0 {
		return
	}
	g.Line("// The numbers of the methods of %s.", name)
	g.Line("const (")
	for _, m := range s.Methods {
		g.Line("%s uint16 = %d", methodConst(s, m), m.Number)
	}
	g.Line(")\n")
	g.Line("var (")
	for _, m := range s.Methods {
		idempotent := ""
		if m.Idempotent {
			idempotent = ", Idempotent: true"
		}
		g.Line("%s = mxp.Method{Service: %sName, Name: %q, Number: %s%s}", methodVar(s, m), name, m.Name, methodConst(s, m), idempotent)
	}
	g.Line(")\n")
}

// serviceTypes prints what peers compare before the first request [MXP-13.3].
func (g *generator) serviceTypes(s *ir.Service) {
	g.Emit(emit.Vars{
		"name": nameOf(&s.Meta, s.Name),
		"types": func() {
			for _, d := range reached(s) {
				name := g.types.decl(d)
				g.Line("{Name: %q, Fingerprints: %sFingerprints(), Layout: %sLayout%s},", ir.FullName(d), name, name, methodsOf(s, d))
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
func methodsOf(s *ir.Service, d ir.Decl) string {
	var requests, responses []string
	for _, m := range s.Methods {
		if m.Request.Decl == d {
			requests = append(requests, methodVar(s, m))
		}
		if m.Response != nil && m.Response.Decl == d {
			responses = append(responses, methodVar(s, m))
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
