package lower

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
)

// Form is how a value of a type lies in memory.
type Form uint8

// The forms.
const (
	Scalar Form = iota
	Enum
	Str
	Bytes
	List
	Numbers // a list of built-in numbers, which may lie as on the wire
	Array
	HeapArray    // an array in memory of its own
	Optional     // an optional that holds its value in place
	Boxed        // one of a struct, message or union, in memory of its own
	BoxedArray   // one of an array, in memory of its own together
	OptionalHeap // one of an array that is in memory of its own anyway
	Map
	Declared // a struct or union
	Message
	forms int = iota
)

var formOf = map[ir.Kind]Form{
	ir.EnumKind: Enum, ir.StrKind: Str, ir.BytesKind: Bytes, ir.ListKind: List, ir.MapKind: Map,
	ir.StructKind: Declared, ir.UnionKind: Declared, ir.MessageKind: Message,
}

// FormOf is the form of a type by its costs in a language.
func FormOf(t *ir.Type, costs *memory.Costs) Form {
	form, found := formOf[t.Kind]
	switch {
	case t.Kind == ir.ListKind && memory.IsNumber(t.Elem):
		return Numbers
	case found:
		return form
	case t.Kind == ir.ArrayKind && costs.OnHeap(t):
		return HeapArray
	case t.Kind == ir.ArrayKind:
		return Array
	case t.Kind == ir.OptionalKind && costs.OnHeap(t.Elem):
		return OptionalHeap
	case t.Kind == ir.OptionalKind && !costs.Boxed(t):
		return Optional
	case t.Kind == ir.OptionalKind && t.Elem.Decl != nil:
		return Boxed
	case t.Kind == ir.OptionalKind:
		return BoxedArray
	case t.Kind.Class() != 0:
		return Scalar
	}
	panic(fmt.Sprintf("lower: kind %d has no form", t.Kind))
}

// Table has a row for each form that there is: how a language spells it, for
// instance.
type Table[F ~uint8, T any] struct{ rows []T }

// PerForm is a table of forms in memory.
type PerForm[T any] = Table[Form, T]

// MustPerForm makes a table. It panics where a form has no row, so that a language
// which forgets one does not even start.
func MustPerForm[T any](rows map[Form]T) PerForm[T] { return mustTable(forms, rows) }

func mustTable[F ~uint8, T any](forms int, rows map[F]T) Table[F, T] {
	table := Table[F, T]{make([]T, forms)}
	for form := range table.rows {
		row, found := rows[F(form)]
		if !found {
			panic(fmt.Sprintf("lower: a table has no row for form %d", form))
		}
		table.rows[form] = row
	}
	return table
}

// Of is the row of a form.
func (t Table[F, T]) Of(form F) T { return t.rows[form] }

// Leaf is an operation on a value of one form: statements of the language, with $holes$ for the
// parts of the place and of the type. Statements of Each are left out where the operation does
// nothing with the values within, which stand for themselves in lines of their own:
//
//	=> $v$[$i$]           the value at a place; the names of a deeper level are its own
//	=> $x$ := $v$[$key$]  one that needs a variable
//	key => $key$          the key of a map
//	-> $v$                a value whose statements share the names of these
//	array -> $x$          the array itself, which lies at that place
type Leaf struct{ Do, Each string }

// Operation is what generated code does with values in memory: check, compare or
// copy them, write or read their JSON.
type Operation struct {
	Leaves PerForm[Leaf]
	// Wants reports whether the operation does anything with values of a type; nil
	// where it does with all.
	Wants func(*ir.Type) bool
}

// Place is where a value lies: an expression of it. Steps lead there from the value that
// the operation began with: quoted names, and variables of an index.
type Place struct {
	At    string
	Steps []string
	Depth int
}

// Language spells operations.
type Language interface {
	Costs() *memory.Costs
	// Hole is what fills a hole of a leaf.
	Hole(name string, t *ir.Type, p Place) string
	// Index is the variable of an index into what lies at a place.
	Index(p Place) string
	// Print prints a line, so many levels deeper.
	Print(level int, line string)
}

// Value prints what an operation does with a value of type t.
func (op *Operation) Value(l Language, t *ir.Type, p Place) {
	walk{op, l}.value(t, FormOf(t, l.Costs()), p, 0)
}

type walk struct {
	*Operation
	language Language
}

func (w walk) value(t *ir.Type, form Form, p Place, level int) {
	if w.wants(t) {
		leaf := w.Leaves.Of(form)
		w.lines(leaf.Do, t, p, level)
		if t.Elem == nil || w.wants(t.Elem) || t.Key != nil && w.wants(t.Key) {
			w.lines(leaf.Each, t, p, level)
		}
	}
}

func (w walk) wants(t *ir.Type) bool { return w.Wants == nil || w.Wants(t) }

var (
	hole   = regexp.MustCompile(`\$(\w+)\$`)
	within = regexp.MustCompile(`^(|key |array )([-=])> (?:(\S+) := )?(.+)$`)
)

func (w walk) lines(text string, t *ir.Type, p Place, level int) {
	if text == "" {
		return
	}
	for _, line := range strings.Split(text, "\n") {
		bare := strings.TrimLeft(line, "\t")
		filled := FillHoles(bare, func(name string) string { return w.language.Hole(name, t, p) })
		deeper := level + len(line) - len(bare)
		if parts := within.FindStringSubmatch(filled); parts != nil {
			w.within(parts, t, p, deeper)
		} else {
			w.language.Print(deeper, filled)
		}
	}
}

// FillHoles fills each $hole$ of a text.
func FillHoles(text string, fill func(name string) string) string {
	return hole.ReplaceAllStringFunc(text, func(name string) string { return fill(strings.Trim(name, "$")) })
}

// within prints what is done with a value within, which a line stands for.
func (w walk) within(parts []string, t *ir.Type, p Place, level int) {
	which, arrow, variable, place := parts[1], parts[2], parts[3], parts[4]
	inner, form, steps := t.Elem, Array, p.Steps
	switch {
	case which == "array ":
		inner = t
	case which == "key ":
		inner, steps = t.Key, w.steps(p, w.language.Index(p), `"key"`)
	case t.Key != nil:
		steps = w.steps(p, w.language.Index(p), `"value"`)
	case t.Kind != ir.OptionalKind:
		steps = w.steps(p, w.language.Index(p))
	}
	if !w.wants(inner) {
		return
	}
	if which != "array " {
		form = FormOf(inner, w.language.Costs())
	}
	if variable != "" {
		w.language.Print(level, variable+" := "+place)
		place = variable
	}
	depth := p.Depth
	if arrow == "=" {
		depth++
	}
	w.value(inner, form, Place{place, steps, depth}, level)
}

func (w walk) steps(p Place, more ...string) []string {
	return append(p.Steps[:len(p.Steps):len(p.Steps)], more...)
}

// Held is what stays of a type without the arrays and optionals around it: what
// every value of those has, or may have, in it.
func Held(t *ir.Type) *ir.Type {
	for t.Kind == ir.ArrayKind || t.Kind == ir.OptionalKind {
		t = t.Elem
	}
	return t
}

// Innermost is the type at the bottom of a type, behind lists, arrays, optionals and the values of
// maps.
func Innermost(t *ir.Type) *ir.Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}
