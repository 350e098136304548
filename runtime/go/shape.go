package sdp

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// shape is what functions that are not made for one type know of a type: how its
// values lie in memory and what its schema says of them. It is read once in a process
// from the type itself: from the tags of generated structs, which say
//
//	sdp:"name type"     the field's name and its type in the words of a layout [EVO-5],
//	                    in which #0 is any declared type
//	key:"name"          its name in JSON, where that is another
//	late:"true"         that it is of a segment behind the first
//
// and from methods of enums, messages and unions.
type shape struct {
	form shapeForm
	// checked is true if some values of the type can't be encoded.
	checked bool
	// bits are the bits of an integer or float.
	bits int
	// bound and width are the most that a length may be: as declared, and as its bytes
	// can hold.
	bound, width uint32
	// elem is the type of the elements or values of a list, array, map or optional.
	elem, key *shape
	enum      *EnumTable
	// members are a record's fields and a union's alternatives.
	members []member
	object  jsonObject
	unknown reflect.Type // of what a union holds that only a newer writer knows
}

type shapeForm uint8

const (
	boolForm shapeForm = iota
	signedForm
	unsignedForm
	floatForm
	timestampForm
	durationForm
	uuidForm
	enumForm
	strForm
	bytesForm
	listForm
	arrayForm
	heapArrayForm // an array in memory of its own, nil for zeros
	optionalForm
	boxedForm // an optional in memory of its own
	mapForm
	recordForm
	unionForm
)

// member is a field, at an index in its struct, or an alternative of a type.
type member struct {
	name  string
	key   string // of JSON, quoted, and a colon
	index int
	typ   reflect.Type
	shape *shape // nil if an alternative has no payload
	// isInline is true for an alternative with fields of its own.
	isInline bool
}

// UnionTable describes a union. It is for generated code.
type UnionTable struct {
	Alternatives []Alternative
	// Unknown is a nil pointer to what stands for an alternative that only a newer
	// writer knows; nil for a closed union.
	Unknown any
}

// Alternative describes an alternative of a union.
type Alternative struct {
	Name, Key string // Key is empty where the name in JSON is the same
	Tag       uint8
	// Type is a nil pointer to the alternative.
	Type any
	// Inline is true if its fields are declared in it.
	Inline bool
}

// Methods of generated types, by which shapes know them.
type (
	enumValue    interface{ SDPEnum() *EnumTable }
	unionValue   interface{ SDPUnion() *UnionTable }
	messageValue interface {
		SDPDefaults(segment int)
		SDPSize(e *Encoder, depth int) int
	}
	keepingValue interface {
		UnknownFields() []byte
		SetUnknownFields(b []byte)
	}
)

// shapes are the shapes known so far, by their Go types.
var shapes struct {
	sync.RWMutex
	known map[reflect.Type]*shape
}

// shapeOf is the shape of a declared type.
func shapeOf(t reflect.Type) *shape {
	shapes.RLock()
	s := shapes.known[t]
	shapes.RUnlock()
	if s != nil {
		return s
	}
	shapes.Lock()
	defer shapes.Unlock()
	if shapes.known == nil {
		shapes.known = map[reflect.Type]*shape{}
	}
	return declaredShape(t)
}

// declaredShape is shapeOf for who holds the lock. A shape is known before it is
// whole, since types hold themselves.
func declaredShape(t reflect.Type) *shape {
	if s := shapes.known[t]; s != nil {
		return s
	}
	s := &shape{checked: true}
	shapes.known[t] = s
	switch v := reflect.New(t).Interface().(type) {
	case enumValue:
		s.form, s.enum = enumForm, v.SDPEnum()
		s.checked = s.enum.Closed
	case unionValue:
		s.union(v.SDPUnion())
	default:
		s.record(t, v)
	}
	return s
}

func (s *shape) union(u *UnionTable) {
	s.form, s.object.Kind = unionForm, jsonUnion
	for _, a := range u.Alternatives {
		t := reflect.TypeOf(a.Type).Elem()
		m := member{name: a.Name, typ: t, isInline: a.Inline}
		if a.Inline {
			m.shape = declaredShape(t)
		} else if t.NumField() > 0 {
			m.shape = fieldShape(t.Field(0))
		}
		s.add(m, a.Key, false)
		s.object.Tags = append(s.object.Tags, a.Tag)
	}
	if u.Unknown != nil {
		s.unknown = reflect.TypeOf(u.Unknown).Elem()
		s.object.Fields = append(s.object.Fields, jsonField{Key: unknownKey})
	}
}

func (s *shape) record(t reflect.Type, v any) {
	s.form, s.object.Kind = recordForm, jsonStruct
	if _, isMessage := v.(messageValue); isMessage {
		s.object.Kind = jsonMessage
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, tagged := strings.Cut(f.Tag.Get("sdp"), " ")
		if !tagged {
			continue
		}
		m := member{name: name, index: i, shape: fieldShape(f)}
		isOptional := m.shape.form == optionalForm || m.shape.form == boxedForm
		s.add(m, f.Tag.Get("key"), !isOptional && f.Tag.Get("late") == "")
	}
	if _, keeps := v.(keepingValue); keeps {
		s.object.Fields = append(s.object.Fields, jsonField{Key: unknownKey})
	}
}

// unknownKey is the key of bytes that the schema doesn't know.
const unknownKey = "$unknown"

