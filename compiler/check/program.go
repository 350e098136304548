package check

import (
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// Program compiles the files that were asked for and all that they import.
// The schema is nil if any problem is an error, and if the loader gives the run up.
//
// canonical turns a file into the text that its source fingerprint is taken
// over; it is the formatter's, which this package may not import.
func Program(loader Loader, roots []string, canonical func(*syntax.File) string) (*ir.Schema, *diag.List) {
	p := newProgram(loader)
	return p.schema(roots, canonical), p.problems
}

func newProgram(loader Loader) *program {
	return &program{
		loader:   loader,
		problems: &diag.List{},
		units:    map[string]*unit{},
		names:    map[string]*unit{},
		measures: newMeasures(),
		zeros:    zeros{},
	}
}

// schema compiles files; it is nil after an error.
func (p *program) schema(roots []string, canonical func(*syntax.File) string) *ir.Schema {
	p.load(roots)
	for _, u := range p.sorted {
		if p.givenUp() {
			return nil
		}
		u.check()
	}
	if p.problems.HasErrors() {
		return nil
	}
	schema := &ir.Schema{}
	for _, u := range p.sorted {
		u.pkg.Canonical = canonical(u.file)
		schema.Packages = append(schema.Packages, u.pkg)
	}
	for _, u := range p.roots {
		schema.Roots = append(schema.Roots, u.pkg)
	}
	return schema
}

// program is what all files of one run share.
type program struct {
	loader   Loader
	problems *diag.List
	// units is by file name, names by package name.
	units map[string]*unit
	names map[string]*unit
	// sorted has a unit behind those it imports.
	sorted   []*unit
	roots    []*unit
	measures *measures
	zeros    zeros
}

// unit is one file on its way to a package.
type unit struct {
	*program
	file *syntax.File
	pkg  *ir.Package
	// symbols are the names of the file's one set of names [LANG-2.4].
	symbols map[string]*symbol
	// declared are the declarations in order, also declarations whose name is taken.
	declared []*symbol
	// within is the declaration whose text is being resolved: what it says about
	// itself does not make it used.
	within *symbol
	// arrays are the lists and arrays that the file spells, for the pass that
	// knows sizes.
	arrays []arraySpelling
	// suggestions counts those made, to bound what looking for them costs.
	suggestions int
}

// check runs the passes over one file, whose imports were checked before.
func (u *unit) check() {
	u.declare()
	u.definitions()
	u.packageAttributes()
	u.enums()
	u.structs()
	u.unions()
	u.services()
	u.typeIDs()
	u.jsonNames()
	u.shapes()
	u.missingValues()
}
