package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// view is the view of a declared type for a lifetime. That of a union that holds
// nothing but values has none.
func (t *types) view(d ir.Decl, lifetime string) string {
	name := t.qualified(d.DeclPackage(), t.names.Get(d, names.View))
	if u, ok := d.(*ir.Union); lifetime == "" || ok && !t.viewBorrows(u) {
		return name
	}
	return name + "<" + lifetime + ">"
}

// viewBorrows reports whether the view of a union refers to bytes.
func (t *types) viewBorrows(u *ir.Union) bool {
	for _, a := range u.Alternatives {
		if a.Type != nil && (t.lazy(a.Type) || t.viewTypeBorrows(a.Type)) {
			return true
		}
	}
	return !u.Closed
}

func (t *types) viewTypeBorrows(typ *ir.Type) bool {
	switch {
	case t.Fixed(typ):
		return false
	case typ.Kind == ir.OptionalKind:
		return t.viewTypeBorrows(typ.Elem)
	case typ.Kind == ir.UnionKind:
		return t.viewBorrows(typ.Union())
	}
	return true
}

// lazy reports whether a union's view holds a payload as the place where it lies:
// what is large, and unions that may be in themselves.
func (t *types) lazy(payload *ir.Type) bool {
	switch {
	case t.Fixed(payload):
		return t.Size(payload) > t.InlinePayloadMax
	case payload.Kind == ir.OptionalKind:
		return t.lazy(payload.Elem)
	case payload.Kind == ir.UnionKind:
		return t.program.Body(payload.Decl).Recursive
	}
	return false
}

// viewType is what a view hands out for a value.
func (g *generator) viewType(t *ir.Type) string {
	if g.types.Fixed(t) {
		return g.types.spell(t, owned)
	}
	switch t.Kind {
	case ir.StrKind:
		return "&'a str"
	case ir.BytesKind:
		return "&'a [u8]"
	case ir.ListKind, ir.ArrayKind:
		if g.types.Fixed(t.Elem) {
			return "view::Items<'a, " + g.types.spell(t.Elem, owned) + ">"
		}
		return "view::List<'a, " + g.viewShape(t.Elem, "'a") + ">"
	case ir.MapKind:
		return "view::Entries<'a, " + g.viewShape(t.Key, "'a") + ", " + g.viewShape(t.Elem, "'a") + ">"
	case ir.OptionalKind:
		return "Option<" + g.viewType(t.Elem) + ">"
	case ir.UnionKind, ir.StructKind, ir.MessageKind:
		return g.types.view(t.Decl, "'a")
	}
	panic(unspelled(t))
}

// viewShape is the runtime's Shape of a type. Its lifetime says nothing, but has to
// be written.
func (g *generator) viewShape(t *ir.Type, lifetime string) string {
	if g.types.Fixed(t) {
		return "view::Value<" + g.types.spell(t, owned) + ">"
	}
	switch t.Kind {
	case ir.StrKind:
		return fmt.Sprintf("view::Str<%d>", t.LenBytes)
	case ir.BytesKind:
		return fmt.Sprintf("view::Bytes<%d>", t.LenBytes)
	case ir.ListKind:
		if g.types.Fixed(t.Elem) {
			return fmt.Sprintf("view::ItemsOf<%d, %s>", t.LenBytes, g.types.spell(t.Elem, owned))
		}
		return fmt.Sprintf("view::ListOf<%d, %s>", t.LenBytes, g.viewShape(t.Elem, lifetime))
	case ir.ArrayKind:
		if g.types.Fixed(t.Elem) {
			return fmt.Sprintf("view::FixedArrayOf<%d, %s>", t.N, g.types.spell(t.Elem, owned))
		}
		return fmt.Sprintf("view::ArrayOf<%d, %s>", t.N, g.viewShape(t.Elem, lifetime))
	case ir.MapKind:
		return fmt.Sprintf("view::MapOf<%d, %s, %s>", t.LenBytes, g.viewShape(t.Key, lifetime), g.viewShape(t.Elem, lifetime))
	case ir.OptionalKind:
		return "view::Maybe<" + g.viewShape(t.Elem, lifetime) + ">"
	case ir.MessageKind:
		return "view::Framed<" + g.types.view(t.Decl, lifetime) + ">"
	case ir.UnionKind, ir.StructKind:
		return g.types.view(t.Decl, lifetime)
	}
	panic(unspelled(t))
}
