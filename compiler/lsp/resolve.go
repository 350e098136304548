package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// target is the meaning of a name: a definition, or an import and its file.
type target struct {
	definition *syntax.Definition
	imported   *syntax.Import
	in         *syntax.Index // the file that is imported; nil if there is none
}

func (t target) isNothing() bool { return t.definition == nil && t.imported == nil }

// same tells whether two are one, of one text.
func (t target) same(u target) bool {
	switch {
	case t.definition != nil && u.definition != nil:
		a, b := t.definition.Name.Span, u.definition.Name.Span
		return a.File.Name() == b.File.Name() && a.Start == b.Start
	case t.imported != nil && u.imported != nil:
		return t.imported.Span == u.imported.Span
	}
	return false
}

// indexOf is the index of a file, read anew where its text has changed; nil for a file that
// cannot be read.
func (s *server) indexOf(path string) *syntax.Index {
	tree, _, err := s.editing.Tree(s.open, path)
	if err != nil {
		return nil
	}
	name := tree.Source.Name()
	if known := s.indexes[name]; known != nil && known.File == tree {
		return known
	}
	const indexesMax = 4096
	if len(s.indexes) >= indexesMax {
		clear(s.indexes)
	}
	x := syntax.NewIndex(tree)
	s.indexes[name] = x
	return x
}

// imported is the file that an import of a file means; nil if there is none.
func (s *server) imported(x *syntax.Index, statement *syntax.Import) *syntax.Index {
	importer := x.File.Source.Name()
	path := ""
	if checked := s.checkedWith(importer); checked != nil {
		path = checked.Import(importer, statement.Path)
	} else {
		path = s.editing.Import(s.open, filepath.FromSlash(importer), statement.Path)
	}
	if path == "" {
		return nil
	}
	return s.indexOf(filepath.FromSlash(path))
}

// localName is what an import is called in its file.
func (s *server) localName(x *syntax.Index, statement *syntax.Import) string {
	if statement.Name != nil {
		return statement.Name.Text
	}
	if in := s.imported(x, statement); in != nil && in.File.Package != nil {
		parts := in.File.Package.Name.Parts
		return parts[len(parts)-1].Text
	}
	base := filepath.Base(statement.Path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// importNamed is the import that a file calls so; nil if none.
func (s *server) importNamed(x *syntax.Index, name string) *syntax.Import {
	for _, statement := range x.File.Imports {
		if s.localName(x, statement) == name {
			return statement
		}
	}
	return nil
}

// resolve finds what a name in a file stands for.
func (s *server) resolve(x *syntax.Index, r syntax.Reference) target {
	parts := r.Path.Parts[:r.At+1]
	if enum := s.enumOf(x, r.Of, 0); enum != nil && r.At == len(r.Path.Parts)-1 {
		return target{definition: enum.Child(parts[r.At].Text)}
	}
	return s.lookup(x, parts)
}

// lookup finds what names joined by dots stand for: a declaration, an import, or a member of
// an enum.
func (s *server) lookup(x *syntax.Index, parts []syntax.Ident) target {
	var at target
	for i, part := range parts {
		switch {
		case i == 0:
			if at.definition = x.ByName[part.Text]; at.definition == nil {
				if at.imported = s.importNamed(x, part.Text); at.imported != nil {
					at.in = s.imported(x, at.imported)
				}
			}
		case at.in != nil:
			at = target{definition: at.in.ByName[part.Text]}
		case at.definition != nil:
			at = target{definition: at.definition.Child(part.Text)}
		}
		if at.isNothing() {
			return at
		}
	}
	return at
}

// enumOf is the enum that a type is, by way of aliases and an optional; nil if it is none.
func (s *server) enumOf(x *syntax.Index, t *syntax.Type, aliases int) *syntax.Definition {
	const aliasesMax = 64
	for t != nil && (t.Kind == syntax.OptionalType || t.Kind == syntax.OptionType || t.Kind == syntax.BoxType) {
		t = t.Elem
	}
	if t == nil || t.Kind != syntax.NameType || aliases == aliasesMax {
		return nil
	}
	d := s.lookup(x, t.Name.Parts).definition
	if d == nil {
		return nil
	}
	switch node := d.Node.(type) {
	case *syntax.Enum:
		return d
	case *syntax.Alias:
		in := s.indexOf(filepath.FromSlash(d.File.Source.Name()))
		return s.enumOf(in, node.Type, aliases+1)
	}
	return nil
}

// at is what stands at an offset of a file, and the name that does.
func (s *server) at(x *syntax.Index, offset int) (target, syntax.Ident) {
	if d := x.DefinitionAt(offset); d != nil {
		return target{definition: d}, d.Name
	}
	if r := x.ReferenceAt(offset); r != nil {
		return s.resolve(x, *r), r.Ident()
	}
	for _, statement := range x.File.Imports {
		name := syntax.Ident{Text: statement.Path, Span: statement.PathSpan}
		if statement.Name != nil && statement.Name.Span.Holds(offset) {
			name = *statement.Name
		} else if !statement.PathSpan.Holds(offset) {
			continue
		}
		return target{imported: statement, in: s.imported(x, statement)}, name
	}
	return target{}, syntax.Ident{}
}

// referencesTo are the names in a file that stand for a target.
func (s *server) referencesTo(x *syntax.Index, t target) []syntax.Reference {
	var found []syntax.Reference
	name, isLocal := "", t.imported == nil && t.definition.File.Source.Name() == x.File.Source.Name()
	if t.imported != nil {
		if isLocal = slices.Contains(x.File.Imports, t.imported); !isLocal {
			return nil
		}
		name = s.localName(x, t.imported)
	} else {
		name = t.definition.Name.Text
	}
	if !isLocal && len(x.File.Imports) == 0 {
		return nil
	}
	for _, r := range x.References {
		if r.Ident().Text == name && s.resolve(x, r).same(t) {
			found = append(found, r)
		}
	}
	return found
}

// filesMax and fileBytesMax bound the schemas beside the projects that are looked at.
const (
	filesMax     = 5000
	fileBytesMax = 4 << 20
)

// everyIndex are the files of all projects, the open files, and the files below the folders that
// the client works in.
func (s *server) everyIndex() []*syntax.Index {
	names := map[string]bool{}
	for path := range s.open {
		names[filepath.ToSlash(path)] = true
	}
	for _, checked := range s.projects {
		for name := range checked.Trees {
			names[name] = true
		}
	}
	for _, folder := range s.folders {
		schemas, err := s.editing.Schemas(s.open, folder)
		if err != nil {
			continue
		}
		for _, path := range schemas {
			if info, err := os.Stat(path); len(names) < filesMax && (err != nil || info.Size() <= fileBytesMax) {
				names[filepath.ToSlash(path)] = true
			}
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var all []*syntax.Index
	for _, name := range sorted {
		if x := s.indexOf(filepath.FromSlash(name)); x != nil {
			all = append(all, x)
		}
	}
	return all
}
