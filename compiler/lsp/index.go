package lsp

import (
	"sort"

	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// definition is a name that a file declares: of a declaration or of what is in one.
type definition struct {
	*syntax.Head
	file *syntax.File
	// node is the declaration, *syntax.Field, *syntax.Member, *syntax.Alternative or
	// *syntax.Method.
	node any
	// parent is what it lies in; nil at the top.
	parent   *definition
	children []*definition
}

// child is one of a name in a declaration; nil if there is none.
func (d *definition) child(name string) *definition {
	for _, c := range d.children {
		if c.Name.Text == name {
			return c
		}
	}
	return nil
}

// reference is a name that stands for something declared elsewhere.
type reference struct {
	// path is all names that are joined with it, and at which of them it is.
	path syntax.Path
	at   int
	// of is the type of the field that the path is the default of; else nil.
	of *syntax.Type
}

func (r reference) ident() syntax.Ident { return r.path.Parts[r.at] }

// index is what a file declares and mentions.
type index struct {
	file       *syntax.File
	top        []*definition
	byName     map[string]*definition
	references []reference   // in order
	all        []*definition // in order
	attributes []*syntax.Attribute
}

func newIndex(file *syntax.File) *index {
	x := &index{file: file, byName: map[string]*definition{}}
	x.attribute(file.Attributes)
	for _, node := range file.Declarations {
		d := x.define(nil, node.DeclarationHead(), node)
		if x.byName[d.Name.Text] == nil {
			x.byName[d.Name.Text] = d
		}
		x.top = append(x.top, d)
		switch node := node.(type) {
		case *syntax.Const:
			x.typ(node.Type)
			x.value(node.Value, nil)
		case *syntax.Alias:
			x.typ(node.Type)
		case *syntax.Enum:
			x.typ(node.Base)
			for _, m := range node.Members {
				x.define(d, &m.Head, m)
				x.value(m.Value, nil)
			}
		case *syntax.Struct:
			x.fields(d, node)
		case *syntax.Union:
			for _, a := range node.Alternatives {
				one := x.define(d, &a.Head, a)
				x.typ(a.Type)
				if a.Inline != nil {
					x.fields(one, a.Inline)
				}
			}
		case *syntax.Service:
			for _, m := range node.Methods {
				x.define(d, &m.Head, m)
				x.typ(m.Request)
				x.typ(m.Response)
			}
		}
	}
	sort.SliceStable(x.references, func(i, j int) bool {
		return x.references[i].ident().Span.Start < x.references[j].ident().Span.Start
	})
	sort.SliceStable(x.all, func(i, j int) bool { return x.all[i].Name.Span.Start < x.all[j].Name.Span.Start })
	return x
}

func (x *index) define(parent *definition, head *syntax.Head, node any) *definition {
	d := &definition{Head: head, file: x.file, node: node, parent: parent}
	if parent != nil {
		parent.children = append(parent.children, d)
	}
	x.all = append(x.all, d)
	x.attribute(head.Attributes)
	return d
}

func (x *index) fields(in *definition, body *syntax.Struct) {
	for _, f := range body.Fields {
		x.define(in, &f.Head, f)
		x.typ(f.Type)
		x.value(f.Default, f.Type)
	}
}

func (x *index) attribute(list []*syntax.Attribute) {
	for _, a := range list {
		x.attributes = append(x.attributes, a)
		name := a.Name.String()
		for _, argument := range a.Args {
			// The names in others are no names of the schema.
			if name == "max" || len(name) > 1 && name[:2] == "x." {
				x.value(argument.Value, nil)
			}
		}
	}
}

func (x *index) typ(t *syntax.Type) {
	if t == nil {
		return
	}
	x.attribute(t.Attributes)
	if t.Kind == syntax.NameType {
		x.path(t.Name, nil)
		return
	}
	x.value(t.Length, nil)
	x.typ(t.Key)
	x.typ(t.Elem)
}

func (x *index) value(v *syntax.Value, of *syntax.Type) {
	if v != nil && v.Kind == syntax.PathValue {
		x.path(v.Path, of)
	}
}

func (x *index) path(path syntax.Path, of *syntax.Type) {
	for i := range path.Parts {
		x.references = append(x.references, reference{path, i, of})
	}
}

// definitionAt is the one whose name is at an offset; nil if none is.
func (x *index) definitionAt(offset int) *definition {
	i := sort.Search(len(x.all), func(i int) bool { return x.all[i].Name.Span.End >= offset })
	if i < len(x.all) && holds(x.all[i].Name.Span, offset) {
		return x.all[i]
	}
	return nil
}

// referenceAt is the one at an offset; nil if none is.
func (x *index) referenceAt(offset int) *reference {
	i := sort.Search(len(x.references), func(i int) bool { return x.references[i].ident().Span.End >= offset })
	if i < len(x.references) && holds(x.references[i].ident().Span, offset) {
		return &x.references[i]
	}
	return nil
}

// holds tells whether an offset is in a span or directly behind it, where an editor's
// cursor is after a word.
func holds(s source.Span, offset int) bool { return s.Start <= offset && offset <= s.End }

// enclosing is the declaration, or what is in one, that an offset is in; nil if none is.
func (x *index) enclosing(offset int) *definition {
	var found *definition
	within := x.top
	for i := 0; i < len(within); i++ {
		if d := within[i]; holds(d.Span, offset) {
			found, within, i = d, d.children, -1
		}
	}
	return found
}
