package driver

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/doc"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// DocOptions says what to document.
type DocOptions struct {
	Schemas []string
	// Out is outputs as FORM=DIR.
	Out []string
	// Against are older states, the oldest first, each a file, a folder, or git:REV.
	Against []string
	// Check writes nothing and refuses if anything would be written.
	Check bool
}

// DocForms are the forms of pages.
func (*Tool) DocForms() []string { return doc.Forms() }

// Doc makes pages about schemas.
func (t *Tool) Doc(options DocOptions) error {
	begun := time.Now()
	outputs, err := docOutputs(options.Out)
	if err != nil {
		return err
	}
	roots, config, err := t.schemasOr(options.Schemas)
	if err != nil {
		return err
	}
	program, err := t.compile(t.loader(disk{}, config), roots)
	if err != nil {
		return err
	}
	releases, err := t.releases(options.Against, roots, config, program.Schema)
	if err != nil {
		return err
	}
	g := generation{tool: t, program: program, made: map[*ir.Package][]string{}, Batch: &place.Batch{Version: Version, Files: t.temps.NewSet()}}
	var lines []string
	for _, out := range outputs {
		pages, err := g.pages(out, doc.Options{Form: out.form, Version: Version, Releases: releases})
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%s → %s", sized(pages, "page"), filepath.ToSlash(filepath.Join(out.dir, firstPage(out.form)))))
	}
	if err := t.complain(&g.Problems, roots...); err != nil {
		return err
	}
	if options.Check {
		return g.checkFresh()
	}
	if err := g.Commit(); err != nil {
		return err
	}
	for _, path := range g.Stale {
		lines = append(lines, "removed "+filepath.ToSlash(path))
	}
	lines[len(lines)-1] += fmt.Sprintf("   %d ms", time.Since(begun).Milliseconds())
	_, err = fmt.Fprintln(t.Out, strings.Join(lines, "\n"))
	return err
}

func firstPage(form doc.Form) string {
	if form == doc.Markdown {
		return "README.md"
	}
	return "index.html"
}

// docOutput is a folder of pages.
type docOutput struct {
	form doc.Form
	dir  string
}

func docOutputs(flags []string) ([]docOutput, error) {
	const help = "write for instance `--out html=DIR`"
	if len(flags) == 0 {
		return nil, usagef("--out is missing").withHelp("%s", help)
	}
	var outputs []docOutput
	for _, flag := range flags {
		form, dir, found := strings.Cut(flag, "=")
		if !found || dir == "" {
			return nil, usagef("--out is FORM=DIR, not %q", flag).withHelp("%s", help)
		}
		if !slices.Contains(doc.Forms(), form) {
			hint := "the forms are " + strings.Join(doc.Forms(), " and ")
			if near := diag.Nearest(form, doc.Forms()); near != "" {
				hint = fmt.Sprintf("did you mean `%s`?", near)
			}
			return nil, usagef("there are no pages in %q", form).withHelp("%s", hint)
		}
		outputs = append(outputs, docOutput{doc.Form(form), dir})
	}
	return outputs, nil
}

// releases compares each older state with the next one, and the last of them with the
// schemas as they are. The newest comparison comes first.
func (t *Tool) releases(olds, roots []string, config Config, now *ir.Schema) ([]doc.Release, error) {
	columns, err := t.columns(nil, config)
	if err != nil {
		return nil, err
	}
	var states []*ir.Schema
	for _, name := range olds {
		if name == stdName {
			return nil, usagef("an older state is a file, a folder or git:REV, and not the standard input")
		}
		older, oldRoots, err := t.older(name, roots, config)
		if err != nil {
			return nil, err
		}
		before, err := t.compile(older, oldRoots)
		if err != nil {
			return nil, err
		}
		states = append(states, before.Schema)
	}
	var all []doc.Release
	for i, before := range states {
		r := doc.Release{Old: stateName(olds[i]), Before: before, After: now}
		if i+1 < len(states) {
			r.New, r.After = stateName(olds[i+1]), states[i+1]
		}
		r.Report = compat.Compare(r.Before, r.After, t.languages().Compared(), columns)
		all = append([]doc.Release{r}, all...)
	}
	return all, nil
}

// stateName is what people call an older state.
func stateName(old string) string {
	return strings.TrimPrefix(old, gitPrefix)
}

// pages adds the files of one output, and what an earlier run made there and this one does
// not.
func (g *generation) pages(output docOutput, options doc.Options) (int, error) {
	pages := 0
	for _, f := range doc.Make(g.program, options) {
		path := filepath.Join(output.dir, f.Name)
		g.RefuseForeign(path, doc.Mark, "write the pages into another folder")
		if err := g.Files.Add(path, f.Content); err != nil {
			return 0, err
		}
		if filepath.Ext(f.Name) == output.form.Extension() {
			pages++
		}
	}
	names, err := fs.Glob(os.DirFS(output.dir), "*"+output.form.Extension())
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		path := filepath.Join(output.dir, name)
		if g.Files.Content(path) == nil && place.IsMarked(path, doc.Mark) {
			g.Stale = append(g.Stale, path)
		}
	}
	return pages, nil
}
