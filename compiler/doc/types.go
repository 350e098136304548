package doc

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// fillType tells of a declared type.
func (s *site) fillType(page *typePage, pkg *ir.Package, d ir.Decl) {
	page.common = s.commonOf(d.DeclName(), "", d.DeclMeta())
	page.Kind = ir.KindOf(d).String()
	page.Uses = s.usesOf(pkg, d.DeclMeta())
	page.Names = append(page.Names, s.nameRow(d.DeclName(), d.DeclName(), d))
	if id := ir.IDOf(d); id != nil {
		page.TypeID = fmt.Sprint(id.Value)
		if id.Positional {
			page.Facts = append(page.Facts, "its type id is its place in the file")
		}
	}
	if body := s.program.Body(d); body != nil {
		page.Size = body.Size.Text()
		if body.Recursive {
			page.Facts = append(page.Facts, "can contain itself")
		}
	}
	switch d := d.(type) {
	case *ir.Enum:
		s.enum(page, d)
	case *ir.Union:
		s.union(page, pkg, d)
	case *ir.Struct:
		page.Bodies = []body{s.body(page, pkg, d, "")}
	case *ir.Message:
		if d.KeepUnknown {
			page.Facts = append(page.Facts, "keeps fields of later versions that it does not know")
		}
		page.Facts = append(page.Facts, "may gain fields at its end; 4 bytes of length stand before it within another value")
		page.Bodies = []body{s.body(page, pkg, d, "")}
	}
}

func (s *site) enum(page *typePage, e *ir.Enum) {
	page.Size = plan.BytesText(uint64(e.Base.Bytes()))
	page.Facts = append(page.Facts, "numbers are "+e.Base.String(), openness(e.Closed, "other numbers"))
	page.Reserved = reserved(e.Reserved)
	for _, m := range e.Members {
		page.Members = append(page.Members, memberRow{s.commonOf(m.Name, "member-"+m.Name, &m.Meta), plan.EnumNumber(e.Base, m.Number)})
		page.Names = append(page.Names, s.nameRow(m.Name, m.Name, m))
	}
}

func openness(isClosed bool, rest string) string {
	if isClosed {
		return "closed: " + rest + " are refused"
	}
	return "open: " + rest + " are kept"
}

func (s *site) union(page *typePage, pkg *ir.Package, u *ir.Union) {
	page.Facts = append(page.Facts, openness(u.Closed, "other alternatives"))
	if u.Closed {
		page.Facts = append(page.Facts, "1 byte of tag, then the payload")
	} else {
		page.Facts = append(page.Facts, "1 byte of tag, 4 bytes of the payload's length, then the payload")
	}
	page.Reserved = reserved(u.Reserved)
	for _, a := range u.Alternatives {
		row := caseRow{common: s.commonOf(a.Name, "case-"+a.Name, &a.Meta), Tag: a.Tag, Size: plan.BytesText(0)}
		page.Names = append(page.Names, s.nameRow(a.Name, a.Name, a))
		switch {
		case a.Inline != nil:
			row.Payload = []link{{"fields of " + a.Name, "#fields-" + a.Name}}
			row.Size = s.program.SizeOf(a.Type).Text()
			page.Bodies = append(page.Bodies, s.body(page, pkg, a.Inline, a.Name))
		case a.Type != nil:
			row.Payload, row.Size = s.spelled(pkg, a.Type), s.program.SizeOf(a.Type).Text()
		}
		page.Cases = append(page.Cases, row)
	}
}

// body tells of fields; inline is the alternative whose they are, or empty.
func (s *site) body(page *typePage, pkg *ir.Package, d ir.Decl, inline string) body {
	b := body{ID: "fields", Title: inline}
	prefix := "field-"
	if inline != "" {
		b.ID, prefix = "fields-"+inline, "field-"+inline+"."
	}
	_, b.Grows = d.(*ir.Message)
	for _, p := range s.program.Places(d) {
		f := p.Field
		row := fieldRow{common: s.commonOf(f.Name, prefix+f.Name, &f.Meta), Offset: p.Offset(), Size: p.Size.Text(), Type: s.spelled(pkg, f.Type), Segment: f.Since}
		if f.Default != nil {
			row.Default = f.Default.Text(f.Type)
		}
		b.Fields = append(b.Fields, row)
		page.Names = append(page.Names, s.nameRow(strings.TrimPrefix(row.ID, "field-"), f.Name, f))
	}
	return b
}

