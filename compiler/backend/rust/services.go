package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust/layout"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// services prints a module with clients and servers of a package's services.
type services struct {
	*emit.Printer
	types *types
	names *names.Table
	pkg   *ir.Package
}

// ModuleName is the module that a package of a name becomes, and the stem of its file.
func ModuleName(name string) string { return names.Rust.Package(name) }

// ServicesModule is the module of a package's services.
func ServicesModule(pkg *ir.Package) string { return ModuleName(pkg.Name) + "_service" }

// newServices makes the printer for a package. Its types are types of other modules, which are used
// by their last name if that is the module's alone.
func newServices(program *plan.Program, pkg *ir.Package, options backend.Options, table *names.Table) (*services, []string) {
	short, taken := map[*ir.Package]string{}, map[string]bool{"wire": true}
	var uses []string
	for _, other := range serviceImports(pkg) {
		path := options.Imports[other]
		name := path[strings.LastIndexByte(path, ':')+1:]
		if short[other] = path; !taken[name] {
			short[other], taken[name] = name, true
			uses = append(uses, "use "+path+";")
		}
	}
	slices.Sort(uses)
	return &services{
		Printer: emit.NewPrinter("    "),
		types:   newTypes(program, nil, short, table),
		names:   table,
		pkg:     pkg,
	}, uses
}

