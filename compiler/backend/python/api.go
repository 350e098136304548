package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// registration prints what the runtime knows of the package: its layout text, its classes, their fingerprints.
func (g *generator) registration() {
	g.Line("\n")
	g.Line("package = sdp.Package(")
	g.In(func() {
		g.Line("%q,", g.pkg.Name)
		g.layout()
		g.list("", g.classes())
		g.list("imports=", g.imports())
		g.mapping("fingerprints", g.fingerprints())
		g.mapping("json", g.memberNames())
		g.Line("source=0x%016X,", plan.SourceFingerprint(g.pkg))
	})
	g.Line(")")
	g.Line(`"""The types of this module."""`)
}

// layout prints the layout text of all types of the package, as one literal.
func (g *generator) layout() {
	text := plan.Layouts{}.Of(g.pkg.Decls...)
	if text == "" {
		g.Line(`"",`)
		return
	}
	g.Line(`"""\`)
	g.Raw(text)
	g.Raw("\"\"\",\n")
}

func (g *generator) classes() []string {
	var classes []string
	for _, d := range g.pkg.Decls {
		classes = append(classes, g.names.Of(d))
	}
	return classes
}

// imports are the packages whose types the package's own types directly name.
func (g *generator) imports() []string {
	var found []string
	for _, i := range g.pkg.Imports {
		found = append(found, g.importName(i.Package)+".package")
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// list prints the names of a list, a line each.
func (g *generator) list(name string, items []string) {
	if len(items) == 0 {
		if name == "" {
			g.Line("[],")
		}
		return
	}
	g.Line("%s[", name)
	g.In(func() {
		for _, item := range items {
			g.Line("%s,", item)
		}
	})
	g.Line("],")
}

// mapping prints the rows of a dictionary, if there are some.
func (g *generator) mapping(name string, rows []string) {
	if len(rows) == 0 {
		return
	}
	g.Line("%s={", name)
	g.In(func() {
		for _, row := range rows {
			g.Line("%s,", row)
		}
	})
	g.Line("},")
}

// fingerprints are rows with the fingerprints of each segment, and of all up to and with each.
func (g *generator) fingerprints() []string {
	var rows []string
	for _, d := range g.pkg.Decls {
		if _, isEnum := d.(*ir.Enum); isEnum {
			continue
		}
		prints := plan.FingerprintsOf(d)
		rows = append(rows, fmt.Sprintf("%s: (%s, %s)", g.names.Of(d), numbers(prints.Segments), numbers(prints.Cumulative)))
	}
	return rows
}

func numbers(list []uint64) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, fmt.Sprintf("0x%016X", n))
	}
	if len(texts) == 1 {
		texts = append(texts, "")
	}
	return "(" + strings.TrimRight(strings.Join(texts, ", "), " ") + ")"
}

// memberNames are rows with the names in JSON of enums' members, where they are others.
func (g *generator) memberNames() []string {
	var rows []string
	for _, d := range g.pkg.Decls {
		e, isEnum := d.(*ir.Enum)
		if !isEnum {
			continue
		}
		var pairs []string
		for _, m := range e.Members {
			if json := inJSON(&m.Meta, m.Name); json != "" {
				pairs = append(pairs, fmt.Sprintf("%q: %s", m.Name, json))
			}
		}
		if len(pairs) > 0 {
			rows = append(rows, g.names.Of(e)+": {"+strings.Join(pairs, ", ")+"}")
		}
	}
	return rows
}
