package compat

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Compare lists what changed from one version of a schema to the next.
// Packages are matched by name and declarations by package and name. A package
// that was only imported, and is so no longer, is not compared: it may well
// exist. Languages are the languages whose programs are asked about.
func Compare(older, newer *ir.Schema, languages []Language, columns Columns) *Report {
	c := &comparer{languages: languages, twin: map[ir.Decl]ir.Decl{}, packageOf: map[*ir.Package]*ir.Package{}, effects: map[pairOf[ir.Decl]]effect{}}
	m := matchSchemas(older, newer)
	for _, t := range m.types {
		c.pair(t.old, t.new)
	}
	for _, p := range m.packages {
		c.packageOf[p.old], c.packageOf[p.new] = p.new, p.old
	}
	for _, p := range m.packages {
		c.packageNames(p.old, p.new)
		c.packageWith(p.old, p.new)
	}
	for _, p := range m.gone {
		c.packageWith(p, &ir.Package{})
	}
	for _, p := range m.fresh {
		c.packageWith(&ir.Package{}, p)
	}
	for _, t := range m.types {
		c.types(t.old, t.new)
	}
	for _, d := range m.added {
		c.typeAdded(d)
	}
	for _, d := range m.removed {
		c.typeRemoved(d)
	}
	report := &Report{Changes: c.changes, Columns: columns, Languages: languages}
	report.sort(older, newer)
	return report
}

// packageWith compares all that a package has but its types, which may move between
// packages. A package that only one version has is compared with an empty one.
func (c *comparer) packageWith(older, newer *ir.Package) {
	c.consts(older, newer)
	c.aliases(older, newer)
	c.services(older, newer)
}

type comparer struct {
	languages []Language
	// twin leads from a declaration to the same one in the other version, in both
	// directions.
	twin map[ir.Decl]ir.Decl
	// packageOf does so for packages.
	packageOf map[*ir.Package]*ir.Package
	// effects are the effects of declared types put in place of others.
	effects map[pairOf[ir.Decl]]effect
	changes []*Change
}

// add appends a change that breaks nothing; the caller fills in its verdicts.
func (c *comparer) add(code diag.Code, older, newer source.Span, subject, format string, args ...any) *Change {
	change := &Change{
		Code: code, Subject: subject, What: fmt.Sprintf(format, args...), Old: older, New: newer,
		OldReaders: fine, NewReaders: fine, JSON: fine,
	}
	c.changes = append(c.changes, change)
	return change
}

// bytes sets both verdicts on bytes.
func (c *Change) bytes(oldReaders, newReaders Verdict) *Change {
	c.OldReaders, c.NewReaders = oldReaders, newReaders
	return c
}

func (c *Change) source(breaks []string) *Change {
	c.SourceBreaks = breaks
	return c
}

func (c *Change) json(v Verdict) *Change {
	c.JSON = v
	return c
}

// pair makes two declarations the same one for everything that follows.
func (c *comparer) pair(older, newer ir.Decl) {
	c.twin[older], c.twin[newer] = newer, older
	u, isUnion := older.(*ir.Union)
	v, isStill := newer.(*ir.Union)
	if !isUnion || !isStill {
		return
	}
	for _, a := range matchCases(u, v).both {
		if a.old.Inline != nil && a.new.Inline != nil {
			c.pair(a.old.Inline, a.new.Inline)
		}
	}
}

// same tells whether both are there and are one declaration in two versions. A declaration that was
// removed or added, or whose package is not compared, has no twin. A type without a declaration is
// not looked for, as in package plan.
func (c *comparer) same(older, newer ir.Decl) bool {
	if older == nil {
		return false
	}
	twin, found := c.twin[older]
	return found && twin == newer
}

// sort orders the changes as the files have them, old ones between new ones by
// their line.
func (r *Report) sort(older, newer *ir.Schema) {
	order := map[string]int{}
	for _, s := range []*ir.Schema{newer, older} {
		for _, pkg := range s.Packages {
			if name := fileName(pkg.Span); order[name] == 0 {
				order[name] = len(order) + 1
			}
		}
	}
	slices.SortStableFunc(r.Changes, func(a, b *Change) int {
		p, q := a.Place(), b.Place()
		if d := order[fileName(p)] - order[fileName(q)]; d != 0 {
			return d
		}
		return p.StartPosition().Line - q.StartPosition().Line
	})
}

func fileName(s source.Span) string {
	if s.File == nil {
		return ""
	}
	return s.File.Name()
}
