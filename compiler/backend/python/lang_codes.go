package python

import (
	"embed"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains the diagnostics of this backend.
var Codes = diag.NewTable(codeFiles)
