package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// fbsScalars are what FlatBuffers call scalars.
var fbsScalars = ir.MustPerScalar(map[ir.Kind]string{
	ir.Bool: "bool", ir.U8: "ubyte", ir.U16: "ushort", ir.U32: "uint", ir.U64: "ulong", ir.I8: "byte", ir.I16: "short", ir.I32: "int",
	ir.I64: "long", ir.F32: "float", ir.F64: "double", ir.TimestampKind: "ulong", ir.DurationKind: "long", ir.UUIDKind: "[ubyte]",
})

// fbsNamespace is the namespace of all that is written of a schema.
func (s *schema) fbsNamespace() string {
	first, _, _ := strings.Cut(s.pkg, ".")
	return first
}

// writeFbs writes all packages of a schema as one file of FlatBuffers: flatc's files of several packages
// ask for a module of their own around them. It returns the file's path.
func (s *schema) writeFbs(folder string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "namespace %s;\n", s.fbsNamespace())
	// An enum stands before what has it in a field.
	for _, enums := range []bool{true, false} {
		for _, p := range s.resolved.Packages {
			for _, d := range p.Decls {
				if enums == (ir.KindOf(d) == ir.EnumKind) {
					b.WriteByte('\n')
					writeFbsDecl(&b, d)
				}
			}
		}
	}
	fmt.Fprintf(&b, "\nroot_type %s;\n", s.one)
	path := filepath.Join(folder, s.fbsNamespace()+".fbs")
	return path, write(path, b.String())
}

func writeFbsDecl(b *strings.Builder, d ir.Decl) {
	switch d := d.(type) {
	case *ir.Enum:
		fmt.Fprintf(b, "enum %s : %s {\n", d.Name, fbsScalars.Of(d.Base))
		for _, m := range d.Members {
			fmt.Fprintf(b, "  %s = %d,\n", m.Name, m.Number)
		}
	case *ir.Union:
		// A union has tables alone, and a list has no unions: each is in a table.
		var tables []string
		for _, a := range d.Alternatives {
			table := d.Name + a.Name
			fmt.Fprintf(b, "table %s {\n  value: %s;\n}\n\n", table, fbsType(a.Type))
			tables = append(tables, table)
		}
		fmt.Fprintf(b, "union %sAlternative { %s }\n\ntable %s {\n  value: %[1]sAlternative;\n", d.Name, strings.Join(tables, ", "), d.Name)
	default:
		fmt.Fprintf(b, "table %s {\n", d.DeclName())
		for _, f := range ir.FieldsOf(d) {
			fmt.Fprintf(b, "  %s: %s;\n", f.Name, fbsType(f.Type))
		}
	}
	b.WriteString("}\n")
}

// fbsType is a type of FlatBuffers, where everything but a number can be absent by itself.
func fbsType(t *ir.Type) string {
	switch t.Kind {
	case ir.StrKind:
		return "string"
	case ir.BytesKind:
		return "[ubyte]"
	case ir.ListKind, ir.ArrayKind:
		return "[" + fbsType(t.Elem) + "]"
	case ir.OptionalKind:
		return fbsType(t.Elem)
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.Decl.DeclName()
	}
	return fbsScalars.Of(t.Kind)
}
