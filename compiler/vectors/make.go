package vectors

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/interp/random"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Options says how many vectors are made.
type Options struct {
	Seed uint64
	// Count is how many random values each type gets beside the chosen ones.
	Count int
	// Type is the type that vectors are made for; nil means all, and streams of them.
	Type ir.Decl
}

// Set is the vectors of one package.
type Set struct {
	Package  *ir.Package
	Cases    []Case
	Coverage []Coverage // of each type

	judges map[ir.Decl]*judge
}

// maker makes the vectors of one package.
type maker struct {
	program *plan.Program
	pkg     *ir.Package
	judges  map[ir.Decl]*judge
	cases   []Case
	// seen is the made vectors of the type at hand, and named how often a name was asked for.
	seen  map[string]bool
	named map[string]int
}

// Types are the declarations of a package that have vectors: all but enums.
func Types(pkg *ir.Package) []ir.Decl {
	return slices.DeleteFunc(slices.Clone(pkg.Decls), func(d ir.Decl) bool { return ir.KindOf(d) == ir.EnumKind })
}

// Make makes the vectors of a package's types. An error says that the interpreter
// contradicts itself, which no schema may cause.
func Make(program *plan.Program, pkg *ir.Package, options Options) (*Set, error) {
	m := &maker{program: program, pkg: pkg, judges: map[ir.Decl]*judge{}}
	for _, d := range Types(pkg) {
		codec, err := interp.New(program, d)
		if err != nil {
			return nil, err
		}
		m.judges[d] = &judge{pkg, codec, d}
	}
	set := &Set{Package: pkg, judges: m.judges}
	types := Types(pkg)
	if options.Type != nil {
		types = []ir.Decl{options.Type}
	}
	left := packageWork
	for i, d := range types {
		begin, w := len(m.cases), share(left, len(types)-i)
		if err := m.typed(d, options, w); err != nil {
			return nil, fmt.Errorf("%s: %w", ir.FullName(d), err)
		}
		left -= w.all - max(w.left, 0)
		set.Coverage = append(set.Coverage, m.cover(d, m.cases[begin:]))
	}
	if options.Type == nil {
		if err := m.streams(); err != nil {
			return nil, err
		}
	}
	set.Cases = m.cases
	return set, nil
}

// add judges bytes and keeps them if they are new.
func (m *maker) add(d ir.Decl, mode Mode, name, text string, data []byte, limits Limits) (Answer, error) {
	answer, err := m.judges[d].answer(mode, data, limits)
	if err != nil {
		return answer, err
	}
	if key := fmt.Sprintf("%s %x %v", mode, sha256.Sum256(data), limits); !m.seen[key] {
		m.seen[key] = true
		m.cases = append(m.cases, Case{
			Name: m.name(d, name), About: text, Type: d, Mode: mode, Bytes: data, Limits: limits, Reads: []Answer{answer},
			nanBits: mode == Exact && m.judges[d].meetsNaN(data),
		})
	}
	return answer, nil
}

// name is a case's, numbered where several of a type have the same.
func (m *maker) name(d ir.Decl, name string) string {
	for {
		m.named[name]++
		numbered := name
		if n := m.named[name]; n > 1 {
			numbered = fmt.Sprintf("%s_%d", name, n)
		}
		if key := "name " + d.DeclName() + " " + numbered; !m.seen[key] {
			m.seen[key] = true
			return numbered
		}
	}
}

// typed makes the vectors of one type.
func (m *maker) typed(d ir.Decl, options Options, w *work) error {
	m.seen, m.named = map[string]bool{}, map[string]int{}
	t := &ir.Type{Kind: ir.KindOf(d), Decl: d}
	chosen := (&variants{program: m.program, known: map[string][]interp.Value{}}).of(t)
	encodings, err := m.values(d, "chosen", "A value of the ends of ranges, of lengths and of alternatives.", slices.Values(chosen), w.part(valuesPart))
	if err != nil {
		return err
	}
	generator := random.New(m.program, options.Seed)
	atRandom := func(yield func(interp.Value) bool) {
		for range options.Count {
			if !yield(generator.Value(d)) {
				return
			}
		}
	}
	if _, err := m.values(d, "random", "A value at random.", atRandom, w.part(valuesPart)); err != nil {
		return err
	}
	// The shortest that has a place is damaged there.
	slices.SortStableFunc(encodings, func(a, b []byte) int { return len(a) - len(b) })
	if err := m.damaged(d, encodings, w); err != nil {
		return err
	}
	if ir.IDOf(d) != nil {
		return m.framed(d, encodings)
	}
	return nil
}

