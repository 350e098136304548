// Package meeting lets two versions of a schema meet in values: one writes random values, the other
// reads them, and an oracle says whether they were understood. It knows nothing of what compares
// schemas and layout texts, so that both are held against it.
package meeting

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat/random"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// cutBytesMax bounds what is cut at every byte to find where it may end.
const cutBytesMax = 256

// Version is one of the two schemas that meet.
type Version struct {
	Schema *ir.Schema
	codecs map[ir.Decl]*interp.Codec
	blanks map[*ir.Message][]interp.Value
	values *valueMaker
}

// NewVersion compiles a schema, of whose values the source makes random ones.
func NewVersion(m *random.Schema, r *rand.Rand) (*Version, error) {
	schema, problems := check.Program(check.Memory{"s.sdp": m.String()}, []string{"s.sdp"}, func(*syntax.File) string { return "" })
	if problems.HasErrors() {
		return nil, errors.New(problems.Sorted()[0].Message)
	}
	v := &Version{Schema: schema, codecs: map[ir.Decl]*interp.Codec{}, blanks: map[*ir.Message][]interp.Value{}, values: &valueMaker{Rand: r}}
	program := plan.New(schema)
	for _, d := range schema.Roots[0].Decls {
		if _, isEnum := d.(*ir.Enum); isEnum {
			continue
		}
		codec, err := interp.New(program, d)
		if err != nil {
			return nil, err
		}
		v.codecs[d] = codec
	}
	return v, nil
}

// Roots are the types that can be encoded, in order of declaration.
func (v *Version) Roots() []ir.Decl {
	return slices.DeleteFunc(slices.Clone(v.Schema.Roots[0].Decls), func(d ir.Decl) bool { return v.codecs[d] == nil })
}

func (v *Version) named(name string) ir.Decl {
	for _, d := range v.Roots() {
		if d.DeclName() == name {
			return d
		}
	}
	return nil
}

// cuts are the bytes that earlier releases of a message wrote for a value: all
// prefixes that the writer's own reader accepts. The last are all bytes.
func (v *Version) cuts(d ir.Decl, bytes []byte) [][]byte {
	m, isMessage := d.(*ir.Message)
	if !isMessage || len(m.Segments()) == 1 {
		return [][]byte{bytes}
	}
	var cuts [][]byte
	for n := range bytes {
		if _, err := v.codecs[d].Decode(bytes[:n], interp.Options{}); err == nil {
			cuts = append(cuts, bytes[:n])
		}
	}
	return append(cuts, bytes)
}

// missing are the values of a message whose later segments are missing.
func (v *Version) missing(m *ir.Message) []interp.Value {
	if v.blanks[m] == nil {
		bytes, err := v.codecs[m].Append(nil, v.values.root(m), interp.ByteMode)
		if err != nil {
			panic(err)
		}
		value, err := v.codecs[m].Decode(v.cuts(m, bytes)[0], interp.Options{})
		if err != nil {
			panic(err)
		}
		v.blanks[m] = value.(interp.Message).Fields
	}
	return v.blanks[m]
}

// Meeting is a writer of one version and a reader of the other.
type Meeting struct {
	writer, reader *Version
	oracle         *oracle
	// inJSON is true where the versions meet in JSON rather than in bytes.
	inJSON bool
	// mustKeepIDs is true where messages that exist already must find a reader.
	mustKeepIDs bool
	// inCalls is true where values come from a peer that wrote them now, in byte mode.
	inCalls bool
}

// New makes a meeting of files. The map leads from the writer's names to the reader's, of types, and
// of members as "Type.member".
func New(writer, reader *Version, renamed map[string]string, inJSON, mustKeepIDs bool) *Meeting {
	return &Meeting{
		writer: writer, reader: reader, oracle: &oracle{renamed: renamed, byName: inJSON, missing: reader.missing},
		inJSON: inJSON, mustKeepIDs: mustKeepIDs,
	}
}

// NewOfPeers makes a meeting of peers that call each other. Nobody has told them what was renamed: a
// member has a new name where neither side has the other's name elsewhere [EVO-5.8].
func NewOfPeers(writer, reader *Version) *Meeting {
	return &Meeting{writer: writer, reader: reader, oracle: &oracle{byPlace: true, missing: reader.missing}, inCalls: true}
}

// Roots are the types that the writer can write, in order of declaration.
func (m *Meeting) Roots() []ir.Decl { return m.writer.Roots() }

