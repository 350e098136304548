package check

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// readName reads `@name(go = "…", json = "…")`.
func readName(u *unit, a *attributes, attr *syntax.Attribute, p place) bool {
	a.names = map[string]string{}
	for _, argument := range attr.Args {
		if argument.Name == nil || argument.Value.Kind != syntax.StringValue {
			return false
		}
		target, name := argument.Name.Text, argument.Value.Text
		if _, twice := a.names[target]; twice {
			return false
		}
		a.names[target] = name
		u.targetName(argument, p)
	}
	return len(attr.Args) > 0
}

// targetName checks one name for one target.
func (u *unit) targetName(argument syntax.Argument, p place) {
	target, name := argument.Name.Text, argument.Value.Text
	if !slices.Contains(ir.Targets(), target) {
		d := u.problems.Error(codeTargetName, argument.Name.Span, "%s is not a target", quote(target)).
			WithHelp("targets are " + strings.Join(ir.Targets(), ", "))
		if near := diag.Nearest(target, ir.Targets()); near != "" {
			d.WithHelp("did you mean `" + near + "`?")
		}
		return
	}
	if target != ir.JSON {
		if identifier(name) != name {
			u.problems.Error(codeTargetName, argument.Value.Span, "this is not an identifier").
				WithHelp("a name in a language starts with a letter or `_`, and goes on with letters, digits and `_`")
		}
		return
	}
	if name == "" || name[0] == '$' || p == onMember && looksLikeInteger(name) {
		u.problems.Error(codeTargetName, argument.Value.Span, "this cannot be a name in JSON").
			WithHelp("it must not be empty nor start with `$`, and that of an enum's member must not look like an integer")
	}
}

func looksLikeInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// jsonNames refuses two names in one body that are one in JSON. Names that
// nobody changed were compared before.
func (u *unit) jsonNames() {
	for _, s := range u.declared {
		switch d := s.decl.(type) {
		case *ir.Struct:
			u.jsonFields(d.Fields)
		case *ir.Message:
			u.jsonFields(d.Fields)
		case *ir.Enum:
			names := jsonSet{unit: u}
			for _, m := range d.Members {
				names.add(m.Name, &m.Meta)
			}
			names.check()
		case *ir.Union:
			names := jsonSet{unit: u}
			for _, a := range d.Alternatives {
				names.add(a.Name, &a.Meta)
				if a.Inline != nil {
					u.jsonFields(a.Inline.Fields)
				}
			}
			names.check()
		}
	}
}

func (u *unit) jsonFields(fields []*ir.Field) {
	names := jsonSet{unit: u}
	for _, f := range fields {
		names.add(f.Name, &f.Meta)
	}
	names.check()
}

// jsonSet is the JSON names of one body.
type jsonSet struct {
	unit    *unit
	entries []jsonEntry
	renamed bool
}

type jsonEntry struct {
	key     string
	renamed bool
	span    syntax.Span
}

func (s *jsonSet) add(name string, meta *ir.Meta) {
	entry := jsonEntry{key: name, span: meta.Span}
	if key, ok := meta.Names[ir.JSON]; ok {
		entry.key, entry.renamed = key, true
		s.renamed = true
	}
	s.entries = append(s.entries, entry)
}

func (s *jsonSet) check() {
	if !s.renamed {
		return
	}
	first := map[string]jsonEntry{}
	for _, entry := range s.entries {
		other, taken := first[entry.key]
		if !taken {
			first[entry.key] = entry
			continue
		}
		if entry.renamed || other.renamed {
			s.unit.problems.Error(codeTargetName, entry.span, "two names are %s in JSON", quote(entry.key)).
				WithRelated(other.span, "this is the other").
				WithHelp("give one of the two another name with @name(json = \"…\")")
		}
	}
}
