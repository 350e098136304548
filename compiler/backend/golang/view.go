package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// views prints for every type a window on its bytes: validated once, then read
// without errors and without allocation.
func (g *generator) views() {
	for _, body := range g.program.Bodies(g.pkg) {
		g.validator(body)
		v := g.newView(body)
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
	g.Emit(emit.Vars{"name": name, "func": g.types.viewFunc(body.Decl)}, `
		// View$name$ validates data, which holds one value and nothing else, and returns
		// a window on it. Nothing is copied: data must not change while the view, or a
		// string taken from it, is in use.
		func View$name$(data []byte) ($name$View, error) {
			return View$name$With(data, sdp.DecodeOptions{})
		}

		// View$name$With is View$name$ by options.
		func View$name$With(data []byte, options sdp.DecodeOptions) ($name$View, error) {
			var d sdp.Decoder
			d.StartView(len(data), &options)
			if options.Fits(data) {
				if rest, ok := SDPValid$name$(&d, sdp.Alias(data), 1); ok && len(rest) == 0 {
					return $func$(sdp.Alias(data)), nil
				}
			}
			return $name$View{}, d.Explain($name$Layout, data, options.Limits, sdp.ModeWhole)
		}
	`)
	g.Line("")
	if ir.IDOf(body.Decl) == nil {
		return
	}
	g.Emit(emit.Vars{"name": name, "func": g.types.viewFunc(body.Decl)}, `
		// View$name$Message is View$name$ for a message that must be a $name$.
		func View$name$Message(data []byte) ($name$View, error) {
			payload, err := sdp.Payload(data, $name$TypeID, sdp.LimitMessageBytes)
			if err != nil {
				return $name$View{}, err
			}
			var d sdp.Decoder
			d.StartView(len(payload), &sdp.DecodeOptions{})
			rest, ok := SDPValid$name$(&d, sdp.Alias(payload), 1)
			if ok && len(rest) == 0 && len(data) == sdp.HeaderBytes+len(payload) {
				return $func$(sdp.Alias(payload)), nil
			}
			return $name$View{}, d.ExplainMessage($name$Layout, data, payload, sdp.Limits{})
		}
	`)
	g.Line("")
}

// viewFunc is the function that makes a view of validated bytes.
func (t *types) viewFunc(d ir.Decl) string {
	return t.qualified(d.DeclPackage(), "SDPView"+t.names.Of(d))
}

func (t *types) viewDecl(d ir.Decl) string { return t.decl(d) + "View" }

// view is what is known of a body before its view is printed: where the fields
// start, counted from marks, which are the ends of values of varying size.
type view struct {
	*generator
	body  *plan.Body
	steps []viewStep
	marks int
}

// viewStep is one op with where it starts.
type viewStep struct {
	op      plan.Op
	mark    int    // the mark that it is counted from; 0 is the start of the bytes
	offset  uint64 // from the mark
	segment int
	ends    int // the mark at its end; 0 where nobody needs one
}

func (g *generator) newView(body *plan.Body) *view {
	v := &view{generator: g, body: body}
	mark, offset := 0, uint64(0)
	for si, s := range body.Segments {
		for i, op := range s.Ops {
			step := viewStep{op: op, mark: mark, offset: offset, segment: s.Number}
			last := i == len(s.Ops)-1 && si == len(body.Segments)-1
			if run, fixed := op.(*plan.Run); fixed {
				offset += run.Bytes
			} else if !last {
				v.marks++
				mark, offset = v.marks, 0
				step.ends = mark
			}
			v.steps = append(v.steps, step)
		}
	}
	return v
}

// position is where an offset behind a mark is, from the first byte.
func position(mark int, offset uint64) string {
	switch {
	case mark == 0:
		return fmt.Sprint(offset)
	case offset == 0:
		return fmt.Sprintf("int(v.o%d)", mark)
	}
	return fmt.Sprintf("int(v.o%d)+%d", mark, offset)
}

func (v *view) segments() int { return len(v.body.Segments) }

func (v *view) record() {
	name := v.names.Of(v.body.Decl)
	_, isMessage := v.body.Decl.(*ir.Message)
	v.Line("// %sView is a window on a validated %s. It is a small value that may be copied,", name, name)
	v.Line("// and used by several goroutines.")
	v.Line("type %sView struct {", name)
	v.Line("s string")
	if v.marks > 0 {
		var marks []string
		for m := range v.marks {
			marks = append(marks, fmt.Sprintf("o%d", m+1))
		}
		v.Line("%s uint32", strings.Join(marks, ", "))
	}
	if v.segments() > 1 {
		v.Line("segments uint8")
	}
	v.Line("}")
	v.Line("")
	v.open(name)
	if !isMessage {
		v.end(name)
	}
	seen := map[*ir.Field]bool{}
	for _, step := range v.steps {
		v.accessors(name, step, seen)
	}
	for _, f := range ir.FieldsOf(v.body.Decl) {
		if !seen[f] { // it has no bytes, so it may stand anywhere
			v.accessor(name, f, f.Since, "0")
		}
	}
}

// open prints what finds the marks.
func (v *view) open(name string) {
	v.Line("// SDPView%s makes a view of validated bytes that start with a value. It is for", name)
	v.Line("// generated code.")
	v.Line("func SDPView%s(s string) %sView {", name, name)
	v.Line("v := %sView{s: s}", name)
	v.findMarks(func(mark int) { v.Line("v.o%d = uint32(p)", mark) })
	v.Line("return v")
	v.Line("}")
	v.Line("")
}

// findMarks prints what moves p from mark to mark, as far as there are any, and
// counts a message's segments.
func (v *view) findMarks(found func(mark int)) {
	lastUse := 0
	for i, step := range v.steps {
		if step.ends > 0 || step.segment < v.segments() {
			lastUse = i + 1
		}
	}
	if v.segments() > 1 {
		v.Line("v.segments = 1")
	}
	if lastUse > 0 || v.segments() > 1 {
		v.Line("p := 0")
	}
	segment := 1
	for i, step := range v.steps {
		for segment < step.segment {
			segment++
			v.Line("if p == len(s) {\nreturn v\n}")
			v.Line("v.segments = %d", segment)
		}
		if i >= lastUse {
			break
		}
		v.skip(step.op, 0)
		if step.ends > 0 {
			found(step.ends)
		}
	}
}

// end prints what finds the end of a struct: from the last mark of a view, and
// from the first byte without one.
func (v *view) end(name string) {
	v.Line("// SDPEnd is the number of bytes that the value has. It is for generated code.")
	v.Line("func (v %sView) SDPEnd() int {", name)
	switch {
	case v.body.Size.Fixed:
		v.Line("return %d", v.body.Size.Min)
	default:
		last := v.steps[len(v.steps)-1]
		if run, ok := last.op.(*plan.Run); ok {
			v.Line("return %s", position(last.mark, last.offset+run.Bytes))
			break
		}
		v.Line("s, p := v.s, %s", position(last.mark, last.offset))
		v.skip(last.op, 0)
		v.Line("return p")
	}
	v.Line("}")
	v.Line("")
	v.Line("// SDPSkip%s returns the position behind a value at p. It is for generated code.", name)
	v.Line("func SDPSkip%s(s string, p int) int {", name)
	for _, step := range v.steps {
		v.skip(step.op, 0)
	}
	v.Line("return p")
	v.Line("}")
	v.Line("")
}

// skip prints what moves p, a position in s, behind a value.
func (g *generator) skip(op plan.Op, nesting int) {
	switch op := op.(type) {
	case *plan.Run:
		if op.Bytes > 0 {
			g.Line("p += %d", op.Bytes)
		}
	case *plan.Text, *plan.Blob:
		g.Line("p = sdp.Skip%d(s, p)", typeOf(op).LenBytes)
	case *plan.List:
		g.skipElements(op, nesting)
	case *plan.Array:
		g.Line("for range %d {", op.Type.N)
		g.skip(op.Elem, nesting+1)
		g.Line("}")
	case *plan.Optional:
		g.Line("p++")
		g.Line("if s[p-1] == 1 {")
		g.skip(op.Elem, nesting+1)
		g.Line("}")
	case *plan.Map:
		g.Line("for n := sdp.Number%d(s, &p); n > 0; n-- {", op.Type.LenBytes)
		g.skip(op.Key, nesting+1)
		g.skip(op.Value, nesting+1)
		g.Line("}")
	case *plan.Nested:
		if op.Type.Kind == ir.MessageKind {
			g.Line("p = sdp.Skip%d(s, p)", plan.WindowBytes)
		} else {
			g.Line("p = %s(s, p)", g.types.qualified(op.Body.Decl.DeclPackage(), "SDPSkip"+g.names.Of(op.Body.Decl)))
		}
	}
}

func (g *generator) skipElements(op *plan.List, nesting int) {
	if run, ok := op.Elem.(*plan.Run); ok {
		g.Line("p = sdp.SkipRuns%d(s, p, %d)", op.Type.LenBytes, run.Bytes)
		return
	}
	g.Line("for n := sdp.Number%d(s, &p); n > 0; n-- {", op.Type.LenBytes)
	g.skip(op.Elem, nesting+1)
	g.Line("}")
}

// accessors prints the getters of what a step stands for, and notes the fields.
func (v *view) accessors(name string, step viewStep, seen map[*ir.Field]bool) {
	run, ok := step.op.(*plan.Run)
	if !ok {
		seen[step.op.OpField()] = true
		v.accessor(name, step.op.OpField(), step.segment, position(step.mark, step.offset))
		return
	}
	for _, item := range run.Items {
		if f := item.Path[0]; !seen[f] {
			seen[f] = true
			v.accessor(name, f, step.segment, position(step.mark, step.offset+item.Offset))
		}
	}
}

func (v *view) accessor(name string, f *ir.Field, segment int, at string) {
	method := v.names.Get(f, names.Reader)
	result, read := v.viewField(f.Type)
	late := segment > 1 && f.Default == nil
	if late {
		v.lateField(name, method, f, segment, at)
	}
	v.doc(method, &f.Meta, fmt.Sprintf("returns the field %s.", f.Name))
	v.Line("func (v %sView) %s() %s {", name, method, result)
	if segment > 1 && f.Default != nil {
		v.Line("if v.segments < %d {\nreturn %s\n}", segment, v.missing(f))
	}
	switch {
	case late && strings.HasPrefix(result, "iter."):
		read("v.sdp"+method+"()", "0")
	case late:
		v.Line("s := v.sdp%s()", method)
		read("s", "0")
	default:
		read("v.s", at)
	}
	v.Line("}")
	v.Line("")
	v.lengthAccessor(name, f, segment, at)
}

// lengthAccessor prints the number of elements of a list or map.
func (v *view) lengthAccessor(name string, f *ir.Field, segment int, at string) {
	if f.Type.Kind != ir.ListKind && f.Type.Kind != ir.MapKind {
		return
	}
	method := v.names.Of(f)
	v.Line("// %sLen returns how many elements %s has.", method, f.Name)
	v.Line("func (v %sView) %sLen() int {", name, method)
	if segment > 1 {
		v.Line("if v.segments < %d {\nreturn 0\n}", segment)
	}
	v.Line("return sdp.Length%dAt(v.s, %s)", f.Type.LenBytes, at)
	v.Line("}")
	v.Line("")
}

// lateField prints where a field of a later segment starts, or its zero value
// where the segment is missing. It is a function of its own so that accessors
// stay short enough to become part of their callers, whose loops then need no
// memory.
func (v *view) lateField(name, method string, f *ir.Field, segment int, at string) {
	v.Line("func (v %sView) sdp%s() string {", name, method)
	v.Line("if v.segments < %d {\nreturn sdp.Alias(%s)\n}", segment, v.zeroBytes(f.Type))
	v.Line("return %s", tail("v.s", at))
	v.Line("}")
	v.Line("")
}

// missing is the default of a field whose segment isn't there.
func (v *view) missing(f *ir.Field) string {
	if f.Type.Kind == ir.OptionalKind {
		return v.literal(f.Type.Elem, *f.Default) + ", true"
	}
	return v.literal(f.Type, *f.Default)
}
