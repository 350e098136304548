package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// shape is what is generated for methods of one kind: which function of a Method asks
// and which serves, what both take, and what comes of it.
type methodShape struct {
	ask, serve string
	// gives is what asking returns and answers what serving does, in both of which
	// the names Q and A stand for the types of the request and the response.
	gives, answers string
	// takes are the parameters of the handler besides its context.
	takes []methodParam
	says  string // what asking does
}

type methodParam struct{ name, of string }

func shapeOf(m *ir.Method) methodShape {
	request := methodParam{"request", "Q"}
	requests := methodParam{"requests", "Receiver<Q>"}
	responses := methodParam{"responses", "Sender<A>"}
	switch {
	case m.Kind == ir.Event:
		return methodShape{"tell", "serve_event", "()", "()", []methodParam{request}, "Tells"}
	case m.RequestFlows && m.ResponseFlows:
		return methodShape{"stream", "serve_stream", "Stream<Q, A>", "()", []methodParam{requests, responses}, "Opens the stream"}
	case m.RequestFlows:
		return methodShape{"upload", "serve_upload", "Upload<Q, A>", "A", []methodParam{requests}, "Opens the stream"}
	case m.ResponseFlows:
		return methodShape{"download", "serve_download", "Receiver<A>", "()", []methodParam{request, responses}, "Opens the stream"}
	}
	return methodShape{"call", "serve_call", "A", "A", []methodParam{request}, "Calls"}
}

