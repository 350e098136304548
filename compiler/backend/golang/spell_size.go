package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// sizer prints the first pass of encoding: the exact size, and whether lengths
// and depth are within their bounds.
func (g *generator) sizer(body *plan.Body) {
	g.Line("// SDPSize is the number of bytes that SDPEncode writes. It is for generated code.")
	g.Line("func (v *%s) SDPSize(e *sdp.Encoder, depth int) int {", g.names.Of(body.Decl))
	if body.Fixed() {
		g.Line("e.Enter(depth + %d)", body.Traits.Levels-1)
		g.Line("return %d", body.Size.Min)
		g.Line("}\n")
		return
	}
	g.Line("if !e.Enter(depth) {\nreturn 0\n}")
	s := &sizer{generator: g}
	statements := g.captured(func() { lower.Body(s, place{expr: "v", isField: true}, body) })
	if s.levels > 0 {
		g.Line("e.Enter(depth + %d)", s.levels)
	}
	if statements == "" {
		g.Line("return %s", s.sum())
	} else {
		g.Line("n := %s", s.sum())
		g.Raw(statements)
		g.Line("return n")
	}
	g.Line("}\n")
}

// sizer spells measuring: each statement adds to n. The parts of fixed size, and the lengths, of
// fields, or of the key and value of a map's entry, are one sum.
type sizer struct {
	*generator
	lower.Plain[place]
	bytes   uint64
	lengths []string
	levels  int // of fields of fixed size
}

func (s *sizer) sum() string {
	return strings.Join(append([]string{fmt.Sprint(s.bytes)}, s.lengths...), " + ")
}

// add adds bytes and a length, of which there may be none.
func (s *sizer) add(p place, bytes uint64, length string) {
	switch {
	case p.isField && length != "":
		s.lengths = append(s.lengths, length)
		fallthrough
	case p.isField:
		s.bytes += bytes
	case length != "":
		s.Line("n += %d + %s", bytes, length)
	default:
		s.Line("n += %d", bytes)
	}
}

func (s *sizer) Charge(p place, traits plan.Traits) {
	switch {
	case p.isField:
		s.levels = max(s.levels, traits.Levels)
	case traits.Levels > 0:
		s.Line("e.Enter(depth + %d)", traits.Levels)
	}
}

func (s *sizer) Run(p place, run *plan.Run) { s.add(p, run.Bytes, "") }
func (s *sizer) Text(p place, t *ir.Type)   { s.add(p, plan.Prefix(t), lengthOf(t, p.expr)) }
func (s *sizer) Blob(p place, t *ir.Type)   { s.Text(p, t) }

func (s *sizer) Items(p place, t *ir.Type, run *plan.Run, _ func(place)) {
	if run.Levels > 0 {
		s.Line("if len(%s) > 0 {\ne.Enter(depth + %d)\n}", p.expr, run.Levels)
		p.isField = false
	}
	s.add(p, plan.Prefix(t), product(run.Bytes, lengthOf(t, p.expr)))
}

// count prints what adds a count, and checks it.
func (s *sizer) count(p place, t *ir.Type) {
	s.add(p, plan.Prefix(t), "")
	if plan.IsLengthBound(t) {
		s.Line("%s", lengthOf(t, p.expr))
	}
}

func (s *sizer) List(p place, t *ir.Type, _ uint64, visit func(place)) {
	s.count(p, t)
	s.loop(p, "", visit)
}

func (s *sizer) Array(p place, t *ir.Type, visit func(place)) {
	s.array(p, t, func(p place) { s.loop(p, "", visit) })
}

// Map goes through entries only if they differ in size, or are checked.
func (s *sizer) Map(p place, t *ir.Type, _ uint64, key, value func(place)) {
	k, v := p.temporary("key"), p.temporary("value")
	k.isField, v.isField = true, true
	all := *s
	s.bytes, s.lengths, s.levels = 0, nil, 0
	statements := s.captured(func() {
		key(k)
		value(v)
	})
	entry := *s
	*s = all
	if statements == "" && entry.levels == 0 && entry.lengths == nil {
		s.add(p, plan.Prefix(t), product(entry.bytes, lengthOf(t, p.expr)))
		return
	}
	s.count(p, t)
	s.Line("for %s, %s := range %s {", k.expr, v.expr, p.expr)
	if entry.levels > 0 {
		s.Line("e.Enter(depth + %d)", entry.levels)
	}
	s.Line("n += %s", entry.sum())
	s.Raw(statements)
	s.Line("_, _ = %s, %s", k.expr, v.expr)
	s.Line("}")
}

func (s *sizer) Optional(p place, t *ir.Type, there func(place)) {
	s.add(p, 1, "")
	s.Line("if %s {", s.present(t, p.expr))
	there(place{expr: s.content(t, p.expr), nesting: p.nesting + 1})
	s.Line("}")
}

func (s *sizer) Call(p place, _ *ir.Type) { s.Line("n += %s.SDPSize(e, depth+1)", p.expr) }

func (s *sizer) Window(p place, t *ir.Type) {
	s.add(p, plan.Prefix(t), "")
	s.Call(p, t)
}

func (s *sizer) Tail(p place, m *ir.Message) {
	if m.KeepUnknown {
		s.add(p, 0, "len(v.unknown)")
	}
}

func (s *sizer) Union(p place, u *ir.Union, cases func()) {
	s.add(p, plan.UnionHead(u), "")
	s.alternatives(func() {
		cases()
		if !u.Closed {
			s.Line("case *%sUnknown:", s.names.Of(u))
			s.Line("e.Require(a != nil && %s)", unknownTag(u))
			s.Line("if a != nil {\nn += len(a.Payload)\n}")
		}
		s.Line("default:\ne.Refused = true")
	})
}

func (s *sizer) Case(_ place, _ *ir.Union, a *plan.Alternative, payload func(place)) {
	s.Line("case *%s:", s.names.Of(a.Alt))
	s.Line("e.Require(a != nil)")
	if a.Op == nil {
		return
	}
	s.Line("if a != nil {")
	if a.Alt.Inline != nil {
		s.Call(place{expr: "a"}, a.Alt.Type)
	} else {
		payload(place{expr: "a.Value"})
	}
	s.Line("}")
}

func product(n uint64, length string) string {
	if n == 1 {
		return length
	}
	return fmt.Sprintf("%d*%s", n, length)
}

// lengthOf is the length of v, noted where it is over its bound. Lengths beyond four bytes show in
// the total.
func lengthOf(t *ir.Type, v string) string {
	if !plan.IsLengthBound(t) {
		return "len(" + v + ")"
	}
	return fmt.Sprintf("e.Length(len(%s), %d)", v, plan.LengthMax(t))
}

// unknownTag is the condition that an unknown alternative's number is none of
// the known ones.
func unknownTag(u *ir.Union) string {
	conditions := []string{"a.Number != 0"}
	for _, a := range u.Alternatives {
		conditions = append(conditions, fmt.Sprintf("a.Number != %d", a.Tag))
	}
	return strings.Join(conditions, " && ")
}
