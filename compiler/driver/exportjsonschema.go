package driver

import (
	"bufio"
	"errors"
	"os"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/jsonschema"
)

// ExportJSONSchemaOptions says what to write as JSON Schema.
type ExportJSONSchemaOptions struct {
	Schemas []string
	// Type is that of the texts that are accepted; empty is all types as definitions.
	Type string
	// Strict refuses members that a message does not have.
	Strict bool
	// ID is the $id; empty is one made of the type's name.
	ID string
	// Out is a file, or "-".
	Out string
}

// ExportJSONSchema writes types as JSON Schema. An output file appears only when it is
// whole.
func (t *Tool) ExportJSONSchema(options ExportJSONSchemaOptions) error {
	roots, config, err := t.schemasOr(options.Schemas)
	if err != nil {
		return err
	}
	program, err := t.compile(t.loader(disk{}, config), roots)
	if err != nil {
		return err
	}
	var root ir.Decl
	if options.Type != "" {
		if root, err = typeOfRoots(program.Schema, options.Type); err != nil {
			return err
		}
	}
	for _, pkg := range program.Schema.Packages {
		if isSame(pkg.Path, options.Out) {
			return usagef("the output would overwrite the schema %s", pkg.Path).withHelp("name another file with -o")
		}
	}
	out, err := t.createOutput(options.Out)
	if err != nil {
		return err
	}
	defer out.Discard()
	buffered := bufio.NewWriter(out)
	err = jsonschema.Write(buffered, program.Schema, root, jsonschema.Options{Strict: options.Strict, ID: options.ID})
	if err = errors.Join(err, buffered.Flush()); err != nil {
		return err
	}
	return out.Commit()
}

// isSame tells whether two names are of the same file.
func isSame(first, second string) bool {
	a, err := os.Stat(first)
	if err != nil || second == stdName {
		return false
	}
	b, err := os.Stat(second)
	return err == nil && os.SameFile(a, b)
}

// typeOfRoots finds a type of one of the schemas that the command line names, by its own
// name or with its package's. An enum is one, too.
func typeOfRoots(schema *ir.Schema, name string) (ir.Decl, error) {
	var found, full ir.Decl
	for _, pkg := range schema.Packages {
		for _, d := range pkg.Decls {
			if ir.FullName(d) == name {
				full = d
			}
		}
	}
	if full != nil {
		return full, nil
	}
	for _, root := range schema.Roots {
		for _, d := range root.Decls {
			if d.DeclName() != name {
				continue
			}
			if found != nil {
				return nil, usagef("%q is each of %s and %s", name, ir.FullName(found), ir.FullName(d)).withHelp("name it with its package")
			}
			found = d
		}
	}
	if found == nil {
		_, err := findType(schema, name)
		return nil, err
	}
	return found, nil
}