// serviceImports are the packages whose types the methods name, each once.
func serviceImports(pkg *ir.Package) []*ir.Package {
	var all []*ir.Package
	add := func(t *ir.Type) {
		of := t.Decl.DeclPackage()
		if t.Alias != nil {
			of = t.Alias.Package
		}
		for _, one := range []*ir.Package{of, t.Decl.DeclPackage()} {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	for _, s := range pkg.Services {
		for _, m := range s.Methods {
			add(m.Request)
			if m.Response != nil {
				add(m.Response)
			}
		}
	}
	return all
}

// servicesFile is the file of a package's services.
func servicesFile(program *plan.Program, pkg *ir.Package, options backend.Options, table *names.Table) backend.File {
	s, uses := newServices(program, pkg, options, table)
	for _, service := range pkg.Services {
		s.client(service)
		s.blockingClient(service)
		s.server(service)
		s.blockingServer(service)
	}
	if len(uses) > 0 {
		s.codec()
	}
	if strings.Contains(s.String(), ", Wire>") {
		s.Line("::mxp::net::typed::fixed_values!(wire);")
	}
	text := layout.Code(strings.TrimRight(s.String(), "\n") + "\n")
	s.Printer = emit.NewPrinter("    ")
	s.head(options, uses, text)
	return backend.File{Name: ServicesModule(pkg) + ".rs", Content: []byte(s.String() + text)}
}

// head prints what stands before the first client.
func (s *services) head(options backend.Options, uses []string, text string) {
	generatedLine(s.Printer, s.pkg, options)
	s.Line("")
	s.Line("//! Clients and servers of the services of `%s`.", s.pkg.Name)
	s.Line("")
	s.Emit(nil, `
		#![allow(
		    dead_code,
		    unreachable_pub,
		    reason = "no program needs all of it, and it may lie in any module"
		)]
		#![allow(
		    clippy::doc_markdown,
		    clippy::similar_names,
		    clippy::too_many_lines,
		    reason = "names, comments and the number of methods are the schema's"
		)]
		#![allow(
		    clippy::missing_errors_doc,
		    reason = "what a request fails with is the same for all methods, and Failure tells it"
		)]
		#![allow(
		    clippy::needless_pass_by_value,
		    reason = "who serves something may have no other use for it"
		)]
		#![allow(deprecated, reason = "what the schema deprecates is still served")]
		#![allow(
		    unexpected_cfgs,
		    reason = "what is for threads is there if the crate has the feature blocking"
		)]
	`)
	s.Line("")
	s.Line("use ::std::sync::Arc;")
	s.Line("use ::std::vec::Vec;")
	s.Line("")
	text = codeOf(text)
	s.use("::mxp::net::typed", text, "Answer", "BidiStream", "Caller", "ClientStream", "Codec", "Context", "Method", "Receiver", "Refusal", "Sender")
	s.use("::mxp::net", text, "Client", "ClientOptions", "Failure", "Options", "Service", "WhenFull")
	s.Line("use ::mxp::session::TypeInfo;")
	if len(uses) > 0 {
		s.Line("")
		s.Line("use %s::wire;", options.Runtime)
		s.Line("")
	}
	for _, line := range uses {
		s.Line("%s", line)
	}
	s.Line("")
}

// useWidthMax is how wide a use declaration may be in one line, found by trying.
const useWidthMax = 98

// use prints a declaration for the names that a text has, among some names.
func (s *services) use(path, text string, names ...string) {
	var used []string
	for _, name := range names {
		if hasWord(text, name) {
			used = append(used, name)
		}
	}
	switch line := strings.Join(used, ", "); {
	case len(used) == 0:
	case len(used) == 1:
		s.Line("use %s::%s;", path, line)
	case len("use "+path+"::{"+line+"};") <= useWidthMax:
		s.Line("use %s::{%s};", path, line)
	default:
		s.Line("use %s::{", path)
		s.In(func() { s.Line("%s,", line) })
		s.Line("};")
	}
}

// hasWord reports whether code has a word that no longer one has in it.
func hasWord(text, word string) bool {
	for _, line := range strings.Split(text, "\n") {
		for at := 0; ; {
			i := strings.Index(line[at:], word)
			if i < 0 {
				break
			}
			at += i + len(word)
			before := at - len(word) - 1
			if !isWordAt(line, at) && !isWordAt(line, before) && (before < 0 || line[before] != ':') {
				return true
			}
		}
	}
	return false
}

func isWordAt(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// flow is the generated code for methods of one kind, with Q and A for the types of requests and
// responses.
type flow struct {
	// ask is the function of a Method that asks, and serve the function that serves.
	ask, serve string
	// gives is what asking returns and answers what serving does.
	gives, answers string
	// takes are the parameters of the handler besides its context.
	takes []param
	says  string // what asking does
}

type param struct{ name, of string }

var (
	request   = param{"request", "Q"}
	requests  = param{"requests", "Receiver<Q>"}
	responses = param{"responses", "Sender<A>"}
)

var flows = [...]flow{
	lower.Event:        {"publish", "serve_event", "()", "()", []param{request}, "Tells"},
	lower.Call:         {"call", "serve_call", "A", "A", []param{request}, "Calls"},
	lower.ServerStream: {"server_stream", "serve_server_stream", "Receiver<A>", "()", []param{request, responses}, "Opens the stream"},
	lower.ClientStream: {"client_stream", "serve_client_stream", "ClientStream<Q, A>", "A", []param{requests}, "Opens the stream"},
	lower.BidiStream:   {"bidi_stream", "serve_bidi_stream", "BidiStream<Q, A>", "()", []param{requests, responses}, "Opens the stream"},
}

// caller is the kind of thing that asks and serves: tasks of a runtime, or threads.
type caller struct {
	// function is how a function of theirs begins, and answer what one returns, with
	// a line for its value.
	function, answer string
	// suffix is that of the library's functions for them, await what stands behind
	// a call, streams where streams are, many what a function takes that has values of Q,
	// and orStream says that it may be a stream.
	suffix, await, streams, many, orStream string
}

var (
	tasks   = caller{"async fn", "impl Answer<_>", "", ".await", "", "<K>(&self, requests: impl ::mxp::net::typed::Values<Q, K>)", ", or of a stream"}
	threads = caller{
		"fn", "Result<_, Failure>", "_blocking", "", "::mxp::net::typed::blocking::",
		"(&self, requests: impl ::mxp::net::typed::blocking::Values<Q>)", "",
	}
)

// ofLibrary is a type with the place of a stream.
func (c caller) ofLibrary(name string) string {
	if strings.HasSuffix(name, ">") {
		return c.streams + name
	}
	return name
}

// fill is text about a method with its types for Q and A.
func (s *services) fill(m *ir.Method, text string) string {
	return lower.Fill(m, text, func(t *ir.Type) string { return s.types.spell(t, owned) })
}

// methodDoc prints the comment of a function for a method.
func (s *services) methodDoc(m *ir.Method, says string) {
	doc(s.Printer, &m.Meta, says+" `"+m.Name+"`.")
}

func fullName(s *ir.Service) string { return s.Package.Name + "." + s.Name }

// codec prints how the types of requests and responses are encoded and decoded.
func (s *services) codec() {
	s.Emit(nil, `
		const fn codec<T: wire::Encode + for<'a> wire::Decode<'a>>() -> Codec<T> {
			Codec::new(encode, decode).appending(|value, output| {
				let encoded = wire::append(value, output);
				encoded.map_err(|e| Refusal::new(e.kind.as_str(), ::std::string::ToString::to_string(&e)))
			})
		}

		fn encode<T: wire::Encode>(value: &T) -> Result<::mxp::net::Buffer, Refusal> {
			let mut out = ::mxp::net::Buffer::with_capacity(value.sdp_size(1));
			let encoded = wire::append(value, &mut out);
			encoded.map_err(|e| Refusal::new(e.kind.as_str(), ::std::string::ToString::to_string(&e)))?;
			Ok(out)
		}

		fn decode<T: for<'a> wire::Decode<'a>>(bytes: &[u8]) -> Result<T, Refusal> {
			let decoded = wire::decode(bytes, wire::DEFAULT);
			decoded.map_err(|e| Refusal::new(e.kind.as_str(), ::std::string::ToString::to_string(&e)))
		}
	`)
}
