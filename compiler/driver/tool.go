// Package driver runs the phases of the compiler over files: it turns a command's options into
// calls of the phases, and their results into files, reports and errors.
//
// It refuses to know the language, the bytes and any target language; those
// are the phases' own. It also knows no flags: package main of cmd/sdp turns
// the command line into the options of the methods of Tool.
package driver

import (
	"embed"
	"fmt"
	"io"
	"path/filepath"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place/output"
	"github.com/serial-data-protocol/sdp/compiler/version"
)

// Version is that of the whole project, as the file VERSION has it.
const Version = version.Project

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains every code that this package reports.
var Codes = diag.NewTable(codeFiles)

const (
	codeConfig   diag.Code = "C0001"
	codeNoSchema diag.Code = "C0004"
)

// Format is how diagnostics are written.
type Format string

// The formats.
const (
	FormatText   Format = "text"
	FormatJSON   Format = "json"
	FormatGitHub Format = "github"
)

// Tool is what all commands share. One command uses it at a time.
type Tool struct {
	In       io.Reader
	Out, Err io.Writer
	// OutColor and ErrColor say whether the writers take ANSI colours.
	OutColor, ErrColor bool
	// Progress says whether a person watches Err, so that long work may show how
	// far it is.
	Progress bool
	// Columns is how wide Out is, if it is a terminal; else 0.
	Columns int
	Format  Format
	// Languages are the target languages; nil means all languages.
	Languages language.List
	// Include are the folders of -I.
	Include []string
	// ConfigPath is the config file of --config; empty means to look for one.
	ConfigPath string

	stdin      stdin
	temps      output.Temps
	interrupts interrupts
}

// RemoveUnfinished removes the files that are being written. It is for a
// program that has to end at once, and may be called while another method runs;
// no output can be written after it.
func (t *Tool) RemoveUnfinished() { t.temps.Clean() }

// config finds the config file and reports what is wrong with it.
func (t *Tool) config() (Config, error) {
	var problems diag.List
	var config Config
	var err error
	if t.ConfigPath != "" {
		config, err = ReadConfig(t.ConfigPath, t.languages(), &problems)
	} else {
		config, err = FindConfig(t.languages(), &problems)
	}
	if err != nil {
		return Config{}, err
	}
	return config, t.complain(&problems, config.Path)
}

// schemasOr returns the schemas that the command line names, else the schemas of the config file.
func (t *Tool) schemasOr(names []string) ([]string, Config, error) {
	config, err := t.config()
	if err != nil {
		return nil, config, err
	}
	switch {
	case len(names) > 0:
		return names, config, nil
	case config.Path == "":
		return nil, config, usagef("no schema is named, and there is no %s here or above", ConfigName).
			withHelp("name a schema file or a folder, or run `sdp init` to begin a project")
	case len(config.Schemas) == 0:
		return nil, config, usagef("no schema is named, and %s lists none", config.Path).
			withHelp("add `schemas = [\"name.sdp\"]` to it")
	}
	return config.Schemas, config, nil
}

// complain writes diagnostics that prevent the command's work. It returns ErrRefused if any is an
// error.
func (t *Tool) complain(problems *diag.List, files ...string) error {
	if problems.Len() == 0 {
		return nil
	}
	if err := t.write(t.Err, t.ErrColor, problems, files); err != nil {
		return err
	}
	return refusedIf(problems.HasErrors())
}

// report writes diagnostics that are themselves what was asked for, also when
// there are none.
func (t *Tool) report(problems *diag.List, files ...string) error {
	if err := t.write(t.Out, t.OutColor, problems, files); err != nil {
		return err
	}
	return refusedIf(problems.HasErrors())
}

func (t *Tool) write(w io.Writer, color bool, problems *diag.List, files []string) error {
	switch t.Format {
	case FormatJSON:
		return diag.WriteJSON(w, problems)
	case FormatGitHub:
		return diag.WriteGitHub(w, problems.Sorted())
	}
	if err := diag.WriteText(w, problems.Sorted(), color); err != nil {
		return err
	}
	named := make([]string, len(files))
	for i, file := range files {
		named[i] = filepath.ToSlash(file)
	}
	_, err := fmt.Fprintln(w, diag.Summary(problems, named...))
	return err
}

func refusedIf(refusal bool) error {
	if refusal {
		return ErrRefused
	}
	return nil
}

// sized is "1 file" or "3 files".
func sized[N int | int64 | uint64](n N, noun string) string { return sizedAs(n, noun, noun+"s") }

func sizedAs[N int | int64 | uint64](n N, name, many string) string {
	return interp.Counted(uint64(n), name, many)
}
