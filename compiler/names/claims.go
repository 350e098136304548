package names

import (
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Extras is the generated code of a package beside its types.
type Extras struct {
	// Services says that there are clients and servers.
	Services bool
	// Beside are packages whose code lies in the same folder.
	Beside []*ir.Package
}

// Check makes the names of a package's objects and of the objects that it mentions. It reports
// names that the language does not take, and names that are equal there.
func (r *Rules) Check(pkg *ir.Package, generated Extras) (*Table, *diag.List) {
	c := &claims{Table: newTable(r), Extras: generated, reported: map[[2]source.Span]bool{}}
	c.add(pkg)
	r.claim(c, pkg)
	return c.Table, &c.problems
}

// claims finds names of a schema that differ there and are the same in a language.
type claims struct {
	*Table
	Extras
	problems diag.List
	// reported are the pairs of objects that meet, and with itself what has a name that is
	// none: once is enough, however many names are made of theirs.
	reported map[[2]source.Span]bool
}

// isFirst reports whether a problem with the names of two objects is the first.
func (c *claims) isFirst(first, second source.Span) bool {
	pair := [2]source.Span{first, second}
	was := c.reported[pair]
	c.reported[pair] = true
	return !was
}

// scope has the names that stand beside each other in generated code.
type scope struct {
	claims *claims
	taken  map[string]origin
}

type origin struct {
	what string
	span source.Span
}

func (c *claims) scope() *scope { return &scope{claims: c, taken: map[string]origin{}} }

// reserve takes names that no object of the schema has.
func (s *scope) reserve(subject string, names ...string) {
	for _, name := range names {
		s.taken[name] = origin{what: subject}
	}
}

// claim takes a name for an object, if it is free and can be used.
func (s *scope) claim(name, subject string, meta *ir.Meta) {
	r, problems := s.claims.rules, &s.claims.problems
	refused, isRefused := r.refused(name, meta)
	other, isTaken := s.taken[name]
	switch {
	case isRefused && s.claims.isFirst(meta.Span, meta.Span):
		problems.Error(r.unusable, meta.Span, "`%s` %s", refused, r.notA).
			WithHelp(r.write)
	case !isRefused && isTaken && s.claims.isFirst(meta.Span, other.span):
		problems.Error(r.collision, meta.Span, "%s and %s are both `%s` in %s", other.what, subject, name, r.Language).
			WithRelated(other.span, "the other one").
			WithHelp("give one of the two another name in " + r.Language + ": @name(" + r.Target + " = \"…\")")
	case !isRefused && !isTaken:
		s.taken[name] = origin{subject, meta.Span}
	}
}

// declarations claims the names of a package's constants, aliases and types. Inline
// alternatives are among the types if they have names of the package.
func (s *scope) declarations(pkg *ir.Package, types func(ir.Decl) []ir.Decl) {
	names := s.claims.Table
	for _, c := range pkg.Consts {
		s.claim(names.Of(c), "the constant `"+c.Name+"`", &c.Meta)
	}
	for _, a := range pkg.Aliases {
		s.claim(names.Of(a), "the type `"+a.Name+"`", &a.Meta)
	}
	for _, outer := range pkg.Decls {
		for _, d := range types(outer) {
			s.claim(names.Of(d), "the type `"+d.DeclName()+"`", d.DeclMeta())
		}
	}
}

func alone(d ir.Decl) []ir.Decl { return []ir.Decl{d} }

// fields claims the names of a type's fields.
func (s *scope) fields(d ir.Decl, also func(*ir.Field)) {
	for _, f := range ir.FieldsOf(d) {
		s.claim(s.claims.Of(f), "the field `"+f.Name+"`", &f.Meta)
		if also != nil {
			also(f)
		}
	}
}

// events claims the further names of a service's events.
func (s *scope) events(service *ir.Service, roles ...Role) {
	for _, m := range service.Methods {
		for _, role := range roles {
			if m.Kind == ir.Event {
				s.claim(s.claims.Get(m, role), "what is generated for the event `"+m.Name+"`", &ir.Meta{Span: m.Span})
			}
		}
	}
}

// generatedFor describes the further names of a type.
func generatedFor(d ir.Decl) string { return "what is generated for `" + d.DeclName() + "`" }

// generatedForService describes the names of a service.
func generatedForService(s *ir.Service) string {
	return "what is generated for the service `" + s.Name + "`"
}
