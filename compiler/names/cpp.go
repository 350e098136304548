package names

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Cpp has types and alternatives in camel case, fields and functions in snake case, and
// members and constants as they are.
var Cpp = &Rules{
	Target: "cpp", Language: "C++",
	Package: cppNamespace,

	kinds: [kinds]rule{
		constant: {spell: cppConstant},
		alias:    {spell: cppType},
		declared: {spell: cppType},
		member:   {spell: cppMember},
		alternative: {spell: func(name string) string { return cppName(camel(name)) }, unlike: func(n nameSource) string {
			// No member has the name of its class, which is also that of the form that borrows.
			if n.own == n.owner || n.own == join(n.owner, "Ref") {
				return n.own + "_"
			}
			return n.own
		}},
		field:       {spell: cppSnake, unlike: unlikeTail},
		inlineField: {spell: cppSnake},
		service:     {spell: cppType},
		method:      {spell: cppSnake},
	},
	derived: [kinds]map[Role]func(nameSource) string{
		declared: {
			Ref: suffix("Ref"),
			// Names of inline alternatives stand beside their union's.
			View:  func(n nameSource) string { return join(n.owner+n.own, "View") },
			Codec: func(n nameSource) string { return join(n.owner+n.own, "Codec") },
		},
		alternative: {Reader: func(n nameSource) string {
			if n.given {
				return strings.ToLower(n.stem)
			}
			return beside(cppUnionFunctions, cppSnake(n.name))
		}},
		method: {Batch: func(n nameSource) string { return beside(n.methods, n.stem+"_all") }},
		service: {
			Descriptor: suffix("Service"), Client: suffix("Client"), BlockingClient: suffix("BlockingClient"), Server: suffix("Server"),
		},
	},
	inline: func(_, alternative string) string { return alternative },
	claim:  claimCpp,

	collision: "P0101", unusable: "P0102",
	refused: func(_ string, meta *ir.Meta) (string, bool) {
		given, ok := meta.Names["cpp"]
		return given, ok && cppName(given) != given
	},
	notA: "is not a name for C++", write: `write a C++ identifier in @name(cpp = "…"), not a keyword and not a reserved one`,
}

var (
	// cppKeywords can't be names in C++, up to C++23, or in that of GNU.
	cppKeywords = set(`
		alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
		co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
		double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
		new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return
		short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
		typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
	`)

	// cppMacros are names that headers of the standard library, or compilers, are
	// known to define as macros.
	cppMacros = set(cppMacroFile)

	// cppGlobals are names that these headers and POSIX's declare outside of any namespace, and main: no
	// namespace can have one of them.
	cppGlobals = set(cppGlobalFile)

	// cppTaken are names that generated code uses within types.
	cppTaken = set(`allocator_type detail places pmr sdp sdp_codec shapes std wire`)

	// cppDispatchers are types of every package.
	cppDispatchers = set(`Message MessageRef MessageView`)

	// cppFunctions are functions of every package.
	cppFunctions = set(`decode_message source_fingerprint to_string visit_message`)

	// cppUnionFunctions are functions of every view of a union.
	cppUnionFunctions = set(`tag unknown`)

	// cppLocals are names of parameters and variables of generated functions, which a
	// constant of the package would be hidden by; of earlier releases, too, so that a constant keeps its name.
	cppLocals = set(`
		a allocator b caller d depth head input keep n options output payload replier run s sender server services source stream tag
		type type_id value visit visitor w
		all from other out to
	`)
)

// cppOwnMacro matches macros of the libraries that generated code includes: guards of
// their headers, and switches.
var cppOwnMacro = regexp.MustCompile(`^(SDP|MXP|ASIO|XXH)_[A-Z0-9_]*$`)

// The file is the output of gcc 12 and clang 16, with glibc, for all headers of C++17 and C++20, C's among
// them, with -dM -E, and for the headers that code of services includes. It is made both with GNU's extensions
// and without, and leaves out names that begin with an underscore.
//
//go:embed reserved/cpp_macros.txt
var cppMacroFile string

// The file is what gcc 12 refuses as a namespace, with glibc, behind all these
// headers.
//
//go:embed reserved/cpp_globals.txt
var cppGlobalFile string

