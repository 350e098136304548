package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// takenByServices are names that the code of services uses for types and traits, so
// that what is generated for a service can't have one of them.
var takenByServices = []string{
	"Answer", "Arc", "Caller", "Client", "ClientOptions", "Codec", "Context", "Err", "Failure", "Fn", "Method", "None", "Ok", "Option",
	"Options", "Receiver", "Refusal", "Result", "Self", "Send", "Sender", "Service", "Some", "Stream", "String", "Sync", "TypeInfo",
	"Upload", "Vec", "WhenFull",
}

// clientFunctions are the functions of every client, so that a method can't have one
// of their names.
var clientFunctions = []string{"connect", "new", "set_options", "types", "when_full", "with"}

// serviceName is the Rust name of a service's trait.
func serviceName(s *ir.Service) string {
	if given, ok := s.Names["rust"]; ok {
		return given
	}
	if spelt := camel(s.Name); !slices.Contains(takenByServices, spelt) {
		return spelt
	}
	return camel(s.Name) + "_"
}

// clientName is the Rust name of a service's client.
func clientName(s *ir.Service) string {
	if name := derived(serviceName(s), "Client"); !slices.Contains(takenByServices, name) {
		return name
	}
	return serviceName(s) + "Client_"
}

// serverName is the Rust name of the function that serves a service.
func serverName(s *ir.Service) string {
	name, _ := strings.CutSuffix(serviceName(s), "_")
	return identifier(name) + "_service"
}

// methodStem is a method's name in snake case, without regard to keywords.
func methodStem(m *ir.Method) string {
	if given, ok := m.Names["rust"]; ok {
		return given
	}
	return identifier(m.Name)
}

// methodName is the name of the function that serves a method.
func methodName(m *ir.Method) string { return raw(methodStem(m)) }

// clientMethodName is the name of the function that asks for a method.
func clientMethodName(m *ir.Method) string {
	if stem := methodStem(m); slices.Contains(clientFunctions, stem) {
		return stem + "_"
	}
	return methodName(m)
}

// ackedName is the name of the function that tells an event and waits.
func ackedName(m *ir.Method) string { return methodStem(m) + "_acked" }

// methodConst is the name of what says all about a method.
func methodConst(m *ir.Method) string { return strings.ToUpper(methodStem(m)) }

// checkServices reports collisions of what is generated for services.
func checkServices(pkg *ir.Package, options backend.Options, problems *diag.List) {
	for other := range options.Imports {
		if module := servicesModule(pkg); ModuleName(other.Name) == module {
			modules := &names{problems: problems, taken: map[string]origin{module: {what: "the package `" + other.Name + "`"}}}
			modules.claim(module, "the module of the services of `"+pkg.Name+"`", &ir.Meta{Span: pkg.Services[0].Span})
		}
	}
	n := &names{problems: problems, taken: map[string]origin{}}
	for _, name := range []string{"codec", "encode", "decode"} {
		n.taken[name] = origin{what: "a name of every module of services"}
	}
	for _, s := range pkg.Services {
		what := "what is generated for the service `" + s.Name + "`"
		for _, name := range []string{serviceName(s), clientName(s), blockingName(s), serverName(s), blockingTraitName(s), blockingServerName(s)} {
			n.claim(name, what, &s.Meta)
		}
		checkMethods(s, problems)
	}
}

func checkMethods(s *ir.Service, problems *diag.List) {
	n := &names{problems: problems, taken: map[string]origin{}}
	consts := &names{problems: problems, taken: map[string]origin{}}
	for _, m := range s.Methods {
		what := "the method `" + m.Name + "`"
		before := problems.Len()
		n.claim(strings.TrimPrefix(methodName(m), "r#"), what, &m.Meta)
		if name := clientMethodName(m); problems.Len() == before && name != methodName(m) {
			n.claim(name, what, &m.Meta)
		}
		if problems.Len() == before { // once is enough
			consts.claim(methodConst(m), what, &m.Meta)
		}
	}
	for _, m := range s.Methods {
		if m.Kind == ir.Event {
			n.claim(ackedName(m), "what is generated for the event `"+m.Name+"`", &ir.Meta{Span: m.Span})
		}
	}
}
