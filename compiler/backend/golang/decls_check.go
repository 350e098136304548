package golang

import (
	"strconv"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// checker prints the slow walk over a value that names the first thing that
// can't be encoded. Encoding calls it only when a fast pass has noted that
// there is one, and Validate calls it for what encoding trusts.
func (g *generator) checker(body *plan.Body) {
	g.Line("// SDPCheck names the first thing in v that can't be encoded. It is for generated")
	g.Line("// code.")
	g.Line("func (v *%s) SDPCheck(c sdp.Checker, depth int) *sdp.Error {", g.names.Of(body.Decl))
	g.Line("if err := c.Enter(depth); err != nil {\nreturn err\n}")
	if u, ok := body.Decl.(*ir.Union); ok {
		g.checkUnion(u)
	}
	for _, f := range ir.FieldsOf(body.Decl) {
		g.value(checks, f.Type, "v."+g.names.Of(f), strconv.Quote(f.Name))
	}
	g.Line("return nil\n}")
	g.Line("")
}

func (g *generator) checkUnion(u *ir.Union) {
	g.alternatives(func() {
		g.cases(u, func(a *ir.Alternative) {
			g.Line("if a == nil {\nreturn sdp.Invalid()\n}")
			if a.Type != nil {
				g.value(checks, a.Type, payload(a, "a"), strconv.Quote(a.Name))
			}
		}, func() { g.Line("if a == nil || !(%s) {\nreturn sdp.Invalid()\n}", unknownTag(u)) })
		g.Line("default:\nreturn sdp.Invalid()")
	})
}

// checks name the first thing in a value that can't be encoded.
var checks = &lower.Operation{Wants: checkable, Leaves: lower.MustPerForm(map[lower.Form]lower.Leaf{
	lower.Scalar:       {Do: refuse("c.$refuses$($v$)")},
	lower.Enum:         {Do: refuse("c.Known($v$.SDPKnown())")},
	lower.Str:          {Do: refuse("c.Text($v$, $max$, $widest$)")},
	lower.Bytes:        {Do: checkLength},
	lower.List:         {Do: checkLength, Each: checkItems},
	lower.Numbers:      {Do: checkLength, Each: checkItems},
	lower.Array:        {Each: checkItems},
	lower.HeapArray:    {Each: "{\n$x$ := sdp.ArrayOr($v$)\narray -> $x$\n}"},
	lower.Optional:     {Each: "if $v$.Present {\n=> $v$.Value\n}"},
	lower.Boxed:        {Each: "if $v$ != nil {\n=> (*$v$)\n}"},
	lower.BoxedArray:   {Each: "if $v$ != nil {\n=> (*$v$)\n}"},
	lower.OptionalHeap: {Each: "if $v$ != nil {\n=> $v$\n}"},
	// A map is walked in the order of its encoding, so that paths are those of the wire.
	lower.Map: {Do: checkLength, Each: `for $i$, $key$ := range sdp.$sorted$(nil, $v$) {
		key => $key$
		=> $value$ := $v$[$key$]
	}`},
	lower.Declared: {Do: checkDeclared},
	lower.Message: {Do: checkDeclared + `
		if c.Large && sdp.TooLarge($v$.SDPSize(new(sdp.Encoder), depth+1)) {
			return sdp.Oversize()$path$
		}`},
})}

var (
	checkLength   = refuse("c.Length(len($v$), $max$, $widest$)")
	checkDeclared = refuse("$v$.SDPCheck(c, depth+1)")
)

const checkItems = "for $i$ := range $v$ {\n=> $v$[$i$]\n}"

func refuse(check string) string { return "if err := " + check + "; err != nil {\nreturn err$path$\n}" }

// checkable reports whether some values of the type can't be encoded.
func checkable(t *ir.Type) bool {
	t = lower.Held(t)
	if t.Kind == ir.EnumKind {
		return t.Enum().Closed
	}
	return t.Scalar() == 0 || scalars.Of(t.Kind).refuses != ""
}
