package interp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// JSONReader reads JSON texts, one after another, as values.
type JSONReader struct {
	tokens *tokens
	// Strict refuses members that a message does not have, which are passed over
	// otherwise.
	Strict bool
	// Defaults gives fields of structs and first segments, which have to be there otherwise, zero
	// where they have no member. Unions have none.
	Defaults bool
}

// NewJSONReader makes a reader. It reads ahead of the text that it is in.
func NewJSONReader(r io.Reader) *JSONReader { return &JSONReader{tokens: newTokens(r)} }

// End refuses anything but white space behind the last text.
func (r *JSONReader) End() error {
	found, err := r.tokens.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return malformed(found.offset, "the text goes on behind its value")
}

// ReadJSON reads the next text as a value and appends its encoding to out, while it reads: it holds
// one token, and the parts that are not yet in the order of the wire. It returns io.EOF if there is
// no next text. When it refuses the text, what it appended is no value.
//
// The text may be refused with json_invalid before a fault behind is seen that
// makes it no JSON. A value that cannot be encoded is refused, after the whole
// text was read, like Append does.
func (c *Codec) ReadJSON(r *JSONReader, output *Spool, mode Mode) error {
	first, err := r.tokens.next()
	if err != nil {
		return err
	}
	if mode == MessageMode {
		id, err := c.typeID()
		if err != nil {
			return err
		}
		if _, err := output.Write(AppendHeader(nil, id, 0)); err != nil {
			return err
		}
	}
	start := output.Len()
	j := &jsonReader{tokens: r.tokens, out: output, depth: LimitDepth, strict: r.Strict, defaults: r.Defaults}
	if err := j.top(c.root, first); err != nil {
		return err
	}
	if mode == MessageMode {
		if err := j.patch(start-plan.WindowBytes, "payload"); err != nil {
			return err
		}
	}
	if j.refused != nil {
		return j.refused.refusal()
	}
	return nil
}

// ParseJSON makes the encoding of a whole text. A text that isn't JSON, at any place, is refused
// for that.
func (c *Codec) ParseJSON(text []byte, mode Mode) ([]byte, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	var out Spool
	if err := c.ReadJSON(NewJSONReader(bytes.NewReader(text)), &out, mode); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	encoded, err := io.ReadAll(out.Reader())
	return encoded, errors.Join(err, out.Close())
}

// jsonReader is the reading of one text.
type jsonReader struct {
	tokens *tokens
	out    *Spool
	path   path
	depth  int // levels that may still be entered
	// refused is the first refusal, in the order of the wire, of encoding what
	// was read. The reading goes on, since a fault of the text counts more.
	refused  *encodeRefusal
	scratch  []byte
	strict   bool
	defaults bool
}

func (j *jsonReader) refuse(t token, format string, args ...any) *Refusal {
	return &Refusal{
		Kind: ErrJSONInvalid, Offset: t.offset, Line: t.place.line, Column: t.place.column,
		Path: j.path.String(), Detail: fmt.Sprintf(format, args...),
	}
}

// cannotEncode remembers a refusal that comes behind all that were remembered.
func (j *jsonReader) cannotEncode(refusal *encodeRefusal) {
	if j.refused == nil {
		j.refused = refusal
	}
}

func (j *jsonReader) write(b []byte) error {
	_, err := j.out.Write(b)
	return err
}

// top reads a value without the length that a message has elsewhere.
func (j *jsonReader) top(t *ir.Type, first token) error {
	if t.Kind == ir.MessageKind {
		return j.message(t, first)
	}
	return j.value(t, first)
}

// value reads a value whose first token was read.
func (j *jsonReader) value(t *ir.Type, first token) error {
	switch t.Kind {
	case ir.StrKind:
		if first.kind != stringToken {
			return j.refuse(first, "expected a string")
		}
		return j.counted(t, first, []byte(first.text))
	case ir.BytesKind:
		b, ok := parseBase64(first.text)
		if first.kind != stringToken || !ok {
			return j.refuse(first, "expected base64 in a string")
		}
		return j.counted(t, first, b)
	case ir.ListKind:
		return j.list(t, first)
	case ir.ArrayKind:
		return j.array(t, first)
	case ir.OptionalKind:
		return j.optional(t, first)
	case ir.MapKind:
		return j.mapping(t, first)
	case ir.StructKind:
		return j.structure(t, first)
	case ir.MessageKind:
		return j.nestedMessage(t, first)
	case ir.UnionKind:
		return j.union(t, first)
	default:
		return j.scalar(t, first)
	}
}

