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
	schema string // the file's name without its ending
	header string // of its package, below the folder of generated code
	// other is the name that the runner gives its namespace where several schemas
	// have it.
	other string
	pkg   *pkg
	views []view // those of what it imports, too
}

// pkg is a package's types.
type pkg struct {
	namespace string
	types     []declared
	dispatch  bool
}

// declared is one type.
type declared struct {
	schema                        string // its name there
	owned, borrowed, pooled, view string
}

// view is the view of a type, with its accessors.
type view struct {
	name      string
	union     bool
	accessors []string
}

// The generated code lists its own parts: codecs name their types and have a layout text, views
// declare their accessors.
var (
	codecs     = regexp.MustCompile(`(?s)\nstruct \w+ \{\n    using type = (\S+);\n    using view = (\S+);\n.*?string_view name = "(\S+)";\n.*?string_view layout =\n\s+"(struct|message|union) `)
	views      = regexp.MustCompile(`(?ms)^class (\w+) \{\n(.*?)^\};`)
	accessors  = regexp.MustCompile(`(?s)\[\[nodiscard\]\] [^;]*?(\w+)\(\) const noexcept;`)
	packages   = regexp.MustCompile("\n/// The types of `(\\S+)`\\.\n")
	dispatcher = regexp.MustCompile(`\nusing MessageView = `)
)

// generate runs sdp for one schema. Each has a folder of its own, since two
// releases of a package have the same name.
func generate(o options, file string) (*generated, error) {
	g := &generated{schema: strings.TrimSuffix(filepath.Base(file), ".sdp")}
	headers, err := o.Generate(file, "cpp", ".hpp", filepath.Join(o.Out, "generated", g.schema))
	if err != nil {
		return nil, err
	}
	for _, name := range headers {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		read := g.read(rest)
		if strings.Contains(first, " from "+filepath.Base(file)+".") {
			g.header, g.pkg = filepath.Base(name), read
		}
	}
	if g.pkg == nil || len(g.pkg.types) == 0 {
		return nil, fmt.Errorf("no types are found in %s", strings.Join(headers, ", "))
	}
	return g, nil
}

// read finds the types and views of a package.
func (g *generated) read(text string) *pkg {
	name := packages.FindStringSubmatch(text)[1]
	p := &pkg{dispatch: dispatcher.MatchString(text)}
	unions := map[string]bool{}
	for _, found := range codecs.FindAllStringSubmatch(text, -1) {
		owned, seen, schema := found[1], found[2], strings.TrimPrefix(found[3], name+".")
		unions[seen] = found[4] == "union"
		if strings.Contains(schema, ".") {
			continue // an inline alternative
		}
		at := strings.LastIndex(owned, "::") + 2
		p.namespace = strings.Trim(owned[:at], ":")
		d := declared{schema: schema, owned: owned, borrowed: owned, pooled: owned[:at] + "pmr::" + owned[at:], view: seen}
		base, underscore := strings.CutSuffix(owned[at:], "_")
		borrowed := base + "Ref" + map[bool]string{true: "_"}[underscore]
		if strings.Contains(text, "\nstruct "+borrowed+" {\n") {
			d.borrowed = owned[:at] + borrowed
		}
		p.types = append(p.types, d)
	}
	for _, found := range views.FindAllStringSubmatch(text, -1) {
		v := view{name: "::" + p.namespace + "::" + found[1]}
		v.union = unions[v.name]
		for _, one := range accessors.FindAllStringSubmatch(found[2], -1) {
			v.accessors = append(v.accessors, one[1])
		}
		g.views = append(g.views, v)
	}
	slices.SortFunc(p.types, func(a, b declared) int { return strings.Compare(a.schema, b.schema) })
	return p
}

// rename gives packages that several schemas have names of their own: in one
// program, a name can't mean two types.
func rename(made []*generated) {
	schemas := map[string]int{}
	for _, g := range made {
		schemas[g.pkg.namespace]++
	}
	for _, g := range made {
		if schemas[g.pkg.namespace] > 1 && !strings.Contains(g.pkg.namespace, "::") {
			g.other = g.pkg.namespace + "_of_" + g.schema
		}
	}
}
