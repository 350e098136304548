package lsp

import (
	"fmt"
	"path"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

func (s *server) hover(params positionParams) (any, error) {
	x, l, offset, err := s.place(params)
	if err != nil {
		return nil, err
	}
	if t, name := s.at(x, offset); !t.isNothing() {
		return hover{markdown(s.describe(t)), l.span(name.Span)}, nil
	}
	for _, a := range x.Attributes {
		if rule, known := attributeDocs[a.Name.String()]; known && a.Name.Span.Holds(offset) {
			return hover{markdown(code(rule.usage) + "\n" + rule.doc), l.span(a.Name.Span)}, nil
		}
	}
	if r := x.ReferenceAt(offset); r != nil {
		if doc, known := builtinDocs[r.Ident().Text]; known && len(r.Path.Parts) == 1 {
			return hover{markdown(code(r.Ident().Text) + "\n" + doc), l.span(r.Ident().Span)}, nil
		}
	}
	return nil, nil
}

func code(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "sdp\n" + text + "\n" + fence
}

// describe is the text about the meaning of a name.
func (s *server) describe(t target) string {
	if t.imported != nil {
		if t.in == nil {
			return code("import " + t.imported.PathSpan.Text())
		}
		text := code("package " + packageOf(t.in.File))
		if doc := docText(t.in.File.Docs); doc != "" {
			text += "\n" + doc
		}
		return text
	}
	d := t.definition
	text := code(signature(d))
	if doc := docText(d.Docs); doc != "" {
		text += "\n" + doc + "\n"
	}
	program, isOld := s.programOf(d.File.Source.Name())
	if program == nil {
		return text
	}
	object, facts := s.facts(program, d)
	if object == nil {
		return text
	}
	if reason := object.DeclMeta().Deprecated; reason != nil {
		facts = append([]string{"**deprecated**: " + *reason}, facts...)
	}
	if isOld {
		facts = append(facts, "_as it was before the errors_")
	}
	return text + "\n" + strings.Join(append(facts, s.spellings(program, object)...), "  \n")
}

func packageOf(file *syntax.File) string {
	if file.Package != nil {
		return file.Package.Name.String()
	}
	return strings.TrimSuffix(path.Base(file.Source.Name()), ".sdp")
}

func docText(comments []syntax.Comment) string {
	var text []string
	for _, c := range comments {
		text = append(text, c.Text())
	}
	return strings.Join(text, "\n")
}

// signatureMax bounds what is shown of a declaration.
const signatureMax = 2000

// signature is a definition's text without its comments, laid out.
func signature(d *syntax.Definition) string {
	text := ""
	if node, isDeclaration := d.Node.(syntax.Declaration); isDeclaration && d.Parent == nil && !d.Broken {
		text = format.Canonical(&syntax.File{Source: d.File.Source, Declarations: []syntax.Declaration{node}})
	} else {
		text = strings.Join(strings.Fields(d.Span.Text()), " ")
	}
	if text = strings.TrimSpace(text); len(text) > signatureMax {
		text = strings.ToValidUTF8(text[:signatureMax], "") + "…"
	}
	return text
}

// programOf is the plan that has a file; isOld says that there is none of the file as it is
// now, since it has errors.
func (s *server) programOf(name string) (program *plan.Program, isOld bool) {
	for project, c := range s.projects {
		if c.Trees[name] == nil {
			continue
		}
		if c.Program != nil {
			return c.Program, false
		}
		if s.good[project] != nil {
			program, isOld = s.good[project], true
		}
	}
	return program, isOld
}

// facts find a definition in a plan, by its name, and say how it lies in bytes.
func (s *server) facts(program *plan.Program, d *syntax.Definition) (object names.Object, facts []string) {
	pkg := packageIn(program, d.File.Source.Name())
	if pkg == nil {
		return nil, nil
	}
	top := d
	for top.Parent != nil {
		top = top.Parent
	}
	for _, c := range pkg.Consts {
		if c.Name == top.Name.Text {
			return c, []string{"value: `" + c.Value.Text(c.Type) + "`"}
		}
	}
	for _, a := range pkg.Aliases {
		if a.Name == top.Name.Text {
			return a, []string{"size: " + program.SizeOf(a.Type).Text()}
		}
	}
	for _, service := range pkg.Services {
		if service.Name != top.Name.Text {
			continue
		}
		if d == top {
			return service, nil
		}
		for _, m := range service.Methods {
			if m.Name == d.Name.Text {
				return m, []string{fmt.Sprintf("method %d", m.Number)}
			}
		}
	}
	for _, decl := range pkg.Decls {
		if decl.DeclName() == top.Name.Text {
			return factsOfType(program, decl, d)
		}
	}
	return nil, nil
}

func packageIn(program *plan.Program, name string) *ir.Package {
	for _, pkg := range program.Schema.Packages {
		if pkg.Path == name {
			return pkg
		}
	}
	return nil
}

// factsOfType are the facts of a type, or of a member.
func factsOfType(program *plan.Program, decl ir.Decl, d *syntax.Definition) (names.Object, []string) {
	if d.Parent == nil {
		var facts []string
		if body := program.Body(decl); body != nil {
			facts = append(facts, "size: "+body.Size.Text())
			if body.Recursive {
				facts = append(facts, "recursive")
			}
		} else if e, isEnum := decl.(*ir.Enum); isEnum {
			facts = append(facts, "size: "+plan.BytesText(uint64(e.Base.Bytes())))
		}
		if id := ir.IDOf(decl); id != nil {
			facts = append(facts, fmt.Sprintf("type id %d", id.Value))
		}
		return decl.DeclMeta(), facts
	}
	switch of := decl.(type) {
	case *ir.Enum:
		for _, m := range of.Members {
			if m.Name == d.Name.Text {
				return m, []string{"number " + plan.EnumNumber(of.Base, m.Number)}
			}
		}
		return nil, nil
	case *ir.Union:
		for _, a := range of.Alternatives {
			switch {
			case a.Name == d.Name.Text && d.Parent.Parent == nil:
				facts := []string{fmt.Sprintf("tag %d", a.Tag)}
				if a.Type != nil {
					facts = append(facts, "payload: "+program.SizeOf(a.Type).Text())
				}
				return a, facts
			case a.Name == d.Parent.Name.Text && a.Inline != nil:
				return factsOfField(program, a.Inline, d.Name.Text)
			}
		}
		return nil, nil
	}
	return factsOfField(program, decl, d.Name.Text)
}

func factsOfField(program *plan.Program, decl ir.Decl, name string) (names.Object, []string) {
	for _, p := range program.Places(decl) {
		if p.Field.Name != name {
			continue
		}
		facts := []string{"offset: " + p.Offset(), "size: " + p.Size.Text()}
		if _, isMessage := decl.(*ir.Message); isMessage {
			facts = append(facts, fmt.Sprintf("segment %d", p.Field.Since))
		}
		if p.Field.Default != nil {
			facts = append(facts, "if it is missing: `"+p.Field.Default.Text(p.Field.Type)+"`")
		}
		return p.Field, facts
	}
	return nil, nil
}

// spellings are what a thing is called in each language.
func (s *server) spellings(program *plan.Program, object names.Object) []string {
	tables := s.tables[program]
	if tables == nil {
		for _, rules := range names.Languages {
			tables = append(tables, rules.Table())
		}
		s.tables[program] = tables
	}
	meta := object.DeclMeta()
	var spelled []string
	for i, rules := range names.Languages {
		spelled = append(spelled, fmt.Sprintf("%s `%s`", rules.Language, tables[i].Of(object)))
	}
	if name, given := meta.Names[ir.JSON]; given {
		spelled = append(spelled, "JSON `"+name+"`")
	}
	return []string{strings.Join(spelled, " · ")}
}
