package driver

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/bridge"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// bridgeFile is a file of a bridge.
type bridgeFile struct {
	path    string
	content []byte
}

// bridge makes the requested conversions: none, or Go's.
func (t *Tool) bridge(schema *proto.Schema, program *plan.Program, config Config, options ImportProtoOptions) ([]bridgeFile, error) {
	if options.Bridge == "" {
		return nil, nil
	}
	const help = "write for instance `--bridge go=internal/bridge`"
	language, dir, found := strings.Cut(options.Bridge, "=")
	switch {
	case !found || dir == "":
		return nil, usagef("--bridge is LANGUAGE=DIR, not %q", options.Bridge).withHelp(help)
	case language != "go":
		return nil, usagef("there is no bridge in %q", language).withHelp(help)
	}
	home, err := place.GoImportPath(dir)
	if err != nil {
		return nil, err
	}
	if home == "" {
		return nil, usagef("%s is in no Go module, so that the bridge has no import path", dir).
			withHelp("run `go mod init NAME` in the folder that is to be the module")
	}
	out, err := t.outputOf(language, config)
	if err != nil {
		return nil, err
	}
	made, _ := t.languages().Find(language)
	batch := &place.Batch{Version: Version, Files: t.temps.NewSet()} // sdp gen writes it, and not this
	placed, err := made.Place(batch, out, program.Schema.Packages)
	if err != nil {
		return nil, err
	}
	if err := t.complain(&batch.Problems, options.Protos...); err != nil {
		return nil, err
	}
	folders := map[*ir.Package]string{}
	for _, pkg := range program.Schema.Packages {
		folders[pkg] = golang.Folder(pkg)
	}
	var problems diag.List
	files := bridge.Go(schema, program, bridge.Options{
		Version: Version, Imports: placed.Imports, Folders: folders, Runtime: placed.Runtime, Home: home, Services: out.IsOn(place.Services),
	}, &problems)
	if err := t.complain(&problems, options.Protos...); err != nil {
		return nil, err
	}
	var all []bridgeFile
	for _, file := range files {
		all = append(all, bridgeFile{filepath.Join(dir, filepath.FromSlash(file.Path)), file.Content})
	}
	return all, nil
}

// outputOf is the config file's only output of a language.
func (t *Tool) outputOf(language string, config Config) (place.Output, error) {
	of := func(o place.Output) bool { return o.Language == language }
	at := slices.IndexFunc(config.Outputs, of)
	switch {
	case at < 0:
		return place.Output{}, usagef("no [[output]] of %s says where the generated types are that a bridge converts", language).
			withHelp("add one to %s; `sdp init` writes an example", ConfigName)
	case slices.ContainsFunc(config.Outputs[at+1:], of):
		return place.Output{}, usagef("%s has several [[output]] of %s, and a bridge converts the types of one", config.Path, language)
	}
	outputs, err := t.outputs(GenOptions{}, config)
	if err != nil {
		return place.Output{}, err
	}
	return outputs[at], nil
}
