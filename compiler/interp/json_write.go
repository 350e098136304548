package interp

import (
	"bufio"
	"io"
	"strconv"
)

// WriteJSON writes a value, which it reads from bytes, as canonical JSON. It
// holds one item at a time. When the bytes are refused, what was written until
// then is no JSON text.
func (c *Codec) WriteJSON(w io.Writer, input *Input, opts Options) error {
	jw := NewJSONWriter(w)
	if _, err := c.Walk(input, opts, jw.Visit); err != nil {
		return err
	}
	return jw.Flush()
}

// JSONWriter writes the values whose events it visits.
type JSONWriter struct {
	out   *bufio.Writer
	open  []jsonContainer
	depth int    // aggregates in open
	text  []byte // of one item, reused
}

type jsonContainer struct {
	end       byte // the closing bracket
	aggregate bool
	some      bool // a member or element is written
}

// NewJSONWriter makes a writer that buffers; Flush writes the rest.
func NewJSONWriter(w io.Writer) *JSONWriter {
	return &JSONWriter{out: bufio.NewWriter(w)}
}

// Flush writes what is buffered.
func (jw *JSONWriter) Flush() error { return jw.out.Flush() }

// Visit is the visitor of a walk.
func (jw *JSONWriter) Visit(e *Event) error {
	jw.text = jw.text[:0]
	switch e.Kind {
	case ScalarEvent:
		jw.begin(e)
		if e.Role == KeyRole {
			jw.text = append(appendKey(jw.text, e.Type, e.Raw), ':')
		} else {
			jw.text = appendScalar(jw.text, e.Type, e.Raw)
		}
	case TextEvent:
		jw.begin(e)
		jw.text = appendString(jw.text, e.Content)
		if e.Role == KeyRole {
			jw.text = append(jw.text, ':')
		}
	case BlobEvent:
		jw.begin(e)
		jw.text = appendBase64(jw.text, e.Content)
	case PresenceEvent:
		if e.Count == 0 {
			jw.begin(e)
			jw.text = append(jw.text, "null"...)
		}
	case ListEvent, ArrayEvent:
		jw.begin(e)
		jw.push('[', jsonContainer{end: ']'})
	case MapEvent:
		jw.begin(e)
		jw.push('{', jsonContainer{end: '}'})
	case StructEvent, MessageEvent, UnionEvent:
		if jw.depth == LimitDepth {
			return &Refusal{Kind: ErrLimitDepth, Offset: -1, Path: e.Path(), Detail: "JSON nests no deeper"}
		}
		jw.begin(e)
		jw.push('{', jsonContainer{end: '}', aggregate: true})
		if e.Kind == UnionEvent {
			jw.alternative(e)
		}
	case UnknownEvent:
		jw.unknown(e)
	case TailEvent:
		if e.Type.Message().KeepUnknown {
			jw.separate()
			jw.text = appendBase64(append(jw.text, `"$unknown":`...), e.Content)
		}
	case EndEvent:
		jw.pop()
	}
	_, err := jw.out.Write(jw.text)
	return err
}

// begin writes what stands before a value: a comma and a field's key.
func (jw *JSONWriter) begin(e *Event) {
	switch e.Role {
	case FieldRole:
		jw.separate()
		jw.text = append(appendString(jw.text, []byte(e.Field.JSONName())), ':')
	case ElementRole, KeyRole:
		jw.separate()
	}
}

func (jw *JSONWriter) separate() {
	top := &jw.open[len(jw.open)-1]
	if top.some {
		jw.text = append(jw.text, ',')
	}
	top.some = true
}

func (jw *JSONWriter) push(start byte, c jsonContainer) {
	jw.text = append(jw.text, start)
	jw.open = append(jw.open, c)
	if c.aggregate {
		jw.depth++
	}
}

func (jw *JSONWriter) pop() {
	last := len(jw.open) - 1
	c := jw.open[last]
	jw.open = jw.open[:last]
	jw.text = append(jw.text, c.end)
	if c.aggregate {
		jw.depth--
	}
}

// alternative writes a union's key, and null for one without a payload.
func (jw *JSONWriter) alternative(e *Event) {
	name := "$unknown"
	if e.Alternative != nil {
		name = alternativeName(e.Alternative)
	}
	jw.text = append(appendString(jw.text, []byte(name)), ':')
	if e.Alternative != nil && e.Alternative.Type == nil {
		jw.text = append(jw.text, "null"...)
	}
}

func (jw *JSONWriter) unknown(e *Event) {
	jw.text = append(jw.text, `{"tag":`...)
	jw.text = strconv.AppendUint(jw.text, e.Count, 10)
	jw.text = append(jw.text, `,"payload":`...)
	jw.text = append(appendBase64(jw.text, e.Content), '}')
}
