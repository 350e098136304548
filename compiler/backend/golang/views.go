package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// views prints for every type a window on its bytes: validated once, then read
// without errors and without allocation.
func (g *generator) views() {
	for _, body := range g.program.Bodies(g.pkg) {
		g.validator(body)
		v := g.newView(body.Decl)
		if s, ok := body.Decl.(*ir.Struct); !ok || s.Owner == nil {
			g.viewEntry(body)
		}
		if u, ok := body.Decl.(*ir.Union); ok {
			v.union(u)
		} else {
			v.record()
		}
	}
}

func (g *generator) viewEntry(body *plan.Body) {
	name := g.names.Of(body.Decl)
	g.block(emit.Vars{"name": name, "func": g.types.viewFunc(body.Decl)}, `
		// View$name$ validates data, which holds one value and nothing else, and returns
		// a window on it. Nothing is copied: data must not change while the view, or a
		// string taken from it, is in use.
		func View$name$(data []byte) ($name$View, error) {
			return View$name$With(data, sdp.DecodeOptions{})
		}

		// View$name$With is View$name$ by options.
		func View$name$With(data []byte, options sdp.DecodeOptions) ($name$View, error) {
			var d sdp.Decoder
			rest := SDPValid$name$(&d, d.StartView(data, &options), 1)
			if err := d.EndWith((*$name$)(nil), data, &options, rest); err != nil {
				return $name$View{}, err
			}
			return $func$(sdp.Alias(data)), nil
		}
	`)
	if ir.IDOf(body.Decl) == nil {
		return
	}
	g.block(emit.Vars{"name": name, "func": g.types.viewFunc(body.Decl)}, `
		// View$name$Message is View$name$ for a message that must be a $name$.
		func View$name$Message(data []byte) ($name$View, error) {
			payload, err := sdp.Payload(data, $name$TypeID, sdp.LimitMessageBytes)
			if err != nil {
				return $name$View{}, err
			}
			var d sdp.Decoder
			rest := SDPValid$name$(&d, d.StartView(payload, &sdp.DecodeOptions{}), 1)
			if err := d.EndMessage((*$name$)(nil), data, payload, sdp.Limits{}, rest); err != nil {
				return $name$View{}, err
			}
			return $func$(sdp.Alias(payload)), nil
		}
	`)
}

// viewFunc is the function that makes a view of validated bytes.
func (t *types) viewFunc(d ir.Decl) string {
	return t.qualified(d.DeclPackage(), "SDPView"+t.names.Of(d))
}

func (t *types) viewDecl(d ir.Decl) string { return t.decl(d) + "View" }

// view is a body whose view is printed, with where its fields lie.
type view struct {
	*generator
	*lower.View
	name string
}

func (g *generator) newView(d ir.Decl) *view {
	return &view{generator: g, View: lower.NewView(g.program, d, g.isFixed), name: g.names.Of(d)}
}

func (g *generator) isFixed(t *ir.Type) bool { return g.program.SizeOf(t).Fixed }

// position is where something lies, from the first byte.
func position(p lower.Position) string {
	switch {
	case p.Mark == 0:
		return fmt.Sprint(p.Offset)
	case p.Offset == 0:
		return fmt.Sprintf("int(v.o%d)", p.Mark)
	}
	return fmt.Sprintf("int(v.o%d)+%d", p.Mark, p.Offset)
}

func (v *view) hasSegments() bool { return len(v.Body.Segments) > 1 }

func (v *view) record() {
	v.block(emit.Vars{"name": v.name, "marks": func() {
		if v.Marks > 0 {
			var marks []string
			for m := range v.Marks {
				marks = append(marks, fmt.Sprintf("o%d", m+1))
			}
			v.Line("%s uint32", strings.Join(marks, ", "))
		}
		if v.hasSegments() {
			v.Line("segments uint8")
		}
	}, "open": func() { v.findMarks(func(mark int) { v.Line("v.o%d = uint32(p)", mark) }) }}, `
		// $name$View is a window on a validated $name$. A small value, it may be copied,
		// and used by several goroutines.
		type $name$View struct {
			s string
			$marks$
		}

		// SDPView$name$ makes a view of validated bytes that start with a value. It is for
		// generated code.
		func SDPView$name$(s string) $name$View {
			v := $name$View{s: s}
			$open$
			return v
		}
	`)
	if !v.IsMessage {
		v.end()
	}
	for _, hasBytes := range []bool{true, false} {
		for _, f := range v.Fields {
			if hasBytes == (f.Part != nil) {
				v.accessor(f)
			}
		}
	}
}

