package api

import (
	"fmt"
	"path"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// Language is a language that code can be generated in, with its options.
type Language struct {
	Name    string   `json:"name"`
	Options []Option `json:"options"`
}

// Option is a choice of a language: a switch, or words of a list.
type Option struct {
	Name    string   `json:"name"`
	Words   []string `json:"words"`
	Default string   `json:"default"`
}

// CompilerInfo is the page's knowledge of the compiler.
type CompilerInfo struct {
	Version   string     `json:"version"`
	Languages []Language `json:"languages"`
	// Columns are the words for the kinds of breakage.
	Columns []string `json:"columns"`
}

func (c *Compiler) about() CompilerInfo {
	about := CompilerInfo{Version: c.version, Columns: columnWords()}
	for _, l := range language.All {
		one := Language{Name: l.Name(), Options: []Option{}}
		for _, o := range l.Options {
			if isOffered(o) {
				one.Options = append(one.Options, Option{Name: o.Name, Words: append([]string{}, o.Words...), Default: o.Default})
			}
		}
		about.Languages = append(about.Languages, one)
	}
	return about
}

// isOffered leaves out what depends on the project that the code is for, and tests, which
// are for who runs them.
func isOffered(o language.Option) bool {
	return o.Kind != language.Text && o.Name != place.Serde && o.Name != place.Tests
}

// GenerateQuestion asks for code in a language, with options as `sdp.toml` has them.
type GenerateQuestion struct {
	Schema   Schema            `json:"schema"`
	Language string            `json:"language"`
	Options  map[string]string `json:"options"`
}

// Generated is code, or what stands in its way.
type Generated struct {
	Files       []File       `json:"files"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// File is a generated file by its path in a project.
type File struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Generate makes the code of a schema and of its imports, as `sdp gen` does in a project that `sdp
// init playground` has begun, but for the runtime beside it and what makes a folder a package in
// Python. The files of the schema itself come first.
func (c *Compiler) Generate(q GenerateQuestion) (*Generated, error) {
	one, err := c.sound(q.Schema)
	if err != nil {
		return nil, err
	}
	made, known := language.All.Find(q.Language)
	if !known {
		return nil, fmt.Errorf("there is no generator for %q", q.Language)
	}
	out, err := output(made, q.Options)
	if err != nil {
		return nil, err
	}
	placed, err := placedIn(made, one.program.Schema.Packages)
	if err != nil {
		return nil, err
	}
	options := backend.Options{
		Version: c.version, Runtime: placed.runtime, Laid: true, Split: out.IsOn(place.CppSplit), Parts: parts(out), Imports: placed.imports,
	}
	var problems diag.List
	generated := &Generated{Files: []File{}}
	for _, pkg := range one.rootFirst() {
		files, found := made.Generate(one.program, pkg, options)
		problems.Append(found)
		for _, f := range files {
			generated.Files = append(generated.Files, File{Path: path.Join(placed.folders[pkg], f.Name), Text: string(f.Content)})
		}
	}
	if problems.HasErrors() {
		generated.Files = []File{}
	}
	generated.Diagnostics = diagnostics(&problems)
	return generated, nil
}

// output is the output with the chosen options of a language, and its defaults for the others.
func output(made language.Language, chosen map[string]string) (place.Output, error) {
	out := place.Output{Language: made.Name(), Options: map[string]string{}}
	for name, value := range chosen {
		o, has := made.Option(name)
		if !has || o.Name != name || !isOffered(o) {
			return out, fmt.Errorf("%s has no option %q here", made.Name(), name)
		}
		if problem, _ := made.Refuse(o, value); problem != "" {
			return out, fmt.Errorf("%s %s", name, problem)
		}
	}
	for _, o := range made.Options {
		out.Options[o.Name] = o.Default
		if value, said := chosen[o.Name]; said {
			out.Options[o.Name] = value
		}
	}
	return out, nil
}

// parts are the parts that an output asks for.
func parts(out place.Output) backend.Parts {
	var forms []backend.Form
	for _, name := range language.Words(out.Option(place.Forms)) {
		forms = append(forms, backend.Form(name))
	}
	return backend.Parts{Forms: forms, JSON: out.IsOn(place.JSON), Services: out.IsOn(place.Services), JavaScript: out.IsOn(place.JavaScript)}
}
