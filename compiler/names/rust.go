package names

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Rust has types and variants in camel case, constants in capitals and all else in
// snake case. Keywords become raw identifiers where they can be.
var Rust = &Rules{
	Target: "rust", Language: "Rust",
	Package: rustModule,

	kinds: [kinds]rule{
		constant:    {spell: rustConstant},
		alias:       {spell: rustType},
		declared:    {spell: rustType},
		member:      {spell: rustVariant},
		alternative: {spell: rustVariant},
		field:       {spell: snake, avoid: raw, unlike: rustField},
		inlineField: {spell: snake, avoid: raw},
		service:     {spell: func(name string) string { return beside(rustServiceTypes, camel(name)) }},
		method:      {spell: snake, avoid: raw},
	},
	derived: [kinds]map[Role]func(nameSource) string{
		declared: {Ref: suffix("Ref"), View: suffix("View")},
		field: {
			Reader: func(n nameSource) string { return unlike(viewFunctions, n) },
			Local:  rustLocal,
			Shown:  func(n nameSource) string { return strings.TrimPrefix(n.own, "r#") },
		},
		service: {
			Client: func(n nameSource) string {
				if name := join(n.own, "Client"); !rustServiceTypes[name] {
					return name
				}
				return n.own + "Client_"
			},
			BlockingClient: suffix("BlockingClient"),
			Server:         func(n nameSource) string { return serviceStem(n) + "_service" },
			ServerTrait:    suffix("Blocking"),
			BlockingServer: func(n nameSource) string { return serviceStem(n) + "_blocking_service" },
		},
		method: {
			Ask:    func(n nameSource) string { return unlike(clientFunctions, n) },
			Acked:  func(n nameSource) string { return n.stem + "_acked" },
			Batch:  func(n nameSource) string { return beside(n.methods, n.stem+"_all") },
			Number: func(n nameSource) string { return strings.ToUpper(n.stem) },
		},
	},
	inline: join,
	claim:  claimRust,

	collision: "R0101", unusable: "R0102",
	refused: func(_ string, meta *ir.Meta) (string, bool) {
		given, ok := meta.Names["rust"]
		return given, ok && (rustKeywords[given] || given == "_")
	},
	notA: "is not a Rust name", write: `write a Rust identifier in @name(rust = "…")`,
}

var (
	// rustKeywords are the words that Rust keeps to itself, in any edition up to 2024.
	rustKeywords = set(`
		as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref
		return self Self static struct super trait true type unsafe use where while
		abstract become box do final gen macro override priv try typeof unsized virtual yield
	`)

	// rustTypes are names that generated code uses for types, traits and variants, the prelude's
	// among them, so that a schema's type can't have one of them.
	rustTypes = set(`
		AsRef BTreeMap Box Clone Copy Cow Decoder Default Eq Err From Message MessageRef MessageView
		None Ok Option Ord PartialEq PartialOrd Result Self Some String Vec Writer
	`)

	// rustServiceTypes are the types that the code of services uses, so that the generated code of
	// a service can't have one of their names.
	rustServiceTypes = set(`
		Answer Arc BidiStream Caller Client ClientOptions ClientStream Codec Context Err Failure Fn Method None Ok Option Options Receiver Refusal Result Self
		Send Sender Service Some String Sync TypeInfo Vec WhenFull Wire
	`)

	// rustLocals are names that generated functions use themselves, with or without a
	// number behind them, so that a field's local variable can't have one of them.
	rustLocals = set(`
		body bytes d depth entries f fmt hash i inner input item items key large n out run s sdp some start tag unknown_fields value values w wire
	`)

	// viewFunctions are names of a view's own functions, so that no field is read by
	// one of them.
	viewFunctions = set(`as_bytes from_message from_message_with new unknown_fields with`)

	// clientFunctions are the functions of every client, so that a method can't be
	// asked for by one of their names.
	clientFunctions = set(`connect new set_options types when_full with`)
)

// rustType is the name of a type or alias. Neither it nor the names of its other
// forms are taken.
func rustType(name string) string {
	spelt := camel(name)
	if rustTypes[spelt] || rustTypes[spelt+"Ref"] || rustTypes[spelt+"View"] {
		return spelt + "_"
	}
	return spelt
}

// rustVariant is the name of an enum's member or a union's alternative.
func rustVariant(name string) string {
	if name = camel(name); name == "Unknown" || name == "Self" {
		return name + "_"
	}
	return name
}

// rustConstant is the name of a constant, which is not that of every module.
func rustConstant(name string) string {
	if name = strings.ToUpper(snake(name)); name == "SOURCE_FINGERPRINT" {
		return name + "_"
	}
	return name
}

// rustField is the name of a field beside the marker of a borrowed message.
func rustField(n nameSource) string {
	if _, grows := n.within.(*ir.Message); grows && n.own == "borrowed" && !n.given {
		return n.own + "_"
	}
	return unlikeTail(n)
}