// findMarks prints what moves p from mark to mark, as far as there are any, and
// counts a message's segments.
func (v *view) findMarks(result func(mark int)) {
	if v.hasSegments() {
		v.Line("v.segments = 1")
	}
	if v.Passed > 0 || v.hasSegments() {
		v.Line("p := 0")
	}
	segment := 1
	for i, part := range v.Parts {
		for segment < part.Segment {
			segment++
			v.Line("if p == len(s) {\nreturn v\n}")
			v.Line("v.segments = %d", segment)
		}
		if i >= v.Passed {
			break
		}
		v.skip(part.Op)
		if part.End > 0 {
			result(part.End)
		}
	}
}

// end prints what finds the end of a struct: from the last mark of a view, and
// from the first byte without one.
func (v *view) end() {
	v.block(emit.Vars{"name": v.name, "end": func() {
		at, known := v.End()
		if known {
			v.Line("return %s", strings.Replace(position(at), "+", " + ", 1))
			return
		}
		v.Line("s, p := v.s, %s", position(at))
		v.skip(v.Last().Op)
		v.Line("return p")
	}, "skip": func() {
		for _, part := range v.Parts {
			v.skip(part.Op)
		}
	}}, `
		// SDPEnd is the number of bytes that the value has. It is for generated code.
		func (v $name$View) SDPEnd() int {
			$end$
		}

		// SDPSkip$name$ returns the position behind a value at p. It is for generated code.
		func SDPSkip$name$(s string, p int) int {
			$skip$
			return p
		}
	`)
}

// accessor prints the getter of a field.
func (v *view) accessor(f lower.ViewField) {
	method, at := v.names.Get(f.Field, names.Reader), position(f.Position)
	result, read := v.viewField(f.Type)
	if f.Missing == lower.IsZero {
		v.lateField(method, f)
	}
	v.doc(method, &f.Meta, fmt.Sprintf("returns the field %s.", f.Name))
	v.Line("func (v %sView) %s() %s {", v.name, method, result)
	switch {
	case f.Missing == lower.IsZero && strings.HasPrefix(result, "iter."):
		read("v.sdp"+method+"()", "0")
	case f.Missing == lower.IsZero:
		v.Line("s := v.sdp%s()", method)
		read("s", "0")
	default:
		if f.Missing == lower.IsDefault {
			v.Line("if v.segments < %d {\nreturn %s\n}", f.Since, v.missing(f))
		}
		read("v.s", at)
	}
	v.Line("}\n")
	if f.Type.Elem == nil || f.Type.LenBytes == 0 { // no list or map
		return
	}
	method = v.names.Of(f.Field)
	v.Line("// %sLen returns how many elements %s has.", method, f.Name)
	v.Line("func (v %sView) %sLen() int {", v.name, method)
	if f.Missing != lower.Never {
		v.Line("if v.segments < %d {\nreturn 0\n}", f.Since)
	}
	v.Line("return sdp.Length%dAt(v.s, %s)", f.Type.LenBytes, at)
	v.Line("}\n")
}

// lateField prints where a field of a later segment starts, or its zero value
// where the segment is missing. Its own function keeps accessors short enough to become part of
// their callers, whose loops then need no memory.
func (v *view) lateField(method string, f lower.ViewField) {
	v.Line("func (v %sView) sdp%s() string {", v.name, method)
	v.Line("if v.segments < %d {\nreturn sdp.Alias(%s)\n}", f.Since, v.zeroBytes(f.Type))
	v.Line("return %s", tail("v.s", position(f.Position)))
	v.Line("}\n")
}

// missing is the default of a field whose segment isn't there.
func (v *view) missing(f lower.ViewField) string {
	if viewForm(f.Type) == lower.ViewOptional {
		return v.literal(f.Type.Elem, *f.Default) + ", true"
	}
	return v.literal(f.Type, *f.Default)
}
