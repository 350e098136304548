package api

import (
	"fmt"
	"maps"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Schema is files by their paths, one of which is asked about; the others are there for
// its imports.
type Schema struct {
	Root  string            `json:"root"`
	Files map[string]string `json:"files"`
}

// compilation is a schema and what became of it; the program is nil if it has errors.
type compilation struct {
	schema   Schema
	program  *plan.Program
	problems *diag.List
}

// recentMax is how many compiled schemas are kept: one that is edited, and the older
// one that it is compared with.
const recentMax = 2

// compile checks a schema and plans its bytes, or finds that it was the same before.
func (c *Compiler) compile(schema Schema) (*compilation, error) {
	for at, one := range c.recent {
		if one.schema.Root == schema.Root && maps.Equal(one.schema.Files, schema.Files) {
			c.recent = append(slices.Delete(c.recent, at, at+1), one)
			return one, nil
		}
	}
	length := 0
	for _, text := range schema.Files {
		length += len(text)
	}
	if length > TextBytesMax {
		return nil, fmt.Errorf("the schema has %d bytes, and %d are the most here", length, TextBytesMax)
	}
	if _, there := schema.Files[schema.Root]; !there {
		return nil, fmt.Errorf("there is no file %q", schema.Root)
	}
	one := &compilation{schema: schema}
	checked, problems := check.Program(check.Memory(schema.Files), []string{schema.Root}, format.Canonical)
	one.problems = problems
	if !problems.HasErrors() {
		one.program = plan.New(checked)
	}
	c.recent = append(c.recent, one)
	c.recent = c.recent[max(0, len(c.recent)-recentMax):]
	return one, nil
}

// sound is a schema without errors.
func (c *Compiler) sound(schema Schema) (*compilation, error) {
	one, err := c.compile(schema)
	if err == nil && one.program == nil {
		err = fmt.Errorf("the schema has errors")
	}
	return one, err
}

// Type is one that a value can be of.
type Type struct {
	// Name is without the package for a type of the file that is asked about.
	Name string `json:"name"`
	Kind string `json:"kind"`
	// HasID says that values have a message mode.
	HasID bool `json:"has_id"`
}

// types are the types that values can be of, the root's own first.
func (one *compilation) types() []Type {
	types := []Type{}
	if one.program == nil {
		return types
	}
	root := one.program.Schema.Roots[0]
	for _, pkg := range one.rootFirst() {
		for _, d := range pkg.Decls {
			if kind := kindOf(d); kind != "" {
				types = append(types, Type{Name: nameFrom(root, d), Kind: kind, HasID: ir.IDOf(d) != nil})
			}
		}
	}
	return types
}

// rootFirst are the packages: the package of the question, then its imports.
func (one *compilation) rootFirst() []*ir.Package {
	root := one.program.Schema.Roots[0]
	packages := []*ir.Package{root}
	for _, pkg := range one.program.Schema.Packages {
		if pkg != root {
			packages = append(packages, pkg)
		}
	}
	return packages
}

// kindOf is the word of the language that declares a type, empty for an enum: no value of
// it stands alone.
func kindOf(d ir.Decl) string {
	switch d.(type) {
	case *ir.Struct:
		return "struct"
	case *ir.Message:
		return "message"
	case *ir.Union:
		return "union"
	}
	return ""
}

// nameFrom is how a type is named beside a root, as on the tool's command line.
func nameFrom(root *ir.Package, d ir.Decl) string {
	if d.DeclPackage() == root {
		return d.DeclName()
	}
	return ir.FullName(d)
}

// find finds a type by its name.
func (one *compilation) find(name string) (ir.Decl, error) {
	root := one.program.Schema.Roots[0]
	for _, pkg := range one.program.Schema.Packages {
		for _, d := range pkg.Decls {
			if kindOf(d) != "" && nameFrom(root, d) == name {
				return d, nil
			}
		}
	}
	return nil, fmt.Errorf("%s has no type %q", root.Path, name)
}
