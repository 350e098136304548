package names

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Go has exported names alone, in camel case. Members and alternatives begin with the
// name of their type.
var Go = &Rules{
	Target: "go", Language: "Go",
	Package: goPackage,

	kinds: [kinds]rule{
		constant:    {spell: exported, avoid: unlikeFunctions},
		alias:       {spell: exported, avoid: unlikeFunctions},
		declared:    {spell: exported, avoid: func(name string) string { return beside(packageTypes, unlikeFunctions(name)) }},
		member:      {spell: exported, within: true},
		alternative: {spell: exported, within: true, unlike: unlikeUnion},
		field:       {spell: exported, avoid: goField},
		inlineField: {spell: exported, avoid: func(name string) string {
			if name == "Tag" { // a method of every alternative
				return name + "_"
			}
			return goField(name)
		}},
		service: {spell: exported},
		method:  {spell: exported, avoid: func(name string) string { return beside(standardMethods, name) }},
	},
	derived: [kinds]map[Role]func(nameSource) string{
		alternative: {Reader: func(n nameSource) string {
			return beside(unionMethods, beside(standardMethods, n.stem))
		}},
		field: {Reader: func(n nameSource) string {
			name := beside(standardMethods, n.own)
			if n.besideError {
				return beside(errorMethods, name)
			}
			return name
		}},
		method: {
			Number: func(n nameSource) string { return n.owner + n.own + "Method" },
			Method: func(n nameSource) string { return "method" + n.owner + n.own },
			Batch:  func(n nameSource) string { return beside(n.methods, n.stem+"Batch") },
		},
	},
	inline: func(_, alternative string) string { return alternative },
	claim:  claimGo,

	collision: "G0101", unusable: "G0102",
	refused: func(name string, _ *ir.Meta) (string, bool) {
		return name, !token.IsIdentifier(name) || !token.IsExported(name)
	},
	notA: "is not an exported Go name", write: `write a Go identifier that begins with a capital letter in @name(go = "…")`,
}

var (
	// packageTypes are type names whose functions would be the package's own, such
	// as DecodeMessage.
	packageTypes = set(`Message MessageReader MessageWith MessageWriter`)

	// packageFunctions are functions and constants of every package.
	packageFunctions = set(`DecodeMessage DecodeMessageWith FingerprintOfSource NewMessageReader NewMessageWriter`)

	// unionNames are what is generated for every union behind its name.
	unionNames = set(`Alternative Fingerprint Fingerprints Layout ListReader ListWriter SegmentFingerprints View`)

	// goMethods are the names of all methods that a generated type may have. A field
	// of such a name gets a trailing underscore.
	goMethods = set(`
		AppendBinary AppendJSON AppendMessage Clone DecodeExact DecodePrefix DecodeWith EncodedSize Equal MarshalBinary MarshalJSON
		MarshalMessage SetUnknownFields String UnknownFields UnmarshalBinary UnmarshalJSON UnmarshalMessage UnmarshalMessageWith Validate
	`)

	// standardMethods have one signature wherever they stand, says go vet.
	standardMethods = set(`GobDecode GobEncode MarshalJSON ReadByte ReadRune UnmarshalJSON UnreadByte UnreadRune WriteByte`)

	// errorMethods have one signature in errors, and a type with a method Error that returns a
	// string is an error.
	errorMethods = set(`As Is Unwrap`)

	// unionMethods are what every view of a union has.
	unionMethods = set(`Payload SDPEnd Tag`)

	// initialisms are words that Go's style writes in capitals.
	initialisms = set(`
		acl api ascii cpu css dns eof guid html http https id ip json qps ram rpc sip sla smtp sql ssh tcp tls ttl udp ui uid uri url
		utf8 uuid vm xml xmpp xsrf xss
	`)
)

// exported is a schema's name as an exported Go name: as it stands where it is
// one already, else in camel case.
func exported(name string) string {
	if token.IsExported(name) && !strings.Contains(name, "_") {
		return name
	}
	words := Words(name)
	for i, word := range words {
		if initialisms[word] {
			words[i] = strings.ToUpper(word)
		}
	}
	text := UpperCamel(words)
	if !token.IsExported(text) {
		return "X" + text // the name starts with a digit, or is all underscores
	}
	return text
}

func unlikeFunctions(name string) string { return beside(packageFunctions, name) }

// unlikeUnion is the name of an alternative that is no name of something else that is
// generated for its union.
func unlikeUnion(n nameSource) string {
	u, _ := n.within.(*ir.Union)
	if unionNames[n.stem] || n.stem == "Unknown" && !u.Closed || n.stem == "TypeID" && u.ID != nil {
		return n.own + "_"
	}
	return n.own
}

