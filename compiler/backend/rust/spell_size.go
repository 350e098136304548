package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// sizerBody prints what counts the bytes of an encoding.
func (g *generator) sizerBody(d ir.Decl) {
	body := g.program.Body(d)
	if body.Fixed() {
		g.In(func() {
			g.Line("let _ = depth;")
			g.Line("%s", integer(body.Size.Min))
		})
		return
	}
	g.In(func() {
		g.Line("if depth > sdp::LIMIT_DEPTH {")
		g.In(func() { g.Line("return 0;") })
		g.Line("}")
	})
	s := &sizer{generator: g}
	statements := g.apart(func() { lower.Body(s, place{text: "self"}, body) })
	if isUnion(d) {
		g.Raw(statements)
	} else {
		g.sum(s.heads, statements)
	}
}

// sum prints, one level deeper, the value of n after statements have added to its start.
func (g *generator) sum(start uint64, statements string) {
	if statements == "" {
		g.In(func() { g.Line("%s", integer(start)) })
		return
	}
	g.In(func() { g.Line("let mut n = %s;", integer(start)) })
	g.Raw(statements)
	g.In(func() { g.Line("n") })
}

// sizer spells measuring: each statement adds the size of a value without its head to n; the head
// is added with its neighbours' heads.
type sizer struct {
	*generator
	lower.Plain[place]
	heads uint64 // of the fields
}

func (s *sizer) Field(p place, f *ir.Field) place {
	s.heads += s.program.Head(f.Type)
	return place{text: p.text + "." + s.names.Of(f)}
}

func (s *sizer) Run(_ place, run *plan.Run) {
	if run.Type == nil {
		s.heads += run.Bytes
	}
}

func (s *sizer) Text(p place, _ *ir.Type) { s.Line("n += %s.len();", p.text) }
func (s *sizer) Blob(p place, t *ir.Type) { s.Text(p, t) }

// times prints what adds the heads of all elements.
func (s *sizer) times(p place, head uint64) {
	switch head {
	case 0:
	case 1:
		s.Line("n += %s.len();", p.text)
	default:
		s.Line("n += %s * %s.len();", integer(head), p.text)
	}
}

func (s *sizer) Items(p place, _ *ir.Type, run *plan.Run, _ func(place)) { s.times(p, run.Bytes) }

func (s *sizer) List(p place, t *ir.Type, _ uint64, visit func(place)) {
	s.times(p, s.program.Head(t.Elem))
	s.loop(p, t, visit)
}

func (s *sizer) Array(p place, t *ir.Type, visit func(place)) {
	s.add(t.N * s.program.Head(t.Elem))
	s.loop(p, t, visit)
}

func (s *sizer) add(bytes uint64) {
	if bytes > 0 {
		s.Line("n += %s;", integer(bytes))
	}
}

func (s *sizer) Map(p place, t *ir.Type, _ uint64, key, value func(place)) {
	s.times(p, s.program.Head(t.Key)+s.program.Head(t.Elem))
	keys, values := s.program.SizeOf(t.Key).Fixed, s.program.SizeOf(t.Elem).Fixed
	switch {
	case keys && values:
		return
	case keys:
		s.Line("for value in %s.values() {", p.text)
	case values:
		s.Line("for key in %s.keys() {", p.text)
	default:
		s.Line("for (key, value) in %s {", p.shared())
	}
	s.In(func() {
		key(place{"key", true})
		value(place{"value", true})
	})
	s.Line("}")
}

func (s *sizer) Optional(p place, t *ir.Type, there func(place)) {
	head := s.program.Head(t.Elem)
	if s.program.SizeOf(t.Elem).Fixed {
		s.Line("if %s.is_some() {", p.text)
		s.In(func() { s.Line("n += %s;", integer(head)) })
		s.Line("}")
		return
	}
	s.Line("if let Some(value) = %s {", p.shared())
	s.In(func() {
		s.add(head)
		there(place{"value", true})
	})
	s.Line("}")
}

func (s *sizer) Call(p place, _ *ir.Type)   { s.Line("n += %s.sdp_size(depth + 1);", p.text) }
func (s *sizer) Window(p place, t *ir.Type) { s.Call(p, t) }

func (s *sizer) Tail(_ place, m *ir.Message) {
	if m.KeepUnknown {
		s.Line("n += self.unknown_fields.len();")
	}
}

func (s *sizer) Union(_ place, u *ir.Union, cases func()) {
	s.Line("match self {")
	s.In(func() {
		cases()
		if !u.Closed {
			s.Line("Self::Unknown { payload, .. } => %d + payload.len(),", plan.UnionHead(u))
		}
	})
	s.Line("}")
}

func (s *sizer) Case(_ place, u *ir.Union, a *plan.Alternative, payload func(place)) {
	name, head := "Self::"+s.names.Of(a.Alt), plan.UnionHead(u)
	if a.Op == nil {
		s.Line("%s => %d,", name, head)
		return
	}
	head += s.program.Head(a.Alt.Type)
	if a.Size.Fixed {
		s.Line("%s(_) => %s,", name, integer(head))
		return
	}
	statements := s.apart(func() { payload(place{"value", true}) })
	if a.Alt.Type.Elem == nil { // one statement
		added := strings.TrimPrefix(strings.TrimSpace(statements), "n += ")
		s.Line("%s(value) => %d + %s,", name, head, strings.TrimSuffix(added, ";"))
		return
	}
	s.Line("%s(value) => {", name)
	s.sum(head, statements)
	s.Line("}")
}
