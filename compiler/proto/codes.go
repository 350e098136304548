package proto

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
	codeSyntax       diag.Code = "I0001"
	codeGroup        diag.Code = "I0101"
	codeExtension    diag.Code = "I0102"
	codeMessageSet   diag.Code = "I0103"
	codeAlternatives diag.Code = "I0104"
	codeDefault      diag.Code = "I0201"
	codeAlias        diag.Code = "I0202"
	codeRanges       diag.Code = "I0203"
	codeOption       diag.Code = "I0204"
	codeNotUTF8      diag.Code = "I0205"
	codeTime         diag.Code = "I0206"
	codeAny          diag.Code = "I0207"
	codeChanged      diag.Code = "I0301"
	codeGone         diag.Code = "I0302"
	codeRenamed      diag.Code = "I0303"
)