// spelled is a type with Q and A replaced.
func (s *services) spelled(m *ir.Method, text string) string {
	response := ""
	if m.Response != nil {
		response = s.types.spell(m.Response, owned)
	}
	// A type's name may have these letters, so both are replaced at once.
	var out strings.Builder
	for _, r := range text {
		switch r {
		case 'Q':
			out.WriteString(s.types.spell(m.Request, owned))
		case 'A':
			out.WriteString(response)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// client prints what asks for a service's methods.
func (s *services) client(service *ir.Service) {
	name := s.names.Get(service, names.Client)
	docBelow(s.Printer, "Asks for what [`"+s.names.Of(service)+"`] serves.", &service.Meta,
		"Asks for what [`"+s.names.Of(service)+"`] serves. Clones share a connection.")
	s.Emit(emit.Vars{"name": name}, `
		#[derive(Debug, Clone)]
		pub struct $name$ {
			caller: Caller,
		}
	`)
	s.Line("")
	s.Line("impl %s {", name)
	s.In(func() {
		for _, m := range service.Methods {
			s.methodConst(service, m)
		}
		if len(service.Methods) > 0 {
			s.Line("")
		}
		s.Emit(emit.Vars{"types": func() { s.typeInfos(service) }}, `
			/// Asks by a client, which should have been told the types.
			#[must_use]
			pub fn new(client: Client) -> Self {
				Self { caller: Caller::new(client) }
			}

			/// Makes a client for an address, which connects as soon as it can, and again
			/// whenever its connection is gone. It has to be called on a runtime.
			pub fn connect(address: &str) -> ::std::io::Result<Self> {
				let options = ClientOptions::new().types(Self::types());
				options.connect(address).map(Self::new)
			}

			/// The same client with other options for all that it asks for.
			#[must_use]
			pub fn with(&self, options: Options) -> Self {
				Self { caller: self.caller.with(options) }
			}

			/// The same client with another choice for events when too many wait to be sent.
			#[must_use]
			pub fn when_full(&self, full: WhenFull) -> Self {
				Self { caller: self.caller.when_full(full) }
			}

			/// The types of requests and responses, with which schemas that differ are found
			/// before the first request.
			#[must_use]
			pub fn types() -> Vec<TypeInfo> {
				$types$
			}
		`)
		for _, m := range service.Methods {
			s.Line("")
			s.asking(m)
		}
	})
	s.Line("}")
	s.Line("")
}

// methodConst prints what client and server know of a method.
func (s *services) methodConst(service *ir.Service, m *ir.Method) {
	of, arguments := "Q, A", []string{quote(s.pkg.Name + "." + service.Name), integer(uint64(m.Number)), quote(m.Name), "codec()", "codec()"}
	function := "Method::new"
	if m.Kind == ir.Event {
		of, arguments, function = "Q, ()", arguments[:4], "Method::event"
	}
	idempotent := ""
	if m.Idempotent {
		idempotent = ".idempotent()"
	}
	s.Line("const %s: Method<%s> = %s(%s)%s;", s.names.Get(m, names.Number), s.spelled(m, of), function, strings.Join(arguments, ", "), idempotent)
}

// typeInfos prints what peers compare before the first request [MXP-13.3].
func (s *services) typeInfos(service *ir.Service) {
	var all []ir.Decl
	for _, m := range service.Methods {
		for _, t := range []*ir.Type{m.Request, m.Response} {
			if t != nil && !slices.Contains(all, t.Decl) {
				all = append(all, t.Decl)
			}
		}
	}
	slices.SortFunc(all, func(a, b ir.Decl) int { return strings.Compare(ir.FullName(a), ir.FullName(b)) })
	if len(all) == 0 {
		s.Line("Vec::new()")
		return
	}
	var infos []string
	for _, d := range all {
		name := s.types.decl(d, owned)
		infos = append(infos, "TypeInfo::new("+quote(ir.FullName(d))+", "+name+"::FINGERPRINTS, "+name+"::LAYOUT)")
	}
	s.Line("let mut types = Vec::from([%s]);", strings.Join(infos, ", "))
	for _, m := range service.Methods {
		response := "None"
		if m.Response != nil {
			response = "Some(" + quote(ir.FullName(m.Response.Decl)) + ")"
		}
		s.Line("Self::%s.reaches(&mut types, %s, %s);", s.names.Get(m, names.Number), quote(ir.FullName(m.Request.Decl)), response)
	}
	s.Line("types")
}

// asking prints what asks for a method.
func (s *services) asking(m *ir.Method) {
	shape := shapeOf(m)
	s.methodDoc(m, shape.says)
	s.ask(m, s.names.Get(m, names.Ask), shape.ask, shape.gives)
	if m.Kind != ir.Event {
		return
	}
	s.Line("")
	s.ackedDoc(m)
	s.ask(m, s.names.Get(m, names.Acked), "tell_acked", shape.gives)
}

// requestOf is the parameter and the argument of a request that a method begins with.
func (s *services) requestOf(m *ir.Method) (parameter, argument string) {
	if m.RequestFlows {
		return "", ""
	}
	return ", request: &" + s.spelled(m, "Q"), ", request"
}

func (s *services) ask(m *ir.Method, name, function, gives string) {
	parameter, argument := s.requestOf(m)
	s.Line("pub async fn %s(&self%s) -> Result<%s, Failure> {", name, parameter, s.spelled(m, gives))
	s.In(func() { s.Line("Self::%s.%s(&self.caller%s).await", s.names.Get(m, names.Number), function, argument) })
	s.Line("}")
}

// trait prints what a server implements.
func (s *services) trait(service *ir.Service) {
	name := s.names.Of(service)
	said := "What a server of `" + s.pkg.Name + "." + service.Name + "` does."
	if !ownDoc(s.Printer, &service.Meta) {
		s.Line("/// %s", said)
	}
	s.Line("///")
	s.Line("/// Its functions can be written as `async fn`. They run in the task of a")
	s.Line("/// connection until they wait for something.")
	deprecation(s.Printer, &service.Meta)
	if len(service.Methods) == 0 {
		s.Line("pub trait %s: Send + Sync + 'static {}", name)
		s.Line("")
		return
	}
	s.Line("pub trait %s: Send + Sync + 'static {", name)
	s.In(func() {
		for i, m := range service.Methods {
			if i > 0 {
				s.Line("")
			}
			shape := shapeOf(m)
			s.methodDoc(m, "Serves")
			s.Line("fn %s(%s) -> impl Answer<%s>;", s.names.Of(m), s.paramsOf(m, ""), s.spelled(m, shape.answers))
		}
	})
	s.Line("}")
	s.Line("")
}

// paramsOf are the parameters of what serves a method. Streams are a module's of the library.
func (s *services) paramsOf(m *ir.Method, streams string) string {
	params := "&self"
	for _, p := range shapeOf(m).takes {
		of := p.of
		if of != "Q" {
			of = streams + of
		}
		params += ", " + p.name + ": " + s.spelled(m, of)
	}
	return params + ", context: Context"
}

// server prints what makes a service of what implements the trait.
func (s *services) server(service *ir.Service) {
	name, full := s.names.Of(service), quote(s.pkg.Name+"."+service.Name)
	s.Line("/// Serves what a [`%s`] does.", name)
	s.Line("#[must_use]")
	s.Line("pub fn %s<H: %s>(host: Arc<H>) -> Service {", s.names.Get(service, names.Server), name)
	s.In(func() {
		s.Line("let service = Service::new(%s).types(%s::types());", full, s.names.Get(service, names.Client))
		if len(service.Methods) == 0 {
			s.Line("drop(host);")
			s.Line("service")
		}
		for i, m := range service.Methods {
			s.handler(service, m, i == len(service.Methods)-1)
		}
	})
	s.Line("}")
	s.Line("")
}

// handler prints what serves a method.
func (s *services) handler(service *ir.Service, m *ir.Method, isLast bool) {
	shape := shapeOf(m)
	var params []string
	for _, p := range shape.takes {
		params = append(params, p.name)
	}
	given := strings.Join(append(params, "context"), ", ")
	s.Line("let handler = |host: Arc<H>, %s| async move {", given)
	s.In(func() { s.Line("%s::%s(&*host, %s).await", s.names.Of(service), s.names.Of(m), given) })
	s.Line("};")
	served := s.names.Get(service, names.Client) + "::" + s.names.Get(m, names.Number) + "." + shape.serve + "(service, &host, handler)"
	if isLast {
		s.Line("%s", served)
	} else {
		s.Line("let service = %s;", served)
	}
}
