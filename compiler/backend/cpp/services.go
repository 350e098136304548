package cpp

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// ServiceHeader is the name of the header that has a package's clients and servers.
func ServiceHeader(pkg *ir.Package) string {
	return strings.TrimSuffix(Header(pkg), ".hpp") + "_service.hpp"
}

// services makes the header with the clients and servers of a package.
func (g *generator) services(options backend.Options) backend.File {
	g.Printer = emit.NewPrinter("    ")
	g.generatedLine(options)
	g.Emit(emit.Vars{
		"package": g.pkg.Name, "GUARD": serviceGuard(g.pkg), "header": quote(Header(g.pkg)),
	}, `

		/// The clients and servers of $package$.
		#ifndef $GUARD$
		#define $GUARD$

		#include <cstdint>
		#include <memory>
		#include <optional>
		#include <string>
		#include <string_view>
		#include <utility>
		#include <vector>

		#include $header$
		#include "mxp/net.hpp"

	`)
	deprecates := ir.DeprecatesTypes(g.program.Schema) || ir.DeprecatesServices(g.pkg)
	if deprecates {
		g.ignoreDeprecated()
	}
	g.namespace(Namespace(g.pkg), func() {
		for _, s := range g.pkg.Services {
			g.server(s)
			g.descriptor(s)
			g.client(s, clients)
			g.client(s, blockingClients)
		}
	})
	if deprecates {
		g.mindDeprecated()
	}
	g.Line("#endif  // %s", serviceGuard(g.pkg))
	return backend.File{Name: ServiceHeader(g.pkg), Content: []byte(g.String())}
}

func serviceGuard(pkg *ir.Package) string {
	return strings.TrimSuffix(guard(pkg), "_HPP") + "_SERVICE_HPP"
}

// server prints the class that a server implements.
func (g *generator) server(s *ir.Service) {
	g.serverDoc(s)
	g.Emit(emit.Vars{"name": g.names.Get(s, names.Server), "deprecated": deprecated(&s.Meta), "methods": func() {
		for _, m := range s.Methods {
			g.Line("")
			g.serverMethod(m)
		}
	}}, `
		class $deprecated$$name$ {
		   public:
			$name$() = default;
			$name$(const $name$&) = delete;
			$name$& operator=(const $name$&) = delete;
			virtual ~$name$() = default;
			$methods$
		};
	`)
	g.Line("")
}

// serverMethod prints a method that says that it is unknown.
func (g *generator) serverMethod(m *ir.Method) {
	g.methodDoc(m)
	text := methodTexts[lower.FlowOf(m)]
	parameters := []string{"const ::mxp::net::request& /*request*/"}
	for _, p := range text.served {
		parameters = append(parameters, g.fill(m, p))
	}
	g.function(deprecated(&m.Meta)+"virtual "+text.result+" "+g.names.Of(m), parameters, "", func() {
		g.Line("%s", text.unknown)
	})
}

// descriptor prints what both sides say of a service. Its functions are functions of a template, so
// that a source compiles only the called ones.
func (g *generator) descriptor(s *ir.Service) {
	g.Emit(emit.Vars{
		"descriptor": g.names.Get(s, names.Descriptor), "full": quoted(s), "name": quote(fullName(s)), "server": g.names.Get(s, names.Server),
		"types":    func() { g.methodTypes(s) },
		"handlers": func() { g.handlers(s) },
		"methods": func() {
			for _, m := range s.Methods {
				value := fmt.Sprintf("%s, %d, %s", quote(fullName(s)), m.Number, quote(m.Name))
				if m.Idempotent {
					value += ", true"
				}
				of := "method"
				if _, _, ok := lower.ChannelOf(g.program, m); ok {
					of, value = g.fill(m, "channel_method<Q, A>"), "{"+value+"}"
				}
				g.Line("static constexpr ::mxp::net::%s %s{%s};", of, g.names.Of(m), value)
			}
		},
	}, `
		namespace detail {

		/// The members of `+"`$descriptor$`"+`.
		template <class Services>
		struct $descriptor$ {
			static constexpr std::string_view name = $name$;

			/// Its methods.
			struct Methods {
				$methods$
			};

			/// The types that the methods reach, for peers to compare. A client has them in its options.
			[[nodiscard]] static std::vector<::mxp::session::type> types() {
				$types$
			}

			/// Has a class answer what comes to a server.
			static void serve(Services& services, const std::shared_ptr<$server$>& server) {
				$handlers$
			}
		};

		}  // namespace detail

		/// The description of $full$ that both sides have.
		struct $descriptor$ : detail::$descriptor$<::mxp::net::services> {};
	`)
	g.Line("")
}

// methodTypes prints what adds the types of each method.
func (g *generator) methodTypes(s *ir.Service) {
	if len(s.Methods) == 0 {
		g.Line("return {};")
		return
	}
	g.Line("std::vector<::mxp::session::type> made;")
	for _, m := range s.Methods {
		types := []string{g.message(m.Request)}
		if m.Response != nil {
			types = append(types, g.message(m.Response))
		}
		g.Line("::mxp::net::add_method<%s>(made, Methods::%s);", strings.Join(types, ", "), g.names.Of(m))
	}
	g.Line("return made;")
}

// handlers prints the statement that has each method's requests come to its function.
func (g *generator) handlers(s *ir.Service) {
	if len(s.Methods) == 0 {
		g.Line("static_cast<void>(server);")
		g.Line("services.service(std::string{name});")
		return
	}
	g.Line("services.service(std::string{name}, types())")
	var handlers []string
	for _, m := range s.Methods {
		handlers = append(handlers, fmt.Sprintf(".%s(Methods::%s, ::mxp::net::handler_of(server, &%s::%s))",
			methodTexts[lower.FlowOf(m)].kind, g.names.Of(m), g.names.Get(s, names.Server), g.names.Of(m)))
	}
	g.In(func() { g.chain("", handlers, "", ";") })
}

// methodDoc prints a method's comment.
func (g *generator) methodDoc(m *ir.Method) {
	g.doc(&m.Meta, "The "+methodTexts[lower.FlowOf(m)].kind+" `"+m.Name+"`.")
	if m.Idempotent {
		g.Line("/// It is idempotent: to ask again does no harm.")
	}
}

// function prints a function.
func (g *generator) function(start string, parameters []string, end string, body func()) {
	g.list(start+"(", parameters, ")"+end+" {")
	g.In(body)
	g.Line("}")
}

// message is the C++ type of a request or response.
func (g *generator) message(t *ir.Type) string { return g.types.spell(t, owned) }

// fill is text with the types of a method's requests and responses for Q and A.
func (g *generator) fill(m *ir.Method, text string) string { return lower.Fill(m, text, g.message) }

// fullName is how peers name a service.
func fullName(s *ir.Service) string { return s.Package.Name + "." + s.Name }

// quoted is the name as comments have it.
func quoted(s *ir.Service) string { return "`" + fullName(s) + "`" }

// generatesServices reports whether a package has a header of services.
func generatesServices(pkg *ir.Package, options backend.Options) bool {
	return options.Services && len(pkg.Services) > 0
}
