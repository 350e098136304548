package driver

import (
	"fmt"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// findType finds the type that the command line names: one of the schema's own
// by its name, or an imported one by its package's and its own.
func findType(schema *ir.Schema, name string) (ir.Decl, error) {
	root := schema.Roots[0]
	var names []string
	for _, pkg := range schema.Packages {
		for _, d := range pkg.Decls {
			if ir.FullName(d) != name && (pkg != root || d.DeclName() != name) {
				if isData(d) {
					names = append(names, nameFrom(root, d))
				}
				continue
			}
			if !isData(d) {
				return nil, usagef("%s is an enum, and data is a struct, message or union", name)
			}
			return d, nil
		}
	}
	err := usagef("%s has no type %q", root.Path, name)
	if near := diag.Nearest(name, names); near != "" {
		err.Help = fmt.Sprintf("did you mean `%s`?", near)
	}
	return nil, err
}

// isData tells whether a value of the type can be a file's content.
func isData(d ir.Decl) bool {
	_, isEnum := d.(*ir.Enum)
	return !isEnum
}

// nameFrom is how a type is named on the command line with a schema.
func nameFrom(root *ir.Package, d ir.Decl) string {
	if d.DeclPackage() == root {
		return d.DeclName()
	}
	return ir.FullName(d)
}

// Types lists the types of a schema that data can have, for completion in
// shells: a schema that does not compile has none.
func (t *Tool) Types(schema string) []string {
	quiet := Tool{In: t.In, Out: io.Discard, Err: io.Discard, Include: t.Include, ConfigPath: t.ConfigPath}
	program, err := quiet.compileOne(schema)
	if err != nil {
		return nil
	}
	var names []string
	for _, pkg := range program.Schema.Packages {
		for _, d := range pkg.Decls {
			if isData(d) {
				names = append(names, nameFrom(program.Schema.Roots[0], d))
			}
		}
	}
	return names
}
