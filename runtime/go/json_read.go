package sdp

import (
	"bytes"
	"encoding/json"
)

// jsonReader reads a JSON text as generated code asks for it [JSON]. The text is
// read by encoding/json; this adds what that leaves open: members are known and
// come once, integers are integers, and a refusal has an offset and a path.
//
// The first refusal sticks. From then on Next returns false and everything else
// zero values, so that generated code asks for the error once, at the end.
type jsonReader struct {
	text    []byte
	decoder *json.Decoder
	err     *Error
	frames  []jsonFrame
	depth   int // of the aggregates among the frames
	// seen has, for all open objects, which members came.
	seen []bool
}

// jsonObject describes the members of a struct, message, inline alternative or
// union.
type jsonObject struct {
	Kind   jsonObjectKind
	Fields []jsonField
	// Tags are the tags of a union's alternatives.
	Tags []uint8
}

// jsonObjectKind says what an object may hold.
type jsonObjectKind uint8

const (
	// jsonStruct is for structs and inline alternatives: each member is a field.
	jsonStruct jsonObjectKind = iota
	// jsonMessage is for messages: members that are no fields are ignored.
	jsonMessage
	// jsonUnion is for unions: there is one member, which is an alternative.
	jsonUnion
	// jsonUnknown is what an unknown alternative holds.
	jsonUnknown
)

// jsonField is a member that an object may have. A kept tail and an unknown
// alternative are members with the key "$unknown" and no name.
type jsonField struct {
	Key string // in JSON
	// Name is that of the schema, for paths. A member without a name is refused under the path of
	// its object.
	Name string
	// Required is true if the member may not be missing [JSON-5.2].
	Required bool
}

// jsonFrame is an open object or array.
type jsonFrame struct {
	kind   jsonFrameKind
	object *jsonObject
	at     int // the opening bracket
	// part is the part that the reader is at, for paths.
	part jsonPart
	// index is that of the current element, entry or field.
	index int
	n     int // elements of a fixed array, or -1
	seen  int // where the members of an object start in jsonReader.seen
	key   string
	keyAt int
}

type jsonFrameKind uint8

const (
	objectFrame jsonFrameKind = iota
	arrayFrame
	mapFrame
)

type jsonPart uint8

const (
	noPart jsonPart = iota // the frame itself
	keyPart
	valuePart
)

