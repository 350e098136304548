package rust

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// checkBody prints what names the first thing that can't be encoded.
func (g *generator) checkBody(d ir.Decl) {
	g.Line("wire::check_depth(depth)?;")
	if u, ok := d.(*ir.Union); ok {
		g.checkUnion(u)
		g.Line("Ok(())")
		return
	}
	usesLarge := false
	for _, f := range ir.FieldsOf(d) {
		if refusable(f.Type) {
			usesLarge = usesLarge || nests(f.Type)
			g.checkValue(f.Type, "self."+g.names.Of(f), f.Name)
		}
	}
	if _, isMessage := d.(*ir.Message); isMessage {
		g.Line("wire::check_body(self, large, depth)")
		return
	}
	if !usesLarge {
		g.Line("let _ = large;")
	}
	g.Line("Ok(())")
}

// refusable reports whether a value of the type may have no encoding.
func refusable(t *ir.Type) bool { return lower.Held(t).Scalar() == 0 }

// nests reports whether checking a value of the type needs to know how large the
// whole is.
func nests(t *ir.Type) bool {
	t = lower.Innermost(t)
	return t.Decl != nil && t.Scalar() == 0
}

// checkValue prints the checks of a value, a field or an alternative of that name.
func (g *generator) checkValue(t *ir.Type, v, name string) {
	checks.Value(spelling{g}, t, lower.Place{At: v, Steps: []string{quote(name)}})
}

// checks name the first thing in a value that can't be encoded.
var checks = &lower.Operation{Wants: refusable, Leaves: lower.MustPerForm(map[lower.Form]lower.Leaf{
	lower.Scalar:       {},
	lower.Enum:         {},
	lower.Str:          {Do: checkLength},
	lower.Bytes:        {Do: checkLength},
	lower.List:         {Do: checkLength, Each: checkItems},
	lower.Numbers:      {Do: checkLength},
	lower.Array:        {Each: checkItems},
	lower.HeapArray:    {Each: checkItems},
	lower.Optional:     {Each: checkPresent},
	lower.Boxed:        {Each: checkPresent},
	lower.BoxedArray:   {Each: checkPresent},
	lower.OptionalHeap: {Each: checkPresent},
	lower.Map:          {Do: checkLength, Each: "for ($i$, $names$) in $v$.$iter$().enumerate() {\n\tkey => key\n\t=> value\n}"},
	lower.Declared:     {Do: checkDeclared},
	lower.Message:      {Do: checkDeclared},
})}

const (
	checkLength   = "wire::check_length::<$width$>($v$.len(), $max$, $path$)?;"
	checkItems    = "for ($i$, $item$) in $v$.iter().enumerate() {\n\t=> $item$\n}"
	checkPresent  = "if let Some(value) = $ref$ {\n\t=> value\n}"
	checkDeclared = "wire::within($v$.sdp_check(large, depth + 1), $path$)?;"
)

// spelling spells operations on values.
type spelling struct{ g *generator }

func (s spelling) Costs() *memory.Costs { return s.g.types.Costs }

func (s spelling) Print(level int, line string) { s.g.Line("%s", strings.Repeat("    ", level)+line) }

// Index is the name of the variable for an index inside the elements of the path.
func (s spelling) Index(p lower.Place) string {
	used := 0
	for _, step := range p.Steps {
		if step[0] != '"' {
			used++
		}
	}
	return []string{"i", "j", "k"}[min(used, 2)] + map[bool]string{true: fmt.Sprint(used)}[used > 2]
}

func (s spelling) Hole(name string, t *ir.Type, p lower.Place) string {
	v := p.At
	switch name {
	case "v":
		return v
	case "ref":
		if strings.HasPrefix(v, "self.") {
			return "&" + v
		}
		return v
	case "width":
		return fmt.Sprint(t.LenBytes)
	case "max":
		return bound(t.Max)
	case "i":
		return s.Index(p)
	case "item":
		return s.g.element(v)
	case "names", "iter":
		return entries(t)[name]
	case "path":
		return steps(p.Steps)
	}
	panic("rust: unknown hole " + name)
}

// entries are the names of the parts that a map's check looks at, and of the iterator.
func entries(t *ir.Type) map[string]string {
	switch key, value := refusable(t.Key), refusable(t.Elem); {
	case key && value:
		return map[string]string{"names": "(key, value)", "iter": "iter"}
	case key:
		return map[string]string{"names": "key", "iter": "keys"}
	}
	return map[string]string{"names": "value", "iter": "values"}
}

// steps is a path as an array: quoted names are of fields, others are variables of
// an index.
func steps(names []string) string {
	var list []string
	for _, name := range names {
		list = append(list, "&"+name)
	}
	return "&[" + strings.Join(list, ", ") + "]"
}

// choose prints a match of the value itself; all says that it has all patterns.
func (g *generator) choose(patterns []string, bodies []func(), list bool) {
	switch {
	case len(patterns) == 0:
	case len(patterns) == 1 && !list:
		g.Line("if let %s = self {", patterns[0])
		g.In(bodies[0])
		g.Line("}")
	default:
		g.Line("match self {")
		g.In(func() {
			for i, pattern := range patterns {
				g.Line("%s => {", pattern)
				g.In(bodies[i])
				g.Line("}")
			}
			if !list {
				g.Line("_ => {}")
			}
		})
		g.Line("}")
	}
}

func (g *generator) checkUnion(u *ir.Union) {
	usesLarge := false
	var patterns []string
	var bodies []func()
	for _, a := range u.Alternatives {
		if a.Type == nil || !refusable(a.Type) {
			continue
		}
		usesLarge = usesLarge || nests(a.Type)
		patterns = append(patterns, "Self::"+g.names.Of(a)+"(value)")
		bodies = append(bodies, func() { g.checkValue(a.Type, "value", a.Name) })
	}
	all := len(patterns) == len(u.Alternatives)
	if !u.Closed {
		patterns = append(patterns, "Self::Unknown { tag, .. }")
		bodies = append(bodies, func() { g.arguments("wire::check_unknown", []string{"*tag"}, tags(u), nil, "?;") })
	}
	g.choose(patterns, bodies, all)
	if !u.Closed {
		g.Line("if large {")
		g.In(func() { g.Line("wire::check_window(self.sdp_size(depth) - %d)?;", plan.UnionHead(u)) })
		g.Line("}")
	} else if !usesLarge {
		g.Line("let _ = large;")
	}
}
