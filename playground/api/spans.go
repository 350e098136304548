package api

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// spansMax is how many items of bytes an answer tells.
const spansMax = 50_000

// textRunesMax is how much of a value a span tells.
const textRunesMax = 64

// Span is an item of bytes: what they are, and of which part of the value.
type Span struct {
	At     int64 `json:"at"`
	Length int   `json:"length"`
	// Pointer leads to the part in the value's JSON, as RFC 6901 has it; Path is its name in the
	// specification of bytes.
	Pointer string `json:"pointer"`
	Path    string `json:"path"`
	// Part is the role of the bytes in it: magic, type id, length, count, presence, tag, value,
	// text, bytes, unknown or tail.
	Part string `json:"part"`
	Type string `json:"type"`
	Text string `json:"text"`
}

// spans walks bytes up to their end, or to a refusal.
func spans(codec *interp.Codec, mode interp.Mode, encoded []byte) []Span {
	t := &tracer{found: []Span{}}
	// A refusal ends the walk, and is told by the decoder.
	_, _ = codec.Walk(interp.FromBytes(encoded), interp.Options{Mode: mode, Salvage: true}, t.visit)
	return t.found
}

// tracer collects the items of a walk.
type tracer struct {
	found []Span
	open  []container
}

// container is a value that others lie in.
type container struct {
	pointer string
	// step is the name of a union's alternative, or the last key of a map.
	step string
}

func (t *tracer) top() *container { return &t.open[len(t.open)-1] }

// visit notes an event.
func (t *tracer) visit(e *interp.Event) error {
	switch e.Kind {
	case interp.MagicEvent:
		t.add(e, "", "magic", string(e.Raw))
	case interp.TypeIDEvent:
		t.add(e, "", "type id", decimal(e.Count))
	case interp.PayloadBytesEvent:
		t.add(e, "", "length", decimal(e.Count))
	case interp.ScalarEvent:
		pointer := t.pointer(e)
		t.add(e, pointer, "value", e.Text())
	case interp.TextEvent:
		t.counted(e, "text", e.Text())
	case interp.BlobEvent:
		t.counted(e, "bytes", "")
	case interp.PresenceEvent:
		t.add(e, t.pointer(e), "presence", map[bool]string{true: "present", false: "absent"}[e.Count == 1])
	case interp.ListEvent, interp.MapEvent:
		t.enter(e, "count", decimal(e.Count), "")
	case interp.ArrayEvent, interp.StructEvent:
		t.enter(e, "", "", "")
	case interp.MessageEvent:
		t.enter(e, "length", decimal(e.Count), "")
	case interp.UnionEvent:
		name := "$unknown"
		if e.Alternative != nil {
			name = alternativeName(e.Alternative)
		}
		t.enter(e, "tag", decimal(e.Count)+" "+name, name)
	case interp.PayloadLengthEvent:
		t.add(e, t.top().pointer, "length", decimal(e.Count))
	case interp.UnknownEvent:
		t.add(e, t.top().pointer+"/$unknown", "unknown", "")
	case interp.TailEvent:
		t.tail(e)
	case interp.EndEvent:
		t.open = t.open[:len(t.open)-1]
	case interp.DamageEvent:
	}
	return nil
}

// enter notes the item that a value begins with, and goes into it.
func (t *tracer) enter(e *interp.Event, part, text, step string) {
	pointer := t.pointer(e)
	t.add(e, pointer, part, text)
	t.open = append(t.open, container{pointer: pointer, step: step})
}

// counted notes a length, and its content.
func (t *tracer) counted(e *interp.Event, part, text string) {
	pointer := t.pointer(e)
	prefix := len(e.Raw) - len(e.Content)
	length, content := *e, *e
	length.Raw = e.Raw[:prefix]
	content.Raw, content.Offset = e.Content, e.Offset+int64(prefix)
	t.add(&length, pointer, "length", decimal(uint64(len(e.Content))))
	t.add(&content, pointer, part, text)
}

// tail notes the bytes of fields that the schema does not have. JSON has them only where
// the message keeps them.
func (t *tracer) tail(e *interp.Event) {
	pointer := t.top().pointer
	if e.Type.Message().KeepUnknown {
		pointer += "/$unknown"
	}
	t.add(e, pointer, "tail", "")
}

// add notes bytes, if there are any.
func (t *tracer) add(e *interp.Event, pointer, part, text string) {
	if len(e.Raw) == 0 || e.Missing || len(t.found) == spansMax {
		return
	}
	t.found = append(t.found, Span{
		At: e.Offset, Length: len(e.Raw), Pointer: pointer, Path: e.Path(), Part: part, Type: typeName(e.Type), Text: shortened(text),
	})
}

// pointer leads to the value of an event that begins one.
func (t *tracer) pointer(e *interp.Event) string {
	if e.Role == interp.RootRole {
		return ""
	}
	around := t.top()
	step := around.step
	switch e.Role {
	case interp.FieldRole:
		step = e.Field.JSONName()
	case interp.ElementRole:
		path := e.Path()
		step = path[strings.LastIndexByte(path, '[')+1 : len(path)-1]
	case interp.KeyRole:
		step = keyOf(e)
		around.step = step
	}
	return around.pointer + "/" + escaped.Replace(step)
}

// escaped is a step of a pointer.
var escaped = strings.NewReplacer("~", "~0", "/", "~1")

// keyOf is a map's key as JSON has it, without quotes.
func keyOf(e *interp.Event) string {
	text := e.Text()
	var key string
	if json.Unmarshal([]byte(text), &key) == nil {
		return key
	}
	return text
}

// alternativeName is what JSON calls an alternative.
func alternativeName(a *ir.Alternative) string {
	if name, ok := a.Names["json"]; ok {
		return name
	}
	return a.Name
}

// typeName is a declared type's name, else the word for its kind; a header has none.
func typeName(t *ir.Type) string {
	switch {
	case t == nil:
		return ""
	case t.Decl != nil:
		return t.Decl.DeclName()
	}
	return t.Kind.String()
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// shortened is the beginning of a long text.
func shortened(text string) string {
	if utf8.RuneCountInString(text) <= textRunesMax {
		return text
	}
	return string([]rune(text)[:textRunesMax]) + "…"
}
