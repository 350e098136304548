package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// blockingPath is where the library has streams of values for threads.
const blockingPath = "::mxp::net::typed::blocking::"

// blocking prints what asks for a service's methods from a thread without a runtime,
// for crates that have a feature of that name.
func (s *services) blocking(service *ir.Service) {
	if len(service.Methods) == 0 {
		return
	}
	name := s.names.Get(service, names.BlockingClient)
	first := "Asks for what [`" + s.names.Of(service) + "`] serves, for threads without a runtime."
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
		s.Emit(emit.Vars{"client": s.names.Get(service, names.Client)}, `
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
	s.askBlocking(service, m, s.names.Get(m, names.Ask), shape.ask+"_blocking", gives)
	if m.Kind == ir.Event {
		s.Line("")
		s.ackedDoc(m)
		s.askBlocking(service, m, s.names.Get(m, names.Acked), "tell_acked_blocking", gives)
	}
}

func (s *services) askBlocking(service *ir.Service, m *ir.Method, name, function, gives string) {
	parameter, argument := s.requestOf(m)
	s.Line("pub fn %s(&self%s) -> Result<%s, Failure> {", name, parameter, s.spelled(m, gives))
	s.In(func() {
		s.Line("%s::%s.%s(&self.caller%s)", s.names.Get(service, names.Client), s.names.Get(m, names.Number), function, argument)
	})
	s.Line("}")
}

// methodDoc prints the comment of what asks for a method.
func (s *services) methodDoc(m *ir.Method, says string) {
	doc(s.Printer, &m.Meta, says+" `"+m.Name+"`.")
}

// ackedDoc prints the comment of what tells an event and waits.
func (s *services) ackedDoc(m *ir.Method) {
	s.Line("/// As `%s`, and waits until it was taken.", strings.TrimPrefix(s.names.Get(m, names.Ask), "r#"))
	deprecation(s.Printer, &m.Meta)
}

// blockingServer prints the trait of a server for threads, and what makes a service of it.
func (s *services) blockingServer(service *ir.Service) {
	if len(service.Methods) == 0 {
		return
	}
	name := s.names.Get(service, names.ServerTrait)
	s.Line("/// As [`%s`], by functions that may wait: each runs on a thread of the server's.", s.names.Of(service))
	s.Line(`#[cfg(feature = "blocking")]`)
	deprecation(s.Printer, &service.Meta)
	s.Line("pub trait %s: Send + Sync + 'static {", name)
	s.In(func() {
		for i, m := range service.Methods {
			if i > 0 {
				s.Line("")
			}
			s.methodDoc(m, "Serves")
			s.Line("fn %s(%s) -> Result<%s, Failure>;", s.names.Of(m), s.paramsOf(m, blockingPath), s.spelled(m, shapeOf(m).answers))
		}
	})
	s.Line("}")
	s.Line("")
	s.Line("/// Serves what a [`%s`] does.", name)
	s.Line(`#[cfg(feature = "blocking")]`)
	s.Line("#[must_use]")
	s.Line("pub fn %s<H: %s>(host: Arc<H>) -> ::mxp::net::blocking::Service {", s.names.Get(service, names.BlockingServer), name)
	s.In(func() {
		full := quote(s.pkg.Name + "." + service.Name)
		s.Line("let service = ::mxp::net::blocking::Service::new(%s).types(%s::types());", full, s.names.Get(service, names.Client))
		for i, m := range service.Methods {
			served := s.names.Get(service, names.Client) + "::" + s.names.Get(m, names.Number) + "." + shapeOf(m).serve + "_blocking(service, &host, H::" + s.names.Of(m) + ")"
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
