package compat

import (
	"fmt"
	"maps"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// effect is what becomes of a value whose type changes [EVO-4.5].
type effect struct {
	changed                bool
	oldReaders, newReaders bool // reads without refusal or misreading
	source                 bool
	json                   bool
}

var (
	unchanged  = effect{oldReaders: true, newReaders: true, source: true, json: true}
	worksStill = effect{changed: true, oldReaders: true, newReaders: true, source: true, json: true}
	allBroken  = effect{changed: true}
)

func (e effect) and(f effect) effect {
	return effect{
		changed:    e.changed || f.changed,
		oldReaders: e.oldReaders && f.oldReaders,
		newReaders: e.newReaders && f.newReaders,
		source:     e.source && f.source,
		json:       e.json && f.json,
	}
}

// typeEffect compares two types. Declared types that are the same one in both
// versions are equal here: what changed in them is reported at their
// declarations.
func (c *comparer) typeEffect(older, newer *ir.Type) effect {
	if older == nil || newer == nil {
		if older == newer {
			return unchanged
		}
		return allBroken
	}
	sum := unchanged
	if older.Boxed != newer.Boxed {
		sum = worksStill
		sum.source = false
	}
	switch {
	case c.same(older.Decl, newer.Decl):
		return sum
	case older.Kind != newer.Kind:
		return sum.and(kindEffect(older, newer))
	case older.Decl != nil:
		return sum.and(c.declEffect(older.Decl, newer.Decl))
	}
	sum = sum.and(lengthEffect(older, newer))
	if older.N != newer.N {
		return allBroken
	}
	if older.Elem != nil {
		sum = sum.and(c.typeEffect(older.Elem, newer.Elem))
	}
	if older.Key != nil {
		sum = sum.and(c.typeEffect(older.Key, newer.Key))
	}
	return sum
}

// octet is what bytes are made of: `[]u8` is `bytes`.
var octet = &ir.Type{Kind: ir.U8}

// elements is the type of the elements of a list or of bytes; nil for other types.
func elements(t *ir.Type) *ir.Type {
	switch t.Kind {
	case ir.ListKind:
		return t.Elem
	case ir.BytesKind:
		return octet
	case ir.StrKind, ir.ArrayKind, ir.OptionalKind, ir.MapKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
	}
	return nil
}

// kindEffect knows the one change of kind that reads on: that between an enum
// and its base integer, also as the elements of a list.
func kindEffect(older, newer *ir.Type) effect {
	if from, to := elements(older), elements(newer); from != nil && to != nil && from.Kind != to.Kind {
		return lengthEffect(older, newer).and(kindEffect(from, to))
	}
	if older.Scalar() == 0 || older.Scalar() != newer.Scalar() {
		return allBroken
	}
	e := allBroken
	e.newReaders = newer.Kind != ir.EnumKind || !newer.Enum().Closed
	e.oldReaders = older.Kind != ir.EnumKind || !older.Enum().Closed
	return e
}

// declEffect compares two declared types that aren't the same one. Another type
// that differs in nothing but its name is read as before.
func (c *comparer) declEffect(older, newer ir.Decl) effect {
	pair := pairOf[ir.Decl]{older, newer}
	if e, known := c.effects[pair]; known {
		return e
	}
	e := worksStill
	e.source = false
	if layoutKey(older) != layoutKey(newer) || !maps.Equal(jsonNames(older), jsonNames(newer)) {
		e = allBroken
	}
	c.effects[pair] = e
	return e
}

// lengthEffect compares the width and the bound of a length or count.
func lengthEffect(older, newer *ir.Type) effect {
	if older.LenBytes == 0 {
		return unchanged
	}
	e := worksStill
	old, now := plan.LengthMax(older), plan.LengthMax(newer)
	switch {
	case older.LenBytes != newer.LenBytes:
		e.oldReaders, e.newReaders = false, false
		e.json = sameMax(older.Max, newer.Max)
	case now > old:
		e.oldReaders, e.json = false, false
	case now < old:
		e.newReaders, e.json = false, false
	default:
		return unchanged
	}
	return e
}

// sameMax tells whether two bounds are written alike, or neither is.
func sameMax(older, newer *uint64) bool {
	if older == nil || newer == nil {
		return older == newer
	}
	return *older == *newer
}

// jsonNames are the names in JSON that differ from the names in the schema, of a type and of all
// types within it, by their place in it.
func jsonNames(root ir.Decl) map[string]string {
	names := map[string]string{}
	known := map[ir.Decl]bool{root: true}
	for next := []ir.Decl{root}; len(next) > 0; next = next[1:] {
		place := len(known) - len(next)
		members(next[0], func(member string, meta *ir.Meta) {
			if name, found := meta.Names["json"]; found && name != member {
				names[fmt.Sprint(place, member)] = name
			}
		})
		for _, m := range plan.Mentions(next[0]) {
			if !known[m] {
				known[m] = true
				next = append(next, m)
			}
		}
	}
	return names
}

// members calls visit for each field, member or alternative.
func members(d ir.Decl, visit func(name string, meta *ir.Meta)) {
	switch d := d.(type) {
	case *ir.Struct:
		for _, f := range d.Fields {
			visit(f.Name, &f.Meta)
		}
	case *ir.Message:
		for _, f := range d.Fields {
			visit(f.Name, &f.Meta)
		}
	case *ir.Enum:
		for _, m := range d.Members {
			visit(m.Name, &m.Meta)
		}
	case *ir.Union:
		for _, a := range d.Alternatives {
			visit(a.Name, &a.Meta)
		}
	}
}

// spelledPair spells two types so that they look different.
func spelledPair(older, newer *ir.Type) (string, string) {
	a, b := spell(older, ir.Decl.DeclName), spell(newer, ir.Decl.DeclName)
	if a == b {
		a, b = spell(older, ir.FullName), spell(newer, ir.FullName)
	}
	return a, b
}

// spell writes a type as a schema has it.
func spell(t *ir.Type, name func(ir.Decl) string) string {
	if t == nil {
		return "nothing"
	}
	var text strings.Builder
	if t.Max != nil {
		fmt.Fprintf(&text, "@max(%d) ", *t.Max)
	}
	if t.LenBytes == 1 || t.LenBytes == 2 {
		fmt.Fprintf(&text, "@len(%s) ", plan.LengthName(t))
	}
	switch t.Kind {
	case ir.ListKind:
		text.WriteString("[]" + spell(t.Elem, name))
	case ir.ArrayKind:
		fmt.Fprintf(&text, "[%d]%s", t.N, spell(t.Elem, name))
	case ir.OptionalKind:
		text.WriteString("?" + spell(t.Elem, name))
	case ir.MapKind:
		fmt.Fprintf(&text, "map<%s, %s>", spell(t.Key, name), spell(t.Elem, name))
	default:
		if t.Decl != nil {
			text.WriteString(name(t.Decl))
			break
		}
		text.WriteString(t.Kind.String())
	}
	if t.Boxed {
		return "Box<" + text.String() + ">"
	}
	return text.String()
}
