package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// protoScalars are what Protocol Buffers call scalars, as somebody would choose who has this data.
var protoScalars = ir.MustPerScalar(map[ir.Kind]string{
	ir.Bool: "bool", ir.U8: "uint32", ir.U16: "uint32", ir.U32: "uint32", ir.U64: "uint64", ir.I8: "sint32", ir.I16: "sint32",
	ir.I32: "sint32", ir.I64: "int64", ir.F32: "float", ir.F64: "double", ir.TimestampKind: "fixed64", ir.DurationKind: "sfixed64",
	ir.UUIDKind: "bytes",
})

// protoFile is the name of a package's file, without its ending.
func protoFile(p *ir.Package) string { return strings.ReplaceAll(p.Name, ".", "_") }

// writeProto writes a schema as files of proto3, one for each package, whose Go packages lie below a path.
// It returns their names.
func (s *schema) writeProto(folder, path string) ([]string, error) {
	var names []string
	for _, p := range s.resolved.Packages {
		name := protoFile(p) + ".proto"
		text, err := proto(p, path)
		if err != nil {
			return nil, err
		}
		if err := write(filepath.Join(folder, name), text); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func proto(p *ir.Package, path string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "syntax = \"proto3\";\n\npackage %s;\n\n", p.Name)
	for _, i := range p.Imports {
		fmt.Fprintf(&b, "import \"%s.proto\";\n", protoFile(i.Package))
	}
	fmt.Fprintf(&b, "option go_package = \"%s/%s\";\n", path, protoFile(p))
	for _, d := range p.Decls {
		b.WriteByte('\n')
		switch d := d.(type) {
		case *ir.Enum:
			fmt.Fprintf(&b, "enum %s {\n", d.Name)
			for _, m := range d.Members {
				fmt.Fprintf(&b, "  %s_%s = %d;\n", strings.ToUpper(snake(d.Name)), strings.ToUpper(snake(m.Name)), m.Number)
			}
		case *ir.Union:
			fmt.Fprintf(&b, "message %s {\n  oneof value {\n", d.Name)
			for _, a := range d.Alternatives {
				if a.Type == nil || a.Inline != nil || a.Type.Kind == ir.ListKind {
					return "", fmt.Errorf("the alternative %s of %s has no counterpart in a oneof", a.Name, d.Name)
				}
				fmt.Fprintf(&b, "    %s %s_value = %d;\n", protoElement(a.Type), snake(a.Name), a.Tag)
			}
			b.WriteString("  }\n")
		default:
			fmt.Fprintf(&b, "message %s {\n", d.DeclName())
			for i, f := range ir.FieldsOf(d) {
				fmt.Fprintf(&b, "  %s %s = %d;\n", protoType(f.Type), f.Name, i+1)
			}
		}
		b.WriteString("}\n")
	}
	return b.String(), nil
}

// protoType is the type of a field.
func protoType(t *ir.Type) string {
	switch t.Kind {
	case ir.ListKind:
		return "repeated " + protoElement(t.Elem)
	case ir.ArrayKind:
		if t.Elem.Kind != ir.U8 {
			return "repeated " + protoElement(t.Elem)
		}
	case ir.OptionalKind:
		if !composite(t.Elem) {
			return "optional " + protoElement(t.Elem)
		}
		return protoElement(t.Elem)
	}
	return protoElement(t)
}

// composite tells whether a value is a message in Protocol Buffers, which can be absent by itself.
func composite(t *ir.Type) bool {
	return t.Kind == ir.StructKind || t.Kind == ir.MessageKind || t.Kind == ir.UnionKind
}

func protoElement(t *ir.Type) string {
	switch t.Kind {
	case ir.StrKind:
		return "string"
	case ir.BytesKind, ir.ArrayKind:
		return "bytes"
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return ir.FullName(t.Decl)
	case ir.MapKind:
		return fmt.Sprintf("map<%s, %s>", protoElement(t.Key), protoElement(t.Elem))
	}
	return protoScalars.Of(t.Kind)
}

// snake is a name of upper camel case in lower case with underscores.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