// unlikeTail is the name of a field beside the unknown tail that a message keeps.
func unlikeTail(n nameSource) string {
	if _, grows := n.within.(*ir.Message); grows && n.own == "unknown_fields" && !n.given {
		return n.own + "_"
	}
	return n.own
}

// raw makes a keyword a raw identifier. The four that can't be one get an
// underscore.
func raw(name string) string {
	switch {
	case name == "self" || name == "super" || name == "crate" || name == "Self":
		return name + "_"
	case rustKeywords[name]:
		return "r#" + name
	}
	return name
}

// unlike is a name that functions beside it don't have.
func unlike(functions map[string]bool, n nameSource) string {
	if functions[n.stem] {
		return n.stem + "_"
	}
	return n.own
}

// rustLocal is the name of a variable. A name with an underscore behind it already gets one more,
// so that no two fields have the same.
func rustLocal(n nameSource) string {
	base := strings.TrimRight(n.stem, "0123456789")
	if rustKeywords[n.stem] || rustLocals[base] || strings.HasSuffix(n.stem, "_") || n.stem != strings.ToLower(n.stem) {
		return n.stem + "_"
	}
	return n.stem
}

// serviceStem is the first part of the names of functions that serve a service.
func serviceStem(n nameSource) string { return snake(strings.TrimSuffix(n.own, "_")) }

// rustModule is the module that a package of a name becomes, and the stem of its
// file. All packages of an output lie in one folder, so that they find each other
// there: the components of a dotted name become words of one name.
func rustModule(name string) string {
	stem := Snake(Words(name))
	switch {
	case stem == "":
		// A name of underscores alone has no words.
		return "package"
	case stem[0] >= '0' && stem[0] <= '9':
		return "_" + stem
	case rustKeywords[stem] || stem == "lib" || stem == "main" || IsDevice(stem):
		// A raw identifier would be no name of a file, and lib.rs and main.rs are
		// the roots of crates.
		return stem + "_"
	}
	return stem
}

func claimRust(c *claims, pkg *ir.Package) {
	s := c.scope()
	s.reserve("a name of every generated module", "Message", "MessageRef", "MessageView", "SOURCE_FINGERPRINT")
	s.declarations(pkg, ir.WithInline)
	for _, d := range pkg.Decls {
		for _, d := range ir.WithInline(d) {
			if _, isEnum := d.(*ir.Enum); !isEnum {
				s.claim(c.Get(d, Ref), generatedFor(d), d.DeclMeta())
				s.claim(c.Get(d, View), generatedFor(d), d.DeclMeta())
			}
			c.membersRust(d)
		}
	}
	if c.Services {
		c.servicesRust(pkg)
	}
}

func (c *claims) membersRust(d ir.Decl) {
	s := c.scope()
	switch d := d.(type) {
	case *ir.Enum:
		if !d.Closed {
			s.reserve("the member for other numbers", "Unknown")
		}
		for _, m := range d.Members {
			s.claim(c.Of(m), "the member `"+m.Name+"`", &m.Meta)
		}
	case *ir.Union:
		if !d.Closed {
			s.reserve("the alternative for other tags", "Unknown")
		}
		for _, a := range d.Alternatives {
			s.claim(c.Of(a), "the alternative `"+a.Name+"`", &a.Meta)
		}
	case *ir.Message:
		s.reserve("a name of every message", "unknown_fields", "borrowed")
	}
	for _, f := range ir.FieldsOf(d) {
		s.claim(strings.TrimPrefix(c.Of(f), "r#"), "the field `"+f.Name+"`", &f.Meta)
	}
	for _, f := range ir.FieldsOf(d) {
		if c.Get(f, Reader) != c.Of(f) {
			s.claim(c.Get(f, Reader), "what reads the field `"+f.Name+"` of a view", &f.Meta)
		}
	}
}

func (c *claims) servicesRust(pkg *ir.Package) {
	module := rustModule(pkg.Name) + "_service"
	for _, other := range c.Beside {
		if rustModule(other.Name) == module {
			modules := c.scope()
			modules.reserve("the package `"+other.Name+"`", module)
			modules.claim(module, "the module of the services of `"+pkg.Name+"`", &ir.Meta{Span: pkg.Services[0].Span})
		}
	}
	s := c.scope()
	s.reserve("a name of every module of services", "codec", "encode", "decode")
	for _, of := range pkg.Services {
		for _, role := range []Role{Own, Client, BlockingClient, Server, ServerTrait, BlockingServer} {
			s.claim(c.Get(of, role), generatedForService(of), &of.Meta)
		}
		c.methodsRust(of)
	}
}

func (c *claims) methodsRust(s *ir.Service) {
	functions, consts := c.scope(), c.scope()
	for _, m := range s.Methods {
		what := "the method `" + m.Name + "`"
		served, asked := c.Of(m), c.Get(m, Ask)
		functions.claim(strings.TrimPrefix(served, "r#"), what, &m.Meta)
		if asked != served {
			functions.claim(asked, what, &m.Meta)
		}
		consts.claim(c.Get(m, Number), what, &m.Meta)
	}
	functions.events(s, Acked, Batch)
}
