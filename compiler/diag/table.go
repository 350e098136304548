package diag

import (
	"fmt"
	"io/fs"
	"sort"
	"strings"
)

// Code names a kind of problem for ever: a letter for the phase that finds
// it (S schema, L lint, B breaking change, G generator) and four digits.
type Code string

// Explanation is what `sdp explain` prints for a code.
type Explanation struct {
	Code Code
	// Title says in one line what is wrong.
	Title string
	// Text is Markdown: why it is refused, an example, and the way out.
	Text string
}

// Table holds the explanations of the codes that one package reports.
type Table struct {
	explanations map[Code]Explanation
}

// NewTable reads one explanation from each file `codes/CODE.md`. The first
// line is the title, after "# CODE: ". The files are compiled into the
// program, so a file of another shape is a mistake in the program: it panics.
//
//	//go:embed codes/*.md
//	var codeFiles embed.FS
//
//	// Codes explains every code that this package reports.
//	var Codes = diag.NewTable(codeFiles)
func NewTable(files fs.FS) Table {
	table := Table{explanations: map[Code]Explanation{}}
	entries, err := fs.ReadDir(files, "codes")
	if err != nil {
		panic(fmt.Sprintf("diag: no folder of explanations: %v", err))
	}
	for _, entry := range entries {
		text, err := fs.ReadFile(files, "codes/"+entry.Name())
		if err != nil {
			panic(fmt.Sprintf("diag: explanation cannot be read: %v", err))
		}
		code := Code(strings.TrimSuffix(entry.Name(), ".md"))
		first, rest, _ := strings.Cut(string(text), "\n")
		title, found := strings.CutPrefix(first, "# "+string(code)+": ")
		if !found || title == "" {
			panic(fmt.Sprintf("diag: codes/%s must start with \"# %s: title\"", entry.Name(), code))
		}
		table.explanations[code] = Explanation{Code: code, Title: title, Text: strings.TrimSpace(rest) + "\n"}
	}
	return table
}

// Has tells whether the table explains a code.
func (t Table) Has(code Code) bool { _, has := t.explanations[code]; return has }

// Codes returns the codes of the table in ascending order.
func (t Table) Codes() []Code {
	codes := make([]Code, 0, len(t.explanations))
	for code := range t.explanations {
		codes = append(codes, code)
	}
	sort.Slice(codes, func(i, j int) bool { return codes[i] < codes[j] })
	return codes
}

// Catalog is every table of a program.
type Catalog []Table

// Explain finds the explanation of a code, written in either case.
func (c Catalog) Explain(code string) (Explanation, bool) {
	for _, table := range c {
		if e, found := table.explanations[Code(strings.ToUpper(code))]; found {
			return e, true
		}
	}
	return Explanation{}, false
}

// Codes returns the codes of all tables in ascending order.
func (c Catalog) Codes() []Code {
	var codes []Code
	for _, table := range c {
		codes = append(codes, table.Codes()...)
	}
	sort.Slice(codes, func(i, j int) bool { return codes[i] < codes[j] })
	return codes
}
