package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// generated is the code of one schema.
type generated struct {
	schema   string   // the file's name without its ending
	modules  []string // its module, and those of what it imports
	module   string
	types    []declared
	messages forms
}

// declared is one type.
type declared struct {
	schema, rust string // its names
	forms        forms
	framed       bool // it has a type id
}

// forms are a type's three forms: their names, and the functions of the view that
// look at bytes. A type without a form of its own for borrowing, or as a view, is used instead of
// it.
type forms struct{ owned, borrowed, view, looks string }

// formsOf finds the forms of a type in the text.
func formsOf(text, name string) forms {
	found := forms{name, name, name, "decode_with, decode_message_with"}
	base, underscore := strings.CutSuffix(name, "_")
	named := func(suffix string) string {
		declaration := regexp.MustCompile(`\npub (?:struct|enum) (` + base + suffix + map[bool]string{true: "_"}[underscore] + `(?:<'a>)?) \{`)
		if match := declaration.FindStringSubmatch(text); match != nil {
			return strings.Replace(match[1], "'a", "'_", 1)
		}
		return name
	}
	found.borrowed, found.view = named("Ref"), named("View")
	if found.view != name {
		found.looks = "with, from_message_with"
	}
	return found
}

// The generated code lists its own parts: a type's table has its type id, and a layout text that
// begins with the schema's name of it.
var (
	layouts  = regexp.MustCompile(`\nwire::declared! \{\n    (\w+) \{\n([^"]*)"\\\n(?:struct|message|union) (\S+)`)
	packages = regexp.MustCompile("\n//! The types of `(\\S+)`\\.\n")
)

// generate runs sdp for one schema. Each has a folder of its own, since two
// releases of a package have the same name.
func generate(o options, file string) (*generated, error) {
	g := &generated{schema: strings.TrimSuffix(filepath.Base(file), ".sdp")}
	files, err := o.Generate(file, "rust", ".rs", filepath.Join(o.Out, "generated", g.schema), "--rust-runtime", "::sdp")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		module := strings.TrimSuffix(filepath.Base(name), ".rs")
		g.modules = append(g.modules, module)
		if first, rest, _ := strings.Cut(string(text), "\n"); strings.Contains(first, " from "+filepath.Base(file)+".") {
			g.module = module
			g.read(rest)
		}
	}
	return g, nil
}

// read finds the types.
func (g *generated) read(text string) {
	name := packages.FindStringSubmatch(text)
	g.messages = formsOf(text, "Message")
	for _, found := range layouts.FindAllStringSubmatch(text, -1) {
		g.types = append(g.types, declared{
			schema: strings.TrimPrefix(found[3], name[1]+"."), rust: found[1],
			forms: formsOf(text, found[1]), framed: strings.Contains(found[2], "TYPE_ID = "),
		})
	}
	slices.SortFunc(g.types, func(a, b declared) int { return strings.Compare(a.schema, b.schema) })
}

const libraryHead = "//! The code that `sdp gen` made of the schemas.\n" + `
#![deny(missing_docs)]
#![allow(
    clippy::module_inception,
    reason = "a package is often called like its file"
)]
`

// library is the source that makes the generated modules a crate.
func library(made []*generated) string {
	var b strings.Builder
	b.WriteString(libraryHead)
	for _, g := range made {
		fmt.Fprintf(&b, "\n/// The schema `%s.sdp` and its imports.\npub mod %s {\n", g.schema, g.schema)
		for _, module := range g.modules {
			fmt.Fprintf(&b, "    pub mod %s;\n", module)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// table is the source of the runner's table of types.
func table(made []*generated) string {
	var b strings.Builder
	b.WriteString("//! The schemas and their types.\n\nuse crate::table::{schema, Schema};\n\npub const SCHEMAS: &[&Schema] = &[\n")
	for _, g := range made {
		fmt.Fprintf(&b, "    &%s::SCHEMA,\n", g.schema)
	}
	b.WriteString("];\n")
	for _, g := range made {
		fmt.Fprintf(&b, "\nschema! {\n    mod %s = generated::%s::%s;\n", g.schema, g.schema, g.module)
		g.values(&b)
		g.dispatchers(&b)
		for _, d := range g.types {
			fmt.Fprintf(&b, "    %q: %s, %s, %s, %s%s;\n", d.schema, d.forms.owned, d.forms.borrowed, d.forms.view, d.forms.looks, map[bool]string{true: ", framed"}[d.framed])
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// values writes the lists of all forms.
func (g *generated) values(b *strings.Builder) {
	var all, framed string
	for _, d := range g.types {
		forms := "        " + d.rust + ",\n"
		if d.forms.borrowed != d.forms.owned {
			forms += "        " + d.forms.borrowed + ",\n"
		}
		all += forms
		if d.framed {
			framed += forms
		}
	}
	fmt.Fprintf(b, "    values(\n%s    );\n    framed(\n%s    );\n", all, framed)
}

// dispatchers writes the dispatchers of a schema, with their targets.
func (g *generated) dispatchers(b *strings.Builder) {
	var variants strings.Builder
	for _, d := range g.types {
		if d.framed {
			fmt.Fprintf(&variants, "        %s %q,\n", d.rust, d.schema)
		}
	}
	if variants.Len() > 0 {
		name := func(form string) string { return strings.TrimSuffix(form, "<'_>") }
		fmt.Fprintf(b, "    messages Message %s %s {\n%s    }\n", name(g.messages.borrowed), name(g.messages.view), variants.String())
	}
}
