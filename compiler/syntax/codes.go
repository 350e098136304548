package syntax

import (
	"embed"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains every code that the parser reports.
var Codes = diag.NewTable(codeFiles)

// The codes of this package. Each has its explanation in codes/.
const (
	codeNotUTF8             diag.Code = "S0002"
	codeFileTooLarge        diag.Code = "S0003"
	codeBracketsTooDeep     diag.Code = "S0004"
	codeUnexpectedCharacter diag.Code = "S0005"
	codeUnterminatedString  diag.Code = "S0006"
	codeBadEscape           diag.Code = "S0007"
	codeUnterminatedComment diag.Code = "S0008"
	codeBadNumber           diag.Code = "S0009"
	codeNumberTooLarge      diag.Code = "S0010"
	codeExpected            diag.Code = "S0101"
	codeUnknownStatement    diag.Code = "S0102"
	codeUnclosed            diag.Code = "S0103"
	codeSeparator           diag.Code = "S0104"
	codePackagePlace        diag.Code = "S0105"
	codeImportPlace         diag.Code = "S0106"
	codeReservedPlace       diag.Code = "S0108"
	codeProtobuf            diag.Code = "S0109"

	// CodeTypeNesting is shared with the checker, which counts again once
	// aliases are replaced.
	CodeTypeNesting diag.Code = "S0107"
)
