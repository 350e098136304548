package bridge

import (
	"embed"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains every code that this package reports.
var Codes = diag.NewTable(codeFiles)

// The codes of this package. Each has its explanation in codes/.
const (
	codeNoPackage diag.Code = "I0401"
	codeOpaque    diag.Code = "I0402"
	codeBase      diag.Code = "I0403"
)
