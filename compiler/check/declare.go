package check

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// declare enters every declaration of the file, so that the passes after it
// may look names up in any order.
func (u *unit) declare() {
	u.pkg.Legacy = isLegacy(u.file)
	for _, node := range u.file.Declarations {
		head := node.DeclarationHead()
		s := &symbol{name: head.Name.Text, span: head.Name.Span, node: node}
		u.shell(s)
		if legacyBuiltin(s.name) && s.service == nil {
			u.problems.Error(codeBuiltinName, s.span, "%s is a built-in type", quote(s.name)).
				WithHelp("choose another name")
		}
		u.bind(s)
	}
}

// packageAttributes reads what stands before the package statement.
func (u *unit) packageAttributes() {
	a := u.attributes(u.file.Attributes, onPackage)
	u.pkg.Custom, u.pkg.Waivers = a.custom, a.waivers
}

// shell makes the empty ir object of a declaration, to be filled later. One
// whose name is taken is filled and checked all the same.
func (u *unit) shell(s *symbol) {
	// Passes before the filling of a declaration name its place.
	meta := ir.Meta{Package: u.pkg, Span: s.span, Full: s.node.DeclarationHead().Span}
	switch node := s.node.(type) {
	case *syntax.Const:
		s.constant = &ir.Const{Name: s.name, Meta: meta}
		u.pkg.Consts = append(u.pkg.Consts, s.constant)
	case *syntax.Alias:
		s.alias = &ir.Alias{Name: s.name, Meta: meta}
		u.pkg.Aliases = append(u.pkg.Aliases, s.alias)
	case *syntax.Service:
		s.service = &ir.Service{Name: s.name, Meta: meta}
		u.pkg.Services = append(u.pkg.Services, s.service)
	case *syntax.Enum:
		s.decl, s.typ = &ir.Enum{Name: s.name}, &ir.Type{Kind: ir.EnumKind}
	case *syntax.Union:
		s.decl, s.typ = &ir.Union{Name: s.name}, &ir.Type{Kind: ir.UnionKind}
	case *syntax.Struct:
		if node.Message {
			s.decl, s.typ = &ir.Message{Name: s.name}, &ir.Type{Kind: ir.MessageKind}
		} else {
			s.decl, s.typ = &ir.Struct{Name: s.name}, &ir.Type{Kind: ir.StructKind}
		}
	}
	if s.decl != nil {
		s.typ.Decl = s.decl
		*s.decl.DeclMeta() = meta
		u.pkg.Decls = append(u.pkg.Decls, s.decl)
	}
	u.declared = append(u.declared, s)
}

// isLegacy tells whether a file uses nothing newer than SDP 0.2.0 [LANG-8.1].
func isLegacy(file *syntax.File) bool {
	if file.Package != nil || len(file.Imports)+len(file.ReservedIDs)+len(file.Attributes) > 0 {
		return false
	}
	declared := map[string]bool{}
	for _, d := range file.Declarations {
		declared[d.DeclarationHead().Name.Text] = true
	}
	for _, d := range file.Declarations {
		s, isStruct := d.(*syntax.Struct)
		if !isStruct || s.Message || len(s.Attributes) > 0 {
			return false
		}
		for _, f := range s.Fields {
			if len(f.Attributes) > 0 || f.Default != nil || !isLegacyType(f.Type, declared) {
				return false
			}
		}
	}
	return true
}

// isLegacyType tells whether 0.2.0 had a type expression. A name that is
// nowhere declared does not make a file new: it is a mistake in either.
func isLegacyType(t *syntax.Type, declared map[string]bool) bool {
	if len(t.Attributes) > 0 {
		return false
	}
	switch t.Kind {
	case syntax.NameType:
		name := t.Name.Parts[0].Text
		_, builtin := builtins[name]
		return len(t.Name.Parts) == 1 && (declared[name] || !builtin || legacyBuiltin(name))
	case syntax.ArrayType, syntax.MapType:
		return false
	}
	return isLegacyType(t.Elem, declared)
}
