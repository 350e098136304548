package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Layout is the canonical layout text of a type and of all it reaches [EVO-5]: a runtime walks
// damaged input by it, and a peer reads it to name the field that differs.
func Layout(root ir.Decl) string { return Layouts{}.Of(root) }

// Layouts are the parts of the layout texts that were asked for, shared by the texts of many types.
type Layouts map[ir.Decl]LayoutPart

// part is that of a declared type, which is made once.
func (l Layouts) part(d ir.Decl) LayoutPart {
	part, known := l[d]
	if !known {
		part = LayoutPartOf(d)
		l[d] = part
	}
	return part
}

// Of is the layout text of a type, or the joint text of several [EVO-5.10].
func (l Layouts) Of(roots ...ir.Decl) string {
	var parts []LayoutPart
	numbers := map[ir.Decl]int{}
	// Types get their numbers in order of first mention, depth first.
	var number func(d ir.Decl)
	number = func(d ir.Decl) {
		if _, known := numbers[d]; known {
			return
		}
		part := l.part(d)
		numbers[d] = len(parts)
		parts = append(parts, part)
		for _, named := range part.Types {
			number(named)
		}
	}
	for _, root := range roots {
		number(root)
	}
	var text strings.Builder
	for i, part := range parts {
		text.WriteString(strconv.Itoa(i) + " ")
		rest := part.Text
		for _, named := range part.Types {
			mark := strings.IndexByte(rest, '#') + 1
			text.WriteString(rest[:mark] + strconv.Itoa(numbers[named]))
			rest = rest[mark:]
		}
		text.WriteString(rest)
	}
	return text.String()
}

// LayoutPart is what layout texts say of one declared type. Generated code carries it; the runtime
// joins it with the parts of all types that the type reaches.
type LayoutPart struct {
	// Text is the type's block without the numbers of blocks: its own, and the numbers behind
	// each #.
	Text string
	// Types are the types that the marks stand for.
	Types []ir.Decl
}

// LayoutPartOf is the part of a declared type.
func LayoutPartOf(d ir.Decl) LayoutPart {
	l := layout{}
	l.block(d)
	return LayoutPart{Text: l.text.String(), Types: l.types}
}

// layout writes a part.
type layout struct {
	text  strings.Builder
	types []ir.Decl
}

func (l *layout) block(d ir.Decl) {
	name := ir.FullName(d)
	switch d := d.(type) {
	case *ir.Struct:
		fmt.Fprintf(&l.text, "struct %s\n", name)
		l.fields(d.Fields)
	case *ir.Message:
		fmt.Fprintf(&l.text, "message %s%s\n", name, flag(d.KeepUnknown, " keep"))
		for i, fields := range d.Segments() {
			if i > 0 {
				fmt.Fprintf(&l.text, "@%d\n", i+1)
			}
			l.fields(fields)
		}
	case *ir.Enum:
		fmt.Fprintf(&l.text, "enum %s %s%s\n", name, d.Base, flag(d.Closed, " closed"))
		for _, m := range d.Members {
			fmt.Fprintf(&l.text, " %s %s\n", m.Name, EnumNumber(d.Base, m.Number))
		}
	case *ir.Union:
		fmt.Fprintf(&l.text, "union %s%s\n", name, flag(d.Closed, " closed"))
		for _, a := range d.Alternatives {
			fmt.Fprintf(&l.text, " %s %d", a.Name, a.Tag)
			if a.Type != nil {
				l.text.WriteString(" " + l.typ(a.Type))
			}
			l.text.WriteByte('\n')
		}
	}
}

func (l *layout) fields(fields []*ir.Field) {
	for _, f := range fields {
		fmt.Fprintf(&l.text, " %s %s\n", f.Name, l.typ(f.Type))
	}
}

// typ spells a type in prefix notation.
func (l *layout) typ(t *ir.Type) string {
	if t.Decl != nil {
		l.types = append(l.types, t.Decl)
		return "#"
	}
	text := word(t, maxMark(t))
	for _, part := range parts(t) {
		text += " " + l.typ(part)
	}
	return text
}

// word is the built-in part of a type, before what it holds.
func word(t *ir.Type, mark string) string {
	switch t.Kind {
	case ir.StrKind, ir.BytesKind:
		return fmt.Sprintf("%s%d%s", t.Kind, t.LenBytes, mark)
	case ir.ListKind:
		return fmt.Sprintf("list%d%s", t.LenBytes, mark)
	case ir.MapKind:
		return fmt.Sprintf("map%d%s", t.LenBytes, mark)
	case ir.ArrayKind:
		return fmt.Sprintf("array %d", t.N)
	case ir.OptionalKind:
		return "opt"
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
	}
	return t.Kind.String()
}

// parts are the types that a built-in one holds.
func parts(t *ir.Type) []*ir.Type {
	switch t.Kind {
	case ir.ListKind, ir.ArrayKind, ir.OptionalKind:
		return []*ir.Type{t.Elem}
	case ir.MapKind:
		return []*ir.Type{t.Key, t.Elem}
	case ir.StrKind, ir.BytesKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
	}
	return nil
}

func maxMark(t *ir.Type) string {
	if t.Max == nil {
		return ""
	}
	return fmt.Sprintf("<=%d", *t.Max)
}

func flag(enabled bool, text string) string {
	if enabled {
		return text
	}
	return ""
}

// EnumNumber is the decimal text of an enum's number, signed or unsigned as its
// base is.
func EnumNumber(base ir.Kind, n int64) string {
	if base.IsSigned() {
		return fmt.Sprint(n)
	}
	return fmt.Sprint(uint64(n))
}

// sortedNumbers are the numbers of an enum in ascending order of its base.
func sortedNumbers(e *ir.Enum) []string {
	numbers := make([]int64, len(e.Members))
	for i, m := range e.Members {
		numbers[i] = m.Number
	}
	slices.SortFunc(numbers, func(a, b int64) int { return compareNumbers(e.Base, a, b) })
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = EnumNumber(e.Base, n)
	}
	return texts
}

func compareNumbers(base ir.Kind, a, b int64) int {
	less := a < b
	if !base.IsSigned() {
		less = uint64(a) < uint64(b)
	}
	switch {
	case a == b:
		return 0
	case less:
		return -1
	}
	return 1
}
