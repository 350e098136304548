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

// decoderLocals are the variables that ops assign to, with their types, in the order in which a
// function declares the used ones.
var decoderLocals = []variable{{"w", "string"}, {"n", "int"}, {"there", "bool"}}

// encoderLocals are the variables of functions that write.
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
	g.Raw(text + "}\n\n")
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
	g.Line("// SDPValid%s reads a value from the start of s into nowhere and returns what is", name)
	g.Line("// behind it. It is for generated code.")
	g.reading("func SDPValid"+name, body, place{})
}

func (g *generator) reading(name string, body *plan.Body, p place) {
	g.function(name+"(d *sdp.Decoder, s string, depth int) string", decoderLocals, func() {
		g.refuseIf("depth > d.Depth")
		lower.Body(reader{g}, p, body)
		if _, isStruct := body.Decl.(*ir.Struct); isStruct {
			g.Line("return s")
		}
	})
}

// reader spells reading, and validating where the place is nowhere. A refusal leaves nothing to
// read in s, so that statements follow each other without a look at the result of the previous one,
// unless they read at fixed places.
type reader struct{ *generator }

// refuseIf prints the way out of a decoder where the condition holds, or adds the condition to the
// previously printed one.
func (g *generator) refuseIf(format string, args ...any) {
	const out = " {\nreturn d.Refuse()\n}\n"
	if g.CutSuffix(out) {
		g.Raw(" || ")
	} else {
		g.Raw("if ")
	}
	g.Raw(fmt.Sprintf(format, args...) + out)
}

func (r reader) Charge(_ place, traits plan.Traits) {
	if traits.Levels > 0 {
		r.refuseIf("depth+%d > d.Depth", traits.Levels)
	}
	if traits.Elements > 0 {
		r.refuseIf("!d.Elements(%d)", traits.Elements)
	}
}

func (r reader) Run(p place, run *plan.Run) {
	if run.Bytes == 0 {
		return
	}
	r.refuseIf("len(s) < %d", run.Bytes)
	if !p.nowhere() || run.Checked {
		lower.Items(r, p.on("s"), run)
	}
	r.Line("s = s[%d:]", run.Bytes)
}

// counted prints a call of a function that reads a length or count and its content.
func (r reader) counted(function string, t *ir.Type, more string, args ...any) {
	r.Line("s = %s, %d, %d%s)", function, t.LenBytes, plan.LengthMax(t), fmt.Sprintf(more, args...))
}

func (r reader) Text(p place, t *ir.Type) {
	switch {
	case p.nowhere():
		r.counted("d.PassText(s", t, "")
	case plan.LengthMax(t) == plan.WidthMax(4):
		r.Line("s = d.Text(s, &%s)", p.expr)
	default:
		r.counted("d.TextWithin(s", t, ", &%s", p.expr)
	}
}

func (r reader) Blob(p place, t *ir.Type) {
	if p.nowhere() {
		r.counted("d.PassBlob(s", t, "")
	} else {
		r.counted("d.Blob(s", t, ", &%s", p.expr)
	}
}

func (r reader) Items(p place, t *ir.Type, run *plan.Run, visit func(place)) {
	isBool, isPlain := t.Elem.Kind == ir.Bool, !run.Checked && run.Levels == 0 && run.Elements == 0
	switch {
	case p.nowhere() && isBool:
		r.counted("d.PassBools(s", t, "")
	case p.nowhere() && isPlain:
		r.counted("d.PassItems(s", t, ", %d", run.Bytes)
	case !p.nowhere() && isBool:
		r.counted("sdp.Bools(d, s", t, ", &%s", p.expr)
	case !p.nowhere() && bulk(t.Elem):
		r.counted("sdp.Numbers(d, s", t, ", &%s", p.expr)
		r.known(p, t)
	default:
		r.List(p, t, run.Bytes, visit)
	}
}

// known prints the check of a list or array of a closed enum.
func (r reader) known(p place, t *ir.Type) {
	if isClosed(t.Elem) {
		r.loop(p, "", func(p place) { r.refuseIf("!%s.SDPKnown()", p.expr) })
	}
}

func (r reader) List(p place, t *ir.Type, least uint64, visit func(place)) {
	if p.nowhere() {
		r.Line("n, s = d.Count(s, %d, %d, %d)", t.LenBytes, plan.LengthMax(t), least)
	} else {
		r.counted("sdp.List(d, s", t, ", %d, &%s", least, p.expr)
	}
	r.loop(p, "n", visit)
}

func (r reader) Array(p place, t *ir.Type, visit func(place)) {
	r.allocateArray(p, t)
	r.loop(p, fmt.Sprint(t.N), visit)
}

// allocate prints what gives dst, a pointer to a value of least bytes or more, its memory.
func (r reader) allocate(dst string, least uint64) {
	r.Line("if %s = sdp.New(d, s, %s, %d); %s == nil {\nreturn d.Refuse()\n}", dst, dst, least, dst)
}

