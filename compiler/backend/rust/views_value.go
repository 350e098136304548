package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
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
	switch t.viewForm(typ) {
	case lower.ViewValue:
		return false
	case lower.ViewOptional:
		return t.viewTypeBorrows(typ.Elem)
	}
	u, isUnion := typ.Decl.(*ir.Union)
	return !isUnion || t.viewBorrows(u)
}

// lazy reports whether a union's view holds a payload as the place where it lies:
// what is large, and unions that may be in themselves.
func (t *types) lazy(payload *ir.Type) bool {
	switch t.viewForm(payload) {
	case lower.ViewValue:
		return t.Size(payload) > t.InlinePayloadMax
	case lower.ViewOptional:
		return t.lazy(payload.Elem)
	}
	return payload.Decl != nil && isUnion(payload.Decl) && t.program.Body(payload.Decl).Recursive
}

// viewSpelling is how Rust spells what a view hands out: the type, the runtime's
// Shape of it, and what reads it from the bytes that a view keeps for a field.
type viewSpelling struct{ handed, shape, read string }

const readShape = "wire::read::<$shape$>($at$)"

var viewSpellings = lower.MustPerViewForm(map[lower.ViewForm]viewSpelling{
	lower.ViewValue:     {"$owned$", "view::Value<$owned$>", readShape},
	lower.ViewStr:       {"&'a str", "view::Str<$width$>", "wire::known_text($at$)"},
	lower.ViewBytes:     {"&'a [u8]", "view::Bytes<$width$>", "$at$"},
	lower.ViewItems:     {"view::Items<'a, $item$>", "view::ItemsOf<$width$, $item$>", readShape},
	lower.ViewList:      {"view::List<'a, $elem$>", "view::ListOf<$width$, $elem$>", readShape},
	lower.ViewItemArray: {"view::Items<'a, $item$>", "view::FixedArrayOf<$N$, $item$>", readShape},
	lower.ViewArray:     {"view::List<'a, $elem$>", "view::ArrayOf<$N$, $elem$>", readShape},
	lower.ViewMap:       {"view::Entries<'a, $key$, $elem$>", "view::MapOf<$width$, $key$, $elem$>", readShape},
	lower.ViewOptional:  {"Option<$some$>", "view::Maybe<$elem$>", readShape},
	lower.ViewDeclared:  {"$view$", "$view$", readShape},
	lower.ViewMessage:   {"$view$", "view::Framed<$view$>", "wire::read::<$view$>($at$)"},
})

// viewForm is how a view hands out values of a type.
func (t *types) viewForm(typ *ir.Type) lower.ViewForm { return lower.ViewFormOf(typ, t.Fixed) }

// viewType is the type that a view hands out for a value.
func (t *types) viewType(typ *ir.Type) string {
	return t.viewText(viewSpellings.Of(t.viewForm(typ)).handed, typ, "'a", "")
}

// viewShape is the runtime's Shape of a type. Its lifetime says nothing, but has to
// be written.
func (t *types) viewShape(typ *ir.Type, lifetime string) string {
	return t.viewText(viewSpellings.Of(t.viewForm(typ)).shape, typ, lifetime, "")
}

// viewText fills the holes of a text about a type.
func (t *types) viewText(text string, typ *ir.Type, lifetime, address string) string {
	holes := map[string]func() string{
		"owned": func() string { return t.spell(typ, owned) },
		"item":  func() string { return t.spell(typ.Elem, owned) },
		"some":  func() string { return t.viewType(typ.Elem) },
		"elem":  func() string { return t.viewShape(typ.Elem, lifetime) },
		"key":   func() string { return t.viewShape(typ.Key, lifetime) },
		"view":  func() string { return t.view(typ.Decl, lifetime) },
		"shape": func() string { return t.viewShape(typ, lifetime) },
		"width": func() string { return fmt.Sprint(typ.LenBytes) },
		"N":     func() string { return fmt.Sprint(typ.N) },
		"at":    func() string { return address },
	}
	return lower.FillHoles(text, func(hole string) string { return holes[hole]() })
}
