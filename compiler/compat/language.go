package compat

import "slices"

// Language is a target whose generated code a change can break.
type Language struct {
	// Name is the language as flags and config files name it.
	Name string
	// Breaks are the ways to grow that its programs do not compile after. Removals and renamings
	// break the programs of every language.
	Breaks []Growth
	// Attributes are the names of attributes that choose the types of fields and payloads
	// in this language.
	Attributes []string
}

// Growth is a way for a type to change that generated code may promise to survive.
type Growth int

// The ways. An open enum or union, and a message, gain what they may in every language.
const (
	// StructField is a field that a struct gains, or a message's case with fields: a
	// program whose literals list all fields minds it.
	StructField Growth = iota
	// ClosedMember is a member that a closed enum gains, and ClosedCase a case that a
	// closed union gains: a program that has to handle all of them minds it.
	ClosedMember
	ClosedCase
	// FieldOrder is another order of the same fields: a program whose literals name
	// fields in their order minds it.
	FieldOrder
	// FirstField is a field that is not optional and enters or leaves a message's first segment:
	// a program in whose literals and types only later segments may be missing minds it.
	FirstField
)

// breaking are the languages whose programs do not compile after a growth.
func (c *comparer) breaking(growth Growth) []string {
	var names []string
	for _, l := range c.languages {
		if slices.Contains(l.Breaks, growth) {
			names = append(names, l.Name)
		}
	}
	return names
}

// everywhere is a break in all languages, unless it is none.
func (c *comparer) everywhere(breaks bool) []string {
	if !breaks {
		return nil
	}
	return namesOf(c.languages)
}

func namesOf(languages []Language) []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.Name)
	}
	return names
}
