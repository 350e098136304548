package golang

import (
	"fmt"
	"regexp"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// codecs prints encoders and decoders of all types of the package.
func (g *generator) codecs() {
	for _, body := range g.program.Bodies(g.pkg) {
		g.entry(body)
		g.sizer(body)
		g.encoder(body)
		g.decoder(body)
		g.checker(body)
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
	g.Line("}")
	g.Line("")
}

// assigned reports whether the text assigns to a variable with "=".
func assigned(text, name string) bool {
	return regexp.MustCompile(`(?m)(^|[\s,])` + name + `(, [\w.\[\]*()]+)* = `).MatchString(text)
}

// decoder prints the fast decoder of a body: it only says whether the bytes are
// valid.
func (g *generator) decoder(body *plan.Body) {
	name := g.names.Of(body.Decl)
	g.Line("// SDPDecode reads a value from the start of s and returns what is behind it. It")
	g.Line("// is for generated code.")
	g.function(fmt.Sprintf("func (v *%s) SDPDecode(d *sdp.Decoder, s string, depth int) (string, bool)", name), decoderLocals, func() {
		g.Line("if depth > d.Depth {\nreturn s, false\n}")
		switch decl := body.Decl.(type) {
		case *ir.Struct:
			g.getOps(body.Segments[0].Ops)
			g.Line("return s, true")
		case *ir.Message:
			g.getSegments(decl, body)
		case *ir.Union:
			g.getUnion(decl, body)
		}
	})
}

func (g *generator) getOps(ops []plan.Op) {
	for _, op := range ops {
		dst := "v"
		if f := op.OpField(); f != nil {
			dst = "v." + g.names.Of(f)
		}
		g.get(op, dst, 0)
	}
}

// getSegments prints the decoding of a message's body: it may end behind any
// segment but the first one's fields, and what is behind the last is of a newer
// writer.
func (g *generator) getSegments(m *ir.Message, body *plan.Body) {
	g.getOps(body.Segments[0].Ops)
	for _, s := range body.Segments[1:] {
		g.Emit(emit.Vars{"segment": s.Number, "forget": func() {
			if m.KeepUnknown {
				g.Line("v.unknown = nil")
			}
		}}, `
			if len(s) == 0 {
				v.sdpDefaults($segment$)
				$forget$
				return s, !d.Exact
			}
		`)
		g.getOps(s.Ops)
	}
	if m.KeepUnknown {
		g.Line("if d.Exact && len(s) > 0 {\nreturn s, false\n}")
		g.Line("return d.Blob(s, len(s), &v.unknown)")
		return
	}
	g.Line("return s[len(s):], !d.Exact || len(s) == 0")
}

// get prints what reads one value into dst. Nesting numbers the temporaries.
func (g *generator) get(op plan.Op, dst string, nesting int) {
	switch op := op.(type) {
	case *plan.Run:
		g.getWholeRun(op, dst, nesting)
	case *plan.Text:
		g.try("n, s, ok = sdp.Length%d(s, %d)", op.Type.LenBytes, plan.LengthMax(op.Type))
		g.try("s, ok = d.Text(s, n, &%s)", dst)
	case *plan.Blob:
		g.try("n, s, ok = sdp.Length%d(s, %d)", op.Type.LenBytes, plan.LengthMax(op.Type))
		g.try("s, ok = d.Blob(s, n, &%s)", dst)
	case *plan.List:
		g.getList(op, dst, nesting)
	case *plan.Array:
		g.getLongArray(op, dst, nesting)
	case *plan.Optional:
		g.getOptional(op, dst, nesting)
	case *plan.Map:
		g.getMap(op, dst, nesting)
	case *plan.Nested:
		if op.Type.Kind == ir.MessageKind {
			g.try("w, s, ok = sdp.Window(s)")
			g.try("_, ok = %s.SDPDecode(d, w, depth+1)", dst)
		} else {
			g.try("s, ok = %s.SDPDecode(d, s, depth+1)", dst)
		}
	}
}

// try prints an assignment to ok and the way out where it is false.
func (g *generator) try(format string, args ...any) {
	g.Line("if "+format+"; !ok {", args...)
	g.In(func() { g.Line("return s, false") })
	g.Line("}")
}

func (g *generator) getWholeRun(run *plan.Run, dst string, nesting int) {
	if run.Levels > 0 {
		g.Line("if depth+%d > d.Depth {\nreturn s, false\n}", run.Levels)
	}
	if run.Elements > 0 {
		g.refuseUnless(fmt.Sprintf("d.Elements(%d)", run.Elements))
	}
	if run.Bytes == 0 {
		return
	}
	g.Line("if len(s) < %d {\nreturn s, false\n}", run.Bytes)
	g.getRun(run, dst, "s", nesting)
	g.Line("s = s[%d:]", run.Bytes)
}

func (g *generator) getList(op *plan.List, dst string, nesting int) {
	elem := op.Type.Elem
	g.try("n, s, ok = d.Count%d(s, %d, %d)", op.Type.LenBytes, plan.LengthMax(op.Type), op.ElemSize.Min)
	i := local("i", nesting)
	switch {
	case elem.Kind == ir.Bool:
		g.try("%s, s, ok = sdp.Bools(d, s, %s, n)", dst, dst)
	case bulk(elem):
		g.try("%s, s, ok = sdp.Numbers(d, s, %s, n)", dst, dst)
		if elem.Kind == ir.EnumKind && elem.Enum().Closed {
			g.Line("for %s := range %s {", i, dst)
			g.refuseUnless(index(dst, i) + ".SDPKnown()")
			g.Line("}")
		}
	default:
		g.try("%s, ok = sdp.Resize(d, s, %s, n)", dst, dst)
		g.Line("for %s := range %s {", i, dst)
		g.In(func() { g.get(op.Elem, index(dst, i), nesting+1) })
		g.Line("}")
	}
}

func (g *generator) getLongArray(op *plan.Array, dst string, nesting int) {
	g.refuseUnless(fmt.Sprintf("d.Elements(%d)", plan.ArrayElements(op.Type)))
	if g.types.OnHeap(op.Type) {
		g.allocate(op.Type, dst)
	}
	i := local("i", nesting)
	g.Line("for %s := range %s {", i, dst)
	g.In(func() { g.get(op.Elem, index(dst, i), nesting+1) })
	g.Line("}")
}

// allocate prints what gives dst, a pointer to a value of type t, its memory.
func (g *generator) allocate(t *ir.Type, dst string) {
	g.try("%s, ok = sdp.New(d, s, %s, %d)", dst, dst, g.types.program.SizeOf(t).Min)
}

func (g *generator) getOptional(op *plan.Optional, dst string, nesting int) {
	isPointer := g.pointer(op.Type)
	g.Line("if len(s) < 1 || s[0] > 1 {\nreturn s, false\n}")
	g.Line("if s[0] == 0 {")
	g.Line("s = s[1:]")
	if isPointer {
		g.Line("%s = nil", dst)
	} else {
		g.Line("%s.Clear()", dst)
	}
	g.Line("} else {")
	g.Line("s = s[1:]")
	switch {
	case g.types.OnHeap(op.Type.Elem):
		g.get(op.Elem, dst, nesting)
	case isPointer:
		g.allocate(op.Type.Elem, dst)
		g.get(op.Elem, g.deref(op.Type, dst), nesting)
	default:
		g.Line("%s.Present = true", dst)
		g.get(op.Elem, dst+".Value", nesting)
	}
	g.Line("}")
}

func (g *generator) getMap(op *plan.Map, dst string, nesting int) {
	t := op.Type
	i, key, last, value := local("i", nesting), local("key", nesting), local("last", nesting), local("value", nesting)
	order := fmt.Sprintf("%s <= %s", key, last)
	if t.Key.Kind == ir.Bool {
		order = fmt.Sprintf("!%s || bool(%s)", key, last)
	}
	g.try("n, s, ok = d.Count%d(s, %d, %d)", t.LenBytes, plan.LengthMax(t), op.EntrySize.Min)
	g.try("%s, ok = sdp.Map(d, s, %s, n)", dst, dst)
	g.Emit(emit.Vars{
		"i": i, "key": key, "last": last, "value": value, "dst": dst, "order": order,
		"K": g.types.spell(t.Key), "V": g.types.spell(t.Elem),
		"getKey":   func() { g.get(op.Key, key, nesting+1) },
		"getValue": func() { g.get(op.Value, value, nesting+1) },
	}, `
		{
			var $last$ $K$
			for $i$ := range n {
				var $key$ $K$
				var $value$ $V$
				$getKey$
				if $i$ > 0 && ($order$) {
					return s, false
				}
				$last$ = $key$
				$getValue$
				$dst$[$key$] = $value$
			}
		}
	`)
}

func (g *generator) getUnion(u *ir.Union, body *plan.Body) {
	g.Line("if len(s) < 1 {\nreturn s, false\n}")
	g.Line("tag := s[0]")
	if u.Closed {
		g.Line("s = s[1:]")
	} else {
		g.Line("s, rest, ok := sdp.Window(s[1:])")
		g.Line("if !ok {\nreturn s, false\n}")
	}
	g.Line("switch tag {")
	for _, a := range body.Alternatives {
		g.Line("case %d:", a.Alt.Tag)
		g.In(func() { g.getAlternative(u, a) })
	}
	if u.Closed {
		g.Line("default:\nreturn s, false\n}")
		g.Line("return s, true")
		return
	}
	g.Emit(emit.Vars{"name": g.names.Of(u)}, `
		case 0:
			return s, false
		default:
			a, _ := v.Value.(*$name$Unknown)
			if a, ok = sdp.New(d, s, a, 0); !ok {
				return s, false
			}
			v.Value = a
			a.Number = tag
			if s, ok = d.Blob(s, len(s), &a.Payload); !ok {
				return s, false
			}
		}
		return rest, len(s) == 0
	`)
}

func (g *generator) getAlternative(u *ir.Union, a *plan.Alternative) {
	name := g.names.Of(a.Alt)
	g.Line("a, _ := v.Value.(*%s)", name)
	g.try("a, ok = sdp.New(d, s, a, %d)", a.Size.Min)
	g.Line("v.Value = a")
	switch {
	case a.Op == nil:
	case a.Alt.Inline != nil:
		g.try("s, ok = a.SDPDecode(d, s, depth+1)")
	default:
		g.get(a.Op, "a.Value", 0)
	}
}
