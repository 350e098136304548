package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// writer writes the text of one random schema. It knows enough of the language's
// rules to write valid ones, and asks no checker.
type writer struct {
	rng      *rand.Rand
	name     string
	imported *writer
	decls    []decl
	b        strings.Builder
}

// decl is a declaration whose name other types may use.
type decl struct {
	name, kind string
	zero       bool // it has a zero value, so that a later segment may hold it
}

// declKinds is the kinds of each schema's declarations, in this order: later ones can use earlier
// ones, and everything by lists, maps and optionals.
var declKinds = []string{
	"open enum", "closed enum", "open enum", "alias", "struct", "message", "union", "closed union", "struct", "message",
	"alias", "union", "struct", "closed union", "message", "struct",
}

func newWriter(rng *rand.Rand, name string, imported *writer) *writer {
	w := &writer{rng: rng, name: name, imported: imported}
	for i, kind := range declKinds {
		w.decls = append(w.decls, decl{fmt.Sprintf("D%d", i), kind, kind == "open enum" || kind == "message" || kind == "alias"})
	}
	fmt.Fprintf(&w.b, "package %s;\n", name)
	if imported != nil {
		fmt.Fprintf(&w.b, "import \"%s.sdp\" as other;\n", imported.name)
	}
	w.b.WriteString("const SIZE: u8 = 2;\n")
	for i := range w.decls {
		w.declare(i)
	}
	w.everything()
	return w
}

// everything writes types that have every construct at nesting 1 to 3, which
// chance alone would leave out now and then.
func (w *writer) everything() {
	w.b.WriteString("union Each { A = 1, B { x: u8 } = 2, C(u16) = 3 }\n")
	w.b.WriteString("@keep_unknown message Kept { x: u8 }\n")
	w.b.WriteString("struct Every { each: Each, kept: Kept, open: D0, shut: D1, text: str, data: bytes, list: []u16,\n")
	w.b.WriteString("    array: [2]i8, maybe: ?u32, sorted: map<u8, bool>, shared: []Each")
	for i, scalar := range ir.Scalars() {
		fmt.Fprintf(&w.b, ", s%d: %s", i, scalar)
	}
	w.b.WriteString(" }\nstruct Every1 { inner: Every }\nstruct Every2 { inner: Every1 }\n")
}

func (w *writer) text() string { return w.b.String() }

func (w *writer) chance(percent int) bool { return w.rng.IntN(100) < percent }

func pick[T any](w *writer, from []T) T { return from[w.rng.IntN(len(from))] }

func (w *writer) declare(i int) {
	d := w.decls[i]
	if w.chance(60) && d.kind != "alias" && !strings.Contains(d.kind, "enum") {
		fmt.Fprintf(&w.b, "@id(%d) ", i+1)
	}
	switch d.kind {
	case "open enum", "closed enum":
		w.enum(d)
	case "alias":
		fmt.Fprintf(&w.b, "type %s = %s;\n", d.name, w.alias(i))
	case "struct":
		fmt.Fprintf(&w.b, "struct %s { %s }\n", d.name, w.fields(i, 1+w.rng.IntN(6)))
	case "message":
		w.message(i)
	default:
		w.union(i)
	}
}

var bases = scalars(ir.Kind.IsEnumBase)

// numbers are what the members of an enum of a base may be numbered: what is at
// the ends of its range among them.
func numbers(base ir.Kind) []string {
	bits := 8 * base.Bytes()
	most := uint64(math.MaxUint64) >> (64 - bits)
	if base.IsSigned() {
		return []string{"0", "-1", fmt.Sprintf("-%d", most/2+1), fmt.Sprint(most / 2)}
	}
	return []string{"0", "1", fmt.Sprintf("%#x", uint64(1)<<(bits/2)), fmt.Sprint(most)}
}

func (w *writer) enum(d decl) {
	base := pick(w, bases)
	if d.kind == "closed enum" {
		w.b.WriteString("@closed ")
	}
	members := make([]string, 1+w.rng.IntN(4))
	for i, at := range w.rng.Perm(4)[:len(members)] {
		members[i] = fmt.Sprintf("M%d = %s", i, numbers(base)[at])
	}
	fmt.Fprintf(&w.b, "enum %s: %s { %s }\n", d.name, base, strings.Join(members, ", "))
}

// alias gives a type with a zero value that is no optional, so that an alias can
// stand anywhere.
func (w *writer) alias(i int) string {
	return pick(w, []string{"f32", "uuid", "@len(u8) str", "@max(9) bytes", "[]u16", w.list(i, 1), w.table(i, 1)})
}

// words are names of fields: words of Go, of its generated code and of the language among them.
var words = []string{
	"type", "func", "range", "err", "len", "n", "r", "v", "b", "d", "s", "p", "ok", "rest", "string", "value", "equal",
	"clone", "validate", "struct", "message", "reserved", "map", "bytes", "error", "nil", "data", "i", "key", "name", "x_y",
}

func (w *writer) names(n int) []string {
	var names []string
	for _, at := range w.rng.Perm(len(words))[:n] {
		names = append(names, words[at])
	}
	return names
}