func (r reader) allocateArray(p place, t *ir.Type) {
	if !p.nowhere() && r.types.OnHeap(t) {
		r.allocate(p.expr, r.program.SizeOf(t).Min)
	}
}

func (r reader) Optional(p place, t *ir.Type, there func(place)) {
	switch {
	case p.nowhere():
		r.Line("if there, s = d.Present(s); there {")
	case !r.pointer(t):
		r.Line("if s = sdp.Presence(d, s, &%s); %s.Present {", p.expr, p.expr)
		p.expr += ".Value"
	default:
		r.Line("if there, s = d.Present(s); !there {\n%s = nil\n} else {", p.expr)
		if !r.types.OnHeap(t.Elem) {
			r.allocate(p.expr, r.program.SizeOf(t.Elem).Min)
			p.expr = r.deref(t, p.expr)
		}
	}
	there(p)
	r.Line("}")
}

func (r reader) Map(p place, t *ir.Type, least uint64, key, value func(place)) {
	k, v, last := p.temporary("key"), p.temporary("value"), p.temporary("last")
	order := fmt.Sprintf("%s <= %s", k.expr, last.expr)
	if t.Key.Kind == ir.Bool {
		order = fmt.Sprintf("!%s || bool(%s)", k.expr, last.expr)
	}
	counts := fmt.Sprintf("%d, %d, %d", t.LenBytes, plan.LengthMax(t), least)
	if p.nowhere() {
		v.expr = ""
		r.Line("n, s = d.Count(s, %s)", counts)
	} else {
		r.Line("n, s = sdp.Map(d, s, %s, &%s)", counts, p.expr)
	}
	i := p.temporary("i").expr
	r.Line("{")
	r.Line("var %s %s", last.expr, r.types.spell(t.Key))
	r.Line("for %s := range n {", i)
	r.Line("var %s %s", k.expr, r.types.spell(t.Key))
	if !p.nowhere() {
		r.Line("var %s %s", v.expr, r.types.spell(t.Elem))
	}
	key(k)
	r.refuseIf("%s > 0 && (%s)", i, order)
	r.Line("%s = %s", last.expr, k.expr)
	value(v)
	if !p.nowhere() {
		r.Line("%s = %s", index(p.expr, k.expr), v.expr)
	}
	r.Line("}\n}")
}

// call is the call of a declared type's own procedure.
func (r reader) call(p place, d ir.Decl, bytes string) string {
	function := r.types.qualified(d.DeclPackage(), "SDPValid"+r.names.Of(d))
	if !p.nowhere() {
		function = p.expr + ".SDPDecode"
	}
	return fmt.Sprintf("%s(d, %s, depth+1)", function, bytes)
}

func (r reader) Call(p place, t *ir.Type) { r.Line("s = %s", r.call(p, t.Decl, "s")) }

func (r reader) Window(p place, t *ir.Type) {
	r.Line("w, s = d.Window(s)")
	r.Line("s = d.Close(%s, s)", r.call(p, t.Decl, "w"))
}

func (r reader) Segment(p place, m *ir.Message, s *plan.Segment, there func()) {
	r.Line("if len(s) == 0 {")
	if !p.nowhere() {
		r.Line("v.SDPDefaults(%d)", s.Number)
		if m.KeepUnknown {
			r.Line("v.unknown = nil")
		}
	}
	r.Line("return d.Missing()\n}")
	there()
}

func (r reader) Tail(p place, m *ir.Message) {
	if p.nowhere() || !m.KeepUnknown {
		r.Line("return d.Tail(s)")
	} else {
		r.Line("return d.KeepTail(s, &v.unknown)")
	}
}

func (r reader) Union(p place, u *ir.Union, cases func()) {
	r.Line("tag, s := d.Tag(s)")
	rest := "s"
	if !u.Closed {
		r.Line("s, rest := d.Window(s)")
		rest = "d.Close(s, rest)"
	}
	r.Line("switch tag {")
	cases()
	r.Line("default:")
	r.unknown(p, u)
	r.Line("}")
	r.Line("return %s", rest)
}

// unknown prints what reads an alternative that the release doesn't know.
func (r reader) unknown(p place, u *ir.Union) {
	switch {
	case u.Closed:
		r.Line("return d.Refuse()")
	case p.nowhere():
		r.Line("return rest")
	default:
		r.Line("a, _ := v.Value.(*%sUnknown)", r.names.Of(u))
		r.allocate("a", 0)
		r.Line("v.Value = a")
		r.Line("a.Number = tag")
		r.Line("s = d.Rest(s, &a.Payload)")
	}
}

func (r reader) Case(p place, _ *ir.Union, a *plan.Alternative, payload func(place)) {
	r.Line("case %d:", a.Alt.Tag)
	if p.nowhere() {
		payload(p)
		return
	}
	r.Line("a, _ := v.Value.(*%s)", r.names.Of(a.Alt))
	r.allocate("a", a.Size.Min)
	r.Line("v.Value = a")
	if a.Alt.Inline != nil {
		r.Call(place{expr: "a"}, a.Alt.Type)
	} else {
		payload(place{expr: "a.Value"})
	}
}