// spelled is a type as a schema has it, with links. Names of the package at hand stand alone.
func (s *site) spelled(pkg *ir.Package, t *ir.Type) []link {
	var joined []link
	for _, piece := range s.pieces(pkg, t) {
		if last := len(joined) - 1; last >= 0 && piece.Href == "" && joined[last].Href == "" {
			joined[last].Text += piece.Text
			continue
		}
		joined = append(joined, piece)
	}
	return joined
}

func (s *site) pieces(pkg *ir.Package, t *ir.Type) []link {
	if t.Alias != nil {
		name := t.Alias.Name
		if t.Alias.Package != pkg {
			name = t.Alias.Package.Name + "." + name
		}
		return []link{{name, s.owners[t.Alias.Package].File + "#alias-" + t.Alias.Name}}
	}
	var all []link
	text := func(format string, args ...any) { all = append(all, link{Text: fmt.Sprintf(format, args...)}) }
	if t.Max != nil {
		text("@max(%d) ", *t.Max)
	}
	if t.LenBytes == 1 || t.LenBytes == 2 {
		text("@len(%s) ", plan.LengthName(t))
	}
	if t.Boxed {
		text("Box<")
	}
	switch t.Kind {
	case ir.ListKind:
		text("[]")
		all = append(all, s.pieces(pkg, t.Elem)...)
	case ir.ArrayKind:
		text("[%d]", t.N)
		all = append(all, s.pieces(pkg, t.Elem)...)
	case ir.OptionalKind:
		text("?")
		all = append(all, s.pieces(pkg, t.Elem)...)
	case ir.MapKind:
		text("map<")
		all = append(all, s.pieces(pkg, t.Key)...)
		text(", ")
		all = append(all, s.pieces(pkg, t.Elem)...)
		text(">")
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		all = append(all, s.declLink(pkg, t.Decl))
	case ir.StrKind, ir.BytesKind:
		text("%s", t.Kind)
	default:
		text("%s", t.Kind) // a scalar
	}
	if t.Boxed {
		text(">")
	}
	return all
}

func (s *site) declLink(pkg *ir.Package, d ir.Decl) link {
	name := d.DeclName()
	if d.DeclPackage() != pkg {
		name = ir.FullName(d)
	}
	return link{name, s.pages[d].File}
}

// targetAttribute says of a field what its type is in TypeScript, which readers of a page
// see in no other language's code.
const targetAttribute = "x.ts"

// customs are attributes of the user's own, as a schema has them.
func customs(list []ir.Custom) []string {
	var texts []string
	for _, c := range list {
		if c.Name == targetAttribute {
			continue
		}
		var args []string
		for _, a := range c.Args {
			text := a.Value.Text(nil)
			if a.Name != "" {
				text = a.Name + " = " + text
			}
			args = append(args, text)
		}
		text := "@" + c.Name
		if len(args) > 0 {
			text += "(" + strings.Join(args, ", ") + ")"
		}
		texts = append(texts, text)
	}
	return texts
}

func ranges(list []ir.Range) string {
	var texts []string
	for _, r := range list {
		if r.First == r.Last {
			texts = append(texts, fmt.Sprint(r.First))
		} else {
			texts = append(texts, fmt.Sprintf("%d to %d", r.First, r.Last))
		}
	}
	return strings.Join(texts, ", ")
}

func reserved(r ir.Reserved) string {
	texts := []string{}
	if numbers := ranges(r.Numbers); numbers != "" {
		texts = append(texts, numbers)
	}
	return strings.Join(append(texts, r.Names...), ", ")
}
