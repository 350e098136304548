package syntax

import "sort"

// Definition is a name that a file declares: of a declaration or of a member.
type Definition struct {
	*Head
	File *File
	// Node is the declaration, *Field, *Member, *Alternative or *Method.
	Node any
	// Parent is the definition around it; nil at the top.
	Parent   *Definition
	Children []*Definition
}

// Child is one of a name in a declaration; nil if there is none.
func (d *Definition) Child(name string) *Definition {
	for _, c := range d.Children {
		if c.Name.Text == name {
			return c
		}
	}
	return nil
}

// Reference is a name that stands for something declared elsewhere.
type Reference struct {
	// Path is all names that are joined with it, and At which of them it is.
	Path Path
	At   int
	// Of is the type of the field that the path is the default of; else nil.
	Of *Type
}

// Ident is the name itself.
func (r Reference) Ident() Ident { return r.Path.Parts[r.At] }

// Index is the declarations and mentions of a file, as far as it was understood.
type Index struct {
	File *File
	// Top are the declarations, and ByName the first of each name.
	Top    []*Definition
	ByName map[string]*Definition
	// All are the declarations and their members, in order.
	All        []*Definition
	References []Reference // in order
	Attributes []*Attribute
}

// NewIndex makes that of a file.
func NewIndex(file *File) *Index {
	x := &Index{File: file, ByName: map[string]*Definition{}}
	x.attribute(file.Attributes)
	for _, node := range file.Declarations {
		d := x.define(nil, node.DeclarationHead(), node)
		if x.ByName[d.Name.Text] == nil {
			x.ByName[d.Name.Text] = d
		}
		x.Top = append(x.Top, d)
		switch node := node.(type) {
		case *Const:
			x.typ(node.Type)
			x.value(node.Value, nil)
		case *Alias:
			x.typ(node.Type)
		case *Enum:
			x.typ(node.Base)
			for _, m := range node.Members {
				x.define(d, &m.Head, m)
				x.value(m.Value, nil)
			}
		case *Struct:
			x.fields(d, node)
		case *Union:
			for _, a := range node.Alternatives {
				one := x.define(d, &a.Head, a)
				x.typ(a.Type)
				if a.Inline != nil {
					x.fields(one, a.Inline)
				}
			}
		case *Service:
			for _, m := range node.Methods {
				x.define(d, &m.Head, m)
				x.typ(m.Request)
				x.typ(m.Response)
			}
		}
	}
	sort.SliceStable(x.References, func(i, j int) bool {
		return x.References[i].Ident().Span.Start < x.References[j].Ident().Span.Start
	})
	sort.SliceStable(x.All, func(i, j int) bool { return x.All[i].Name.Span.Start < x.All[j].Name.Span.Start })
	return x
}

func (x *Index) define(parent *Definition, head *Head, node any) *Definition {
	d := &Definition{Head: head, File: x.File, Node: node, Parent: parent}
	if parent != nil {
		parent.Children = append(parent.Children, d)
	}
	x.All = append(x.All, d)
	x.attribute(head.Attributes)
	return d
}

func (x *Index) fields(scope *Definition, body *Struct) {
	for _, f := range body.Fields {
		x.define(scope, &f.Head, f)
		x.typ(f.Type)
		x.value(f.Default, f.Type)
	}
}

func (x *Index) attribute(list []*Attribute) {
	for _, a := range list {
		x.Attributes = append(x.Attributes, a)
		name := a.Name.String()
		for _, argument := range a.Args {
			// The names in others are no names of the schema.
			if name == "max" || len(name) > 1 && name[:2] == "x." {
				x.value(argument.Value, nil)
			}
		}
	}
}

func (x *Index) typ(t *Type) {
	if t == nil {
		return
	}
	x.attribute(t.Attributes)
	if t.Kind == NameType {
		x.path(t.Name, nil)
		return
	}
	x.value(t.Length, nil)
	x.typ(t.Key)
	x.typ(t.Elem)
}

func (x *Index) value(v *Value, t *Type) {
	if v != nil && v.Kind == PathValue {
		x.path(v.Path, t)
	}
}

func (x *Index) path(path Path, t *Type) {
	for i := range path.Parts {
		x.References = append(x.References, Reference{path, i, t})
	}
}

// DefinitionAt is the definition whose name is at an offset; nil if none is.
func (x *Index) DefinitionAt(offset int) *Definition {
	i := sort.Search(len(x.All), func(i int) bool { return x.All[i].Name.Span.End >= offset })
	if i < len(x.All) && x.All[i].Name.Span.Holds(offset) {
		return x.All[i]
	}
	return nil
}

// ReferenceAt is the one at an offset; nil if none is.
func (x *Index) ReferenceAt(offset int) *Reference {
	i := sort.Search(len(x.References), func(i int) bool { return x.References[i].Ident().Span.End >= offset })
	if i < len(x.References) && x.References[i].Ident().Span.Holds(offset) {
		return &x.References[i]
	}
	return nil
}