// cppName makes a name one that a member or type can have: nothing that generated
// code needs itself.
func cppName(name string) string { return beside(cppTaken, cppPlain(name)) }

// cppPlain makes a name one that C++ takes: no keyword, and none that the standard
// reserves.
func cppPlain(name string) string {
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	if len(name) > 1 && name[0] == '_' && 'A' <= name[1] && name[1] <= 'Z' {
		name = name[1:]
	}
	if cppOwnMacro.MatchString(name) {
		return name + "_"
	}
	return beside(cppMacros, beside(cppKeywords, name))
}

func cppType(name string) string { return beside(cppDispatchers, cppName(camel(name))) }

func cppSnake(name string) string { return cppName(snake(name)) }

func cppMember(name string) string {
	if name == "source_fingerprint" {
		return name + "_" // it would shadow the package's, of which compilers warn
	}
	return cppName(name)
}

func cppConstant(name string) string {
	if name = cppName(name); cppFunctions[name] || cppDispatchers[name] || cppLocals[strings.TrimRight(name, "0123456789")] {
		return name + "_"
	}
	return name
}

// cppNamespace is the namespace of a package: `audio::host` for audio.host.
func cppNamespace(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		part = cppPlain(part)
		// Names in a namespace hide what generated code means by them;
		// detail and pmr are in that of every package.
		within := i > 0 && (part == "detail" || part == "pmr")
		if part == "sdp" || part == "std" || within || i == 0 && cppGlobals[part] {
			part += "_"
		}
		parts[i] = part
	}
	return strings.Join(parts, "::")
}

func claimCpp(c *claims, pkg *ir.Package) {
	s, codecs := c.scope(), c.scope()
	s.reserve("a name of every generated package",
		"Message", "MessageRef", "MessageView", "decode_message", "visit_message", "source_fingerprint", "to_string")
	s.declarations(pkg, alone)
	if c.Services {
		s.servicesCpp(pkg)
	}
	for _, d := range pkg.Decls {
		_, isEnum := d.(*ir.Enum)
		if !isEnum {
			s.claim(c.Get(d, Ref), generatedFor(d), d.DeclMeta())
		}
		for _, d := range ir.WithInline(d) {
			codecs.claim(c.Get(d, Codec), generatedFor(d), d.DeclMeta())
			if !isEnum {
				s.claim(c.Get(d, View), generatedFor(d), d.DeclMeta())
			}
			c.membersCpp(d)
		}
	}
}

func (c *claims) membersCpp(d ir.Decl) {
	s := c.scope()
	switch d := d.(type) {
	case *ir.Enum:
		for _, m := range d.Members {
			s.claim(c.Of(m), "the member `"+m.Name+"`", &m.Meta)
		}
	case *ir.Union:
		s.reserve("the union", c.Of(d))
		s.reserve("what a union holds", "value")
		readers := c.scope()
		readers.reserve("a function of every view of a union", "tag", "unknown", "where_")
		for _, a := range d.Alternatives {
			s.claim(c.Of(a), "the alternative `"+a.Name+"`", &a.Meta)
			readers.claim(c.Get(a, Reader), "what reads the alternative `"+a.Name+"` from a view", &a.Meta)
		}
	case *ir.Message:
		s.reserve("a name of every message", "unknown_fields")
	}
	// A member can't have the name of its class.
	if len(ir.FieldsOf(d)) > 0 {
		s.reserve("the type", c.Of(d))
		s.reserve("the view", c.Get(d, View))
		s.reserve("a member of every view", "where_")
		s.fields(d, nil)
	}
}

func (s *scope) servicesCpp(pkg *ir.Package) {
	names := s.claims.Table
	for _, of := range pkg.Services {
		for _, role := range []Role{Descriptor, Client, BlockingClient, Server} {
			s.claim(names.Get(of, role), generatedForService(of), &of.Meta)
		}
		methods := s.claims.scope()
		methods.reserve("the class", names.Get(of, Client), names.Get(of, BlockingClient), names.Get(of, Server), "Methods")
		methods.reserve("a name that generated clients use", "Caller", "Services", "by_")
		for _, m := range of.Methods {
			methods.claim(names.Of(m), "the method `"+m.Name+"`", &m.Meta)
		}
		methods.events(of, Batch)
	}
}