// values adds values, up to the first that there is no work left for behind it.
func (m *maker) values(d ir.Decl, name, text string, values iter.Seq[interp.Value], w *work) (encodings [][]byte, err error) {
	for value := range values {
		data, err := m.judges[d].codec.Append(nil, value, interp.ByteMode)
		if err != nil {
			return nil, fmt.Errorf("a value that was made for it is refused: %w", err)
		}
		if _, err := m.add(d, Bytes, name, text, data, Limits{}); err != nil {
			return nil, err
		}
		encodings = append(encodings, data)
		if w.judged(len(data)); w.isDone() {
			break
		}
	}
	return encodings, nil
}

// framedBodies is how many bodies of each kind also come in message mode.
const framedBodies = 4

// framed makes the vectors of message mode: headers, and some of the bodies.
func (m *maker) framed(d ir.Decl, encodings [][]byte) error {
	frame := func(body []byte) []byte {
		return append(interp.AppendHeader(nil, ir.IDOf(d).Value, uint32(len(body))), body...)
	}
	for _, body := range encodings[:min(framedBodies, len(encodings))] {
		for _, mode := range []Mode{Message, Dispatch} {
			if _, err := m.add(d, mode, "message", "The header and a value.", frame(body), Limits{}); err != nil {
				return err
			}
		}
	}
	bodies := 0
	for _, c := range slices.Clone(m.cases) {
		if c.Type != d || c.Mode != Bytes || c.Accepts() || c.Limits != (Limits{}) || bodies >= 2*framedBodies {
			continue
		}
		bodies++
		if _, err := m.add(d, Message, "body_"+c.Reads[0].Error, "A body that is refused: offsets count from the header.", frame(c.Bytes), Limits{}); err != nil {
			return err
		}
	}
	good := frame(encodings[len(encodings)-1])
	damages := []struct {
		name, about string
		data        []byte
		limits      Limits
	}{
		{"magic", "The magic is another.", patched(good, 0, 's'), Limits{}},
		{"version", "The version is another.", patched(good, 3, '9'), Limits{}},
		{"type_id", "The type id is another.", patched(good, 4, good[4]^0xff, good[5]^0x7f), Limits{}},
		{"payload_long", "The payload is longer than the input.", patched(good, 6, 0xff, 0xff, 0xff), Limits{}},
		{"behind", "A byte is behind the message.", append(bytes.Clone(good), 0), Limits{}},
		{"limit", "The payload is longer than the limit.", good, Limits{MessageBytes: max(1, int64(len(good)-interp.HeaderBytes-1))}},
	}
	for n := range interp.HeaderBytes {
		damages = append(damages, damages[0])
		damages[len(damages)-1].name, damages[len(damages)-1].about, damages[len(damages)-1].data = "header_cut", "The header is cut.", good[:n]
	}
	for _, one := range damages {
		for _, mode := range []Mode{Message, Dispatch} {
			// A dispatcher looks for another type by the id.
			if mode == Dispatch && one.name == "type_id" {
				continue
			}
			if _, err := m.add(d, mode, one.name, one.about, one.data, one.limits); err != nil {
				return err
			}
		}
	}
	return nil
}

// patched is a copy with other bytes from a place on.
func patched(data []byte, offset int, with ...byte) []byte {
	out := bytes.Clone(data)
	copy(out[offset:], with)
	return out
}

// streams makes streams of the messages that were made.
func (m *maker) streams() error {
	var whole, unknown []byte
	for _, c := range m.cases {
		if c.Mode == Message && c.Accepts() && len(whole) < longBytes {
			whole = append(whole, c.Bytes...)
		}
	}
	if whole == nil {
		return nil
	}
	for id := uint16(65535); unknown == nil; id-- {
		if !slices.ContainsFunc(m.pkg.Decls, func(d ir.Decl) bool { have := ir.IDOf(d); return have != nil && have.Value == id }) {
			unknown = append(interp.AppendHeader(nil, id, 3), 1, 2, 3)
		}
	}
	for _, one := range []struct {
		name, about string
		data        []byte
	}{
		{"empty", "No message.", nil},
		{"whole", "Messages one after another.", whole},
		{"unknown", "A message of an unknown type is passed over.", append(bytes.Clone(unknown), whole...)},
		{"cut_payload", "The last payload is cut, or the last header if there is none.", whole[:len(whole)-1]},
		{"cut_header", "A header is cut.", append(bytes.Clone(whole), whole[:5]...)},
		{"magic", "The bytes behind it are no message.", append(bytes.Clone(whole), "XDP2000000"...)},
	} {
		reads, err := m.reads(one.data)
		if err != nil {
			return err
		}
		m.cases = append(m.cases, Case{Name: one.name, About: one.about, Mode: Stream, Bytes: one.data, Reads: reads})
	}
	return nil
}
