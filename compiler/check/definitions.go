package check

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// definitions evaluates constants and resolves aliases. They may use each
// other, a constant by its type and an alias by an array's length, so they are
// taken in the order of use.
func (u *unit) definitions() {
	var nodes []*symbol
	for _, s := range u.declared {
		if s.constant != nil || s.alias != nil {
			nodes = append(nodes, s)
		}
	}
	sorted, cycles := inOrder(nodes, u.definitionsUsed)
	inCycle := map[*symbol]bool{}
	for _, cycle := range cycles {
		u.definitionCycle(cycle, inCycle)
	}
	for _, s := range sorted {
		if u.within = s; inCycle[s] {
			continue
		}
		switch node := s.node.(type) {
		case *syntax.Const:
			u.constant(s, node)
		case *syntax.Alias:
			u.alias(s, node)
		}
	}
	// An attribute of one's own may mention any constant.
	for _, s := range nodes {
		u.within = s
		head := s.node.DeclarationHead()
		if s.constant != nil {
			s.constant.Meta = u.meta(head, u.attributes(head.Attributes, onConst))
		} else {
			s.alias.Meta = u.meta(head, u.attributes(head.Attributes, onAlias))
		}
	}
	u.within = nil
}

// definitionsUsed lists the constants and aliases of the same file that a
// constant or alias mentions.
func (u *unit) definitionsUsed(s *symbol) []*symbol {
	var used []*symbol
	mention := func(path syntax.Path) {
		if len(path.Parts) != 1 {
			return
		}
		if other := u.symbols[path.Parts[0].Text]; other != nil && (other.constant != nil || other.alias != nil) {
			used = append(used, other)
		}
	}
	switch node := s.node.(type) {
	case *syntax.Const:
		mentions(node.Type, mention)
		if node.Value != nil && node.Value.Kind == syntax.PathValue {
			mention(node.Value.Path)
		}
	case *syntax.Alias:
		mentions(node.Type, mention)
	}
	return used
}

// mentions calls a function for every name in a type expression.
func mentions(t *syntax.Type, mention func(syntax.Path)) {
	if t == nil {
		return
	}
	for _, a := range t.Attributes {
		for _, argument := range a.Args {
			if argument.Value.Kind == syntax.PathValue {
				mention(argument.Value.Path)
			}
		}
	}
	if t.Kind == syntax.NameType {
		mention(t.Name)
		return
	}
	if t.Length != nil && t.Length.Kind == syntax.PathValue {
		mention(t.Length.Path)
	}
	mentions(t.Key, mention)
	mentions(t.Elem, mention)
}

// definitionCycle reports a cycle once, at the member declared first.
func (u *unit) definitionCycle(cycle []*symbol, inCycle map[*symbol]bool) {
	first := cycle[0]
	for _, s := range cycle {
		if inCycle[s] {
			return
		}
		if s.span.Start < first.span.Start {
			first = s
		}
	}
	for _, s := range cycle {
		inCycle[s] = true
	}
	code, what := codeConstCycle, "constant"
	if first.alias != nil {
		code, what = codeAliasCycle, "alias"
	}
	d := u.problems.Error(code, first.span, "%s %s is defined by itself", what, quote(first.name))
	for _, s := range cycle {
		if s != first {
			d.WithRelated(s.span, "by way of this one")
		}
	}
	if first.alias != nil {
		d.WithHelp("an alias is another spelling of a type; declare a struct to refer to itself through `?`, `[]` or a map")
	}
}

// constant evaluates a constant whose own uses are evaluated.
func (u *unit) constant(s *symbol, node *syntax.Const) {
	c := s.constant
	if node.Type == nil {
		return
	}
	if c.Type = u.resolve(node.Type); c.Type == nil {
		return
	}
	if k := c.Type.Kind; k != ir.Bool && !k.IsInteger() && !k.IsFloat() && k != ir.StrKind {
		u.problems.Error(codeConstType, node.Type.Span, "a constant cannot have type %s", quote(node.Type.Span.Text())).
			WithHelp("constants are bool, integers, floats and str")
		return
	}
	if node.Value != nil {
		c.Value, s.evaluated = u.value(node.Value, c.Type)
	}
}

// alias resolves an alias whose own uses are resolved.
func (u *unit) alias(s *symbol, node *syntax.Alias) {
	if node.Type == nil {
		return
	}
	t, nesting := u.resolveNested(node.Type)
	if t == nil {
		return
	}
	s.alias.Type = t
	spelled := *t
	spelled.Alias = s.alias
	s.typ, s.nesting = &spelled, nesting
}
