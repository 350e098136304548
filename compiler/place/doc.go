// Package place chooses the place of generated code: the folders and names that the users of each
// language expect, the runtime that is laid beside the code, and the missing parts of a project
// that compiles it.
//
// It refuses to know what is in the generated files, and prints nothing.
package place

import (
	"embed"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains every code that this package reports.
var Codes = diag.NewTable(codeFiles)

// The codes. CodeOutput is that of an output of a config file which makes no sense, too.
const (
	CodeOutput     diag.Code = "C0002"
	codeGoModule   diag.Code = "C0003"
	codeModule     diag.Code = "C0005"
	codeInTheWay   diag.Code = "C0006"
	codeDependency diag.Code = "C0007"
	codeLibrary    diag.Code = "C0008"
	codeModules    diag.Code = "C0012"
)

// ConfigName is the name of the file that lists a project's schemas and its outputs.
const ConfigName = "sdp.toml"
