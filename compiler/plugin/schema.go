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

// reader makes the ir of messages. The names of missing things are collected.
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
func (s *reader) declare(origin *Package) {
	pkg := &ir.Package{Name: origin.Name, Path: origin.Path}
	s.pkg, s.files[pkg] = pkg, source.New(origin.Path, origin.Text)
	pkg.Span = s.span(origin.At)
	s.schema.Packages, s.packages[pkg.Name] = append(s.schema.Packages, pkg), pkg
	for _, a := range origin.Aliases {
		alias := &ir.Alias{Name: a.Meta.Name, Meta: ir.Meta{Package: pkg}}
		pkg.Aliases, s.aliases[aliasName(alias)] = append(pkg.Aliases, alias), alias
	}
	for i := range origin.Declarations {
		if d := s.declaration(&origin.Declarations[i], nil); d != nil {
			pkg.Decls = append(pkg.Decls, d)
		}
	}
}

func (s *reader) declaration(source *Declaration, owner *ir.Union) ir.Decl {
	meta := ir.Meta{Package: s.pkg}
	var d ir.Decl
	switch source.Kind {
	case kindOf(ir.EnumKind):
		e := &ir.Enum{Name: source.Meta.Name, Meta: meta, Base: kinds[source.Base], Closed: source.Closed, Reserved: source.Reserved.reserved()}
		for _, m := range source.Members {
			e.Members = append(e.Members, &ir.EnumMember{Name: m.Meta.Name, Number: m.Number, Meta: s.meta(&m.Meta)})
		}
		d = e
	case kindOf(ir.UnionKind):
		u := &ir.Union{Name: source.Meta.Name, Meta: meta, Closed: source.Closed, Reserved: source.Reserved.reserved(), ID: s.id(source.ID)}
		for _, a := range source.Alternatives {
			alternative := &ir.Alternative{Name: a.Meta.Name, Tag: a.Tag, Meta: s.meta(&a.Meta)}
			if a.Inline != nil {
				alternative.Inline, _ = s.declaration(a.Inline, u).(*ir.Struct)
			}
			u.Alternatives = append(u.Alternatives, alternative)
		}
		d = u
	case kindOf(ir.StructKind):
		d = &ir.Struct{Name: source.Meta.Name, Meta: meta, Owner: owner, ID: s.id(source.ID)}
	case kindOf(ir.MessageKind):
		d = &ir.Message{Name: source.Meta.Name, Meta: meta, KeepUnknown: source.KeepUnknown, ID: s.id(source.ID)}
	default:
		s.missing = append(s.missing, fmt.Sprintf("a declaration of kind %d", source.Kind))
		return nil
	}
	*d.DeclMeta() = s.meta(&source.Meta)
	s.decls[ir.FullName(d)] = d
	return d
}

