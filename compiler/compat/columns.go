package compat

import (
	"fmt"
	"slices"
	"strings"
)

// Columns are what a project promises to keep: the columns of a report whose
// breaks count [EVO-3.2]. The others are reported and count nothing.
type Columns struct {
	OldReaders, NewReaders, JSON bool
	// Source are the languages whose programs count.
	Source []string
	// AllSource counts programs in any language, also in one that no backend is
	// for yet.
	AllSource bool
}

// Bytes is what counts unless a user chooses: both directions of the wire.
var Bytes = Columns{OldReaders: true, NewReaders: true}

// AllColumns counts every break.
var AllColumns = Columns{OldReaders: true, NewReaders: true, JSON: true, AllSource: true}

// ColumnWords are the words that NewColumns knows.
func ColumnWords(languages []Language) []string {
	return slices.Concat([]string{"bytes", "old-readers", "new-readers", "json", "source"}, namesOf(languages), []string{"all"})
}

// NewColumns reads words of ColumnWords, in any order. It returns the word that
// is none of them.
func NewColumns(words []string, languages []Language) (columns Columns, unknown string) {
	var named []string
	for _, word := range words {
		switch word {
		case "bytes":
			columns.OldReaders, columns.NewReaders = true, true
		case "old-readers":
			columns.OldReaders = true
		case "new-readers":
			columns.NewReaders = true
		case "json":
			columns.JSON = true
		case "source":
			columns.AllSource = true
		case "all":
			columns = AllColumns
		default:
			if !slices.Contains(namesOf(languages), word) {
				return columns, word
			}
			named = append(named, word)
		}
	}
	// Languages stand in the order of the list, not in the order of the arguments.
	columns.Source = slices.DeleteFunc(namesOf(languages), func(name string) bool { return !slices.Contains(named, name) })
	return columns, ""
}

// Words spell the columns, each once, as briefly as ColumnWords allows.
func (c Columns) Words() []string {
	var words []string
	add := func(counts bool, word string) {
		if counts {
			words = append(words, word)
		}
	}
	add(c.OldReaders && c.NewReaders, "bytes")
	add(c.OldReaders && !c.NewReaders, "old-readers")
	add(c.NewReaders && !c.OldReaders, "new-readers")
	add(c.JSON, "json")
	add(c.AllSource, "source")
	for _, l := range c.Source {
		add(!c.AllSource, l)
	}
	return words
}

func (c Columns) all() bool { return c.OldReaders && c.NewReaders && c.JSON && c.AllSource }

// language tells whether a break of programs in a language counts.
func (c Columns) language(l string) bool { return c.AllSource || slices.Contains(c.Source, l) }

// cell is one thing that a change breaks.
type cell struct {
	// column is the word of the column; text says the same in a report's words.
	column, text, note string
	counts             bool
}

// breaks are all that a change breaks.
func (c Columns) breaks(change *Change) []cell {
	var cells []cell
	add := func(v Verdict, counts bool, column, text string) {
		if !v.OK {
			cells = append(cells, cell{column, text, v.Note, counts})
		}
	}
	add(change.OldReaders, c.OldReaders, "old-readers", "old readers of new bytes")
	add(change.NewReaders, c.NewReaders, "new-readers", "new readers of old bytes")
	for _, l := range change.SourceBreaks {
		add(broken(""), c.language(l), "source", "source in "+l)
	}
	add(change.JSON, c.JSON, "json", "JSON")
	return cells
}

// counted are the breaks of a change that count.
func (c Columns) counted(change *Change) []cell {
	return slices.DeleteFunc(c.breaks(change), func(b cell) bool { return !b.counts })
}

// BrokenFor names the programs for which a change breaks something that counts: "old readers of new bytes", "source
// in go".
func (r *Report) BrokenFor(c *Change) []string {
	var whom []string
	for _, b := range r.Columns.counted(c) {
		whom = append(whom, b.text)
	}
	return whom
}

// Summary is the last line of the text: "1 breaking change". Where some columns don't count, it names the counted
// columns, and the others that changes break.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%d breaking changes", r.Breaking())
	switch r.Breaking() {
	case 0:
		text = "no breaking change"
	case 1:
		text = "1 breaking change"
	}
	if r.Columns.all() {
		return text
	}
	text += " for " + strings.Join(r.Columns.Words(), ", ")
	passed := map[string]map[*Change]bool{}
	for _, c := range r.Changes {
		if r.Breaks(c) {
			continue
		}
		for _, b := range r.Columns.breaks(c) {
			if passed[b.column] == nil {
				passed[b.column] = map[*Change]bool{}
			}
			passed[b.column][c] = true
		}
	}
	separator := "; not counted: "
	for _, column := range []string{"old-readers", "new-readers", "json", "source"} {
		if n := len(passed[column]); n > 0 {
			text += fmt.Sprintf("%s%d for %s", separator, n, column)
			separator = ", "
		}
	}
	return text
}
