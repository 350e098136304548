package language

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// Option is something that outputs may say. An option of several languages has the same name and meaning
// in each.
type Option struct {
	Name string
	Kind OptionKind
	// Default is the value where an output says nothing.
	Default string
	// Words are the words that a value of the kind Several may have. It has the first, on which the
	// others rest, unless Free says that they do not.
	Words []string
	Free  bool
	// Needs is the switch that has to be on where this one is; empty where none has to.
	Needs string
	// NeedsForm is the form that types have to be made in where this one is on; empty where none has to.
	NeedsForm backend.Form
	// Flag describes the flag of the same name; empty where there is none.
	Flag string
}

// OptionKind says what values an option has.
type OptionKind int

// A Text is in the language's own words, so that no two languages share a value. Several
// are words of a list.
const (
	Text OptionKind = iota
	Switch
	Several
)

// Keys are how config files and flags name an option of a language: by its name, or by that
// with the language before it.
func (l Language) Keys(o Option) []string { return []string{o.Name, l.Key(o)} }

// Key is the name of an option with the language before it.
func (l Language) Key(o Option) string { return l.Name() + "-" + o.Name }

// Option finds an option of the language by one of its keys.
func (l Language) Option(key string) (Option, bool) {
	for _, o := range l.Options {
		if slices.Contains(l.Keys(o), key) {
			return o, true
		}
	}
	return Option{}, false
}

// Refuse describes the error in a value of an option of the language, behind the name of its source, and
// the remedy; it is empty where there is none.
func (l Language) Refuse(o Option, value string) (problem, help string) {
	switch o.Kind {
	case Switch:
		if _, err := strconv.ParseBool(value); err != nil {
			return fmt.Sprintf("is %q, which is neither true nor false", value), "write true or false"
		}
	case Several:
		words := Words(value)
		for _, word := range words {
			if !slices.Contains(o.Words, word) {
				return fmt.Sprintf("has %q, which %s does not have", word, l.Name()),
					fmt.Sprintf("the %s of %s are %s", o.Name, l.Name(), strings.Join(o.Words, ", "))
			}
		}
		if len(words) == 0 && o.Free {
			return "is empty", "the " + o.Name + " of " + l.Name() + " are " + strings.Join(o.Words, ", ")
		}
		if !slices.Contains(words, o.Words[0]) && !o.Free {
			return fmt.Sprintf("lacks `%s`, which the others rest on", o.Words[0]), fmt.Sprintf("add `%s`", o.Words[0])
		}
	case Text:
	}
	return "", ""
}

// testsWithJSON is the option of a language whose JSON may be left out, which tests compare
// values by.
var testsWithJSON = func() Option {
	o := testsOption
	o.Needs = place.JSON
	return o
}()

// Words are the words of a list's value.
func Words(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}

// forms is the option of a language that has these.
func forms(list ...backend.Form) Option {
	var words []string
	for _, form := range list {
		words = append(words, string(form))
	}
	return Option{
		Name: place.Forms, Kind: Several, Words: words, Default: words[0],
		Flag: "make types in these forms, as a list with commas",
	}
}

// freeForms are forms of a language of which none rests on another.
func freeForms(list ...backend.Form) Option {
	o := forms(list...)
	o.Free = true
	return o
}

// ofForm is an option of a language whose types may lack the form that it needs.
func (o Option) ofForm(form backend.Form) Option {
	o.NeedsForm = form
	return o
}

// Options that mean the same in every language.
var (
	jsonOption = Option{
		Name: place.JSON, Kind: Switch, Default: place.On,
		Flag: "make JSON and text of types; they are left out by --json=false",
	}
	servicesOption = Option{
		Name: place.Services, Kind: Switch, Default: place.Off,
		Flag: "also make clients and servers of services, which need the language's MXP library",
	}
	testsOption = Option{
		Name: place.Tests, Kind: Switch, Default: place.Off,
		Flag: "also make tests of the code, fuzz targets and the vectors that they run",
	}
	runtimeOption = Option{
		Name: place.RuntimeOption,
		Flag: "use the runtime of this name instead of laying one beside the code",
	}
)