func (w *writer) fields(i, n int) string {
	var fields []string
	for _, name := range w.names(n) {
		fields = append(fields, fmt.Sprintf("%s: %s", name, w.typ(i, 2, place{})))
	}
	return strings.Join(fields, ", ")
}

func (w *writer) message(i int) {
	if w.chance(50) {
		w.b.WriteString("@keep_unknown ")
	}
	fmt.Fprintf(&w.b, "message %s { ", w.decls[i].name)
	since := 1
	for _, name := range w.names(1 + w.rng.IntN(7)) {
		if w.chance(40) {
			since++
		}
		switch {
		case since == 1:
			fmt.Fprintf(&w.b, "%s: %s, ", name, w.typ(i, 2, place{zero: true}))
		case w.chance(30):
			fmt.Fprintf(&w.b, "@since(%d) %s: %s, ", since, name, pick(w, defaults))
		default:
			fmt.Fprintf(&w.b, "@since(%d) %s: %s, ", since, name, w.typ(i, 2, place{zero: true}))
		}
	}
	w.b.WriteString("}\n")
}

var defaults = []string{
	"bool = true", "i16 = -3", "u64 = 18446744073709551615", "f32 = 0.1", "f64 = -1e300", "str = \"né\"",
	"?u8 = 9", "?str = \"x\"", "timestamp = -1", "duration = 1_500_000_000",
	"uuid = \"00112233-4455-6677-8899-aabbccddeeff\"",
}

func (w *writer) union(i int) {
	d := w.decls[i]
	if d.kind == "closed union" {
		w.b.WriteString("@closed ")
	}
	fmt.Fprintf(&w.b, "union %s { None = 1", d.name)
	tags := w.rng.Perm(254)
	for n := range 1 + w.rng.IntN(5) {
		switch w.rng.IntN(3) {
		case 0:
			fmt.Fprintf(&w.b, ", A%d { %s } = %d", n, w.fields(i, w.rng.IntN(4)), tags[n]+2)
		default:
			fmt.Fprintf(&w.b, ", A%d(%s) = %d", n, w.typ(i, 2, place{}), tags[n]+2)
		}
	}
	w.b.WriteString(" }\n")
}

// place is what stands around a type expression.
type place struct {
	zero     bool // a zero value is needed
	optional bool // an optional is around it
	guarded  bool // a list, map or optional is around it, so that it may be recursive
}

// scalars are the built-in scalars that are what is asked for.
func scalars(asked func(ir.Kind) bool) []ir.Kind {
	return slices.DeleteFunc(ir.Scalars(), func(k ir.Kind) bool { return !asked(k) })
}

var keys = keyTypes()

func keyTypes() []string {
	var types []string
	for _, k := range scalars(ir.Kind.IsKey) {
		types = append(types, k.String())
	}
	return append(types, "str", "@len(u8) str", "D0", "D1", "D2")
}

// typ gives a type expression of about a depth; i is the declaration that it stands in.
func (w *writer) typ(i, depth int, at place) string {
	choice := w.rng.IntN(20)
	if depth == 0 {
		choice %= 8
	}
	switch {
	case choice < 3:
		return pick(w, ir.Scalars()).String()
	case choice < 5:
		return w.bounds() + pick(w, []string{"str", "bytes", "string", "[]u8"})
	case choice < 8:
		return w.declared(i, at)
	case choice < 11:
		return w.list(i, depth-1)
	case choice < 14:
		return w.table(i, depth-1)
	case choice < 17 && !at.optional:
		inner := w.typ(i, depth-1, place{optional: true, guarded: true})
		return fmt.Sprintf(pick(w, []string{"?%s", "Option<%s>", "?Box<%s>"}), inner)
	default:
		at.optional = false
		return fmt.Sprintf("[%s]%s", pick(w, []string{"1", "SIZE", "3"}), w.typ(i, max(depth-1, 0), at))
	}
}

// bounds gives attributes for a length or count. A bound of 40 lets most values pass.
func (w *writer) bounds() string {
	return pick(w, []string{"", "", "@len(u8) ", "@len(u16) ", "@max(40) ", "@len(u8) @max(255) ", "@len(u16) @max(40) "})
}

func (w *writer) list(i, depth int) string {
	return w.bounds() + "[]" + w.typ(i, depth, place{guarded: true})
}

func (w *writer) table(i, depth int) string {
	key := pick(w, keys)
	return fmt.Sprintf("%smap<%s, %s>", w.bounds(), key, w.typ(i, depth, place{guarded: true}))
}

// declared gives the name of a declared type: one that stands earlier, or where a
// list, map or optional is around it any that is not an alias. An alias that
// stands later could reach itself.
func (w *writer) declared(i int, at place) string {
	from, prefix := w.decls, ""
	if w.imported != nil && w.chance(20) {
		from, prefix, i = w.imported.decls, "other.", len(w.imported.decls)
	}
	for {
		n := w.rng.IntN(len(from))
		d := from[n]
		if (n < i || at.guarded && d.kind != "alias") && (d.zero || !at.zero) {
			return prefix + d.name
		}
	}
}