func goField(name string) string {
	if goMethods[name] || strings.HasPrefix(name, "SDP") {
		return name + "_"
	}
	return name
}

// goPackage is the name of the Go package for a schema's package.
func goPackage(name string) string {
	last := name[strings.LastIndex(name, ".")+1:]
	name = strings.ToLower(strings.ReplaceAll(last, "_", ""))
	// Nobody can import a main package, nor call an imported one init, and the go command
	// passes over files of package documentation.
	reserved := token.IsKeyword(name) || name == "main" || name == "init" || name == "documentation"
	if name == "" || reserved || '0' <= name[0] && name[0] <= '9' {
		return "sdp" + name
	}
	return name
}

// Names that are generated beside a type, in which the star stands for its name.
var (
	ofEveryType = strings.Fields(`
		New* Encode* Decode* Encode*ToWriter Decode*FromReader View* View*With *View SDPView* SDPValid* SDPSkip*
		*Fingerprint *Fingerprints *SegmentFingerprints *Layout
	`)
	ofListed  = strings.Fields(`*ListReader *ListWriter New*ListReader New*ListWriter`)
	ofMessage = strings.Fields(`*TypeID Encode*Message Decode*Message View*Message`)
	ofInline  = strings.Fields(`*View SDPView* SDPValid* SDPSkip*`)
	ofService = strings.Fields(`*Client New*Client *Server Register* Unimplemented* *Name *Types`)
)

// all claims what is generated beside what has a name.
func (s *scope) all(patterns []string, name, subject string, meta *ir.Meta) {
	for _, pattern := range patterns {
		s.claim(strings.ReplaceAll(pattern, "*", name), subject, meta)
	}
}

func claimGo(c *claims, pkg *ir.Package) {
	s := c.scope()
	s.reserve("a function of every generated package", slices.Sorted(maps.Keys(packageFunctions))...)
	s.declarations(pkg, alone)
	for _, d := range pkg.Decls {
		s.derivedGo(d)
		for _, d := range ir.WithInline(d) {
			c.fieldsGo(d)
		}
	}
	if c.Services {
		s.servicesGo(pkg)
	}
}

// derivedGo claims the names that are made for one type.
func (s *scope) derivedGo(d ir.Decl) {
	name, what, meta := s.claims.Of(d), generatedFor(d), d.DeclMeta()
	switch d := d.(type) {
	case *ir.Enum:
		for _, m := range d.Members {
			s.claim(s.claims.Of(m), "the member `"+d.Name+"."+m.Name+"`", &m.Meta)
		}
		return
	case *ir.Message:
		s.all(ofEveryType, name, what, meta)
	default:
		s.all(slices.Concat(ofEveryType, ofListed), name, what, meta)
	}
	if ir.IDOf(d) != nil {
		s.all(ofMessage, name, what, meta)
	}
	if u, ok := d.(*ir.Union); ok {
		s.alternativesGo(u, name, what)
	}
}

func (s *scope) alternativesGo(u *ir.Union, name, subject string) {
	s.claim(name+"Alternative", subject, &u.Meta)
	if !u.Closed {
		s.claim(name+"Unknown", subject, &u.Meta)
	}
	for _, a := range u.Alternatives {
		name, what := s.claims.Of(a), "the alternative `"+u.Name+"."+a.Name+"`"
		s.claim(name, what, &a.Meta)
		if a.Inline != nil {
			s.all(ofInline, name, what, &a.Meta)
		}
	}
}

func (c *claims) fieldsGo(d ir.Decl) {
	s := c.scope()
	s.fields(d, func(f *ir.Field) {
		if f.Type.Kind == ir.ListKind || f.Type.Kind == ir.MapKind {
			s.claim(c.Of(f)+"Len", "the length of `"+f.Name+"` in a view", &f.Meta)
		}
	})
}

func (s *scope) servicesGo(pkg *ir.Package) {
	for _, of := range pkg.Services {
		s.all(ofService, s.claims.Of(of), generatedForService(of), &of.Meta)
		methods := s.claims.scope()
		for _, m := range of.Methods {
			what := "the method `" + of.Name + "." + m.Name + "`"
			methods.claim(s.claims.Of(m), what, &m.Meta)
			s.claim(s.claims.Get(m, Number), what, &m.Meta)
		}
		for _, m := range of.Methods {
			if m.Kind == ir.Event {
				methods.claim(s.claims.Get(m, Batch), "what is generated for the event `"+of.Name+"."+m.Name+"`", &ir.Meta{Span: m.Span})
			}
		}
	}
}
