package check

import (
	"sort"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// symbol is the meaning of a name in a file. One of decl, alias, constant, service and imported is
// set.
type symbol struct {
	name     string
	span     syntax.Span
	node     syntax.Declaration // nil for an import
	decl     ir.Decl
	alias    *ir.Alias
	constant *ir.Const
	service  *ir.Service
	imported *ir.Import
	// target is the file of an import, nil if it cannot be used.
	target *unit
	// typ is the type of a declaration or alias; nil for an alias whose type was
	// refused.
	typ *ir.Type
	// nesting is how many type constructors an alias stands for.
	nesting int
	// evaluated is true for a constant whose value is known.
	evaluated bool
}

// kind names what the symbol is.
func (s *symbol) kind() string {
	switch {
	case s.alias != nil:
		return "a type"
	case s.constant != nil:
		return "a constant"
	case s.service != nil:
		return "a service"
	case s.imported != nil:
		return "an imported package"
	case s.typ.Kind == ir.EnumKind:
		return "an enum"
	}
	return "a " + s.typ.Kind.String()
}

func (s *symbol) isType() bool { return s.decl != nil || s.alias != nil }

// markUsed notes that a schema's text mentions the symbol.
func (s *symbol) markUsed() {
	switch {
	case s.alias != nil:
		s.alias.Used = true
	case s.constant != nil:
		s.constant.Used = true
	case s.imported != nil:
		s.imported.Used = true
	}
	switch d := s.decl.(type) {
	case *ir.Enum:
		d.Used = true
	case *ir.Union:
		d.Used = true
	case *ir.Struct:
		d.Used = true
	case *ir.Message:
		d.Used = true
	}
}

// bind enters a symbol, or reports that its name is taken.
func (u *unit) bind(s *symbol) {
	first, taken := u.symbols[s.name]
	if !taken {
		u.symbols[s.name] = s
		return
	}
	u.nameTwice("name", s.name, s.span, first.span)
}

func (u *unit) nameTwice(subject, name string, span, first syntax.Span) {
	u.problems.Error(codeNameTwice, span, "%s %s is declared twice", subject, quote(name)).
		WithRelated(first, "first declared here").
		WithHelp("rename one of the two, or remove it")
}

// names finds duplicates among the names of one body.
type names struct {
	unit  *unit
	what  string
	first map[string]syntax.Span
}

func (u *unit) newNames(subject string) names {
	return names{unit: u, what: subject, first: map[string]syntax.Span{}}
}

func (n names) add(name syntax.Ident) {
	if first, taken := n.first[name.Text]; taken {
		n.unit.nameTwice(n.what, name.Text, name.Span, first)
		return
	}
	n.first[name.Text] = name.Span
}

// shownBytesMax bounds how much of a name a message repeats.
const shownBytesMax = 80

// quote quotes a name for a message, cut where it is long.
func quote(name string) string {
	if len(name) > shownBytesMax {
		name = name[:shownBytesMax] + "…"
	}
	return "`" + name + "`"
}

// typeNames lists the names that a type may have in this file.
func (u *unit) typeNames() []string {
	var found []string
	for name, s := range u.symbols {
		switch {
		case s.isType():
			found = append(found, name)
		case s.target != nil:
			for inner, t := range s.target.symbols {
				if t.isType() {
					found = append(found, name+"."+inner)
				}
			}
		}
	}
	for name := range builtins {
		found = append(found, name)
	}
	sort.Strings(found)
	return found
}

// constantNames lists the names that a constant may have in this file.
func (u *unit) constantNames() []string {
	var found []string
	for name, s := range u.symbols {
		switch {
		case s.constant != nil:
			found = append(found, name)
		case s.target != nil:
			for inner, t := range s.target.symbols {
				if t.constant != nil {
					found = append(found, name+"."+inner)
				}
			}
		}
	}
	sort.Strings(found)
	return found
}

// lookup finds what a path of one or two names stands for. It returns nil
// after a report, and nil without one if the name may be in text that was not
// understood. `what` and `candidates` are for the report.
func (u *unit) lookup(path syntax.Path, subject string, candidates func() []string) *symbol {
	s, from := u.symbols[path.Parts[0].Text], u
	name := path.Parts[0]
	if len(path.Parts) > 1 {
		if s == nil || s.imported == nil {
			return u.notImported(path, s)
		}
		s.markUsed()
		if s.target == nil {
			return nil
		}
		from = s.target
		name = path.Parts[1]
		s = from.symbols[name.Text]
		if s != nil && s.imported != nil {
			s = nil
		}
	}
	if s == nil || len(path.Parts) > 2 {
		if !from.file.Incomplete {
			d := u.problems.Error(codeUnknownName, path.Span, "there is no %s %s", subject, quote(path.String()))
			u.suggest(d, path.Span, path.String(), candidates)
		}
		return nil
	}
	if s != u.within {
		s.markUsed()
	}
	return s
}

// notImported reports a path whose first name is no import.
func (u *unit) notImported(path syntax.Path, s *symbol) *symbol {
	first := path.Parts[0]
	if s != nil {
		u.problems.Error(codeWrongKind, first.Span, "%s is %s, not an imported package", quote(first.Text), s.kind()).
			WithRelated(s.span, "declared here")
		return nil
	}
	if u.file.Incomplete {
		return nil
	}
	d := u.problems.Error(codeNotImported, first.Span, "this file does not import %s", quote(first.Text)).
		WithHelp("imports are not transitive; add `import \"" + shortPath(first.Text) + ".sdp\";` here")
	u.suggest(d, first.Span, first.Text, func() []string {
		var found []string
		for name, s := range u.symbols {
			if s.imported != nil {
				found = append(found, name)
			}
		}
		sort.Strings(found)
		return found
	})
	return nil
}

func shortPath(name string) string {
	if len(name) > shownBytesMax {
		return "…"
	}
	return name
}
