package names

import (
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// TypeScript has types and members in camel case, constants in capitals, and fields and
// functions in camel case with a small letter in front. Names with a dollar belong to generated
// code alone.
var TypeScript = &Rules{
	Target: "typescript", Language: "TypeScript",
	Package: typescriptModule,

	kinds: [kinds]rule{
		constant:    {spell: func(name string) string { return strings.ToUpper(snake(name)) }, avoid: typescriptType},
		alias:       {spell: camel, avoid: typescriptType},
		declared:    {spell: camel, avoid: typescriptType},
		member:      {spell: camel},
		alternative: {spell: func(name string) string { return name }},
		field:       {spell: typescriptField, avoid: notInherited},
		inlineField: {spell: typescriptField, avoid: notInherited},
		service:     {spell: camel, avoid: typescriptType},
		method:      {spell: typescriptField, avoid: notThenable},
	},
	derived: [kinds]map[Role]func(nameSource) string{
		field: {Local: func(n nameSource) string {
			if typescriptKeywords[n.own] || typescriptLocals[n.own] {
				return "$" + n.own // behind a name it would be that of an import
			}
			return n.own
		}},
	},
	inline: func(union, alternative string) string { return join(union, camel(alternative)) },
	claim:  claimTypeScript,

	collision: "T0101", unusable: "T0102",
	refused: func(_ string, meta *ir.Meta) (string, bool) {
		given, ok := meta.Names["typescript"]
		return given, ok && (!typescriptName.MatchString(given) || typescriptKeywords[given] || typescriptInherited[given])
	},
	notA: "is not a TypeScript name", write: `write a TypeScript identifier without "$" in @name(typescript = "…")`,
}

var (
	typescriptName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

	// typescriptKeywords can't be names of variables in modules.
	typescriptKeywords = set(`
		arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for
		function if implements import in instanceof interface let new null package private protected public return static super
		switch this throw true try typeof undefined var void while with yield
	`)

	// typescriptLocals are names that generated functions use themselves.
	typescriptLocals = set(`outer payload r sdp tag value w`)

	// typescriptTypes are names that generated code uses for built-in types, names that the
	// compiler keeps to itself, and names of every package.
	typescriptTypes = set(`
		Array BigInt BigInt64Array BigUint64Array Boolean Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Map Message
		NaN Number Object Promise ReadonlyMap Record Set String Symbol Uint16Array Uint32Array Uint8Array
	`)

	// typescriptInherited are names that every object has, so that what lacks a field of
	// such a name would seem to have it.
	typescriptInherited = set(`
		__proto__ constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
	`)
)

func typescriptType(name string) string { return beside(typescriptTypes, name) }

func notInherited(name string) string { return beside(typescriptInherited, name) }

// notThenable keeps a client of a service from being taken for a promise.
func notThenable(name string) string {
	if name == "then" {
		return name + "_"
	}
	return notInherited(name)
}

// typescriptField is the name of a field: displayName.
func typescriptField(name string) string {
	words := Words(name)
	text := UpperCamel(words)
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		return "x" + text // the name starts with a digit, or is all underscores
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// typescriptModule is the name of the file of a schema's package, without its ending.
func typescriptModule(name string) string {
	return strings.ToLower(FileStem(name))
}

func claimTypeScript(c *claims, pkg *ir.Package) {
	s := c.scope()
	s.reserve("a name of every generated module", "Message", "decodeMessage", "readMessages")
	s.declarations(pkg, ir.WithInline)
	for _, d := range pkg.Decls {
		name, what, meta := c.Of(d), generatedFor(d), d.DeclMeta()
		if _, isEnum := d.(*ir.Enum); !isEnum {
			s.claim("decode"+name, what, meta)
			s.claim("encode"+name, what, meta)
		}
		if ir.IDOf(d) != nil {
			s.claim("decode"+name+"Message", what, meta)
			s.claim("encode"+name+"Message", what, meta)
		}
		for _, d := range ir.WithInline(d) {
			c.membersTypeScript(d)
		}
	}
	if c.Services {
		s.servicesTypeScript(pkg)
	}
}

func (s *scope) servicesTypeScript(pkg *ir.Package) {
	for _, of := range pkg.Services {
		name, what := s.claims.Of(of), generatedForService(of)
		s.claim(name, what, &of.Meta)
		s.claim(name+"Methods", what, &of.Meta)
		methods := s.claims.scope()
		for _, m := range of.Methods {
			methods.claim(s.claims.Of(m), "the method `"+of.Name+"."+m.Name+"`", &m.Meta)
		}
	}
}

func (c *claims) membersTypeScript(d ir.Decl) {
	s := c.scope()
	switch d := d.(type) {
	case *ir.Enum:
		for _, m := range d.Members {
			s.claim(c.Of(m), "the member `"+m.Name+"`", &m.Meta)
		}
	case *ir.Union:
		for _, a := range d.Alternatives {
			s.claim(c.Of(a), "the alternative `"+a.Name+"`", &a.Meta)
		}
	}
	s.fields(d, nil)
}
