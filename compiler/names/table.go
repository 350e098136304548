// Package names makes the names of generated code. A language has rules: the cases of
// its names, what it keeps to itself, and which further names a declaration gets. They
// make a table of the names of all that a schema declares, before any text is printed,
// and report names that differ in the schema and are the same in the language.
package names

import "github.com/serial-data-protocol/sdp/compiler/ir"

// Object is a thing that a schema names: a constant, alias, type, member, alternative, field,
// service or method.
type Object interface {
	DeclMeta() *ir.Meta
}

// Role says which of an object's names is meant.
type Role uint8

// The roles. A language has the roles of its rules.
const (
	// Own is the name of the object itself.
	Own Role = iota
	// Stem is the same without regard to keywords, and of a member without its type.
	Stem

	Ref    // the form of a type that borrows
	View   // the view of a type
	Codec  // what encodes and decodes a type
	Reader // what reads a field or an alternative from a view
	Local  // the variable that holds a field's value
	Shown  // what a field is called where a value is printed

	Client         // a service's client
	BlockingClient // the same for threads
	Server         // a service's server
	BlockingServer // the same for threads
	ServerTrait    // what a server for threads implements
	Descriptor     // what both sides say of a service

	Ask    // what asks for a method
	Acked  // what sends an event and waits
	Batch  // what sends several events
	Number // a constant of a method
	Method // what says all about a method
)

// Table has the names of a schema's objects in one language.
type Table struct {
	rules *Rules
	names map[key]string
	added map[*ir.Package]bool
}

type key struct {
	object *ir.Meta
	role   Role
}

func newTable(rules *Rules) *Table {
	return &Table{rules: rules, names: map[key]string{}, added: map[*ir.Package]bool{}}
}

// Of is the name of an object.
func (t *Table) Of(o Object) string { return t.Get(o, Own) }

// Get is the name that an object has in a role. The names of another package are made
// when the first of them is asked for, so that a package costs what it uses.
func (t *Table) Get(o Object, role Role) string {
	k := key{o.DeclMeta(), role}
	if name, ok := t.names[k]; ok {
		return name
	}
	if pkg := k.object.Package; pkg != nil && !t.added[pkg] {
		t.add(pkg)
		return t.Get(o, role)
	}
	panic("names: " + t.rules.Language + " has no such name for the declaration at " + k.object.Span.String())
}

// add makes the names of a package's objects, each behind the name of the object around it.
func (t *Table) add(pkg *ir.Package) {
	t.added[pkg] = true
	for _, c := range pkg.Consts {
		t.object(constant, nameSource{meta: &c.Meta, name: c.Name})
	}
	for _, a := range pkg.Aliases {
		t.object(alias, nameSource{meta: &a.Meta, name: a.Name})
	}
	for _, d := range pkg.Decls {
		t.object(declared, nameSource{meta: d.DeclMeta(), name: d.DeclName()})
		t.members(d)
	}
	for _, s := range pkg.Services {
		t.object(service, nameSource{meta: &s.Meta, name: s.Name})
		t.methods(s)
	}
}

func (t *Table) methods(s *ir.Service) {
	all, beside := make([]nameSource, len(s.Methods)), map[string]bool{}
	for i, m := range s.Methods {
		all[i] = t.spell(method, nameSource{meta: &m.Meta, name: m.Name, owner: t.Of(s)})
		beside[all[i].own] = true
	}
	for _, n := range all {
		n.methods = beside
		t.derive(method, n)
	}
}

func (t *Table) members(d ir.Decl) {
	owner := t.Of(d)
	switch d := d.(type) {
	case *ir.Enum:
		for _, m := range d.Members {
			t.object(member, nameSource{meta: &m.Meta, name: m.Name, owner: owner})
		}
	case *ir.Union:
		for _, a := range d.Alternatives {
			t.object(alternative, nameSource{meta: &a.Meta, name: a.Name, owner: owner, within: d})
			if a.Inline != nil {
				inline := nameSource{meta: &a.Inline.Meta, owner: owner, own: t.rules.inline(owner, t.Of(a))}
				t.derive(declared, inline)
				t.fields(a.Inline)
			}
		}
	default:
		t.fields(d)
	}
}

func (t *Table) fields(d ir.Decl) {
	fields := ir.FieldsOf(d)
	all, hasError := make([]nameSource, len(fields)), false
	for i, f := range fields {
		kind := field
		if f.Inline {
			kind = inlineField
		}
		all[i] = t.spell(kind, nameSource{meta: &f.Meta, name: f.Name, within: d})
		hasError = hasError || all[i].own == "Error" && f.Type.Kind == ir.StrKind
	}
	for _, n := range all {
		n.besideError = hasError
		t.derive(field, n)
	}
}

// object makes all names of an object.
func (t *Table) object(kind kind, n nameSource) { t.derive(kind, t.spell(kind, n)) }

// spell makes the name of an object of its name in the schema.
func (t *Table) spell(kind kind, n nameSource) nameSource {
	rule := t.rules.kinds[kind]
	if given, ok := n.meta.Names[t.rules.Target]; ok {
		n.stem, n.given = given, true
	} else {
		n.stem = rule.spell(n.name)
	}
	n.own = n.stem
	if rule.within {
		n.own = n.owner + n.own
	}
	if rule.avoid != nil {
		n.own = rule.avoid(n.own)
	}
	if rule.unlike != nil {
		n.own = rule.unlike(n)
	}
	return n
}

// derive makes the further names of an object that has one.
func (t *Table) derive(kind kind, n nameSource) {
	t.names[key{n.meta, Own}] = n.own
	t.names[key{n.meta, Stem}] = n.stem
	for role, derive := range t.rules.derived[kind] {
		t.names[key{n.meta, role}] = derive(n)
	}
}
