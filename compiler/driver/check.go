package driver

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// fixRoundsMax bounds how often fixes are applied. One fix can make room for
// another, but no chain of them is longer than a few.
const fixRoundsMax = 8

// CheckOptions says what to check.
type CheckOptions struct {
	Schemas []string
	// Fix applies mechanical fixes to the files.
	Fix bool
	// Strict refuses schemas that get advice too.
	Strict bool
	// Enable and Disable are codes of lints; they go before what the config file
	// says.
	Enable, Disable []string
}

// Check reports what is wrong with schemas, and advice on them. It returns
// ErrRefused if they have an error.
func (t *Tool) Check(options CheckOptions) error {
	named, config, err := t.schemasOr(options.Schemas)
	if err != nil {
		return err
	}
	lints, err := t.lints(options, config)
	if err != nil {
		return err
	}
	for round := 0; ; round++ {
		program, problems, files, err := analyze(t.loader(disk{}, config), named)
		if err != nil {
			return err
		}
		if program != nil {
			advice := lint.Run(program, lints)
			if options.Fix && round < fixRoundsMax {
				applied, err := t.fix(advice)
				if err != nil {
					return err
				}
				if applied {
					continue
				}
			}
			problems.Append(advice)
		}
		if err := t.report(problems, files...); err != nil {
			return err
		}
		return refusedIf(options.Strict && problems.Len() > 0)
	}
}

// lints are the lints that the flags and the config file choose.
func (t *Tool) lints(options CheckOptions, config Config) (lint.Options, error) {
	var chosen lint.Options
	for _, list := range [][]string{options.Enable, options.Disable} {
		for _, code := range list {
			if !lint.Known(diag.Code(code)) {
				return chosen, unknownLint(code)
			}
		}
	}
	var problems diag.List
	chosen = chosenLints(options, config, &problems)
	return chosen, t.complain(&problems)
}

// chosenLints are the chosen lints with known codes; the config file's unknown codes are reported.
func chosenLints(options CheckOptions, config Config, problems *diag.List) (chosen lint.Options) {
	for _, code := range slices.Concat(config.Lint.Enable, config.Lint.Disable) {
		if !lint.Known(diag.Code(code)) {
			problems.Add(&diag.Diagnostic{
				Code: codeConfig, Severity: diag.SeverityError,
				Message: fmt.Sprintf("[lint] of %s names %q, which is no lint", config.Path, code),
				Help:    "`sdp explain` lists the lints; their codes begin with L",
			})
		}
	}
	// A rule that the command line asks for is not switched off by the config file, and
	// the other way round.
	for _, code := range config.Lint.Enable {
		if !slices.Contains(options.Disable, code) {
			chosen.Enable = append(chosen.Enable, diag.Code(code))
		}
	}
	for _, code := range config.Lint.Disable {
		if !slices.Contains(options.Enable, code) {
			chosen.Disable = append(chosen.Disable, diag.Code(code))
		}
	}
	for _, code := range options.Enable {
		chosen.Enable = append(chosen.Enable, diag.Code(code))
	}
	for _, code := range options.Disable {
		chosen.Disable = append(chosen.Disable, diag.Code(code))
	}
	return chosen
}

func unknownLint(code string) error {
	err := usagef("there is no lint %q", code).withHelp("`sdp explain` lists the lints; their codes begin with L")
	var known []string
	for _, c := range lint.Codes.Codes() {
		known = append(known, string(c))
	}
	if near := diag.Nearest(code, known); near != "" {
		err.Help = fmt.Sprintf("did you mean %s? %s", near, err.Help)
	}
	return err
}

// fix applies the fixes of advice, and tells whether there was any.
func (t *Tool) fix(advice *diag.List) (bool, error) {
	texts := t.temps.NewSet()
	total := 0
	diagnostics := advice.Sorted()
	var seen []*source.File
	for _, d := range diagnostics {
		file := d.Span.File
		if file == nil || file.Name() == stdinFile || slices.Contains(seen, file) {
			continue
		}
		seen = append(seen, file)
		text, applied := lint.Fixed(file, diagnostics)
		if applied == 0 {
			continue
		}
		total += applied
		if err := texts.Add(file.Name(), []byte(text)); err != nil {
			return false, err
		}
		if _, err := fmt.Fprintf(t.Err, "%s: %s\n", file.Name(), sizedAs(applied, "problem fixed", "problems fixed")); err != nil {
			return false, err
		}
	}
	if total == 0 {
		return false, nil
	}
	_, err := texts.Commit()
	return true, err
}
