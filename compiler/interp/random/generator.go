package random

import (
	"math/rand/v2"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Construct is something of the language that a value had, and how many values
// it lay in: 1 for a field of the top level.
type Construct struct {
	Name    string
	Nesting int
}

// Generator makes values.
type Generator struct {
	program *plan.Program
	rng     *rand.Rand
	// Seen counts the constructs of all values so far.
	Seen map[Construct]int

	room    int // about how many leaves the value at hand may still get
	nesting int
}

// valueLeaves is about how many leaves a value gets at most.
const valueLeaves = 400

// New makes a generator.
func New(program *plan.Program, seed uint64) *Generator {
	return &Generator{
		program: program,
		rng:     rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15)),
		Seen:    map[Construct]int{},
	}
}

// Value makes a value of a struct, message or union.
func (g *Generator) Value(d ir.Decl) interp.Value {
	g.room, g.nesting = g.rng.IntN(valueLeaves), 0
	t := &ir.Type{Decl: d}
	switch d.(type) {
	case *ir.Struct:
		t.Kind = ir.StructKind
	case *ir.Message:
		t.Kind = ir.MessageKind
	case *ir.Union:
		t.Kind = ir.UnionKind
	}
	return g.value(t)
}

func (g *Generator) saw(name string) { g.Seen[Construct{name, g.nesting}]++ }

// cramped is true when only the smallest values may be chosen, so that a
// recursive type comes to an end before the depth limit.
func (g *Generator) cramped() bool { return g.room <= 0 || g.nesting > 12 }

func (g *Generator) value(t *ir.Type) interp.Value {
	g.saw(t.Kind.String())
	g.room--
	switch t.Kind {
	case ir.StrKind:
		return g.text(g.length(t))
	case ir.BytesKind:
		return g.bytes(g.length(t))
	case ir.OptionalKind:
		return g.optional(t)
	case ir.UnionKind:
		return g.union(t.Union())
	}
	if t.Scalar() != 0 {
		return g.scalar(t)
	}
	g.nesting++
	defer func() { g.nesting-- }()
	switch t.Kind {
	case ir.ListKind:
		return g.list(t.Elem, g.length(t))
	case ir.ArrayKind:
		return g.list(t.Elem, int(t.N))
	case ir.MapKind:
		return g.mapping(t)
	case ir.StructKind:
		return interp.Struct(g.fields(t.Struct().Fields))
	case ir.MessageKind:
		return g.message(t.Message())
	}
	panic("random: no value is of the type " + t.Kind.String())
}

// length chooses a length or count that the type allows: often none or few, now
// and then the most.
func (g *Generator) length(t *ir.Type) int {
	if g.cramped() {
		return 0
	}
	most := plan.LengthMax(t)
	const fillMax = 300
	if most <= fillMax && g.one(8) {
		return int(most)
	}
	n := []int{0, 1, 2, 3, 2 + g.rng.IntN(8), g.rng.IntN(40)}[g.rng.IntN(6)]
	if n > 3 && uint64(n) > uint64(g.room) {
		n = 1
	}
	return int(min(uint64(n), most))
}

// one is true once in n times.
func (g *Generator) one(n int) bool { return g.rng.IntN(n) == 0 }

func (g *Generator) list(elem *ir.Type, n int) interp.Value {
	l := make(interp.List, n)
	for i := range l {
		l[i] = g.value(elem)
	}
	return l
}

func (g *Generator) optional(t *ir.Type) interp.Value {
	if g.cramped() || g.one(3) {
		g.saw("absent")
		return nil
	}
	g.nesting++
	defer func() { g.nesting-- }()
	return g.value(t.Elem)
}

// mapping gets fewer entries than it asks for where keys come twice.
func (g *Generator) mapping(t *ir.Type) interp.Value {
	m, known := interp.Map{}, map[interp.Value]bool{}
	for range g.length(t) {
		if k := g.value(t.Key); !known[k] {
			known[k] = true
			m = append(m, interp.Entry{Key: k, Value: g.value(t.Elem)})
		}
	}
	return m
}

func (g *Generator) fields(fields []*ir.Field) []interp.Value {
	values := make([]interp.Value, len(fields))
	for i, f := range fields {
		values[i] = g.value(f.Type)
	}
	return values
}

func (g *Generator) message(m *ir.Message) interp.Value {
	v := interp.Message{Fields: g.fields(m.Fields)}
	if m.KeepUnknown && g.one(2) {
		g.saw("tail")
		v.Tail = g.bytes(1 + g.rng.IntN(9))
	}
	return v
}

func (g *Generator) union(u *ir.Union) interp.Value {
	if !u.Closed && (g.cramped() || g.one(6)) {
		if v, ok := g.unknown(u); ok {
			return v
		}
	}
	a := u.Alternatives[g.rng.IntN(len(u.Alternatives))]
	if g.cramped() {
		a = g.smallest(u)
	}
	if a.Type == nil {
		g.saw("no payload")
		return interp.Union{Tag: a.Tag}
	}
	if a.Inline != nil {
		g.saw("inline alternative")
	}
	g.nesting++
	defer func() { g.nesting-- }()
	return interp.Union{Tag: a.Tag, Value: g.value(a.Type)}
}

// unknown fails for a union that names the tag it tries.
func (g *Generator) unknown(u *ir.Union) (interp.Value, bool) {
	tag := uint8(1 + g.rng.IntN(255))
	for _, a := range u.Alternatives {
		if a.Tag == tag {
			return nil, false
		}
	}
	g.saw("unknown tag")
	return interp.Unknown{Tag: tag, Payload: g.bytes(g.rng.IntN(6))}, true
}

// smallest leads out of a recursive union: an alternative of the smallest size
// cannot need the union itself.
func (g *Generator) smallest(u *ir.Union) *ir.Alternative {
	size := func(a *ir.Alternative) uint64 {
		if a.Type == nil {
			return 0
		}
		return g.program.SizeOf(a.Type).Min
	}
	best := u.Alternatives[0]
	for _, a := range u.Alternatives {
		if size(a) < size(best) {
			best = a
		}
	}
	return best
}
