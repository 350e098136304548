package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// OptionFlag is a flag for an option of outputs.
type OptionFlag struct {
	Name, Usage string
	// Switch says that it is on or off; else it is a text.
	Switch bool
	// Hidden says that it is for one language what a flag without the language is for all.
	Hidden bool
}

// OptionFlags are the flags for the options of all languages: each by its name, and for
// one language by that with the language before it.
func (t *Tool) OptionFlags() []OptionFlag {
	var flags []OptionFlag
	for _, l := range t.languages() {
		for _, o := range l.Options {
			for _, key := range l.Keys(o) {
				isKnown := slices.ContainsFunc(flags, func(f OptionFlag) bool { return f.Name == key })
				if o.Flag != "" && !isKnown {
					flags = append(flags, OptionFlag{Name: key, Usage: o.Flag + t.words(o.Name), Switch: o.Kind == language.Switch, Hidden: key != o.Name})
				}
			}
		}
	}
	return flags
}

// words says which words the languages have for a list, for a help text.
func (t *Tool) words(option string) string {
	var lists []string
	for _, l := range t.languages() {
		if o, has := l.Option(option); has && o.Kind == language.Several {
			lists = append(lists, l.Name()+" has "+strings.Join(o.Words, ", "))
		}
	}
	if len(lists) == 0 {
		return ""
	}
	return ": " + strings.Join(lists, "; ")
}

// configured are the options of an output of a config file, by their names.
func (t *Tool) configured(output place.Output, report func(format string, args ...any) *diag.Diagnostic) map[string]string {
	l, builtIn := t.languages().Find(output.Language)
	options := map[string]string{}
	if !builtIn {
		for _, key := range slices.Sorted(maps.Keys(output.Options)) {
			report("is made by a plugin, and sets `%s`", key).WithHelp(fmt.Sprintf("write it into `options`, as in options = { %s = … }", key))
		}
		return options
	}
	if p := output.Plugin; p.Program != "" || len(p.Options) > 0 || p.Timeout != 0 || p.MaxMiB != 0 {
		report("is in %s, which sdp makes itself, and says something of a plugin", output.Language).
			WithHelp("remove `program`, `options`, `timeout` and `max-mib`")
	}
	for _, key := range slices.Sorted(maps.Keys(output.Options)) {
		o, has := l.Option(key)
		if !has {
			report("is in %s, and sets `%s`", output.Language, key).WithHelp("remove that line")
			continue
		}
		if _, twice := options[o.Name]; twice {
			report("sets both `%s` and `%s`", o.Name, l.Key(o)).WithHelp(fmt.Sprintf("remove `%s`", l.Key(o)))
		}
		options[o.Name] = output.Options[key]
		if problem, help := l.Refuse(o, output.Options[key]); problem != "" {
			report("sets `%s`, which %s", key, problem).WithHelp(help)
		}
	}
	return options
}

// flagged puts the values of flags into outputs: flags of one language behind flags of all
// languages, since they say more.
func (t *Tool) flagged(flags map[string]string, outputs []place.Output) error {
	for _, ofLanguage := range []bool{false, true} {
		for _, flag := range slices.Sorted(maps.Keys(flags)) {
			if err := t.flag(flag, flags[flag], outputs, ofLanguage); err != nil {
				return err
			}
		}
	}
	return nil
}

// flag puts the value of a flag into the outputs that it is for. A text that is empty is
// none.
func (t *Tool) flag(flag, value string, outputs []place.Output, ofLanguage bool) error {
	var languages []string
	for _, out := range outputs {
		l, _ := t.languages().Find(out.Language)
		o, has := l.Option(flag)
		if !has || ofLanguage != (flag != o.Name) {
			continue
		}
		if problem, help := l.Refuse(o, value); problem != "" {
			return usagef("--%s %s", flag, problem).withHelp("%s; --%s is for %s alone", help, l.Key(o), l.Name())
		}
		if !slices.Contains(languages, l.Name()) {
			languages = append(languages, l.Name())
		}
		if o.Kind == language.Text && !ofLanguage && len(languages) > 1 {
			return usagef("--%s is in the words of one language, and the outputs are in %s", flag, strings.Join(languages, ", ")).
				withHelp("write --%s", l.Key(o))
		}
		if value != "" {
			out.Options[o.Name] = value
		}
	}
	if having := t.having(flag); len(languages) == 0 && !ofLanguage && len(having) > 0 {
		return usagef("--%s is for none of the outputs", flag).withHelp("it is an option of %s", strings.Join(having, ", "))
	}
	return nil
}

// having are the languages that have an option of a name.
func (t *Tool) having(option string) []string {
	var names []string
	for _, l := range t.languages() {
		if slices.ContainsFunc(l.Options, func(o language.Option) bool { return o.Name == option }) {
			names = append(names, l.Name())
		}
	}
	return names
}

// complete gives the options of an output that nothing is said of the values that they
// have then, and refuses one that is on without what it needs.
func (t *Tool) complete(output place.Output, problems *diag.List) {
	l, _ := t.languages().Find(output.Language)
	for _, o := range l.Options {
		if _, said := output.Options[o.Name]; !said {
			output.Options[o.Name] = o.Default
		}
	}
	for _, o := range l.Options {
		if o.Needs != "" && output.IsOn(o.Name) && !output.IsOn(o.Needs) {
			problems.Add(&diag.Diagnostic{
				Code: place.CodeOutput, Severity: diag.SeverityError,
				Message: fmt.Sprintf("an output in %s has `%s` without `%s`", l.Name(), o.Name, o.Needs),
			}).WithHelp(fmt.Sprintf("`%s` rests on `%s`: leave out both, or none", o.Name, o.Needs))
		}
		if o.NeedsForm != "" && output.IsOn(o.Name) && !parts(output).Has(o.NeedsForm) {
			problems.Add(&diag.Diagnostic{
				Code: place.CodeOutput, Severity: diag.SeverityError,
				Message: fmt.Sprintf("an output in %s has `%s` without the form `%s`", l.Name(), o.Name, o.NeedsForm),
			}).WithHelp(fmt.Sprintf("say `%s = false`, or add `%s` to `%s`", o.Name, o.NeedsForm, place.Forms))
		}
	}
}
