package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// BreakingOptions says what to compare.
type BreakingOptions struct {
	Schemas []string
	// Against is a file, a folder, or git:REV.
	Against string
	// For are the columns that count, in the words of BreakingColumns; empty means the columns of
	// the config file.
	For []string
}

// gitPrefix marks a revision among files and folders.
const gitPrefix = "git:"

// Breaking compares schemas with an older state of them. It returns ErrRefused
// if a change breaks anything that counts.
func (t *Tool) Breaking(options BreakingOptions) error {
	if options.Against == "" {
		return usagef("--against is missing").
			withHelp("name the older state: a file, a folder, or git:REV, for instance `--against git:main`")
	}
	roots, config, err := t.schemasOr(options.Schemas)
	if err != nil {
		return err
	}
	if options.Against == stdName && slices.Contains(roots, stdName) {
		return usagef("the standard input cannot be both the schema and its older state")
	}
	columns, err := t.columns(options.For, config)
	if err != nil {
		return err
	}
	after, err := t.compile(t.loader(disk{}, config), roots)
	if err != nil {
		return err
	}
	older, oldRoots, err := t.older(options.Against, roots, config)
	if err != nil {
		return err
	}
	before, err := t.compile(older, oldRoots)
	if err != nil {
		return err
	}
	report := compat.Compare(before.Schema, after.Schema, t.languages().Compared(), columns)
	if err := t.writeReport(report); err != nil {
		return err
	}
	return refusedIf(report.Breaking() > 0)
}

// columns are the counted columns: of the command line, else of the config file, else the columns
// of bytes.
func (t *Tool) columns(names []string, config Config) (compat.Columns, error) {
	words := names
	if len(words) == 0 {
		words = config.Breaking.For
	}
	if len(words) == 0 {
		return compat.Bytes, nil
	}
	columns, unknown := compat.NewColumns(words, t.languages().Compared())
	if unknown == "" {
		return columns, nil
	}
	help := "the columns are " + strings.Join(t.BreakingColumns(), ", ")
	if near := diag.Nearest(unknown, t.BreakingColumns()); near != "" {
		help = fmt.Sprintf("did you mean `%s`?", near)
	}
	if len(names) > 0 {
		return columns, usagef("--for names %q, which is no column", unknown).withHelp("%s", help)
	}
	var problems diag.List
	problems.Error(codeConfig, source.Span{}, "[breaking] of %s names %q, which is no column", config.Path, unknown).WithHelp(help)
	return columns, t.complain(&problems)
}

// older says where the older state is read from, and which of its files are
// the schemas.
func (t *Tool) older(old string, roots []string, config Config) (loader, []string, error) {
	name, isRevision := strings.CutPrefix(old, gitPrefix)
	if !isRevision {
		return t.loader(disk{}, config), []string{old}, nil
	}
	if name == "" {
		return loader{}, nil, usagef("git: names no revision").withHelp("write for instance git:HEAD or git:v1")
	}
	rev, err := openRevision("", name)
	if err != nil {
		return loader{}, nil, err
	}
	// A schema that the revision does not have is new, which breaks nobody.
	var there []string
	for _, root := range roots {
		if _, err := rev.isFolder(root); err == nil {
			there = append(there, root)
		}
	}
	if len(there) == 0 {
		return loader{}, nil, usagef("revision %s has none of these schemas: %s", name, strings.Join(roots, ", "))
	}
	older := t.loader(rev, config)
	older.label = name + ":"
	return older, there, nil
}

func (t *Tool) writeReport(report *compat.Report) error {
	switch t.Format {
	case FormatJSON:
		return compat.WriteJSON(t.Out, report)
	case FormatGitHub:
		return diag.WriteGitHub(t.Out, report.Diagnostics().Sorted())
	}
	return compat.WriteText(t.Out, report, t.OutColor)
}
