package cpp

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// client prints the class that calls a service.
func (g *generator) client(s *ir.Service) {
	g.Emit(emit.Vars{
		"name": g.names.Get(s, names.Client), "deprecated": deprecated(&s.Meta), "full": quoted(s), "descriptor": g.names.Get(s, names.Descriptor),
		"methods": func() {
			for _, m := range s.Methods {
				g.Line("")
				g.clientMethod(s, m)
			}
		},
	}, `
		/// Asks $full$ by a client, which has to outlive it, and whose options have the types of
		/// $descriptor$. Functions are told once how a request has ended, on the client's thread, and
		/// never from within the call that made it. Numbers that are returned are for its cancel.
		class $deprecated$$name$ {
		   public:
			explicit $name$(::mxp::net::client& by) noexcept : by_(&by) {}
			$methods$

		   private:
			::mxp::net::client* by_;
		};
	`)
	g.Line("")
}

func (g *generator) clientMethod(s *ir.Service, m *ir.Method) {
	g.methodDoc(m)
	request, response := g.message(m.Request), ""
	if m.Response != nil {
		response = g.message(m.Response)
	}
	named := g.names.Get(s, names.Descriptor) + "::Methods::" + g.names.Of(m)
	value, then, how := "const "+request+"& value", "::mxp::net::told<"+response+"> then", "::mxp::net::call_options how = {}"
	var result, call string
	var parameters []string
	arguments := []string{"*by_", named, "value", "std::move(then)", "std::move(how)"}
	switch {
	case m.Kind == ir.Event:
		result, call = "std::uint64_t", "send"
		parameters = []string{value, "::mxp::net::told<void> then = {}", "::mxp::net::event_options how = {}"}
	case m.Kind == ir.Call:
		result, call = "std::uint64_t", "call<"+response+">"
		parameters = []string{value, then, how}
	case !m.RequestFlows:
		result, call = "[[nodiscard]] ::mxp::net::reader<"+response+">", "open_reader<"+response+">"
		parameters = []string{value, how}
		arguments = slices.Delete(arguments, 3, 4)
	case !m.ResponseFlows:
		result, call = "[[nodiscard]] ::mxp::net::writer<"+request+">", "open_writer<"+response+", "+request+">"
		parameters = []string{then, how}
		arguments = slices.Delete(arguments, 2, 3)
	default:
		result, call = "[[nodiscard]] ::mxp::net::duplex<"+response+", "+request+">", "open_duplex<"+request+", "+response+">"
		parameters = []string{how}
		arguments = slices.Delete(arguments, 2, 4)
	}
	g.function(deprecated(&m.Meta)+result+" "+g.names.Of(m), parameters, " const", func() {
		g.list("return ::mxp::net::"+call+"(", arguments, ");")
	})
}

// blockingClient prints the class that calls a service and waits for what comes.
func (g *generator) blockingClient(s *ir.Service) {
	g.Emit(emit.Vars{
		"name": g.names.Get(s, names.BlockingClient), "deprecated": deprecated(&s.Meta), "full": quoted(s), "descriptor": g.names.Get(s, names.Descriptor),
		"methods": func() {
			for _, m := range s.Methods {
				g.Line("")
				g.blockingMethod(s, m)
			}
		},
	}, `
		/// Asks $full$ by a blocking client, which has to outlive it, and whose options have the types
		/// of $descriptor$. Each function waits for how its request ends; those of streams wait until
		/// it can be sent.
		class $deprecated$$name$ {
		   public:
			explicit $name$(::mxp::net::blocking_client& by) noexcept : by_(&by) {}
			$methods$

		   private:
			::mxp::net::blocking_client* by_;
		};
	`)
	g.Line("")
}

func (g *generator) blockingMethod(s *ir.Service, m *ir.Method) {
	g.methodDoc(m)
	request, response := g.message(m.Request), ""
	if m.Response != nil {
		response = g.message(m.Response)
	}
	named := g.names.Get(s, names.Descriptor) + "::Methods::" + g.names.Of(m)
	parameters := []string{"const " + request + "& value", "::mxp::net::call_options how = {}"}
	arguments := []string{"*by_", named, "value", "std::move(how)"}
	var result, call string
	switch {
	case m.Kind == ir.Event:
		result, call = "void", "send"
		parameters[1] = "::mxp::net::event_options how = {}"
	case m.Kind == ir.Call:
		result, call = response, "call<"+response+">"
	case !m.RequestFlows:
		result, call = "::mxp::net::blocking_reader<"+response+">", "open_reader<"+response+">"
	case !m.ResponseFlows:
		result, call = "::mxp::net::blocking_writer<"+request+", "+response+">", "open_writer<"+response+", "+request+">"
	default:
		result, call = "::mxp::net::blocking_duplex<"+response+", "+request+">", "open_duplex<"+request+", "+response+">"
	}
	if m.RequestFlows {
		parameters, arguments = parameters[1:], slices.Delete(arguments, 2, 3)
	}
	start := deprecated(&m.Meta) + "[[nodiscard]] ::mxp::net::outcome<" + result + "> " + g.names.Of(m)
	g.function(start, parameters, " const", func() {
		g.list("return ::mxp::net::"+call+"(", arguments, ");")
	})
}
