package cpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// form is one of the forms that types are generated in.
type form int

const (
	owned    form = iota // std::string, std::vector
	borrowed             // std::string_view, and containers of std::pmr
	pooled               // std::pmr::string, std::pmr::vector
)

// types spells the schema's types in C++ and knows their sizes in memory.
type types struct {
	*memory.Costs
	program *plan.Program
	pkg     *ir.Package
	names   *names.Table
	plains  map[ir.Decl]bool
}

func newTypes(program *plan.Program, pkg *ir.Package, table *names.Table) *types {
	return &types{Costs: memory.New(program, memory.CPP), program: program, pkg: pkg, names: table, plains: map[ir.Decl]bool{}}
}

// name is the name of a declared type in its form, without its namespace.
func (t *types) name(d ir.Decl, form form) string {
	if s, ok := d.(*ir.Struct); ok && s.Owner != nil {
		return t.name(s.Owner, form) + "::" + t.names.Of(d)
	}
	if form == borrowed && !t.plain(d) {
		return t.names.Get(d, names.Ref)
	}
	return t.names.Of(d)
}

// qualified is the name with its namespace, from the global one on: a field or an
// alternative may have the name of a type.
func (t *types) qualified(d ir.Decl, form form) string {
	name := "::" + Namespace(d.DeclPackage()) + "::"
	if form == pooled && !t.plain(d) {
		name += "pmr::"
	}
	return name + t.name(d, form)
}

// view is the qualified name of a type's view.
func (t *types) view(d ir.Decl) string {
	return "::" + Namespace(d.DeclPackage()) + "::" + t.names.Get(d, names.View)
}

// codec is the qualified name of a type's codec.
func (t *types) codec(d ir.Decl) string {
	return "::" + Namespace(d.DeclPackage()) + "::detail::" + t.names.Get(d, names.Codec)
}

// spell is the C++ type of typ.
func (t *types) spell(typ *ir.Type, form form) string {
	if typ.Alias != nil && (form == owned || t.plainType(typ)) {
		return "::" + Namespace(typ.Alias.Package) + "::" + t.names.Of(typ.Alias)
	}
	return t.spellUnnamed(typ, form)
}

// spellUnnamed is the C++ type of typ without its alias.
func (t *types) spellUnnamed(typ *ir.Type, form form) string {
	space := "std::pmr::"
	if form == owned {
		space = "std::"
	}
	switch typ.Kind {
	case ir.StrKind:
		return pick(form, "std::string", "std::string_view", "std::pmr::string")
	case ir.BytesKind:
		return pick(form, "std::vector<std::byte>", "sdp::bytes_view", "std::pmr::vector<std::byte>")
	case ir.ListKind:
		if form == borrowed && memory.IsNumber(typ.Elem) {
			return "sdp::numbers<" + t.spell(typ.Elem, form) + ">"
		}
		return space + "vector<" + t.spell(typ.Elem, form) + ">"
	case ir.ArrayKind:
		array := fmt.Sprintf("std::array<%s, %d>", t.spell(typ.Elem, form), typ.N)
		if t.OnHeap(typ) {
			return t.indirect(form, "indirect") + "<" + array + ">"
		}
		return array
	case ir.MapKind:
		// Strings are found by anything that compares with them.
		compare := ""
		if typ.Key.Kind == ir.StrKind {
			compare = ", std::less<>"
		}
		return space + "map<" + t.spell(typ.Key, form) + ", " + t.spell(typ.Elem, form) + compare + ">"
	case ir.OptionalKind:
		if t.Boxed(typ) {
			return t.indirect(form, "indirect_optional") + "<" + t.spell(typ.Elem, form) + ">"
		}
		return "std::optional<" + t.spell(typ.Elem, form) + ">"
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.qualified(typ.Decl, form)
	}
	return scalars.Of(typ.Kind).name
}

func (t *types) indirect(form form, name string) string {
	if form == owned {
		return "sdp::" + name
	}
	return "sdp::pmr::" + name
}

func pick(form form, ifOwned, ifBorrowed, ifPooled string) string {
	return [...]string{ifOwned, ifBorrowed, ifPooled}[form]
}

// shape is the runtime's shape of typ.
func (t *types) shape(typ *ir.Type) string {
	switch typ.Kind {
	case ir.StrKind:
		return fmt.Sprintf("wire::text<%d%s>", typ.LenBytes, most(typ.Max))
	case ir.BytesKind:
		return fmt.Sprintf("wire::blob<%d%s>", typ.LenBytes, most(typ.Max))
	case ir.ListKind:
		return fmt.Sprintf("wire::list<%d, %s%s>", typ.LenBytes, t.shape(typ.Elem), most(typ.Max))
	case ir.MapKind:
		return fmt.Sprintf("wire::map<%d, %s, %s%s>", typ.LenBytes, t.shape(typ.Key), t.shape(typ.Elem), most(typ.Max))
	case ir.ArrayKind:
		array := "wire::array"
		if t.Fixed(typ.Elem) {
			array = "wire::fixed_array"
		}
		array = fmt.Sprintf("%s<%s, %d>", array, t.shape(typ.Elem), typ.N)
		if t.OnHeap(typ) {
			return "wire::boxed<" + array + ">"
		}
		return array
	case ir.OptionalKind:
		return "wire::optional<" + t.shape(typ.Elem) + ">"
	case ir.EnumKind:
		if typ.Enum().Closed {
			return "wire::closed_enumeration<" + t.codec(typ.Decl) + ">"
		}
		return "wire::enumeration<" + t.codec(typ.Decl) + ">"
	case ir.MessageKind:
		return "wire::message<" + t.codec(typ.Decl) + ">"
	case ir.StructKind, ir.UnionKind:
		if t.Fixed(typ) {
			return "wire::fixed_record<" + t.codec(typ.Decl) + ">"
		}
		return "wire::record<" + t.codec(typ.Decl) + ">"
	}
	return "wire::leaf<" + scalars.Of(typ.Kind).name + ">"
}

