package plugin

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Schema makes the schema of a request again: all that backends read of it. Lints that are
// waived and constants that defaults name are not in requests.
func (r *Request) Schema() (*ir.Schema, error) {
	s := reader{schema: &ir.Schema{}, packages: map[string]*ir.Package{}, files: map[*ir.Package]*source.File{}, decls: map[string]ir.Decl{}, aliases: map[string]*ir.Alias{}}
	for i := range r.Packages {
		s.declare(&r.Packages[i])
	}
	for i := range r.Packages {
		s.fill(&r.Packages[i], s.schema.Packages[i])
	}
	for _, name := range r.Roots {
		s.schema.Roots = append(s.schema.Roots, s.packages[name])
	}
	if len(s.missing) > 0 {
		return nil, fmt.Errorf("the request lacks %s", strings.Join(s.missing, ", "))
	}
	return s.schema, nil
}

// reader makes the ir of messages. The names of what is missing are collected.
type reader struct {
	schema   *ir.Schema
	packages map[string]*ir.Package
	files    map[*ir.Package]*source.File
	decls    map[string]ir.Decl
	aliases  map[string]*ir.Alias
	missing  []string
	pkg      *ir.Package // that is being made
}

// declare makes the package, and its types and aliases without what is in them.
func (s *reader) declare(from *Package) {
	pkg := &ir.Package{Name: from.Name, Path: from.Path}
	s.pkg, s.files[pkg] = pkg, source.New(from.Path, from.Text)
	pkg.Span = s.span(from.At)
	s.schema.Packages, s.packages[pkg.Name] = append(s.schema.Packages, pkg), pkg
	for _, a := range from.Aliases {
		alias := &ir.Alias{Name: a.Meta.Name, Meta: ir.Meta{Package: pkg}}
		pkg.Aliases, s.aliases[aliasName(alias)] = append(pkg.Aliases, alias), alias
	}
	for i := range from.Declarations {
		if d := s.declaration(&from.Declarations[i], nil); d != nil {
			pkg.Decls = append(pkg.Decls, d)
		}
	}
}

func (s *reader) declaration(from *Declaration, owner *ir.Union) ir.Decl {
	meta := ir.Meta{Package: s.pkg}
	var d ir.Decl
	switch from.Kind {
	case kindOf(ir.EnumKind):
		e := &ir.Enum{Name: from.Meta.Name, Meta: meta, Base: kinds[from.Base], Closed: from.Closed, Reserved: from.Reserved.reserved()}
		for _, m := range from.Members {
			e.Members = append(e.Members, &ir.EnumMember{Name: m.Meta.Name, Number: m.Number, Meta: s.meta(&m.Meta)})
		}
		d = e
	case kindOf(ir.UnionKind):
		u := &ir.Union{Name: from.Meta.Name, Meta: meta, Closed: from.Closed, Reserved: from.Reserved.reserved(), ID: s.id(from.ID)}
		for _, a := range from.Alternatives {
			alternative := &ir.Alternative{Name: a.Meta.Name, Tag: a.Tag, Meta: s.meta(&a.Meta)}
			if a.Inline != nil {
				alternative.Inline, _ = s.declaration(a.Inline, u).(*ir.Struct)
			}
			u.Alternatives = append(u.Alternatives, alternative)
		}
		d = u
	case kindOf(ir.StructKind):
		d = &ir.Struct{Name: from.Meta.Name, Meta: meta, Owner: owner, ID: s.id(from.ID)}
	case kindOf(ir.MessageKind):
		d = &ir.Message{Name: from.Meta.Name, Meta: meta, KeepUnknown: from.KeepUnknown, ID: s.id(from.ID)}
	default:
		s.missing = append(s.missing, fmt.Sprintf("a declaration of kind %d", from.Kind))
		return nil
	}
	*d.DeclMeta() = s.meta(&from.Meta)
	s.decls[ir.FullName(d)] = d
	return d
}

// fill makes what is in a package, now that all types are there.
func (s *reader) fill(from *Package, pkg *ir.Package) {
	s.pkg = pkg
	pkg.Legacy, pkg.Doc, pkg.Canonical = from.Legacy, from.Doc, from.Canonical
	pkg.ReservedIDs, pkg.Custom = ranges(from.ReservedIDs), s.custom(from.Custom)
	for _, i := range from.Imports {
		imported := s.packages[i.Package]
		if imported == nil {
			s.missing = append(s.missing, i.Package)
		}
		pkg.Imports = append(pkg.Imports, &ir.Import{Name: i.Name, Package: imported, Used: true, Span: s.span(i.At)})
	}
	for _, c := range from.Constants {
		t := s.typ(&c.Type)
		pkg.Consts = append(pkg.Consts, &ir.Const{Name: c.Meta.Name, Type: t, Value: s.value(c.Value, t), Meta: s.meta(&c.Meta)})
	}
	for i, a := range from.Aliases {
		pkg.Aliases[i].Type, pkg.Aliases[i].Meta = s.typ(&a.Type), s.meta(&a.Meta)
	}
	for i := range from.Declarations {
		s.contents(&from.Declarations[i])
	}
	for _, one := range from.Services {
		service := &ir.Service{Name: one.Meta.Name, Meta: s.meta(&one.Meta), Reserved: one.Reserved.reserved()}
		for _, m := range one.Methods {
			service.Methods = append(service.Methods, &ir.Method{
				Name: m.Meta.Name, Kind: ir.MethodKind(m.Kind), Number: m.Number, Request: s.typ(&m.Request), Response: s.typ(m.Response),
				RequestFlows: m.RequestStream, ResponseFlows: m.ResponseStream, Idempotent: m.Idempotent, Meta: s.meta(&m.Meta),
			})
		}
		pkg.Services = append(pkg.Services, service)
	}
}

