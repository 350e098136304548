// Package random makes random schemas, and edits them as releases do.
package random

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Schema is a random schema that edits can change. It is printed as source text,
// so that the edits go through the whole front end.
type Schema struct {
	Decls []*Decl
	names int
}

// Decl is one declared type.
type Decl struct {
	Kind     string // enum, struct, message, union
	Name     string
	ID       int
	Closed   bool
	Keep     bool
	Base     string // of an enum
	Members  []*Member
	Reserved []int
}

// Member is a field, an enum's member or a union's alternative.
type Member struct {
	Name    string
	JSON    string
	Type    *Expr // of a field or a payload
	Since   int
	Default string
	Number  int
	Inline  []*Member
}

// Expr is a type expression.
type Expr struct {
	Word  string // a name, or one of [] [N] ? map Box
	Elem  *Expr
	Key   *Expr
	N     int
	Width int // @len in bits
	Max   int
}

// Clone is a copy that shares nothing.
func (s *Schema) Clone() *Schema {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	copied := &Schema{names: s.names}
	if err := json.Unmarshal(text, copied); err != nil {
		panic(err)
	}
	return copied
}

// fresh makes a name that was never used.
func (s *Schema) fresh(prefix string) string {
	s.names++
	return fmt.Sprintf("%s%d", prefix, s.names)
}

