package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// blockingName is the Rust name of a service's client for threads.
func blockingName(s *ir.Service) string { return derived(serviceName(s), "BlockingClient") }

// isBlocking reports whether a client for threads has the method: it has no streams.
func isBlocking(m *ir.Method) bool { return m.Kind != ir.Stream }

// blocking prints what asks for a service's methods from a thread without a runtime,
// for crates that have a feature of that name.
func (s *services) blocking(service *ir.Service) {
	if !slices.ContainsFunc(service.Methods, isBlocking) {
		return
	}
	name := blockingName(service)
	first := "Asks for what [`" + serviceName(service) + "`] serves, for threads without a runtime."
	docBelow(s.Printer, first, &service.Meta, first)
	s.Emit(emit.Vars{"name": name}, `
		#[cfg(feature = "blocking")]
		#[derive(Debug)]
		pub struct $name$ {
			caller: ::mxp::net::typed::BlockingCaller,
		}
	`)
	s.Line("")
	s.Line(`#[cfg(feature = "blocking")]`)
	s.Line("impl %s {", name)
	s.In(func() {
		s.Emit(emit.Vars{"client": clientName(service)}, `
			/// Makes a client for an address, and connects it.
			pub fn connect(address: &str) -> ::std::io::Result<Self> {
				let types = $client$::types();
				let client = ::mxp::net::blocking::Client::connect_with(address, types)?;
				let caller = ::mxp::net::typed::BlockingCaller::new(client);
				Ok(Self { caller })
			}

			/// Replaces what requests have besides their values from now on.
			pub fn set_options(&mut self, options: Options) {
				self.caller.set_options(options);
			}
		`)
		for _, m := range service.Methods {
			if isBlocking(m) {
				s.Line("")
				s.askingBlocking(service, m)
			}
		}
	})
	s.Line("}")
	s.Line("")
}

// askingBlocking prints what asks for a method and waits.
func (s *services) askingBlocking(service *ir.Service, m *ir.Method) {
	shape := shapeOf(m)
	s.methodDoc(m, shape.says)
	s.askBlocking(service, m, clientMethodName(m), shape.ask+"_blocking", shape.gives)
	if m.Kind == ir.Event {
		s.Line("")
		s.ackedDoc(m)
		s.askBlocking(service, m, ackedName(m), "tell_acked_blocking", shape.gives)
	}
}

func (s *services) askBlocking(service *ir.Service, m *ir.Method, name, function, gives string) {
	s.Line("pub fn %s(&mut self, request: &%s) -> Result<%s, Failure> {", name, s.spelled(m, "Q"), s.spelled(m, gives))
	s.In(func() {
		s.Line("%s::%s.%s(&mut self.caller, request)", clientName(service), methodConst(m), function)
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
