package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// clauses are the clauses that refusals rest on.
var clauses = map[string]string{
	"truncated": "WIRE-3.3", "trailing_bytes": "WIRE-2.3", "bool_invalid": "WIRE-4.3", "presence_invalid": "WIRE-5.8", "utf8_invalid": "WIRE-5.2",
	"enum_unknown": "WIRE-4.5", "union_unknown": "WIRE-6.2", "union_length": "WIRE-6.7", "map_order": "WIRE-5.12", "segment_partial": "WIRE-3.3",
	"count_exceeds_input": "WIRE-5.5", "length_exceeds_input": "WIRE-5.1", "limit_message_bytes": "WIRE-2.2", "limit_elements": "WIRE-8.4",
	"limit_depth": "WIRE-8.1", "limit_max": "WIRE-3.4", "magic_invalid": "WIRE-10.2", "version_unsupported": "WIRE-10.3",
	"type_id_unknown": "WIRE-10.6", "type_id_mismatch": "WIRE-10.5", "payload_length": "WIRE-10.8",
}

// acceptClauses are the clauses that accepted bytes rest on.
var acceptClauses = map[Mode]string{
	Bytes: "WIRE-2.1", Exact: "WIRE-7.9", Message: "WIRE-10.1", Dispatch: "WIRE-10.6", Stream: "WIRE-11.1",
}

// File is where a case lies in a folder of cases, with slashes and the ending.
func (c *Case) File() string {
	folder, topic := "valid", "stream"
	if !c.Accepts() {
		folder = "invalid"
	}
	if c.Type != nil {
		topic = c.Type.DeclName()
	}
	return folder + "/" + topic + "/" + c.Name + ".json"
}

