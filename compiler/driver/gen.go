package driver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// GenOptions says what to generate.
type GenOptions struct {
	Schemas []string
	// Out is outputs as LANGUAGE=DIR; with any, the outputs of the config file don't count.
	Out []string
	// Options are the values of the flags of OptionFlags; they go before what the config
	// file says.
	Options map[string]string
	Plugins PluginOptions
	Watch   bool
	// Check writes nothing and refuses if anything would be written.
	Check bool
	// Deps is a file for a rule of make that lists the inputs of each output; empty writes none.
	Deps string
}

// Gen generates code for schemas.
func (t *Tool) Gen(options GenOptions) error {
	if !options.Watch {
		return t.generate(options, func(string) {})
	}
	return watch(func(notice func(string)) error {
		err := t.generate(options, notice)
		switch {
		case IsClosedPipe(err), errors.Is(err, ErrInterrupted):
			return err
		case err != nil && !errors.Is(err, ErrRefused):
			_, err = fmt.Fprintf(t.Err, "sdp: %v\n", err)
			return err
		}
		return nil
	})
}

// generate is one run. It notices the folders that it reads files from, before
// it does.
func (t *Tool) generate(options GenOptions, notice func(folder string)) error {
	begun := time.Now()
	notice(".")
	roots, config, err := t.schemasOr(options.Schemas)
	if config.Path != "" {
		notice(filepath.Dir(config.Path))
	}
	if err != nil {
		return err
	}
	outputs, err := t.outputs(options, config)
	if err != nil {
		return err
	}
	loader := t.loader(disk{}, config)
	loader.notice = notice
	program, err := t.compile(loader, roots)
	if err != nil {
		return err
	}
	g := generation{tool: t, program: program, whole: len(options.Schemas) == 0, made: map[*ir.Package][]string{}, Batch: &place.Batch{Version: Version, Files: t.temps.NewSet()}}
	for _, out := range outputs {
		add := g.language
		if t.isPlugin(out) {
			add = g.plugin
		}
		if err := add(out); err != nil {
			return err
		}
	}
	if err := t.complain(&g.Problems, roots...); err != nil {
		return err
	}
	byConfig := config.Path != "" && len(options.Schemas) == 0 && len(options.Out) == 0
	if err := g.noteStale(config, outputs, byConfig); err != nil {
		return err
	}
	if options.Check {
		return g.checkFresh()
	}
	if options.Deps != "" {
		if err := g.Files.Add(options.Deps, g.rule(config.Path)); err != nil {
			return err
		}
	}
	return g.finish(begun)
}

// outputs are the requested outputs: of the flags, else of the config file.
func (t *Tool) outputs(options GenOptions, config Config) ([]place.Output, error) {
	var outputs []place.Output
	for _, flag := range options.Out {
		language, dir, found := strings.Cut(flag, "=")
		if !found || dir == "" {
			return nil, usagef("--out is LANGUAGE=DIR, not %q", flag).withHelp("write for instance `--out go=gen`")
		}
		outputs = append(outputs, place.Output{Language: language, Dir: dir, Options: map[string]string{}, Plugin: place.Plugin{Options: map[string]string{}}})
	}
	flagged := len(outputs) > 0
	if !flagged {
		outputs = config.Outputs
	}
	if len(outputs) == 0 {
		return nil, usagef("nothing says what to generate").
			withHelp("add `--out go=DIR`, or an [[output]] to %s; `sdp init` writes an example", ConfigName)
	}
	if err := t.plug(options.Plugins, outputs); err != nil {
		return nil, err
	}
	var problems diag.List
	for i := range outputs {
		if problem, help := t.noGenerator(outputs[i]); flagged && problem != "" {
			return nil, usagef("%s", problem).withHelp("%s", help)
		}
		outputs[i].Options = t.checkOutput(i+1, outputs[i], config.Path, &problems)
	}
	if err := t.complain(&problems); err != nil {
		return nil, err
	}
	if err := t.flagged(options.Options, outputs); err != nil {
		return nil, err
	}
	for _, out := range outputs {
		t.complete(out, &problems)
	}
	return outputs, t.complain(&problems)
}