// Find gives the type of a name, or nil.
func (s *Schema) Find(name string) *Decl {
	for _, d := range s.Decls {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Member gives the member of a name, or nil.
func (d *Decl) Member(name string) *Member {
	for _, m := range d.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// String is the schema's source text.
func (s *Schema) String() string {
	var b strings.Builder
	b.WriteString("package s;\n")
	for _, d := range s.Decls {
		d.print(&b)
	}
	return b.String()
}

func (d *Decl) print(b *strings.Builder) {
	if d.ID > 0 {
		fmt.Fprintf(b, "@id(%d) ", d.ID)
	}
	if d.Closed {
		b.WriteString("@closed ")
	}
	if d.Keep {
		b.WriteString("@keep_unknown ")
	}
	fmt.Fprintf(b, "%s %s", d.Kind, d.Name)
	if d.Base != "" {
		b.WriteString(": " + d.Base)
	}
	b.WriteString(" {\n")
	for _, m := range d.Members {
		b.WriteString("    ")
		m.print(b, d.Kind)
		b.WriteString(",\n")
	}
	for _, n := range d.Reserved {
		fmt.Fprintf(b, "    reserved %d;\n", n)
	}
	b.WriteString("}\n")
}

func (m *Member) print(b *strings.Builder, kind string) {
	if m.JSON != "" {
		fmt.Fprintf(b, "@name(json = %q) ", m.JSON)
	}
	if m.Since > 1 {
		fmt.Fprintf(b, "@since(%d) ", m.Since)
	}
	b.WriteString(m.Name)
	switch kind {
	case "enum":
		fmt.Fprintf(b, " = %d", m.Number)
	case "union":
		if m.Type != nil {
			fmt.Fprintf(b, "(%s)", m.Type)
		}
		if m.Inline != nil {
			b.WriteString(" { ")
			for _, f := range m.Inline {
				f.print(b, "struct")
				b.WriteString(", ")
			}
			b.WriteString("}")
		}
		fmt.Fprintf(b, " = %d", m.Number)
	default:
		fmt.Fprintf(b, ": %s", m.Type)
		if m.Default != "" {
			b.WriteString(" = " + m.Default)
		}
	}
}

func (e *Expr) String() string {
	text := ""
	if e.Width > 0 {
		text += fmt.Sprintf("@len(u%d) ", e.Width)
	}
	if e.Max > 0 {
		text += fmt.Sprintf("@max(%d) ", e.Max)
	}
	switch e.Word {
	case "[]", "?":
		return text + e.Word + e.Elem.String()
	case "[N]":
		return text + fmt.Sprintf("[%d]%s", e.N, e.Elem)
	case "map":
		return text + fmt.Sprintf("map<%s, %s>", e.Key, e.Elem)
	case "Box":
		return text + "Box<" + e.Elem.String() + ">"
	}
	return text + e.Word
}

// clone is a copy that shares nothing.
func (e *Expr) clone() *Expr {
	if e == nil {
		return nil
	}
	copied := *e
	copied.Elem, copied.Key = e.Elem.clone(), e.Key.clone()
	return &copied
}

// Walk visits a type expression and all in it.
func (e *Expr) Walk(visit func(*Expr)) {
	if e == nil {
		return
	}
	visit(e)
	e.Elem.Walk(visit)
	e.Key.Walk(visit)
}

// Exprs visits all type expressions of a schema.
func (s *Schema) Exprs(visit func(*Expr)) {
	for _, d := range s.Decls {
		for _, f := range d.Members {
			f.Type.Walk(visit)
			for _, g := range f.Inline {
				g.Type.Walk(visit)
			}
		}
	}
}

// scalars are the words of all scalars, and narrow the words of the integers up to four bytes,
// whose defaults edits change.
var scalars, narrow = func() (list, narrow []string) {
	for _, k := range ir.Scalars() {
		list = append(list, k.String())
		if k.IsInteger() && k.Bytes() < 8 {
			narrow = append(narrow, k.String())
		}
	}
	return list, narrow
}()

// builder makes random schemas.
type builder struct {
	*rand.Rand
	*Schema
	known []string // types that expressions may name
}

// New makes a schema with every kind of type, each held by another one
// and each with at least two fields, members or alternatives.
func New(r *rand.Rand) *Schema {
	b := &builder{Rand: r, Schema: &Schema{}}
	b.add(&Decl{Kind: "enum", Name: "Open", Base: b.choice("u8", "i16", "u64"), Members: b.numbered(3), Reserved: []int{90}})
	b.add(&Decl{Kind: "enum", Name: "Shut", Base: b.choice("u8", "i16", "u32"), Closed: true, Members: b.numbered(3)})
	b.add(&Decl{Kind: "struct", Name: "Point", Members: b.fields(2 + b.IntN(3))})
	b.add(&Decl{Kind: "struct", Name: "Span", Members: b.twins()})
	b.add(&Decl{Kind: "message", Name: "Range", Members: b.twins()})
	b.add(&Decl{Kind: "message", Name: "Grown", Members: b.segments(), Keep: b.IntN(2) == 0})
	b.add(&Decl{Kind: "union", Name: "Wide", Members: b.cases(), Reserved: []int{90}})
	b.add(&Decl{Kind: "union", Name: "Tight", Closed: true, Members: b.cases()})
	b.add(&Decl{Kind: "struct", Name: "Holder", Members: append(b.fields(2), b.holds()...)})
	b.add(&Decl{Kind: "message", Name: "Root", ID: 1, Members: append(b.fields(2), b.segments()...)})
	b.add(&Decl{Kind: "struct", Name: "Outer", ID: 2, Members: append(b.fields(2), b.holds()...)})
	return b.Schema
}

func (b *builder) choice(words ...string) string { return words[b.IntN(len(words))] }

func (b *builder) add(d *Decl) {
	b.Decls = append(b.Decls, d)
	b.known = append(b.known, d.Name)
}

// numbered makes the members of an enum. One has number 0, so that the enum has
// a zero value.
func (b *builder) numbered(n int) []*Member {
	var list []*Member
	for i := range n {
		list = append(list, &Member{Name: b.fresh("M"), Number: i * (1 + b.IntN(3))})
		if i > 0 && list[i].Number <= list[i-1].Number {
			list[i].Number = list[i-1].Number + 1
		}
	}
	return list
}

func (b *builder) fields(n int) []*Member {
	var list []*Member
	for range n {
		list = append(list, &Member{Name: b.fresh("f"), Type: b.expr(2)})
	}
	return list
}

// twins makes fields of one type, which nothing but their names tells apart, and one of another.
func (b *builder) twins() []*Member {
	list := b.fields(2)
	twin := list[0].Type.clone()
	return append(list, &Member{Name: b.fresh("f"), Type: twin})
}

// holds makes fields of every known type, so that every type's bytes lie within the bytes of
// another.
func (b *builder) holds() []*Member {
	var list []*Member
	for _, name := range b.known {
		e := &Expr{Word: name}
		switch b.IntN(4) {
		case 0:
			e = &Expr{Word: "[]", Elem: e}
		case 1:
			e = &Expr{Word: "?", Elem: e}
		case 2:
			e = &Expr{Word: "map", Key: &Expr{Word: "u8"}, Elem: e}
		}
		list = append(list, &Member{Name: b.fresh("f"), Type: e})
	}
	return list
}

// segments makes fields of one to three segments, the last of more than one
// field.
func (b *builder) segments() []*Member {
	list := b.fields(2)
	for since := 2; since <= 1+b.IntN(3); since++ {
		for range 2 {
			list = append(list, b.late(since))
		}
	}
	return list
}

// late makes a field whose segment may be missing.
func (b *builder) late(since int) *Member {
	e := b.expr(2)
	if e.Word != "?" && (e.Word == "[N]" || b.Find(e.Word) != nil) {
		e = &Expr{Word: "?", Elem: e}
	}
	f := &Member{Name: b.fresh("f"), Since: since, Type: e}
	if b.IntN(2) == 0 {
		switch {
		case slices.Contains(narrow, e.Word):
			f.Default = fmt.Sprint(1 + b.IntN(100))
		case e.Word == ir.Bool.String():
			f.Default = "true"
		}
	}
	return f
}

func (b *builder) cases() []*Member {
	return []*Member{
		{Name: b.fresh("A"), Number: 1, Type: b.expr(1)},
		{Name: b.fresh("A"), Number: 2, Inline: b.fields(2)},
		{Name: b.fresh("A"), Number: 3},
		{Name: b.fresh("A"), Number: 5 + b.IntN(5), Type: &Expr{Word: "Point"}},
	}
}

// expr makes a type expression of at most the given depth.
func (b *builder) expr(depth int) *Expr {
	e := &Expr{}
	kind := b.IntN(9)
	if depth == 0 {
		kind = b.IntN(4)
	}
	switch kind {
	case 0, 1:
		e.Word = scalars[b.IntN(len(scalars))]
	case 2:
		e.Word = b.choice("str", "bytes")
		b.length(e)
	case 3:
		e.Word = scalars[b.IntN(len(scalars))]
		if len(b.known) > 0 {
			e.Word = b.known[b.IntN(len(b.known))]
		}
	case 4:
		e.Word, e.Elem = "[]", b.expr(depth-1)
		b.length(e)
	case 5:
		e.Word, e.Elem, e.N = "[N]", b.expr(depth-1), 1+b.IntN(4)
	case 6:
		e.Word, e.Key, e.Elem = "map", &Expr{Word: b.choice("u8", "i32", "u64", "bool", "str")}, b.expr(depth-1)
		if e.Key.Word != "bool" {
			b.length(e)
		}
	default:
		e.Word, e.Elem = "?", b.expr(depth-1)
		if e.Elem.Word == "?" {
			return e.Elem
		}
	}
	return e
}

func (b *builder) length(e *Expr) {
	switch b.IntN(4) {
	case 0:
		e.Width = 8
	case 1:
		e.Width = 16
	case 2:
		e.Max = 3 + b.IntN(5)
	}
}
