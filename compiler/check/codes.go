package check

import (
	"embed"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains every code that the checker reports.
var Codes = diag.NewTable(codeFiles)

// The codes of this package. Each has its explanation in codes/.
const (
	codeUnreadable   diag.Code = "S0201"
	codeImportCycle  diag.Code = "S0202"
	codeNameTwice    diag.Code = "S0203"
	codePackageTwice diag.Code = "S0204"
	codeBuiltinName  diag.Code = "S0205"
	codeUnknownName  diag.Code = "S0206"
	codeNotImported  diag.Code = "S0207"
	codeWrongKind    diag.Code = "S0208"

	codeConstType  diag.Code = "S0301"
	codeValueKind  diag.Code = "S0302"
	codeValueRange diag.Code = "S0303"
	codeConstCycle diag.Code = "S0304"
	codeAliasCycle diag.Code = "S0305"

	codeNestedOptional diag.Code = "S0401"
	codeMapKey         diag.Code = "S0402"
	codeEmptyElement   diag.Code = "S0403"
	codeInfinite       diag.Code = "S0404"
	codeValueDepth     diag.Code = "S0405"
	codeTooLarge       diag.Code = "S0406"
	codeArrayLength    diag.Code = "S0407"
	codeTypeArguments  diag.Code = "S0408"

	codeEnumBase     diag.Code = "S0501"
	codeNoMembers    diag.Code = "S0502"
	codeNumberTwice  diag.Code = "S0503"
	codeNumberRange  diag.Code = "S0504"
	codeUsesReserved diag.Code = "S0505"
	codeReserved     diag.Code = "S0506"

	codeUnknownAttribute diag.Code = "S0601"
	codeAttributePlace   diag.Code = "S0602"
	codeAttributeTwice   diag.Code = "S0603"
	codeAttributeArgs    diag.Code = "S0604"
	codeNoLength         diag.Code = "S0605"
	codeMaxWidth         diag.Code = "S0606"
	codeTargetName       diag.Code = "S0607"
	codeAttributeText    diag.Code = "S0608"

	codeTypeIDRange diag.Code = "S0701"
	codeTypeIDTwice diag.Code = "S0702"

	codeSegmentOrder   diag.Code = "S0801"
	codeSegmentEmpty   diag.Code = "S0802"
	codeDefaultPlace   diag.Code = "S0803"
	codeDefaultType    diag.Code = "S0804"
	codeDefaultValue   diag.Code = "S0805"
	codeNoMissingValue diag.Code = "S0806"

	codeMethodType   diag.Code = "S0901"
	codeMethodStream diag.Code = "S0902"
)
