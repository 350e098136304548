package cpp

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

const (
	codeCollision diag.Code = "P0101"
	codeName      diag.Code = "P0102"
)

// scope is the names of one scope of generated code. It finds names of a schema
// that differ there and are the same in C++.
type scope struct {
	problems *diag.List
	taken    map[string]origin
}

type origin struct {
	what string
	span source.Span
}

// checkNames reports collisions among the package's own names, and among the
// members of each type; also of its services, if there is code for them.
func checkNames(pkg *ir.Package, hasServices bool, problems *diag.List) {
	s := &scope{problems: problems, taken: map[string]origin{}}
	for _, name := range []string{
		"Message", "MessageRef", "MessageView", "decode_message", "visit_message", "source_fingerprint", "to_string",
	} {
		s.taken[name] = origin{what: "a name of every generated package"}
	}
	for _, c := range pkg.Consts {
		s.claim(constName(c), "the constant `"+c.Name+"`", &c.Meta)
	}
	for _, a := range pkg.Aliases {
		s.claim(declared(&a.Meta, a.Name), "the type `"+a.Name+"`", &a.Meta)
	}
	for _, d := range pkg.Decls {
		s.claim(typeName(d), "the type `"+d.DeclName()+"`", d.DeclMeta())
	}
	if hasServices {
		checkServices(pkg, s)
	}
	codecs := &scope{problems: problems, taken: map[string]origin{}}
	for _, d := range pkg.Decls {
		if _, isEnum := d.(*ir.Enum); !isEnum {
			s.claim(derived(typeName(d), "Ref"), "what is generated for `"+d.DeclName()+"`", d.DeclMeta())
		}
		for _, d := range withInline(d) {
			what := "what is generated for `" + d.DeclName() + "`"
			codecs.claim(codecName(d), what, d.DeclMeta())
			if _, isEnum := d.(*ir.Enum); !isEnum {
				s.claim(viewName(d), what, d.DeclMeta())
			}
			checkMembers(d, problems)
		}
	}
}

func (s *scope) claim(name, what string, meta *ir.Meta) {
	if given, ok := meta.Names["cpp"]; ok && identifier(given) != given {
		s.problems.Error(codeName, meta.Span, "`%s` is not a name for C++", given).
			WithHelp("write a C++ identifier in @name(cpp = \"…\"), not a keyword and not a reserved one")
		return
	}
	if other, ok := s.taken[name]; ok {
		d := s.problems.Error(codeCollision, meta.Span, "%s and %s are both `%s` in C++", other.what, what, name)
		if other.span.File != nil {
			d = d.WithRelated(other.span, "the other one")
		}
		d.WithHelp("give one of the two another name in C++: @name(cpp = \"…\")")
		return
	}
	s.taken[name] = origin{what, meta.Span}
}

func checkMembers(d ir.Decl, problems *diag.List) {
	s := &scope{problems: problems, taken: map[string]origin{}}
	switch d := d.(type) {
	case *ir.Enum:
		for _, m := range d.Members {
			s.claim(memberName(m), "the member `"+m.Name+"`", &m.Meta)
		}
	case *ir.Union:
		s.taken[typeName(d)] = origin{what: "the union"}
		s.taken["value"] = origin{what: "what a union holds"}
		readers := &scope{problems: problems, taken: map[string]origin{}}
		for _, name := range []string{"tag", "unknown", "where_"} {
			readers.taken[name] = origin{what: "a function of every view of a union"}
		}
		for _, a := range d.Alternatives {
			s.claim(alternativeName(a), "the alternative `"+a.Name+"`", &a.Meta)
			readers.claim(readerName(a), "what reads the alternative `"+a.Name+"` from a view", &a.Meta)
		}
	case *ir.Message:
		s.taken["unknown_fields"] = origin{what: "a name of every message"}
	}
	// A member can't have the name of its class.
	if fields := fieldsOf(d); len(fields) > 0 {
		s.taken[typeName(d)] = origin{what: "the type"}
		s.taken[viewName(d)] = origin{what: "the view"}
		s.taken["where_"] = origin{what: "a member of every view"}
		for _, f := range fields {
			s.claim(fieldName(f), "the field `"+f.Name+"`", &f.Meta)
		}
	}
}

// readerName is the name of what reads an alternative from a view.
func readerName(a *ir.Alternative) string {
	if given, ok := a.Names["cpp"]; ok {
		return strings.ToLower(given)
	}
	name := snake(a.Name)
	if name == "tag" || name == "unknown" {
		return name + "_" // every view of a union has functions of these names
	}
	return name
}
