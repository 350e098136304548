// Package place says where generated code goes: the folders and names that the users of
// each language expect, the runtime that is laid beside the code, and what a project lacks
// to compile it.
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

// ConfigName is the file that says what a project's schemas are and what to
// make of them.
const ConfigName = "sdp.toml"