// payloadShape is the shape of what an alternative holds.
func (t *types) payloadShape(typ *ir.Type) string {
	if t.BoxedPayload(typ) {
		return "wire::boxed<" + t.shape(typ) + ">"
	}
	return t.shape(typ)
}

func most(bound *uint64) string {
	if bound == nil {
		return ""
	}
	return fmt.Sprintf(", %d", *bound)
}

// plainType reports whether all forms of a type are the owned one: it holds no
// memory of its own, and can't in a later release.
func (t *types) plainType(typ *ir.Type) bool {
	switch typ.Kind {
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.MapKind:
		return false
	case ir.ArrayKind:
		return !t.OnHeap(typ) && t.plainType(typ.Elem)
	case ir.OptionalKind:
		return !t.Boxed(typ) && t.plainType(typ.Elem)
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.plain(typ.Decl)
	}
	return true
}

// plain is plainType of a declared type.
func (t *types) plain(d ir.Decl) bool {
	if known, ok := t.plains[d]; ok {
		return known
	}
	t.plains[d] = false // what contains itself holds memory
	plain := !slices.ContainsFunc(t.within(d), func(element *ir.Type) bool { return !t.plainType(element) })
	switch d := d.(type) {
	case *ir.Message:
		plain = false
	case *ir.Struct:
		plain = plain && (d.Owner == nil || t.plain(d.Owner))
	case *ir.Union:
		boxed := func(a *ir.Alternative) bool { return a.Type != nil && t.BoxedPayload(a.Type) }
		plain = plain && d.Closed && !slices.ContainsFunc(d.Alternatives, boxed)
	}
	t.plains[d] = plain
	return plain
}

// pooled reports whether values of a type, in a form other than the owned one,
// are made with the memory resource that they take their memory from.
func (t *types) pooled(typ *ir.Type, form form) bool {
	switch typ.Kind {
	case ir.StrKind, ir.BytesKind:
		return form == pooled
	case ir.ListKind, ir.MapKind:
		return true
	case ir.ArrayKind:
		return t.OnHeap(typ) || t.pooled(typ.Elem, form)
	case ir.OptionalKind:
		return t.Boxed(typ)
	case ir.StructKind, ir.MessageKind:
		return t.pooledDecl(typ.Decl, form)
	case ir.UnionKind:
	}
	return false
}

// pooledField is pooled of a field, which may have to be made with a string that is
// its default.
func (t *types) pooledField(f *ir.Field, form form) bool {
	return t.pooled(f.Type, form) || form == pooled && f.Default != nil && isMaybeString(f.Type)
}

func isMaybeString(t *ir.Type) bool { return t.Kind == ir.OptionalKind && t.Elem.Kind == ir.StrKind }

// pooledDecl is pooled of a declared type. A union isn't: its values are made with the resource of
// their decoder.
func (t *types) pooledDecl(d ir.Decl, form form) bool {
	if form == owned || t.plain(d) {
		return false
	}
	isPooled := func(f *ir.Field) bool { return t.pooledField(f, form) }
	return form == pooled && keeps(d) || slices.ContainsFunc(ir.FieldsOf(d), isPooled)
}

// keeps reports whether a message keeps what it doesn't know.
func keeps(d ir.Decl) bool {
	m, ok := d.(*ir.Message)
	return ok && m.KeepUnknown
}

// viewItem is the type of a view's item: its name, unless it is a range, which its shape names.
func (t *types) viewItem(typ *ir.Type, shape string) string {
	switch typ.Kind {
	case ir.StrKind:
		return "std::string_view"
	case ir.BytesKind:
		return "sdp::bytes_view"
	case ir.ListKind, ir.ArrayKind, ir.MapKind:
		return "sdp::view::item<" + shape + ">"
	case ir.OptionalKind:
		if isRange(typ.Elem) {
			return "sdp::view::item<" + shape + ">"
		}
		return "std::optional<" + t.viewItem(typ.Elem, shape) + ">"
	case ir.StructKind, ir.UnionKind, ir.MessageKind:
		if !t.Fixed(typ) {
			return t.view(typ.Decl)
		}
	}
	return t.spell(typ, owned)
}

// isRange reports whether a view hands out a range, or perhaps one.
func isRange(typ *ir.Type) bool {
	switch typ.Kind {
	case ir.ListKind, ir.ArrayKind, ir.MapKind:
		return true
	case ir.OptionalKind:
		return isRange(typ.Elem)
	case ir.StrKind, ir.BytesKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
	}
	return false
}

// remarks say what a range is of.
func (t *types) remarks(typ *ir.Type) []string {
	if !isRange(typ) {
		return nil
	}
	text := t.rangeOf(typ)
	return []string{strings.ToUpper(text[:1]) + text[1:] + "."}
}

func (t *types) rangeOf(typ *ir.Type) string {
	switch typ.Kind {
	case ir.ListKind, ir.ArrayKind:
		return "a range of " + t.rangeOf(typ.Elem)
	case ir.MapKind:
		return "a range of pairs of " + t.rangeOf(typ.Key) + " and " + t.rangeOf(typ.Elem)
	case ir.OptionalKind:
		if isRange(typ.Elem) {
			return "perhaps " + t.rangeOf(typ.Elem)
		}
	case ir.StrKind, ir.BytesKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
	}
	return "`" + strings.TrimPrefix(t.viewItem(typ, ""), "::") + "`"
}
