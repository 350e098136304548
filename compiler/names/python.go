package names

import (
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Python has types in camel case, members and constants in capitals, and fields in snake case. The class
// of an alternative has its union's name in front. Names with an underscore in front belong to generated code alone.
var Python = &Rules{
	Target: "python", Language: "Python",
	Package: PythonModule,

	kinds: [kinds]rule{
		constant: {spell: capitals},
		alias:    {spell: camel, avoid: pythonType},
		declared: {spell: camel, avoid: pythonType},
		member:   {spell: capitals},
		alternative: {spell: camel, within: true, unlike: func(n nameSource) string {
			if u, isUnion := n.within.(*ir.Union); isUnion && !u.Closed && n.own == join(n.owner, "Unknown") {
				return n.own + "_"
			}
			return n.own
		}},
		field:       {spell: snake, avoid: pythonField},
		inlineField: {spell: snake, avoid: pythonField},
		service:     {spell: camel, avoid: pythonType},
		method:      {spell: snake, avoid: pythonMethod},
	},
	derived: [kinds]map[Role]func(nameSource) string{
		service: {Client: suffix("Client"), BlockingClient: suffix("BlockingClient"), ServerTrait: suffix("Service")},
	},
	inline: func(_, alternative string) string { return alternative },
	claim:  claimPython,

	collision: "Y0101", unusable: "Y0102",
	refused: func(_ string, meta *ir.Meta) (string, bool) {
		given, ok := meta.Names["python"]
		return given, ok && (!pythonName.MatchString(given) || pythonKeywords[given] || pythonOwn[given] || pythonAttributes[given])
	},
	notA: "is not a Python name", write: `write a Python identifier without an underscore in front in @name(python = "…")`,
}

var (
	pythonName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

	pythonKeywords = set(`
		False None True and as assert async await break class continue def del elif else except finally for from global if import in is
		lambda nonlocal not or pass raise return try while with yield
	`)

	// pythonOwn are names that every generated module has.
	pythonOwn = set(`annotations builtins package sdp typing uuid`)

	// pythonClient are the functions of every client.
	pythonClient = set(`close connect publisher sync`)

	// pythonAttributes are the methods of generated classes.
	pythonAttributes = set(`
		decode decode_message decode_prefix encode encode_into encode_message encode_preamble from_json layout replace to_dict to_json validate
	`)
)

func capitals(name string) string { return strings.ToUpper(snake(name)) }

func pythonType(name string) string { return beside(pythonKeywords, name) }

func pythonField(name string) string {
	return beside(pythonOwn, beside(pythonAttributes, beside(pythonKeywords, name)))
}

// pythonMethod is the name of a method, which is none of a client's own.
func pythonMethod(name string) string {
	return beside(pythonClient, beside(pythonKeywords, name))
}

// PythonModule is the name of the file of a schema's package, without its ending. Python gives meanings of their own to
// names with underscores in front.
func PythonModule(name string) string {
	if strings.HasPrefix(name, "_") {
		name = "x" + name
	}
	return beside(pythonOwn, beside(pythonKeywords, strings.ToLower(FileStem(name))))
}

func claimPython(c *claims, pkg *ir.Package) {
	s := c.scope()
	s.declarations(pkg, alone)
	for _, d := range pkg.Decls {
		fields := c.scope()
		switch d := d.(type) {
		case *ir.Enum:
			for _, m := range d.Members {
				fields.claim(c.Of(m), "the member `"+m.Name+"`", &m.Meta)
			}
		case *ir.Union:
			if !d.Closed {
				s.claim(join(c.Of(d), "Unknown"), generatedFor(d), &d.Meta)
			}
			for _, a := range d.Alternatives {
				s.claim(c.Of(a), "the alternative `"+a.Name+"`", &a.Meta)
				if a.Inline != nil {
					c.scope().fields(a.Inline, nil)
				}
			}
		default:
			fields.fields(d, nil)
		}
	}
	classes := c.scope()
	for _, service := range pkg.Services {
		for _, role := range []Role{Client, BlockingClient, ServerTrait} {
			if c.Services {
				classes.claim(c.Get(service, role), generatedForService(service), &service.Meta)
			}
		}
		methods := c.scope()
		for _, m := range service.Methods {
			methods.claim(c.Of(m), "the method `"+service.Name+"."+m.Name+"`", &m.Meta)
		}
	}
}
