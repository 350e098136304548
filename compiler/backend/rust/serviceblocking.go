package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// blockingName is the Rust name of a service's client for threads.
func blockingName(s *ir.Service) string { return derived(serviceName(s), "BlockingClient") }

// blockingPath is where the library has streams of values for threads.
const blockingPath = "::mxp::net::typed::blocking::"

// blocking prints what asks for a service's methods from a thread without a runtime,
// for crates that have a feature of that name.
func (s *services) blocking(service *ir.Service) {
	if len(service.Methods) == 0 {
		return
	}
	name := blockingName(service)
	first := "Asks for what [`" + serviceName(service) + "`] serves, for threads without a runtime."
	docBelow(s.Printer, first, &service.Meta, first)
	s.Emit(emit.Vars{"name": name}, `
		#[cfg(feature = "blocking")]
		#[derive(Debug, Clone)]
		pub struct $name$ {
			caller: ::mxp::net::typed::BlockingCaller,
		}
	`)
	s.Line("")
	s.Line(`#[cfg(feature = "blocking")]`)
	s.Line("impl %s {", name)
	s.In(func() {
		s.Emit(emit.Vars{"client": clientName(service)}, `
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
		`)
		for _, m := range service.Methods {
			s.Line("")
			s.askingBlocking(service, m)
		}
	})
	s.Line("}")
	s.Line("")
}

// askingBlocking prints what asks for a method and waits.
func (s *services) askingBlocking(service *ir.Service, m *ir.Method) {
	shape := shapeOf(m)
	s.methodDoc(m, shape.says)
	gives := shape.gives
	if m.Kind == ir.Stream {
		gives = blockingPath + gives
	}
	s.askBlocking(service, m, clientMethodName(m), shape.ask+"_blocking", gives)
	if m.Kind == ir.Event {
		s.Line("")
		s.ackedDoc(m)
		s.askBlocking(service, m, ackedName(m), "tell_acked_blocking", gives)
	}
}

func (s *services) askBlocking(service *ir.Service, m *ir.Method, name, function, gives string) {
	parameter, argument := s.requestOf(m)
	s.Line("pub fn %s(&self%s) -> Result<%s, Failure> {", name, parameter, s.spelled(m, gives))
	s.In(func() {
		s.Line("%s::%s.%s(&self.caller%s)", clientName(service), methodConst(m), function, argument)
	})
	s.Line("}")
}

// methodDoc prints the comment of what asks for a method.
func (s *services) methodDoc(m *ir.Method, says string) {
	doc(s.Printer, &m.Meta, says+" `"+m.Name+"`.")
}

// ackedDoc prints the comment of what tells an event and waits.
func (s *services) ackedDoc(m *ir.Method) {
	s.Line("/// As `%s`, and waits until it was taken.", strings.TrimPrefix(clientMethodName(m), "r#"))
	deprecation(s.Printer, &m.Meta)
}

// blockingTraitName is the Rust name of what a server for threads implements.
func blockingTraitName(s *ir.Service) string { return derived(serviceName(s), "Blocking") }

// blockingServerName is the Rust name of the function that serves a service on threads.
func blockingServerName(s *ir.Service) string {
	return strings.TrimSuffix(serverName(s), "_service") + "_blocking_service"
}

// blockingServer prints the trait of a server for threads, and what makes a service of it.
func (s *services) blockingServer(service *ir.Service) {
	if len(service.Methods) == 0 {
		return
	}
	name := blockingTraitName(service)
	s.Line("/// As [`%s`], by functions that may wait: each runs on a thread of the server's.", serviceName(service))
	s.Line(`#[cfg(feature = "blocking")]`)
	deprecation(s.Printer, &service.Meta)
	s.Line("pub trait %s: Send + Sync + 'static {", name)
	s.In(func() {
		for i, m := range service.Methods {
			if i > 0 {
				s.Line("")
			}
			s.methodDoc(m, "Serves")
			s.Line("fn %s(%s) -> Result<%s, Failure>;", methodName(m), s.paramsOf(m, blockingPath), s.spelled(m, shapeOf(m).answers))
		}
	})
	s.Line("}")
	s.Line("")
	s.Line("/// Serves what a [`%s`] does.", name)
	s.Line(`#[cfg(feature = "blocking")]`)
	s.Line("#[must_use]")
	s.Line("pub fn %s<H: %s>(host: Arc<H>) -> ::mxp::net::blocking::Service {", blockingServerName(service), name)
	s.In(func() {
		full := quote(s.pkg.Name + "." + service.Name)
		s.Line("let service = ::mxp::net::blocking::Service::new(%s).types(%s::types());", full, clientName(service))
		for i, m := range service.Methods {
			served := clientName(service) + "::" + methodConst(m) + "." + shapeOf(m).serve + "_blocking(service, &host, H::" + methodName(m) + ")"
			if i == len(service.Methods)-1 {
				s.Line("%s", served)
			} else {
				s.Line("let service = %s;", served)
			}
		}
	})
	s.Line("}")
	s.Line("")
}
