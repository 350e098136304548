package driver

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

func (t *Tool) languages() language.List {
	if t.Languages == nil {
		return language.All
	}
	return t.Languages
}

// LanguageNames are the languages that code can be generated in, as flags name them.
func (t *Tool) LanguageNames() []string { return t.languages().Names() }

// LanguageHelp is the help on generating for each language.
func (t *Tool) LanguageHelp() (helps, examples []string) {
	for _, l := range t.languages() {
		helps, examples = append(helps, l.Help), append(examples, l.Example)
	}
	return helps, examples
}

// BreakingColumns are the words that name columns of a comparison.
func (t *Tool) BreakingColumns() []string { return compat.ColumnWords(t.languages().Compared()) }

func (t *Tool) noSuchLanguage(name string) string {
	if near := diag.Nearest(name, t.LanguageNames()); near != "" {
		return fmt.Sprintf("did you mean `%s`?", near)
	}
	return "the languages are " + t.languages().String()
}
