package format

import (
	"sort"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// File returns the canonical text of a file with all of its comments.
// Formatting the result again gives the same text.
func File(f *syntax.File) string {
	p := newPrinter(f, f.Comments)
	p.file()
	return p.out.String()
}

// Canonical returns the canonical text without comments and without those
// blank lines that are the author's choice. Two files that differ only in
// comments and layout have the same canonical text.
func Canonical(f *syntax.File) string {
	p := newPrinter(f, nil)
	p.canonical = true
	p.file()
	return p.out.String()
}

// statement is anything at the top level, with what its neighbours ask about.
type statement struct {
	span syntax.Span
	// group is set for statements of one line; statements of one group may follow each other
	// without a blank line.
	group string
	print func()
}

// file prints the statements in the order of the source.
func (p *printer) file() {
	last := ""
	statements := p.statements()
	for i, s := range statements {
		p.limit = noLimit
		if i+1 < len(statements) {
			p.limit = statements[i+1].span.Start
		}
		if i > 0 && (s.group == "" || s.group != last) {
			p.wantBlank = true
		}
		s.print()
		last = s.group
	}
	p.comments(noLimit, nil)
}

func (p *printer) statements() []statement {
	f := p.tree
	var all []statement
	add := func(span syntax.Span, group string, print func()) {
		all = append(all, statement{span, group, print})
	}
	if f.Package != nil {
		add(f.Package.Span, "", func() { p.packageStatement(f) })
	}
	for _, s := range f.Imports {
		add(s.Span, "import", func() { p.importStatement(s) })
	}
	for _, s := range f.ReservedIDs {
		add(s.Span, "reserved", func() { p.reserved(s) })
	}
	for _, d := range f.Declarations {
		switch d := d.(type) {
		case *syntax.Const:
			add(d.Span, "const", func() { p.constant(d) })
		case *syntax.Alias:
			add(d.Span, "type", func() { p.alias(d) })
		case *syntax.Enum:
			add(d.Span, "", func() { p.enum(d) })
		case *syntax.Struct:
			add(d.Span, "", func() { p.structure(d) })
		case *syntax.Union:
			add(d.Span, "", func() { p.union(d) })
		case *syntax.Service:
			add(d.Span, "", func() { p.service(d) })
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].span.Start < all[j].span.Start })
	return all
}