// JSON is the case as the conformance vectors have it, for a schema of a name.
func (s *Set) JSON(c *Case, schema string) ([]byte, error) {
	var b bytes.Buffer
	first := true
	member := func(key string, value any) error {
		text, err := encoded(value)
		if err != nil {
			return err
		}
		if !first {
			b.WriteString(",\n")
		}
		first = false
		fmt.Fprintf(&b, "  %q: %s", key, text)
		return nil
	}
	clause := acceptClauses[c.Mode]
	if !c.Accepts() {
		clause = clauses[c.Reads[0].Error]
	}
	b.WriteString("{\n")
	members := []pair{{"about", c.About}, {"spec", []string{clause}}, {"schema", schema}}
	if c.Type != nil && (c.Mode != Dispatch || c.Accepts()) {
		members = append(members, pair{"type", c.Type.DeclName()})
	}
	members = append(members, pair{"mode", c.Mode}, pair{"bytes", hex.EncodeToString(c.Bytes)})
	if limits := c.Limits.members(); len(limits) > 0 {
		members = append(members, pair{"limits", object(limits)})
	}
	members = append(members, s.result(c)...)
	for _, m := range members {
		if err := member(m.key, m.value); err != nil {
			return nil, err
		}
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

type pair struct {
	key   string
	value any
}

// object is pairs in an order.
type object []pair

// MarshalJSON writes the pairs in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range o {
		text, err := encoded(p.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s%q:%s", map[bool]string{true: "{", false: ","}[i == 0], p.key, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// verbatim is canonical JSON.
type verbatim string

func encoded(value any) ([]byte, error) {
	if text, ok := value.(verbatim); ok {
		return []byte(text), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func (l Limits) members() []pair {
	var all []pair
	for _, p := range []struct {
		name  string
		limit int64
	}{{"message_bytes", l.MessageBytes}, {"elements", l.Elements}, {"depth", l.Depth}} {
		if p.limit > 0 {
			all = append(all, pair{p.name, p.limit})
		}
	}
	return all
}

// result are the members that say what becomes of the bytes.
func (s *Set) result(c *Case) []pair {
	one := c.Reads[0]
	switch {
	case c.Mode == Stream:
		var reads []string
		for _, r := range c.Reads {
			reads = append(reads, r.read())
		}
		return []pair{{"result", "stream"}, {"reads", verbatim("[\n    " + strings.Join(reads, ",\n    ") + "\n  ]")}}
	case one.Error != "":
		return []pair{{"result", "reject"}, {"error", one.Error}, {"offset", one.Offset}, {"path", one.Path}}
	}
	all := []pair{{"result", "accept"}, {"value", verbatim(one.JSON)}}
	if !bytes.Equal(one.Encoding, c.Bytes) {
		all = append(all, pair{"reencoded", hex.EncodeToString(one.Encoding)})
	}
	if prefixes := s.acceptedPrefixes(c); len(prefixes) > 0 {
		all = append(all, pair{"accepted_prefixes", prefixes})
	}
	return all
}

func (a Answer) read() string {
	quoted := func(s string) string { text, _ := encoded(s); return string(text) }
	switch {
	case a.End:
		return `{"result": "end"}`
	case a.Error != "":
		return fmt.Sprintf(`{"result": "reject", "error": %q, "offset": %d, "path": %s}`, a.Error, a.Offset, quoted(a.Path))
	}
	return fmt.Sprintf(`{"result": "accept", "type": %q, "value": %s}`, a.Type, a.JSON)
}

// acceptedPrefixes are the lengths of proper prefixes that are accepted, too: a message
// cut where a segment begins, or within an unknown tail.
func (s *Set) acceptedPrefixes(c *Case) []int {
	if _, isMessage := c.Type.(*ir.Message); !isMessage || c.Mode == Message || c.Mode == Dispatch {
		return nil
	}
	codec, options := s.judges[c.Type].codec, c.Limits.options(c.Mode)
	begins, tail := map[int]bool{}, len(c.Bytes)
	var around nest
	_, _ = codec.Walk(interp.FromBytes(c.Bytes), options, func(e *interp.Event) error {
		if e.Kind == interp.EndEvent {
			around.closes()
			return nil
		}
		if len(around.open) == 1 {
			begins[int(e.Offset)] = true
			if e.Kind == interp.TailEvent {
				tail = int(e.Offset)
			}
		}
		around.opens(e, -1)
		return nil
	})
	var lengths []int
	for n := range len(c.Bytes) {
		if !begins[n] && n < tail {
			continue
		}
		if _, err := codec.Decode(c.Bytes[:n], options); err == nil {
			lengths = append(lengths, n)
		}
	}
	return lengths
}

// Line is the case as a request to a conformance runner and its answer, with tabs
// between. A stream has a line more for each read.
func (c *Case) Line(schema string) string {
	operation, target, input := string(c.Mode), schema, "-"
	if c.Mode == Bytes {
		operation = "decode"
	}
	if c.Mode != Dispatch && c.Mode != Stream {
		target += "." + c.Type.DeclName()
	}
	if len(c.Bytes) > 0 {
		input = hex.EncodeToString(c.Bytes)
	}
	request := operation + " " + target + " " + input
	for _, l := range c.Limits.members() {
		request += fmt.Sprintf(" %s=%d", l.key, l.value)
	}
	if c.Mode != Stream {
		return request + "\t" + c.Reads[0].line() + "\n"
	}
	text := fmt.Sprintf("%s\tstream\treads=%d\n", request, len(c.Reads))
	for _, r := range c.Reads {
		text += r.line() + "\n"
	}
	return text
}

func (a Answer) line() string {
	switch {
	case a.End:
		return "end"
	case a.Error != "":
		return fmt.Sprintf("reject\terror=%s\toffset=%d\tpath=%s", a.Error, a.Offset, a.Path)
	}
	text := "accept\tjson=" + a.JSON + "\tbytes=" + hex.EncodeToString(a.Encoding)
	if a.Type != "" {
		text += "\ttype=" + a.Type
	}
	return text
}

// HasNaNBits reports whether the case has a NaN of other bits than the usual one, which
// not every language's numbers keep [WIRE-4.8]: in a value, or in bytes that are read
// exactly, which such a language refuses for it before it comes to something else.
func (c *Case) HasNaNBits() bool {
	if c.nanBits {
		return true
	}
	for _, r := range c.Reads {
		if strings.Contains(r.JSON, `"NaN:`) {
			return true
		}
	}
	return false
}