// Misunderstood tries a random value of one type and says how it is refused or
// misread; it returns "" if it is understood. A value that no type of the reader's takes is refused.
func (m *Meeting) Misunderstood(d ir.Decl) string {
	name := d.DeclName()
	if renamed, found := m.oracle.renamed[name]; found {
		name = renamed
	}
	to := m.reader.named(name)
	if to == nil {
		if m.mustKeepIDs {
			return d.DeclName() + " has no reader"
		}
		return ""
	}
	value := m.writer.values.root(d)
	bytes, err := m.writer.codecs[d].Append(nil, value, interp.ByteMode)
	if err != nil {
		return "the writer refuses it: " + err.Error()
	}
	// The order of a map's entries is that of the wire from here on.
	if value, err = m.writer.codecs[d].Decode(bytes, interp.Options{}); err != nil {
		return fmt.Sprintf("the writer's own reader refuses %x: %v", bytes, err)
	}
	try := m.bytes
	switch {
	case m.inJSON:
		try = m.text
	case m.inCalls:
		try = m.call
	}
	if problem := try(d, to, value, bytes); problem != "" {
		return fmt.Sprintf("%s %+v: %s", d.DeclName(), value, problem)
	}
	return ""
}

// call tries the bytes of a request or response.
func (m *Meeting) call(d, to ir.Decl, value interp.Value, bytes []byte) string {
	got, err := m.reader.codecs[to].Decode(bytes, interp.Options{})
	if err != nil {
		return fmt.Sprintf("%x is refused: %v", bytes, err)
	}
	if !m.oracle.sameRoot(d, to, value, got, math.MaxInt) {
		return fmt.Sprintf("%x is read as %+v", bytes, got)
	}
	return ""
}

// text tries JSON, with all that earlier releases of the writer may have
// written of the value.
func (m *Meeting) text(d, to ir.Decl, value interp.Value, bytes []byte) string {
	var text strings.Builder
	if err := m.writer.codecs[d].WriteJSON(&text, interp.FromBytes(bytes), interp.Options{}); err != nil {
		return "the writer cannot write JSON: " + err.Error()
	}
	if message, isMessage := d.(*ir.Message); isMessage {
		for k := range message.Segments()[1:] {
			if problem := m.parse(d, to, value, earlierJSON(message, text.String(), k+1), k+1); problem != "" {
				return problem
			}
		}
	}
	return m.parse(d, to, value, []byte(text.String()), math.MaxInt)
}

// earlierJSON is the text without the members of the segments after k.
func earlierJSON(m *ir.Message, text string, k int) []byte {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		panic(err)
	}
	for _, f := range m.Fields {
		if f.Since > k {
			delete(members, f.JSONName())
		}
	}
	earlier, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return earlier
}

// parse reads JSON, and encodes what it says. Widths are passed over: what they hold
// and do not hold is told by the verdicts on bytes.
func (m *Meeting) parse(d, to ir.Decl, value interp.Value, text []byte, segments int) string {
	read, err := m.reader.codecs[to].ParseJSON(text, interp.ByteMode)
	var refusal *interp.Refusal
	if errors.As(err, &refusal) && refusal.Kind == interp.ErrValueTooLarge {
		return ""
	}
	if err != nil {
		return fmt.Sprintf("%s is refused: %v", text, err)
	}
	got, err := m.reader.codecs[to].Decode(read, interp.Options{})
	if err != nil {
		return fmt.Sprintf("%s gives bytes that are refused: %v", text, err)
	}
	if !m.oracle.sameRoot(d, to, value, got, segments) {
		return fmt.Sprintf("%s is read as %+v", text, got)
	}
	return ""
}

// bytes tries byte mode, with all that earlier releases of the writer may have
// written of the value, and message mode.
func (m *Meeting) bytes(d, to ir.Decl, value interp.Value, bytes []byte) string {
	cuts := [][]byte{bytes}
	if len(bytes) <= cutBytesMax {
		cuts = m.writer.cuts(d, bytes)
	}
	for i, cut := range cuts {
		segments := i + 1
		if i == len(cuts)-1 {
			segments = math.MaxInt
		}
		got, err := m.reader.codecs[to].Decode(cut, interp.Options{})
		if err != nil {
			return fmt.Sprintf("%x is refused: %v", cut, err)
		}
		if !m.oracle.sameRoot(d, to, value, got, segments) {
			return fmt.Sprintf("%x is read as %+v", cut, got)
		}
	}
	return m.message(d, to, value)
}

// message tries message mode, if both sides have it or have to.
func (m *Meeting) message(d, to ir.Decl, value interp.Value) string {
	if ir.IDOf(d) == nil || ir.IDOf(to) == nil && !m.mustKeepIDs {
		return ""
	}
	bytes, err := m.writer.codecs[d].Append(nil, value, interp.MessageMode)
	if err != nil {
		return "the writer refuses it: " + err.Error()
	}
	if _, err := m.reader.codecs[to].Decode(bytes, interp.Options{Mode: interp.MessageMode}); err != nil {
		return fmt.Sprintf("message %x is refused: %v", bytes, err)
	}
	return ""
}

// Inverse swaps the names that were and that are, of members too.
func Inverse(renamed map[string]string) map[string]string {
	back := map[string]string{}
	for from, to := range renamed {
		if owner, member, found := strings.Cut(from, "."); found {
			if now, moved := renamed[owner]; moved {
				owner = now
			}
			back[owner+"."+to] = member
			continue
		}
		back[to] = from
	}
	return back
}
