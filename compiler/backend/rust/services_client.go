package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// client prints what asks for a service's methods.
func (s *services) client(service *ir.Service) {
	name := s.names.Get(service, names.Client)
	docBelow(s.Printer, "Asks for what [`"+s.names.Of(service)+"`] serves.", &service.Meta,
		"Asks for what [`"+s.names.Of(service)+"`] serves. Clones share a connection.")
	s.Emit(emit.Vars{
		"name": name, "types": func() { s.typeInfos(service) },
		"constants": func() {
			for _, m := range service.Methods {
				s.methodConst(service, m)
			}
			if len(service.Methods) > 0 {
				s.Line("")
			}
		},
		"methods": func() { s.askings(service, tasks) },
	}, `
		#[derive(Debug, Clone)]
		pub struct $name$ {
			caller: Caller,
		}

		impl $name$ {
			$constants$
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
			$methods$
		}

	`)
}

// methodConst prints what client and server know of a method.
func (s *services) methodConst(service *ir.Service, m *ir.Method) {
	of, arguments := "Q, A", []string{quote(fullName(service)), integer(uint64(m.Number)), quote(m.Name), "codec()", "codec()"}
	function := "Method::new"
	if m.Response == nil {
		of, arguments, function = "Q, ()", arguments[:4], "Method::event"
	}
	visibility, more := "", map[bool]string{true: ".idempotent()"}[m.Idempotent]
	if request, response, ok := lower.ChannelOf(s.types.program, m); ok {
		s.Line("/// The stream `%s`, which can also be opened as a channel.", m.Name)
		of, visibility, more = "Q, A, Wire", "pub ", more+".fixed("+integer(request)+", "+integer(response)+")"
	}
	s.Line("%sconst %s: Method<%s> = %s(%s)%s;", visibility, s.names.Get(m, names.Number), s.fill(m, of), function, strings.Join(arguments, ", "), more)
}

// typeInfos prints what peers compare before the first request [MXP-13.3].
func (s *services) typeInfos(service *ir.Service) {
	var infos []string
	for _, t := range lower.ServiceTypes(service) {
		name := s.types.decl(t.Decl, owned)
		infos = append(infos, "TypeInfo::new("+quote(ir.FullName(t.Decl))+", "+name+"::FINGERPRINTS, &"+name+"::layout())")
	}
	if len(infos) == 0 {
		s.Line("Vec::new()")
		return
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

// blockingClient prints what asks for a service's methods from a thread without a runtime,
// for crates that have a feature of that name.
func (s *services) blockingClient(service *ir.Service) {
	if len(service.Methods) == 0 {
		return
	}
	first := "Asks for what [`" + s.names.Of(service) + "`] serves, for threads without a runtime."
	docBelow(s.Printer, first, &service.Meta, first)
	s.Emit(emit.Vars{
		"name": s.names.Get(service, names.BlockingClient), "client": s.names.Get(service, names.Client),
		"methods": func() { s.askings(service, threads) },
	}, `
		#[cfg(feature = "blocking")]
		#[derive(Debug, Clone)]
		pub struct $name$ {
			caller: ::mxp::net::typed::BlockingCaller,
		}

		#[cfg(feature = "blocking")]
		impl $name$ {
			/// Asks by a client, which should have been told the types.
			#[must_use]
			pub fn new(client: ::mxp::net::blocking::Client) -> Self {
				Self { caller: ::mxp::net::typed::BlockingCaller::new(client) }
			}

			/// Makes a client for an address, and connects it.
			pub fn connect(address: &str) -> ::std::io::Result<Self> {
				let types = $client$::types();
				::mxp::net::blocking::Client::connect_with(address, types).map(Self::new)
			}

			/// The same client with other options for all that it asks for.
			#[must_use]
			pub fn with(&self, options: Options) -> Self {
				Self { caller: self.caller.with(options) }
			}

			/// Replaces what requests have besides their values from now on.
			pub fn set_options(&mut self, options: Options) {
				self.caller.set_options(options);
			}
			$methods$
		}

	`)
}

// askings prints what asks for the methods of a service.
func (s *services) askings(service *ir.Service, c caller) {
	for _, m := range service.Methods {
		flow := flows[lower.FlowOf(m)]
		s.Line("")
		s.methodDoc(m, flow.says)
		s.ask(service, m, c, s.names.Get(m, names.Ask), flow.ask)
		if m.Response == nil {
			s.Line("")
			s.Line("/// As `%s`, and waits until it was taken.", strings.TrimPrefix(s.names.Get(m, names.Ask), "r#"))
			deprecation(s.Printer, &m.Meta)
			s.ask(service, m, c, s.names.Get(m, names.Acked), "publish_acked")
			s.tellAll(service, m, c)
		}
	}
}

// tellAll prints what tells many events at once.
func (s *services) tellAll(service *ir.Service, m *ir.Method, c caller) {
	s.Line("")
	s.Line("/// As `%s`, with each value of an iterator%s.", strings.TrimPrefix(s.names.Get(m, names.Ask), "r#"), c.orStream)
	deprecation(s.Printer, &m.Meta)
	s.asking(service, m, c, s.names.Get(m, names.Batch)+s.fill(m, c.many), "publish_all", "&self.caller, requests")
}

func (s *services) ask(service *ir.Service, m *ir.Method, c caller, name, function string) {
	parameters, arguments := "(&self)", "&self.caller"
	if !m.RequestFlows {
		parameters, arguments = "(&self, request: &"+s.fill(m, "Q")+")", arguments+", request"
	}
	s.asking(service, m, c, name+parameters, function, arguments)
}

// asking prints what has a function of the library's ask for a method.
func (s *services) asking(service *ir.Service, m *ir.Method, c caller, begins, function, arguments string) {
	client := map[bool]string{true: s.names.Get(service, names.Client), false: "Self"}[c == threads]
	s.Emit(emit.Vars{
		"fn": c.function, "begins": begins, "gives": s.fill(m, c.ofLibrary(flows[lower.FlowOf(m)].gives)),
		"client": client, "method": s.names.Get(m, names.Number), "asks": function + c.suffix, "arguments": arguments, "await": c.await,
	}, `
		pub $fn$ $begins$ -> Result<$gives$, Failure> {
			$client$::$method$.$asks$($arguments$)$await$
		}
	`)
}
