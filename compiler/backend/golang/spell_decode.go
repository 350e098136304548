package golang

import (
	"fmt"
	"regexp"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// codecs prints encoders and decoders of all types of the package.
func (g *generator) codecs() {
	for _, body := range g.program.Bodies(g.pkg) {
		g.entry(body)
		g.sizer(body)
		g.encoder(body)
		g.decoder(body)
	}
}

// decoderLocals are the variables that ops assign to, with their types, in the
// order in which a function declares those that its body uses.
var decoderLocals = []variable{{"w", "string"}, {"n", "int"}, {"ok", "bool"}}

// encoderLocals are those of functions that write.
var encoderLocals = []variable{{"w", "[]byte"}}

type variable struct{ name, typ string }

// function prints a function and declares the locals that its body assigns to.
func (g *generator) function(signature string, locals []variable, body func()) {
	text := g.captured(body)
	g.Line("%s {", signature)
	for _, l := range locals {
		if assigned(text, l.name) {
			g.Line("var %s %s", l.name, l.typ)
		}
	}
	g.Line("%s", text)
	g.Line("}\n")
}

// assigned reports whether the text assigns to a variable with "=".
func assigned(text, name string) bool {
	return regexp.MustCompile(`(?m)(^|[\s,])` + name + `(, [\w.\[\]*()]+)* = `).MatchString(text)
}

// decoder prints the fast decoder of a body: it only says whether the bytes are
// valid.
func (g *generator) decoder(body *plan.Body) {
	g.Line("// SDPDecode reads a value from the start of s and returns what is behind it. It")
	g.Line("// is for generated code.")
	g.reading(fmt.Sprintf("func (v *%s) SDPDecode", g.names.Of(body.Decl)), body, place{expr: "v"})
}

// validator prints the decoder without a value: it says whether bytes are valid
// and stores nothing. Views are opened by it.
func (g *generator) validator(body *plan.Body) {
	name := g.names.Of(body.Decl)
	g.Line("// SDPValid%s reports whether s starts with a valid value, and returns what is", name)
	g.Line("// behind it. It is for generated code.")
	g.reading("func SDPValid"+name, body, place{})
}

func (g *generator) reading(name string, body *plan.Body, at place) {
	g.function(name+"(d *sdp.Decoder, s string, depth int) (string, bool)", decoderLocals, func() {
		g.refuseIf("depth > d.Depth")
		lower.Body(reader{g}, at, body)
		if _, isStruct := body.Decl.(*ir.Struct); isStruct {
			g.Line("return s, true")
		}
	})
}

// reader spells reading, and validating where the place is nowhere.
type reader struct{ *generator }

// refuseIf prints the way out of a decoder where the condition holds.
func (g *generator) refuseIf(format string, args ...any) {
	g.Line("if "+format+" {", args...)
	g.In(func() { g.Line("return s, false") })
	g.Line("}")
}

// try prints an assignment to ok and the way out where it is false.
func (g *generator) try(format string, args ...any) { g.refuseIf(format+"; !ok", args...) }

func (r reader) Charge(_ place, traits plan.Traits) {
	if traits.Levels > 0 {
		r.refuseIf("depth+%d > d.Depth", traits.Levels)
	}
	if traits.Elements > 0 {
		r.refuseIf("!d.Elements(%d)", traits.Elements)
	}
}

func (r reader) Run(at place, run *plan.Run) {
	if run.Bytes == 0 {
		return
	}
	r.refuseIf("len(s) < %d", run.Bytes)
	if !at.nowhere() || run.Checked {
		lower.Items(r, at.on("s"), run)
	}
	r.Line("s = s[%d:]", run.Bytes)
}

func (r reader) count(t *ir.Type, least uint64) {
	r.try("n, s, ok = d.Count%d(s, %d, %d)", t.LenBytes, plan.LengthMax(t), least)
}

func (r reader) Text(at place, t *ir.Type) { r.framed(at, t, "Text") }
func (r reader) Blob(at place, t *ir.Type) { r.framed(at, t, "Blob") }

// framed prints what reads a length and as many bytes by a function.
func (r reader) framed(at place, t *ir.Type, function string) {
	r.try("n, s, ok = sdp.Length%d(s, %d)", t.LenBytes, plan.LengthMax(t))
	if !at.nowhere() {
		r.try("s, ok = d.%s(s, n, &%s)", function, at.expr)
		return
	}
	if t.Kind == ir.StrKind {
		r.refuseIf("!sdp.ValidText(s, n)")
	}
	r.Line("s = s[n:]")
}

func (r reader) Items(at place, t *ir.Type, run *plan.Run, each func(place)) {
	isBool, isPlain := t.Elem.Kind == ir.Bool, !run.Checked && run.Levels == 0 && run.Elements == 0
	if !isBool && (!at.nowhere() && !bulk(t.Elem) || at.nowhere() && !isPlain) {
		r.List(at, t, run.Bytes, each)
		return
	}
	r.count(t, run.Bytes)
	switch {
	case at.nowhere() && isBool:
		r.refuseIf("!sdp.BoolsValid(s[:n])")
		r.Line("s = s[n:]")
	case at.nowhere():
		r.Line("s = s[n*%d:]", run.Bytes)
	default:
		function := map[bool]string{true: "Bools", false: "Numbers"}[isBool]
		r.try("%s, s, ok = sdp.%s(d, s, %s, n)", at.expr, function, at.expr)
		r.known(at, t)
	}
}

// known prints the check of a list or array of a closed enum.
func (r reader) known(at place, t *ir.Type) {
	if isClosed(t.Elem) {
		r.loop(at, "", func(at place) { r.refuseIf("!%s.SDPKnown()", at.expr) })
	}
}

func (r reader) List(at place, t *ir.Type, least uint64, each func(place)) {
	r.count(t, least)
	if !at.nowhere() {
		r.try("%s, ok = sdp.Resize(d, s, %s, n)", at.expr, at.expr)
	}
	r.loop(at, "n", each)
}

func (r reader) Array(at place, t *ir.Type, each func(place)) {
	r.allocateArray(at, t)
	r.loop(at, fmt.Sprint(t.N), each)
}

// allocate prints what gives dst, a pointer to a value of type t, its memory.
func (r reader) allocate(t *ir.Type, dst string) {
	r.try("%s, ok = sdp.New(d, s, %s, %d)", dst, dst, r.program.SizeOf(t).Min)
}

func (r reader) allocateArray(at place, t *ir.Type) {
	if !at.nowhere() && r.types.OnHeap(t) {
		r.allocate(t, at.expr)
	}
}

func (r reader) Optional(at place, t *ir.Type, there func(place)) {
	isPointer := r.pointer(t)
	r.refuseIf("len(s) < 1 || s[0] > 1")
	r.Line("if s[0] == 0 {")
	r.Line("s = s[1:]")
	switch {
	case at.nowhere():
	case isPointer:
		r.Line("%s = nil", at.expr)
	default:
		r.Line("%s.Clear()", at.expr)
	}
	r.Line("} else {")
	r.Line("s = s[1:]")
	switch {
	case at.nowhere():
	case r.types.OnHeap(t.Elem):
	case isPointer:
		r.allocate(t.Elem, at.expr)
		at.expr = r.deref(t, at.expr)
	default:
		r.Line("%s.Present = true", at.expr)
		at.expr += ".Value"
	}
	there(at)
	r.Line("}")
}

func (r reader) Map(at place, t *ir.Type, least uint64, key, value func(place)) {
	k, v, last := at.temporary("key"), at.temporary("value"), at.temporary("last")
	order := fmt.Sprintf("%s <= %s", k.expr, last.expr)
	if t.Key.Kind == ir.Bool {
		order = fmt.Sprintf("!%s || bool(%s)", k.expr, last.expr)
	}
	r.count(t, least)
	if at.nowhere() {
		v.expr = ""
	} else {
		r.try("%s, ok = sdp.Map(d, s, %s, n)", at.expr, at.expr)
	}
	i := at.temporary("i").expr
	r.Line("{")
	r.Line("var %s %s", last.expr, r.types.spell(t.Key))
	r.Line("for %s := range n {", i)
	r.Line("var %s %s", k.expr, r.types.spell(t.Key))
	if !at.nowhere() {
		r.Line("var %s %s", v.expr, r.types.spell(t.Elem))
	}
	key(k)
	r.refuseIf("%s > 0 && (%s)", i, order)
	r.Line("%s = %s", last.expr, k.expr)
	value(v)
	if !at.nowhere() {
		r.Line("%s = %s", index(at.expr, k.expr), v.expr)
	}
	r.Line("}\n}")
}

// call is the call of a declared type's own procedure.
func (r reader) call(at place, d ir.Decl, bytes string) string {
	function := r.types.qualified(d.DeclPackage(), "SDPValid"+r.names.Of(d))
	if !at.nowhere() {
		function = at.expr + ".SDPDecode"
	}
	return fmt.Sprintf("%s(d, %s, depth+1)", function, bytes)
}

func (r reader) Call(at place, t *ir.Type) { r.try("s, ok = %s", r.call(at, t.Decl, "s")) }

func (r reader) Window(at place, t *ir.Type) {
	r.try("w, s, ok = sdp.Window(s)")
	r.try("_, ok = %s", r.call(at, t.Decl, "w"))
}

func (r reader) Segment(at place, m *ir.Message, s *plan.Segment, there func()) {
	r.Line("if len(s) == 0 {")
	if !at.nowhere() {
		r.Line("v.SDPDefaults(%d)", s.Number)
		if m.KeepUnknown {
			r.Line("v.unknown = nil")
		}
	}
	r.Line("return s, !d.Exact\n}")
	there()
}

func (r reader) Tail(at place, m *ir.Message) {
	if at.nowhere() || !m.KeepUnknown {
		r.Line("return s[len(s):], !d.Exact || len(s) == 0")
		return
	}
	r.refuseIf("d.Exact && len(s) > 0")
	r.Line("return d.Blob(s, len(s), &v.unknown)")
}

func (r reader) Union(at place, u *ir.Union, cases func()) {
	r.refuseIf("len(s) < 1")
	r.Line("tag := s[0]")
	rest := "rest, len(s) == 0"
	if u.Closed {
		r.Line("s = s[1:]")
		rest = "s, true"
	} else {
		r.Line("s, rest, ok := sdp.Window(s[1:])")
		r.refuseIf("!ok")
	}
	r.Line("switch tag {")
	cases()
	if !u.Closed {
		r.Line("case 0:\nreturn s, false")
	}
	r.Line("default:")
	r.unknown(at, u)
	r.Line("}")
	r.Line("return %s", rest)
}

// unknown prints what reads an alternative that the release doesn't know.
func (r reader) unknown(at place, u *ir.Union) {
	switch {
	case u.Closed:
		r.Line("return s, false")
	case at.nowhere():
		r.Line("return rest, true")
	default:
		r.Line("a, _ := v.Value.(*%sUnknown)", r.names.Of(u))
		r.try("a, ok = sdp.New(d, s, a, 0)")
		r.Line("v.Value = a")
		r.Line("a.Number = tag")
		r.try("s, ok = d.Blob(s, len(s), &a.Payload)")
	}
}

func (r reader) Case(at place, _ *ir.Union, a *plan.Alternative, payload func(place)) {
	r.Line("case %d:", a.Alt.Tag)
	if at.nowhere() {
		payload(at)
		return
	}
	r.Line("a, _ := v.Value.(*%s)", r.names.Of(a.Alt))
	r.try("a, ok = sdp.New(d, s, a, %d)", a.Size.Min)
	r.Line("v.Value = a")
	if a.Alt.Inline != nil {
		r.Call(place{expr: "a"}, a.Alt.Type)
	} else {
		payload(place{expr: "a.Value"})
	}
}