func (j *jsonReader) scalar(t *ir.Type, first token) error {
	raw, expected := appendParsed(j.scratch[:0], t, first.kind, first.text)
	if expected != "" {
		return j.unexpected(t, first, expected)
	}
	j.scratch = raw
	return j.write(raw)
}

// unexpected refuses a token that is no value of a type; of an enum it knows
// the names.
func (j *jsonReader) unexpected(t *ir.Type, result token, want string) *Refusal {
	refusal := j.refuse(result, "expected %s", want)
	if t.Kind == ir.EnumKind && result.kind == stringToken {
		refusal.Detail += fmt.Sprintf(", found %q", result.text)
		refusal.Name = result.text
		for _, m := range t.Enum().Members {
			refusal.Known = append(refusal.Known, memberName(m))
		}
	}
	return refusal
}

// checkLength is a refusal of a value that begins at a token, or nil.
func (j *jsonReader) checkLength(t *ir.Type, first token, n int) *encodeRefusal {
	refusal := checkLength(t, uint64(n), j.path)
	if refusal != nil {
		refusal.place = first.place
	}
	return refusal
}

// counted writes a length and its bytes.
func (j *jsonReader) counted(t *ir.Type, first token, b []byte) error {
	if refusal := j.checkLength(t, first, len(b)); refusal != nil {
		j.cannotEncode(refusal)
	}
	if err := j.write(appendInt(nil, uint64(len(b)), t.LenBytes)); err != nil {
		return err
	}
	return j.write(b)
}

// within reads a value one step down the path.
func (j *jsonReader) within(s step, t *ir.Type, first token) error {
	j.path.push(s)
	if err := j.value(t, first); err != nil {
		return err
	}
	j.path.pop()
	return nil
}

// elements reads an array of JSON up to its closing bracket.
func (j *jsonReader) elements(t *ir.Type, first token) (n int, err error) {
	if first.kind != '[' {
		return 0, j.refuse(first, "expected an array")
	}
	for ; ; n++ {
		next, err := j.tokens.inside()
		if err != nil {
			return n, err
		}
		if next.kind == ']' {
			return n, nil
		}
		element := step{role: ElementRole, index: n}
		if t.Kind == ir.ArrayKind && uint64(n) == t.N {
			j.path.push(element)
			return n, j.refuse(next, "expected %d elements", t.N)
		}
		if err := j.within(element, t.Elem, next); err != nil {
			return n, err
		}
	}
}

func (j *jsonReader) list(t *ir.Type, first token) error {
	count, before := j.out.Len(), j.refused
	if err := j.write(make([]byte, t.LenBytes)); err != nil {
		return err
	}
	n, err := j.elements(t, first)
	if err != nil {
		return err
	}
	return j.setCount(t, first, n, count, before)
}

// setCount fills in a count when it is known. An encoder would have checked it
// before the elements, when only before was refused.
func (j *jsonReader) setCount(t *ir.Type, first token, n int, offset int64, older *encodeRefusal) error {
	if refusal := j.checkLength(t, first, n); refusal != nil && older == nil {
		j.refused = refusal
	}
	_, err := j.out.WriteAt(appendInt(nil, uint64(n), t.LenBytes), offset)
	return err
}

func (j *jsonReader) array(t *ir.Type, first token) error {
	n, err := j.elements(t, first)
	if err == nil && uint64(n) != t.N {
		err = j.refuse(first, "expected %d elements, not %d", t.N, n)
	}
	return err
}

func (j *jsonReader) optional(t *ir.Type, first token) error {
	if first.kind == nullToken {
		return j.write([]byte{0})
	}
	if err := j.write([]byte{1}); err != nil {
		return err
	}
	return j.value(t.Elem, first)
}

// patch fills in a u32 length in front of all that was written behind it.
func (j *jsonReader) patch(offset int64, subject string) error {
	n := j.out.Len() - offset - plan.WindowBytes
	if n > math.MaxUint32 {
		j.cannotEncode(refuseValue(ErrValueTooLarge, j.path, "a %s of %d bytes", subject, n))
	}
	_, err := j.out.WriteAt(appendInt(nil, uint64(n), plan.WindowBytes), offset)
	return err
}

// hole leaves room for a length that patch fills in.
func (j *jsonReader) hole() (offset int64, err error) {
	offset = j.out.Len()
	return offset, j.write(make([]byte, plan.WindowBytes))
}