func (s *reader) contents(from *Declaration) {
	switch d := s.decls[s.pkg.Name+"."+from.Meta.Name].(type) {
	case *ir.Struct:
		d.Fields = s.fields(from.Fields, d.Owner != nil)
	case *ir.Message:
		d.Fields = s.fields(from.Fields, false)
	case *ir.Union:
		for i, a := range d.Alternatives {
			if a.Inline == nil {
				a.Type = s.typ(from.Alternatives[i].Type)
				continue
			}
			a.Type = &ir.Type{Kind: ir.StructKind, Decl: a.Inline}
			s.contents(from.Alternatives[i].Inline)
		}
	}
}

func (s *reader) fields(from []Field, inline bool) []*ir.Field {
	var fields []*ir.Field
	for _, f := range from {
		field := &ir.Field{Name: f.Meta.Name, Type: s.typ(&f.Type), Since: int(f.Segment), Inline: inline, Meta: s.meta(&f.Meta)}
		if f.Default != nil {
			valued := field.Type
			if valued.Kind == ir.OptionalKind {
				valued = valued.Elem
			}
			value := s.value(*f.Default, valued)
			field.Default = &value
		}
		fields = append(fields, field)
	}
	return fields
}

func (s *reader) typ(from *Type) *ir.Type {
	if from == nil {
		return nil
	}
	t := &ir.Type{
		Kind: kinds[from.Kind], Elem: s.typ(from.Element), Key: s.typ(from.Key), N: from.Length, LenBytes: int(from.CountBytes), Max: from.Max,
		Decl: s.decls[from.Declaration], Alias: s.aliases[from.Alias], Boxed: from.Boxed,
	}
	if t.Kind == 0 || t.Decl == nil && from.Declaration != "" {
		s.missing = append(s.missing, fmt.Sprintf("the type %s of kind %d", from.Declaration, from.Kind))
	}
	return t
}

// value is a constant of a type; nil stands for the type of an attribute's argument.
func (s *reader) value(from Value, t *ir.Type) ir.Value {
	switch {
	case from.Bool != nil:
		return ir.Value{Kind: ir.BoolValue, Bool: *from.Bool}
	case from.Int != nil:
		return ir.Value{Kind: ir.IntValue, Int: *from.Int}
	case from.Float != nil:
		return ir.Value{Kind: ir.FloatValue, Float: *from.Float}
	case from.Str != nil:
		return ir.Value{Kind: ir.StrValue, Str: *from.Str}
	case from.Member != nil && t != nil:
		if e, ok := t.Decl.(*ir.Enum); ok {
			for _, m := range e.Members {
				if m.Name == *from.Member {
					return ir.Value{Kind: ir.EnumValue, Int: m.Number, Member: m}
				}
			}
		}
	}
	s.missing = append(s.missing, "a value")
	return ir.Value{}
}

func (s *reader) meta(from *Meta) ir.Meta {
	return ir.Meta{
		Package: s.pkg, Doc: from.Doc, Deprecated: from.Deprecated, Names: from.Names, Custom: s.custom(from.Custom),
		Span: s.span(from.At), Full: s.span(from.Whole),
	}
}

func (s *reader) custom(from []Custom) []ir.Custom {
	var custom []ir.Custom
	for _, c := range from {
		one := ir.Custom{Name: c.Name, Span: s.span(c.At)}
		for _, a := range c.Arguments {
			one.Args = append(one.Args, ir.Arg{Name: a.Name, Value: s.value(a.Value, nil)})
		}
		custom = append(custom, one)
	}
	return custom
}

func (s *reader) id(from *TypeID) *ir.TypeID {
	if from == nil {
		return nil
	}
	return &ir.TypeID{Value: from.Value, Positional: from.Positional, Span: s.span(from.At)}
}

func (s *reader) span(at Place) source.Span {
	if at == (Place{}) {
		return source.Span{}
	}
	return s.files[s.pkg].Span(int(at.Start), int(at.End))
}

func (r Reserved) reserved() ir.Reserved {
	return ir.Reserved{Numbers: ranges(r.Numbers), Names: r.Names}
}

func ranges(from []Range) []ir.Range {
	var all []ir.Range
	for _, r := range from {
		all = append(all, ir.Range(r))
	}
	return all
}
