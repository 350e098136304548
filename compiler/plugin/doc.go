// Package plugin runs programs that make the code of languages which the tool does not
// have: it makes a request of a schema, hands it to a program, and checks what that
// answers before anything is done with it. Requests and responses are messages of
// spec/plugin.sdp.
//
// It also makes a schema of a request again, so that a backend of the compiler can be run
// as a plugin. It refuses to know the languages that plugins are for, and writes no file.
package plugin

import (
	"embed"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains every code that this package reports.
var Codes = diag.NewTable(codeFiles)

const (
	codeFailed  diag.Code = "C0009" // the program did not answer
	codeFile    diag.Code = "C0010" // a file of its response cannot be written
	codeFeature diag.Code = "C0011" // a schema has more than it makes code of
)

// Protocol is the number of requests that this package makes.
const Protocol = 1

// Prefix begins the names of plugins' programs.
const Prefix = "sdp-gen-"
