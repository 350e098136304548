package rust

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// form is one of the forms that types are generated in: owned, borrowed from the
// bytes that they were decoded from, or viewed where the bytes lie.
type form int

const (
	owned form = iota
	borrowed
	viewed
)

// types spells the schema's types in Rust and knows their sizes in memory.
type types struct {
	*memory.Costs
	program *plan.Program
	pkg     *ir.Package
	names   *names.Table
	imports map[*ir.Package]string
	plains  map[ir.Decl]bool
}

func newTypes(program *plan.Program, pkg *ir.Package, imports map[*ir.Package]string, table *names.Table) *types {
	return &types{
		Costs: memory.New(program, memory.Rust), program: program, pkg: pkg, names: table,
		imports: imports, plains: map[ir.Decl]bool{},
	}
}

// qualified is a name with its module, where that isn't the one generated.
func (t *types) qualified(pkg *ir.Package, name string) string {
	if pkg == t.pkg {
		return name
	}
	return t.imports[pkg] + "::" + name
}

// name is the Rust type of a declared type without generics, for paths.
func (t *types) name(d ir.Decl, form form) string {
	name := t.names.Of(d)
	if form == borrowed && !t.plain(d) {
		name = t.names.Get(d, names.Ref)
	}
	return t.qualified(d.DeclPackage(), name)
}

// decl is the Rust type of a declared type.
func (t *types) decl(d ir.Decl, form form) string {
	name := t.name(d, form)
	if form == borrowed && !t.plain(d) {
		name += "<'a>"
	}
	return name
}

// spell is the Rust type of typ.
func (t *types) spell(typ *ir.Type, form form) string {
	if typ.Alias != nil && (form == owned || t.plainType(typ)) {
		return t.qualified(typ.Alias.Package, t.names.Of(typ.Alias))
	}
	return t.spellUnnamed(typ, form)
}

// spellUnnamed is the Rust type of typ without its alias.
func (t *types) spellUnnamed(typ *ir.Type, form form) string {
	return t.fill(t.shape(typ).name[form], typ, form)
}

// shape is how Rust spells values of one form, owned and borrowed.
type shape struct {
	name [2]string // the type
	zero [2]string
}

func both(text string) [2]string { return [2]string{text, text} }

var shapes = lower.MustPerForm(map[lower.Form]shape{
	lower.Scalar: {name: both("$scalar$"), zero: both("$nought$")},
	lower.Enum:   declaredShape,
	lower.Str:    {[2]string{"String", "&'a str"}, [2]string{"String::new()", `""`}},
	lower.Bytes:  {[2]string{"Vec<u8>", "&'a [u8]"}, [2]string{"Vec::new()", "&[]"}},
	lower.Numbers: {
		[2]string{"Vec<$elem$>", "Cow<'a, [$elem$]>"}, [2]string{"Vec::new()", "Cow::Borrowed(&[])"},
	},
	lower.List:         {name: both("Vec<$elem$>"), zero: both("Vec::new()")},
	lower.Array:        {name: both("[$elem$; $N$]"), zero: both("$noughts$")},
	lower.HeapArray:    {name: both("Box<[$elem$; $N$]>"), zero: both("wire::boxed_array(|_| $each$)")},
	lower.Optional:     {name: both("Option<$elem$>"), zero: both("None")},
	lower.Boxed:        {name: both("Option<Box<$elem$>>"), zero: both("None")},
	lower.BoxedArray:   {name: both("Option<Box<$elem$>>"), zero: both("None")},
	lower.OptionalHeap: {name: both("Option<$elem$>"), zero: both("None")},
	lower.Map:          {name: both("BTreeMap<$key$, $elem$>"), zero: both("BTreeMap::new()")},
	lower.Declared:     declaredShape,
	lower.Message:      declaredShape,
})

var declaredShape = shape{name: both("$decl$"), zero: both("$path$::default()")}

func (t *types) shape(typ *ir.Type) shape { return shapes.Of(lower.FormOf(typ, t.Costs)) }

// zero is the zero value of a type.
func (t *types) zero(typ *ir.Type, form form) string {
	return t.fill(t.shape(typ).zero[form], typ, form)
}

// fill fills the holes of a text about a type.
func (t *types) fill(text string, typ *ir.Type, form form) string {
	return lower.FillHoles(text, func(hole string) string {
		switch hole {
		case "scalar":
			return scalars.Of(typ.Kind).name
		case "nought":
			return scalars.Of(typ.Kind).zero
		case "elem":
			return t.spell(typ.Elem, form)
		case "key":
			return t.spell(typ.Key, form)
		case "N":
			return fmt.Sprint(typ.N)
		case "decl":
			return t.decl(typ.Decl, form)
		case "path":
			return t.name(typ.Decl, form)
		case "each":
			return unsized(t.zero(typ.Elem, form))
		case "noughts":
			if t.copies(typ.Elem) && typ.Elem.Kind != ir.EnumKind {
				return fmt.Sprintf("[%s; %d]", t.zero(typ.Elem, form), typ.N)
			}
			return "core::array::from_fn(|_| " + unsized(t.zero(typ.Elem, form)) + ")"
		}
		return "$" + hole + "$"
	})
}

// unsized makes an empty slice of what would be a reference to an empty array
// where nothing says which of them is wanted.
func unsized(expression string) string { return strings.ReplaceAll(expression, "&[]", "[].as_slice()") }

func pick(form form, ifOwned, ifBorrowed string) string {
	if form == owned {
		return ifOwned
	}
	return ifBorrowed
}

// plainType reports whether a type holds nothing that could be borrowed, so that
// its owned form is its borrowed form too.
func (t *types) plainType(typ *ir.Type) bool {
	return t.plainBut(typ, map[ir.Decl]bool{})
}

// plain is plainType of a declared type.
func (t *types) plain(d ir.Decl) bool {
	if known, ok := t.plains[d]; ok {
		return known
	}
	plain := t.plainDecl(d, map[ir.Decl]bool{})
	t.plains[d] = plain
	return plain
}

// plainBut looks at a type and at the types within it, but for the visited ones.
func (t *types) plainBut(typ *ir.Type, visited map[ir.Decl]bool) bool {
	for ; typ.Elem != nil; typ = typ.Elem {
		if lower.FormOf(typ, t.Costs) == lower.Numbers || typ.Key != nil && !t.plainBut(typ.Key, visited) {
			return false
		}
	}
	return typ.Decl != nil && t.plainDecl(typ.Decl, visited) || typ.Scalar() != 0
}

// plainDecl is plainBut of a declared type. A message may hold anything in a later
// release, and an open union holds what it doesn't know.
func (t *types) plainDecl(d ir.Decl, visited map[ir.Decl]bool) bool {
	if visited[d] {
		return true
	}
	visited[d] = true
	switch d := d.(type) {
	case *ir.Message:
		return false
	case *ir.Struct:
		for _, f := range d.Fields {
			if !t.plainBut(f.Type, visited) {
				return false
			}
		}
	case *ir.Union:
		for _, a := range d.Alternatives {
			if a.Type != nil && !t.plainBut(a.Type, visited) {
				return false
			}
		}
		return d.Closed
	}
	return true
}
