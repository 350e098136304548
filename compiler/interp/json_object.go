package interp

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// unknownKey is the member that holds what the schema has no name for.
const unknownKey = "$unknown"

// enter goes one level down, into an aggregate.
func (j *jsonReader) enter(t *ir.Type, first token) error {
	if j.depth == 0 {
		return j.refuse(first, "%s is nested too deeply", t.Decl.DeclName())
	}
	j.depth--
	if first.kind != '{' {
		return j.refuse(first, "expected an object for %s", t.Decl.DeclName())
	}
	return nil
}

// member reads the next key of an object; ok is false at its end.
func (j *jsonReader) member() (key token, ok bool, err error) {
	key, err = j.tokens.inside()
	return key, err == nil && key.kind != '}', err
}

func (j *jsonReader) structure(t *ir.Type, first token) error {
	if err := j.enter(t, first); err != nil {
		return err
	}
	o := &objectReader{jsonReader: j, fields: t.Struct().Fields, pieces: j.pieces()}
	if err := o.read(first); err != nil {
		return err
	}
	j.depth++
	return nil
}

func (j *jsonReader) nestedMessage(t *ir.Type, first token) error {
	at, err := j.hole()
	if err != nil {
		return err
	}
	if err := j.message(t, first); err != nil {
		return err
	}
	return j.patch(at, "body")
}

func (j *jsonReader) message(t *ir.Type, first token) error {
	if err := j.enter(t, first); err != nil {
		return err
	}
	m := t.Message()
	o := &objectReader{jsonReader: j, fields: m.Fields, message: m, pieces: j.pieces()}
	if err := o.read(first); err != nil {
		return err
	}
	j.depth++
	return nil
}

// objectReader reads the members of a struct, inline alternative or message.
type objectReader struct {
	*jsonReader
	fields  []*ir.Field
	message *ir.Message // nil for a struct
	pieces  *pieces
	seen    []bool // by place, the kept tail's last
	next    int    // where the member is that canonical text has next
	passed  string // the first member that was passed over, since no field has its name
}

func (o *objectReader) read(first token) error {
	o.seen = make([]bool, len(o.fields)+1)
	for {
		key, more, err := o.member()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := o.field(key); err != nil {
			return err
		}
	}
	for i, f := range o.fields {
		if !o.seen[i] {
			if err := o.absent(i, f, first); err != nil {
				return err
			}
		}
	}
	byPlace := func(a, b piece) int { return a.place - b.place }
	return o.pieces.arrange(byPlace, func(int, *encodeRefusal) {})
}

// place is that of the field with a key, that behind all fields for a kept
// tail, and -1 for no field.
func (o *objectReader) place(key string) int {
	if o.next < len(o.fields) && o.fields[o.next].JSONName() == key {
		return o.next
	}
	for i, f := range o.fields {
		if f.JSONName() == key {
			return i
		}
	}
	if key == unknownKey && o.message != nil && o.message.KeepUnknown {
		return len(o.fields)
	}
	return -1
}

func (o *objectReader) field(key token) error {
	i := o.place(key.text)
	if i < 0 && (o.message == nil || o.strict) {
		refusal := o.refuse(key, "unknown member %q", key.text)
		refusal.Name = key.text
		for _, f := range o.fields {
			refusal.Known = append(refusal.Known, f.JSONName())
		}
		return refusal
	}
	if i >= 0 && o.seen[i] {
		if i < len(o.fields) {
			o.path.push(fieldStep(o.fields[i]))
		}
		return o.refuse(key, "the member is there twice")
	}
	first, err := o.tokens.inside()
	if err != nil {
		return err
	}
	if i < 0 {
		if o.passed == "" {
			o.passed = key.text
		}
		return o.tokens.skip(first)
	}
	o.seen[i], o.next = true, i+1
	return o.pieces.add(piece{place: i}, func() error {
		if i == len(o.fields) {
			return o.tail(first)
		}
		return o.within(fieldStep(o.fields[i]), o.fields[i].Type, first)
	})
}

func (o *objectReader) tail(first token) error {
	b, ok := parseBase64(first.text)
	if first.kind != stringToken || !ok {
		return o.refuse(first, "expected base64 in a string")
	}
	return o.write(b)
}

// absent gives a field without a member the value that it has then, if any
// [JSON-5.2].
func (o *objectReader) absent(i int, f *ir.Field, first token) error {
	switch {
	case f.Since > 1:
		raw, err := appendMissing(f)
		if err != nil {
			return err
		}
		return o.pieces.add(piece{place: i}, func() error { return o.write(raw) })
	case f.Type.Kind == ir.OptionalKind:
		return o.pieces.add(piece{place: i}, func() error { return o.write([]byte{0}) })
	}
	if o.defaults {
		if raw, err := appendMissing(f); err == nil {
			return o.pieces.add(piece{place: i}, func() error { return o.write(raw) })
		}
	}
	o.path.push(fieldStep(f))
	refusal := o.refuse(first, "the member is missing")
	if o.passed != "" {
		refusal.Detail += fmt.Sprintf(", and %q is none", o.passed)
		refusal.Name, refusal.Known = o.passed, []string{f.JSONName()}
	}
	return refusal
}

func (j *jsonReader) mapping(t *ir.Type, first token) error {
	if first.kind != '{' {
		return j.refuse(first, "expected an object")
	}
	count, before := j.out.Len(), j.refused
	if err := j.write(make([]byte, t.LenBytes)); err != nil {
		return err
	}
	parts := j.pieces()
	keys := map[string]bool{}
	for {
		key, more, err := j.member()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := j.entry(t, key, keys, parts); err != nil {
			return err
		}
	}
	here := len(j.path)
	byKey := func(a, b piece) int { return compareKeys(t.Key, a.key, b.key) }
	err := parts.arrange(byKey, func(i int, refusal *encodeRefusal) { refusal.path[here].index = i })
	if err != nil {
		return err
	}
	return j.setCount(t, first, len(parts.list), count, before)
}

func (j *jsonReader) entry(t *ir.Type, key token, keys map[string]bool, parts *pieces) error {
	i := len(parts.list)
	j.path.push(step{role: KeyRole, index: i})
	raw, err := j.key(t.Key, key)
	if err != nil {
		return err
	}
	if keys[string(raw)] {
		return j.refuse(key, "the key is there twice")
	}
	keys[string(raw)] = true
	return parts.add(piece{key: raw}, func() error {
		if err := j.writeKey(t.Key, key, raw); err != nil {
			return err
		}
		j.path.pop()
		first, err := j.tokens.inside()
		if err != nil {
			return err
		}
		return j.within(step{role: ValueRole, index: i}, t.Elem, first)
	})
}

// key makes the bytes of a key, for a str without its length.
func (j *jsonReader) key(t *ir.Type, key token) ([]byte, error) {
	if t.Kind == ir.StrKind {
		return []byte(key.text), nil
	}
	kind := byte(stringToken)
	if t.Kind == ir.Bool {
		kind = map[string]byte{"true": trueToken, "false": falseToken}[key.text]
	}
	raw, expected := appendParsed(nil, t, kind, key.text)
	if expected != "" {
		return nil, j.unexpected(t, key, expected)
	}
	return slices.Clip(raw), nil
}

func (j *jsonReader) writeKey(t *ir.Type, key token, raw []byte) error {
	if t.Kind == ir.StrKind {
		return j.counted(t, key, raw)
	}
	return j.write(raw)
}