// checkOutput refuses an [[output]] of a config file that makes no sense, and returns its
// options by their names.
func (t *Tool) checkOutput(number int, o place.Output, configPath string, problems *diag.List) map[string]string {
	report := func(format string, args ...any) *diag.Diagnostic {
		return problems.Add(&diag.Diagnostic{
			Code: place.CodeOutput, Severity: diag.SeverityError,
			Message: fmt.Sprintf("output %d of %s ", number, configPath) + fmt.Sprintf(format, args...),
		})
	}
	if problem, help := t.noGenerator(o); problem != "" {
		report("cannot be made: %s", problem).WithHelp(help)
		return nil
	}
	if o.Dir == "" {
		report("has no `dir`").WithHelp("name the folder that the code goes to")
	}
	return t.configured(o, report)
}

// generation collects the files of one run.
type generation struct {
	tool    *Tool
	program *plan.Program
	// whole says that the program is of all the project's schemas, and not of some that
	// the user has named.
	whole bool
	// made says for each package what was made of it, as the user is told.
	made map[*ir.Package][]string
	// earlier are the files that were made of the packages, now or at some time.
	earlier []place.EarlierFile
	// plugged says what plugins have made, as the user is told.
	plugged []string
	*place.Batch
}

// add puts a package's files into the set.
func (g *generation) add(pkg *ir.Package, dir string, files []backend.File) error {
	for _, f := range files {
		if err := g.Files.Add(filepath.Join(dir, f.Name), f.Content); err != nil {
			return err
		}
	}
	place := fmt.Sprintf("%s (%s)", filepath.ToSlash(dir), sized(len(files), "file"))
	if len(files) == 1 {
		place = filepath.ToSlash(filepath.Join(dir, files[0].Name))
	}
	g.made[pkg] = append(g.made[pkg], place)
	return nil
}

// checkFresh names the files that generating would change or remove.
func (g *generation) checkFresh() error {
	var lines []string
	lineEnds := ""
	for _, path := range g.Files.Stale() {
		reason := ""
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(withLF(old), g.Files.Content(path)) {
			reason, lineEnds = ": it differs only by its line ends, CRLF instead of LF", path
		}
		lines = append(lines, filepath.ToSlash(path)+" is not up to date"+reason+"\n")
	}
	for _, path := range g.Stale {
		lines = append(lines, filepath.ToSlash(path)+" is not made any more\n")
	}
	slices.Sort(lines)
	if lineEnds != "" {
		lines = append(lines, lineEndsHelp(lineEnds)+"\n")
	}
	for _, line := range lines {
		if _, err := fmt.Fprint(g.tool.Out, line); err != nil {
			return err
		}
	}
	return refusedIf(len(lines) > 0)
}

// finish writes the files and tells the user what was made.
func (g *generation) finish(start time.Time) error {
	if err := g.Commit(); err != nil {
		return err
	}
	var lines []string
	for _, pkg := range g.program.Schema.Packages {
		if len(g.made[pkg]) > 0 {
			lines = append(lines, pkg.Path+" → "+strings.Join(g.made[pkg], ", "))
		}
	}
	lines = append(lines, g.plugged...)
	for _, dir := range g.Runtimes() {
		lines = append(lines, "runtime → "+filepath.ToSlash(dir))
	}
	for _, path := range g.Stale {
		lines = append(lines, "removed "+filepath.ToSlash(path))
	}
	if len(lines) == 0 {
		lines = []string{"no output is of these schemas"}
	}
	lines[len(lines)-1] += fmt.Sprintf("   %d ms", time.Since(start).Milliseconds())
	_, err := fmt.Fprintln(g.tool.Out, strings.Join(lines, "\n"))
	return err
}
