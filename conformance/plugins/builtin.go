// Package plugins shows that a request to a plugin has all that code is made of, and what
// becomes of plugins that do harm.
package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/compiler/place/output"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/plugin"
)

// builtIn answers as a language of the compiler's would, by a request alone. The option `language`
// names it; the other options are the language's.
func builtIn(request *plugin.Request, program *plan.Program) (*plugin.Response, error) {
	response := &plugin.Response{Features: plugin.AllFeatures()}
	out := place.Output{Options: map[string]string{}}
	for _, o := range request.Options {
		if out.Options[o.Name] = o.Value; o.Name == "language" {
			out.Language = o.Value
		}
	}
	made, found := language.All.Find(out.Language)
	if !found {
		return nil, fmt.Errorf("there is no language %q", out.Language)
	}
	for _, o := range made.Options {
		if out.Options[o.Name] == "" {
			out.Options[o.Name] = o.Default
		}
	}
	// Placements look into the folder that the code goes to.
	dir, err := os.MkdirTemp("", "sdp-gen-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+out.Options["module"]+"\n"), 0o600); err != nil {
		return nil, err
	}
	out.Dir = dir
	packages := slices.DeleteFunc(slices.Clone(program.Schema.Packages), func(pkg *ir.Package) bool {
		return !slices.Contains(request.Generate, pkg.Name)
	})
	temps := &output.Temps{}
	batch := &place.Batch{Version: request.Version, Files: temps.NewSet()}
	at, err := made.Place(batch, out, packages)
	if err != nil {
		return nil, err
	}
	options := backend.Options{Version: request.Version, Runtime: at.Runtime, Laid: at.Laid, Split: at.Split, Parts: parts(out), Imports: at.Imports}
	for _, pkg := range packages {
		files, problems := made.Generate(program, pkg, options)
		batch.Problems.Append(problems)
		for _, f := range files {
			if err := batch.Files.Add(filepath.Join(at.Folders[pkg], f.Name), f.Content); err != nil {
				return nil, err
			}
		}
	}
	for _, path := range batch.Files.Paths() {
		within, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		response.Files = append(response.Files, plugin.File{Path: filepath.ToSlash(within), Content: batch.Files.Content(path)})
	}
	for _, d := range batch.Problems.Sorted() {
		response.Diagnostics = append(response.Diagnostics, told(d, program.Schema))
	}
	return response, nil
}

func parts(out place.Output) backend.Parts {
	parts := backend.Parts{JSON: out.IsOn(place.JSON), Serde: out.IsOn(place.Serde), Services: out.IsOn(place.Services)}
	for _, name := range language.Words(out.Option(place.Forms)) {
		parts.Forms = append(parts.Forms, backend.Form(name))
	}
	return parts
}

// told is a problem as a response has it.
func told(d *diag.Diagnostic, schema *ir.Schema) plugin.Diagnostic {
	said := plugin.Diagnostic{Code: string(d.Code), Severity: uint8(d.Severity), Message: d.Message, Help: d.Help}
	for _, pkg := range schema.Packages {
		if d.Span.File != nil && d.Span.File == pkg.Span.File {
			said.Package, said.At.Start, said.At.End = pkg.Name, uint32(d.Span.Start), uint32(d.Span.End)
		}
	}
	return said
}