// newJSONReader starts to read a text. A text that isn't well-formed is refused now, before any
// other fault of it [JSON-1.3].
func newJSONReader(text []byte) *jsonReader {
	r := &jsonReader{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	if at := jsonFlaw(text); at >= 0 {
		r.refuse(at)
	}
	return r
}

// Err returns the refusal, or nil if there is none.
func (r *jsonReader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// refuse notes a refusal at an offset and the current path, if it is the first.
func (r *jsonReader) refuse(at int) {
	if r.err == nil {
		r.err = &Error{Kind: ErrJSONInvalid, Offset: at, Path: r.path()}
	}
}

func (r *jsonReader) path() string {
	var p refusal
	for i := len(r.frames) - 1; i >= 0; i-- {
		f := &r.frames[i]
		switch {
		case f.part == noPart:
		case f.kind == objectFrame:
			if name := f.object.Fields[f.index].Name; name != "" {
				p.within(name)
			}
		case f.kind == arrayFrame:
			p.withinElement(uint64(f.index))
		case f.part == keyPart:
			p.within("key").withinElement(uint64(f.index))
		default:
			p.within("value").withinElement(uint64(f.index))
		}
	}
	return p.path()
}

// peek is the offset and the first byte of the next token. The text is
// well-formed, so between tokens there is only what these characters are.
func (r *jsonReader) peek() (at int, first byte) {
	for at = int(r.decoder.InputOffset()); at < len(r.text); at++ {
		switch c := r.text[at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
		default:
			return at, c
		}
	}
	return at, 0
}

// token takes the next token. The text is well-formed, so there is one.
func (r *jsonReader) token() json.Token {
	token, err := r.decoder.Token()
	if err != nil {
		r.refuse(int(r.decoder.InputOffset()))
	}
	return token
}

// open takes an opening bracket, after which Next leads through what it holds.
func (r *jsonReader) open(bracket byte, f jsonFrame) bool {
	if r.err != nil {
		return false
	}
	at, first := r.peek()
	if first != bracket {
		r.refuse(at)
		return false
	}
	r.token()
	f.at, f.index, f.seen = at, -1, len(r.seen)
	if f.object != nil {
		r.seen = append(r.seen, make([]bool, len(f.object.Fields))...)
	}
	r.frames = append(r.frames, f)
	return true
}

// Object starts to read a struct, message, inline alternative or union. Next then
// leads from member to member:
//
//	for r.Object(&pluginJSON); r.Next(); {
//		switch r.Key() {
//		case "name":
//			v.Name = r.String()
//		}
//	}
//
// Each turn of the loop reads one value. Members that aren't fields, doubled and
// missing ones never reach it.
func (r *jsonReader) Object(o *jsonObject) {
	if r.depth == LimitDepth {
		at, _ := r.peek()
		r.refuse(at)
	}
	if r.open('{', jsonFrame{kind: objectFrame, object: o}) {
		r.depth++
	}
}

// Array starts to read a list. Each turn of the loop over Next reads an element.
func (r *jsonReader) Array() { r.open('[', jsonFrame{kind: arrayFrame, n: -1}) }

// FixedArray starts to read an array of n elements; Index is below n.
func (r *jsonReader) FixedArray(n int) { r.open('[', jsonFrame{kind: arrayFrame, n: n}) }

// Map starts to read a map. Each turn of the loop over Next takes the key with
// one of the Key functions, hands it to NewJSONKey, and reads the value:
//
//	for r.Map(); r.Next(); {
//		if k := r.Key(); sdp.NewJSONKey(r, m, k) {
//			m[k] = uint32(r.Uint(32))
//		}
//	}
func (r *jsonReader) Map() { r.open('{', jsonFrame{kind: mapFrame}) }

// Next goes to the next member, element or entry. It returns false at the end,
// and after a refusal.
func (r *jsonReader) Next() bool {
	if r.err != nil {
		return false
	}
	f := &r.frames[len(r.frames)-1]
	for r.decoder.More() {
		switch f.kind {
		case arrayFrame:
			return r.nextElement(f)
		case mapFrame:
			r.takeKey(f)
			f.index++
			f.part = keyPart
			return true
		}
		if r.nextMember(f) {
			return r.err == nil
		}
	}
	r.close(f)
	return false
}

// Key is the key of the current member or entry.
func (r *jsonReader) Key() string {
	if r.err != nil {
		return ""
	}
	return r.frames[len(r.frames)-1].key
}

// Index is that of the current element.
func (r *jsonReader) Index() int {
	if r.err != nil {
		return 0
	}
	return r.frames[len(r.frames)-1].index
}

func (r *jsonReader) takeKey(f *jsonFrame) {
	f.keyAt, _ = r.peek()
	f.key, _ = r.token().(string)
}

func (r *jsonReader) nextElement(f *jsonFrame) bool {
	f.index++
	f.part = valuePart
	if f.index == f.n {
		at, _ := r.peek()
		r.refuse(at)
		return false
	}
	return true
}

// nextMember takes a key and reports whether that is the end of the search: it
// is a field's, or refused.
func (r *jsonReader) nextMember(f *jsonFrame) bool {
	f.part = noPart
	before := f.index
	r.takeKey(f)
	f.index = f.object.find(f.key, before+1)
	switch {
	case f.object.Kind == jsonUnion && before >= 0:
		r.refuse(f.keyAt)
		return true
	case f.index < 0 && f.object.Kind == jsonMessage:
		f.index = before
		r.skip()
		return r.err != nil
	case f.index < 0:
		r.refuse(f.keyAt)
		return true
	}
	f.part = valuePart
	seen := &r.seen[f.seen+f.index]
	if *seen {
		r.refuse(f.keyAt)
	}
	*seen = true
	return true
}

// find returns the index of the field with a key, or -1. Fields mostly come in
// order, so it looks at the guess first.
func (o *jsonObject) find(key string, guess int) int {
	if guess < len(o.Fields) && o.Fields[guess].Key == key {
		return guess
	}
	for i := range o.Fields {
		if o.Fields[i].Key == key {
			return i
		}
	}
	return -1
}

// skip takes a value of any kind.
func (r *jsonReader) skip() {
	var value json.RawMessage
	if err := r.decoder.Decode(&value); err != nil {
		r.refuse(int(r.decoder.InputOffset()))
	}
}

// close takes the closing bracket and refuses what lacks members or elements.
func (r *jsonReader) close(f *jsonFrame) {
	r.token()
	switch {
	case f.kind == objectFrame:
		r.missing(f)
	case f.kind == arrayFrame && f.index+1 < f.n:
		f.part = noPart
		r.refuse(f.at)
	}
	if f.object != nil && f.object.Kind != jsonUnknown {
		r.depth--
	}
	r.seen = r.seen[:f.seen]
	r.frames = r.frames[:len(r.frames)-1]
}

// missing refuses an object that lacks a required member, and a union without an
// alternative.
func (r *jsonReader) missing(f *jsonFrame) {
	if f.object.Kind == jsonUnion {
		if f.index < 0 {
			r.refuse(f.at)
		}
		return
	}
	for i := range f.object.Fields {
		if f.object.Fields[i].Required && !r.seen[f.seen+i] {
			f.index, f.part = i, valuePart
			r.refuse(f.at)
			return
		}
	}
}
