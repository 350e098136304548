package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// server prints what a server implements, and what makes a service of it.
func (s *services) server(service *ir.Service) {
	name := s.names.Of(service)
	if !ownDoc(s.Printer, &service.Meta) {
		s.Line("/// What a server of `%s` does.", fullName(service))
	}
	s.Line("///")
	s.Line("/// Its functions can be written as `async fn`. They run in the task of a")
	s.Line("/// connection until they wait for something.")
	deprecation(s.Printer, &service.Meta)
	if len(service.Methods) == 0 {
		s.Line("pub trait %s: Send + Sync + 'static {}", name)
		s.Line("")
	} else {
		s.trait(service, name, tasks)
	}
	s.Emit(emit.Vars{
		"name": name, "server": s.names.Get(service, names.Server), "full": quote(fullName(service)), "client": s.names.Get(service, names.Client),
		"handlers": func() {
			if len(service.Methods) == 0 {
				s.Line("drop(host);")
				s.Line("service")
			}
			for i, m := range service.Methods {
				given := ""
				for _, p := range flows[lower.FlowOf(m)].takes {
					given += p.name + ", "
				}
				given += "context"
				s.Line("let handler = |host: Arc<H>, %s| async move {", given)
				s.In(func() { s.Line("%s::%s(&*host, %s).await", name, s.names.Of(m), given) })
				s.Line("};")
				s.served(service, i, tasks, "handler")
			}
		},
	}, `
		/// Serves what a [`+"`$name$`"+`] does.
		#[must_use]
		pub fn $server$<H: $name$>(host: Arc<H>) -> Service {
			let service = Service::new($full$).types($client$::types());
			$handlers$
		}

	`)
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
	s.trait(service, name, threads)
	s.Emit(emit.Vars{
		"name": name, "server": s.names.Get(service, names.BlockingServer), "full": quote(fullName(service)), "client": s.names.Get(service, names.Client),
		"handlers": func() {
			for i, m := range service.Methods {
				s.served(service, i, threads, "H::"+s.names.Of(m))
			}
		},
	}, `
		/// Serves what a [`+"`$name$`"+`] does.
		#[cfg(feature = "blocking")]
		#[must_use]
		pub fn $server$<H: $name$>(host: Arc<H>) -> ::mxp::net::blocking::Service {
			let service = ::mxp::net::blocking::Service::new($full$).types($client$::types());
			$handlers$
		}

	`)
}

// trait prints the trait of what serves a service, without its comment.
func (s *services) trait(service *ir.Service, name string, c caller) {
	s.Line("pub trait %s: Send + Sync + 'static {", name)
	s.In(func() {
		for i, m := range service.Methods {
			if i > 0 {
				s.Line("")
			}
			flow, params := flows[lower.FlowOf(m)], "&self"
			for _, p := range flow.takes {
				params += ", " + p.name + ": " + s.fill(m, c.ofLibrary(p.of))
			}
			s.methodDoc(m, "Serves")
			s.Line("fn %s(%s, context: Context) -> %s;", s.names.Of(m), params, strings.Replace(c.answer, "_", s.fill(m, flow.answers), 1))
		}
	})
	s.Line("}")
	s.Line("")
}

// served prints what adds a method to a service; the last is the result.
func (s *services) served(service *ir.Service, i int, c caller, handler string) {
	m, before, after := service.Methods[i], "let service = ", ";"
	if i == len(service.Methods)-1 {
		before, after = "", ""
	}
	s.Line("%s%s::%s.%s(service, &host, %s)%s", before, s.names.Get(service, names.Client), s.names.Get(m, names.Number),
		flows[lower.FlowOf(m)].serve+c.suffix, handler, after)
}
