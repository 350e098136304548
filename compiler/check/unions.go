package check

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// unions fills the unions of the file with their inline alternatives.
func (u *unit) unions() {
	for _, s := range u.declared {
		if node, ok := s.node.(*syntax.Union); ok {
			u.within = s
			u.union(s.decl.(*ir.Union), node)
		}
	}
	u.within = nil
}

var tagRange = numberRange{what: "tag", min: unionTagMin, max: unionTagMax}

func (u *unit) union(d *ir.Union, node *syntax.Union) {
	a := u.attributes(node.Attributes, onUnion)
	d.Meta = u.meta(&node.Head, a)
	d.ID = u.typeID(a.id)
	d.Closed = a.closed
	d.Reserved = u.reserved(node.Reserved, tagRange, true)
	names, used, retired := u.newNames("alternative"), u.newNumbers(tagRange, d.Reserved), nameSet(d.Reserved.Names)
	for _, n := range node.Alternatives {
		names.add(n.Name)
		u.reservedName("alternative", n.Name, retired)
		alternative := u.alternative(d, n)
		if tag, ok := u.integer(n.Tag, "a "+tagRange.what); ok && used.add(tag, n.Tag.Span) {
			alternative.Tag = uint8(tag.magnitude)
		}
		d.Alternatives = append(d.Alternatives, alternative)
	}
	if len(node.Alternatives) == 0 && !node.Broken {
		u.problems.Error(codeNoMembers, node.Name.Span, "union %s has no alternatives", quote(node.Name.Text)).
			WithHelp("a union needs at least one")
	}
}

func (u *unit) alternative(d *ir.Union, n *syntax.Alternative) *ir.Alternative {
	alternative := &ir.Alternative{Name: n.Name.Text, Meta: u.meta(&n.Head, u.attributes(n.Attributes, onAlternative))}
	if n.Type != nil {
		alternative.Type = u.resolve(n.Type)
	}
	if n.Inline != nil {
		inline := &ir.Struct{Name: d.Name + "." + n.Name.Text, Owner: d, Used: true}
		inline.Meta = ir.Meta{Package: u.pkg, Doc: alternative.Doc, Span: n.Name.Span, Full: n.Span}
		inline.Fields = u.fields(n.Inline, onStructField)
		for _, f := range inline.Fields {
			f.Inline = true
		}
		alternative.Inline = inline
		alternative.Type = &ir.Type{Kind: ir.StructKind, Decl: inline}
	}
	return alternative
}
