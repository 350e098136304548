package names

import (
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Rules are how a language names what schemas declare.
type Rules struct {
	// Target is the language in @name, and Language what people call it.
	Target, Language string
	// Package is the package, module or namespace that a schema's package becomes.
	Package func(name string) string

	kinds   [kinds]rule
	derived [kinds]map[Role]func(nameSource) string
	// inline is the name of the struct of an inline alternative.
	inline func(union, alternative string) string
	// claim claims all that is generated for a package, in the scopes that it is in.
	claim func(c *claims, pkg *ir.Package)

	collision, unusable diag.Code
	// refused is the name that the language does not take, if one is. It "is not a Go
	// name", and write says what to write for it.
	refused     func(name string, meta *ir.Meta) (string, bool)
	notA, write string
}

// Languages are the languages in which names are shown to people.
var Languages = []*Rules{Go, Rust, Cpp, TypeScript}

// Table is the names of all that a schema declares, without a look at which of them
// collide.
func (r *Rules) Table() *Table { return newTable(r) }

// kind is a kind of object that has rules of its own.
type kind uint8

const (
	constant kind = iota
	alias
	declared
	member
	alternative
	field
	inlineField
	service
	method
	kinds
)

// rule makes the names of one kind of object.
type rule struct {
	// spell makes a schema's name one in the language's case, which can be used. A
	// name given by @name stands for it.
	spell func(name string) string
	// avoid makes one that can't be used, given or not, one that can. It may be nil.
	avoid func(name string) string
	// unlike makes a name that differs from the generated names of the type around the object; it
	// may be nil.
	unlike func(n nameSource) string
	// within says that the name begins with that of the type that it is a member of.
	within bool
}

// nameSource is an object with what its further names are made of.
type nameSource struct {
	meta      *ir.Meta
	name      string // in the schema
	owner     string // the name of the type or service that it is a member of
	own, stem string
	given     bool    // by @name
	within    ir.Decl // the type that an alternative or field is in
	// besideError says of a field that one beside it is a text called Error.
	besideError bool
	// methods are the names of the methods of a method's service.
	methods map[string]bool
}

// suffix makes what is generated for a type by its name with a suffix.
func suffix(text string) func(nameSource) string {
	return func(n nameSource) string { return join(n.own, text) }
}