func (s *shape) add(m member, key string, required bool) {
	key = cmp.Or(key, m.name)
	m.key = string(appendJSONString(nil, key)) + ":"
	s.members = append(s.members, m)
	s.object.Fields = append(s.object.Fields, jsonField{Key: key, Name: m.name, Required: required})
}

// alternative is the alternative of a Go type, nil if the union has none.
func (s *shape) alternative(t reflect.Type) *member {
	i := slices.IndexFunc(s.members, func(m member) bool { return m.typ == t })
	if i < 0 {
		return nil
	}
	return &s.members[i]
}

// fieldShape is the shape of a field's value.
func fieldShape(f reflect.StructField) *shape {
	_, words, _ := strings.Cut(f.Tag.Get("sdp"), " ")
	var p layoutParser
	index, ok := p.typ(words)
	if !ok {
		panic("sdp: the tag of " + f.Name + " is damaged")
	}
	return builtInShape(p.types, p.types[index], f.Type)
}

var (
	timestampType = reflect.TypeFor[time.Time]()
	durationType  = reflect.TypeFor[time.Duration]()
	uuidType      = reflect.TypeFor[UUID]()
)

// builtInShape is the shape of a type by its words and by how Go has it.
func builtInShape(types []layoutType, word layoutType, t reflect.Type) *shape {
	s := &shape{width: uint32(1<<(8*word.width) - 1), bound: uint32(min(word.n, 1<<32-1)), checked: true}
	switch word.kind {
	case refLayout:
		return declaredShape(t)
	case strLayout:
		s.form = strForm
	case bytesLayout:
		s.form = bytesForm
	case listLayout:
		s.form, s.elem = listForm, builtInShape(types, types[word.elem], t.Elem())
	case mapLayout:
		s.form, s.elem = mapForm, builtInShape(types, types[word.elem], t.Elem())
		s.key = builtInShape(types, types[word.key], t.Key())
	case arrayLayout:
		s.form = arrayForm
		if t.Kind() == reflect.Pointer {
			s.form, t = heapArrayForm, t.Elem()
		}
		s.elem = builtInShape(types, types[word.elem], t.Elem())
		s.checked = s.elem.checked
	case optLayout:
		s.form = boxedForm
		held := t
		if t.Kind() == reflect.Struct {
			s.form, held = optionalForm, t.Field(optionalValue).Type
		} else {
			held = t.Elem()
		}
		s.elem = builtInShape(types, types[word.elem], held)
		s.checked = s.elem.checked
	default:
		s.scalar(t)
	}
	return s
}

// The fields of an Optional.
const (
	optionalValue = iota
	optionalPresent
)

func (s *shape) scalar(t reflect.Type) {
	s.checked = t == timestampType
	switch t {
	case timestampType:
		s.form = timestampForm
		return
	case durationType:
		s.form = durationForm
		return
	case uuidType:
		s.form = uuidForm
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		s.form = boolForm
		return
	case reflect.Float32, reflect.Float64:
		s.form = floatForm
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.form = signedForm
	default:
		s.form = unsignedForm
	}
	s.bits = t.Bits()
}

// timestamp is a timestamp's value.
func timestamp(v reflect.Value) time.Time { return *v.Addr().Interface().(*time.Time) }

// enumNumber is that of an enum, as its bits.
func enumNumber(v reflect.Value) int64 {
	if v.CanInt() {
		return v.Int()
	}
	return int64(v.Uint())
}

// array is the array that is v, or that v points to; zeros for nil.
func (s *shape) array(v reflect.Value) reflect.Value {
	switch {
	case s.form == arrayForm:
		return v
	case v.IsNil():
		return reflect.New(v.Type().Elem()).Elem()
	}
	return v.Elem()
}

// chosen is the alternative that a union holds, not valid if it holds none, and its member in the
// schema, nil if the schema doesn't know the alternative.
func (s *shape) chosen(v reflect.Value) (reflect.Value, *member) {
	a := v.Field(0).Elem()
	if !a.IsValid() || a.IsNil() {
		return reflect.Value{}, nil
	}
	return a.Elem(), s.alternative(a.Type().Elem())
}

// payload is what an alternative holds, which is the alternative itself where its
// fields are declared in it.
func (m *member) payload(a reflect.Value) reflect.Value {
	if m.isInline {
		return a
	}
	return a.Field(0)
}

// The fields of what stands for an unknown alternative.
const (
	unknownNumber = iota
	unknownPayload
)

// held is what an optional holds, if it holds something.
func (s *shape) held(v reflect.Value) (reflect.Value, bool) {
	if s.form == optionalForm {
		return v.Field(optionalValue), v.Field(optionalPresent).Bool()
	}
	return v.Elem(), !v.IsNil()
}

// entries yields a map's entries in the order of their encoding, so that paths name the same index
// as on the wire. Values are copies, which have an address.
func entries(m reflect.Value) func(yield func(key, value reflect.Value) bool) {
	return func(yield func(key, value reflect.Value) bool) {
		keys := m.MapKeys()
		slices.SortFunc(keys, compareKeys)
		for _, key := range keys {
			value := reflect.New(m.Type().Elem()).Elem()
			value.Set(m.MapIndex(key))
			if !yield(key, value) {
				return
			}
		}
	}
}

func compareKeys(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String())
	case a.Bool() == b.Bool():
		return 0
	case b.Bool():
		return -1
	}
	return 1
}