// fill makes what is in a package, now that all types are there.
func (s *reader) fill(source *Package, pkg *ir.Package) {
	s.pkg = pkg
	pkg.Legacy, pkg.Doc, pkg.Canonical = source.Legacy, source.Doc, source.Canonical
	pkg.ReservedIDs, pkg.Custom = ranges(source.ReservedIDs), s.custom(source.Custom)
	for _, i := range source.Imports {
		imported := s.packages[i.Package]
		if imported == nil {
			s.missing = append(s.missing, i.Package)
		}
		pkg.Imports = append(pkg.Imports, &ir.Import{Name: i.Name, Package: imported, Used: true, Span: s.span(i.At)})
	}
	for _, c := range source.Constants {
		t := s.typ(&c.Type)
		pkg.Consts = append(pkg.Consts, &ir.Const{Name: c.Meta.Name, Type: t, Value: s.value(c.Value, t), Meta: s.meta(&c.Meta)})
	}
	for i, a := range source.Aliases {
		pkg.Aliases[i].Type, pkg.Aliases[i].Meta = s.typ(&a.Type), s.meta(&a.Meta)
	}
	for i := range source.Declarations {
		s.contents(&source.Declarations[i])
	}
	for _, one := range source.Services {
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

func (s *reader) contents(source *Declaration) {
	switch d := s.decls[s.pkg.Name+"."+source.Meta.Name].(type) {
	case *ir.Struct:
		d.Fields = s.fields(source.Fields, d.Owner != nil)
	case *ir.Message:
		d.Fields = s.fields(source.Fields, false)
	case *ir.Union:
		for i, a := range d.Alternatives {
			if a.Inline == nil {
				a.Type = s.typ(source.Alternatives[i].Type)
				continue
			}
			a.Type = &ir.Type{Kind: ir.StructKind, Decl: a.Inline}
			s.contents(source.Alternatives[i].Inline)
		}
	}
}

func (s *reader) fields(source []Field, inline bool) []*ir.Field {
	var fields []*ir.Field
	for _, f := range source {
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

func (s *reader) typ(source *Type) *ir.Type {
	if source == nil {
		return nil
	}
	t := &ir.Type{
		Kind: kinds[source.Kind], Elem: s.typ(source.Element), Key: s.typ(source.Key), N: source.Length, LenBytes: int(source.CountBytes), Max: source.Max,
		Decl: s.decls[source.Declaration], Alias: s.aliases[source.Alias], Boxed: source.Boxed,
	}
	if t.Kind == 0 || t.Decl == nil && source.Declaration != "" {
		s.missing = append(s.missing, fmt.Sprintf("the type %s of kind %d", source.Declaration, source.Kind))
	}
	return t
}

// value is a constant of a type; nil stands for the type of an attribute's argument.
func (s *reader) value(source Value, t *ir.Type) ir.Value {
	switch {
	case source.Bool != nil:
		return ir.Value{Kind: ir.BoolValue, Bool: *source.Bool}
	case source.Int != nil:
		return ir.Value{Kind: ir.IntValue, Int: *source.Int}
	case source.Float != nil:
		return ir.Value{Kind: ir.FloatValue, Float: *source.Float}
	case source.Str != nil:
		return ir.Value{Kind: ir.StrValue, Str: *source.Str}
	case source.Member != nil && t != nil:
		if e, ok := t.Decl.(*ir.Enum); ok {
			for _, m := range e.Members {
				if m.Name == *source.Member {
					return ir.Value{Kind: ir.EnumValue, Int: m.Number, Member: m}
				}
			}
		}
	}
	s.missing = append(s.missing, "a value")
	return ir.Value{}
}

func (s *reader) meta(source *Meta) ir.Meta {
	return ir.Meta{
		Package: s.pkg, Doc: source.Doc, Deprecated: source.Deprecated, Names: source.Names, Custom: s.custom(source.Custom),
		Span: s.span(source.At), Full: s.span(source.Whole),
	}
}

func (s *reader) custom(source []Custom) []ir.Custom {
	var custom []ir.Custom
	for _, c := range source {
		one := ir.Custom{Name: c.Name, Span: s.span(c.At)}
		for _, a := range c.Arguments {
			one.Args = append(one.Args, ir.Arg{Name: a.Name, Value: s.value(a.Value, nil)})
		}
		custom = append(custom, one)
	}
	return custom
}

func (s *reader) id(source *TypeID) *ir.TypeID {
	if source == nil {
		return nil
	}
	return &ir.TypeID{Value: source.Value, Positional: source.Positional, Span: s.span(source.At)}
}

func (s *reader) span(p Place) source.Span {
	if p == (Place{}) {
		return source.Span{}
	}
	return s.files[s.pkg].Span(int(p.Start), int(p.End))
}

func (r Reserved) reserved() ir.Reserved {
	return ir.Reserved{Numbers: ranges(r.Numbers), Names: r.Names}
}

func ranges(source []Range) []ir.Range {
	var all []ir.Range
	for _, r := range source {
		all = append(all, ir.Range(r))
	}
	return all
}
