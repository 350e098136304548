package cpp

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// methodText is the generated code for methods of one kind, with Q and A for the types of requests
// and responses.
type methodText struct {
	kind string
	// result is the result of a server's method, served its parameters behind the request's
	// context, and unknown the result of a method that is not overridden.
	result, unknown string
	served          []string
	// asked is how clients of either kind ask.
	asked [2]clientMethod
}

// clientMethod is a client's method: its result, the library's function that it calls, and the
// parameters of both.
type clientMethod struct {
	result, calls string
	given         []string
}

const (
	value    = "const Q& value"
	then     = "::mxp::net::callback<A> then"
	options  = "::mxp::net::call_options options = {}"
	ofEvents = "::mxp::net::event_options options = {}"
)

var methodTexts = [...]methodText{
	lower.Event: {
		"event", "std::optional<::mxp::net::failure>", "return ::mxp::net::method_unknown();", []string{"Q /*event*/"},
		[2]clientMethod{
			{"std::uint64_t", "send", []string{value, "::mxp::net::callback<void> then = {}", ofEvents}},
			{"void", "send", []string{value, ofEvents}},
		},
	},
	lower.Call: {
		"call", "void", "replier.fail(::mxp::net::method_unknown());", []string{"Q /*value*/", "::mxp::net::replier<A> replier"},
		[2]clientMethod{
			{"std::uint64_t", "call<A>", []string{value, then, options}},
			{"A", "call<A>", []string{value, options}},
		},
	},
	lower.ServerStream: {
		"stream", "void", "sender.fail(::mxp::net::method_unknown());", []string{"Q /*value*/", "::mxp::net::sender<A> sender"},
		[2]clientMethod{
			{"[[nodiscard]] ::mxp::net::receiver<A>", "open_server_stream<A>", []string{value, options}},
			{"::mxp::net::blocking_receiver<A>", "open_server_stream<A>", []string{value, options}},
		},
	},
	lower.ClientStream: {
		"stream", "void", "stream.fail(::mxp::net::method_unknown());", []string{"::mxp::net::client_stream<Q, A> stream"},
		[2]clientMethod{
			{"[[nodiscard]] ::mxp::net::sender<Q>", "open_client_stream<A, Q>", []string{then, options}},
			{"::mxp::net::blocking_client_stream<Q, A>", "open_client_stream<A, Q>", []string{options}},
		},
	},
	lower.BidiStream: {
		"stream", "void", "stream.fail(::mxp::net::method_unknown());", []string{"::mxp::net::bidi_stream<Q, A> stream"},
		[2]clientMethod{
			{"[[nodiscard]] ::mxp::net::bidi_stream<A, Q>", "open_bidi_stream<Q, A>", []string{options}},
			{"::mxp::net::blocking_bidi_stream<A, Q>", "open_bidi_stream<Q, A>", []string{options}},
		},
	},
}

// askedMany is how clients of either kind send the events of a range.
var askedMany = [2]clientMethod{
	{"void", "send_all<Q>", []string{"Range&& values", "::mxp::net::callback<void> then = {}", ofEvents}},
	{"void", "send_all<Q>", []string{"Range&& values", ofEvents}},
}

// clientKind is one of the two kinds of clients: the number of its way to ask, its class, the
// library's class that it asks by, the result of a method, and the text about the class.
type clientKind struct {
	asked           int
	name            names.Role
	by, result, doc string
}

var clients = clientKind{0, names.Client, "client", "$result$", `
		/// Asks $full$ by a client, which has to outlive it, and whose options have the types of
		/// $descriptor$. Functions are told once how a request has ended, on the client's thread, and
		/// never from within the call that made it. Numbers that are returned are for its cancel.`}

var blockingClients = clientKind{1, names.BlockingClient, "blocking_client", "[[nodiscard]] ::mxp::net::outcome<$result$>", `
		/// Asks $full$ by a blocking client, which has to outlive it, and whose options have the types
		/// of $descriptor$. Each function waits for the end of its request; a function of a stream waits until
		/// the request can be sent.`}

// client prints the class that calls a service. Its functions are functions of a template, so that
// a source compiles only the called ones.
func (g *generator) client(s *ir.Service, kind clientKind) {
	g.Emit(emit.Vars{
		"name": g.names.Get(s, kind.name), "by": kind.by, "deprecated": deprecated(&s.Meta),
		"full": quoted(s), "descriptor": g.names.Get(s, names.Descriptor),
		"methods": func() {
			for _, m := range s.Methods {
				g.Line("")
				g.clientMethod(s, m, kind)
			}
		},
	}, `
		namespace detail {

		/// The functions of `+"`$name$`"+`.
		template <class Caller>
		class $name$ {
		   public:
			explicit $name$(Caller& caller) noexcept : by_(&caller) {}
			$methods$

		   private:
			Caller* by_;
		};

		}  // namespace detail
`+kind.doc+`
		class $deprecated$$name$ : public detail::$name$<::mxp::net::$by$> {
		   public:
			using detail::$name$<::mxp::net::$by$>::$name$;
		};
	`)
	g.Line("")
}

func (g *generator) clientMethod(s *ir.Service, m *ir.Method, kind clientKind) {
	name := g.names.Of(m)
	g.methodDoc(m)
	g.ask(s, m, kind, name, methodTexts[lower.FlowOf(m)].asked[kind.asked])
	if m.Kind == ir.Event {
		g.Line("")
		g.Line("/// As `%s`, with each value of a range; they go together, so that each costs little.", name)
		g.Line("template <class Range>")
		g.ask(s, m, kind, g.names.Get(m, names.Batch), askedMany[kind.asked])
	}
}

func (g *generator) ask(s *ir.Service, m *ir.Method, kind clientKind, name string, client clientMethod) {
	arguments := []string{"*by_", "::" + Namespace(g.pkg) + "::" + g.names.Get(s, names.Descriptor) + "::Methods::" + g.names.Of(m)}
	var parameters []string
	for _, p := range client.given {
		parameters = append(parameters, g.fill(m, p))
		arguments = append(arguments, argument(p))
	}
	result := strings.ReplaceAll(kind.result, "$result$", g.fill(m, client.result))
	g.function(deprecated(&m.Meta)+result+" "+name, parameters, " const", func() {
		g.list("return ::mxp::net::"+g.fill(m, client.calls)+"(", arguments, ");")
	})
}

// argument passes a parameter on; what is no reference is moved.
func argument(parameter string) string {
	words := strings.Fields(strings.TrimSuffix(parameter, " = {}"))
	name := words[len(words)-1]
	if strings.Contains(parameter, "&") {
		return name
	}
	return "std::move(" + name + ")"
}
