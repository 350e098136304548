package sdp

import (
	"reflect"
	"time"
)

// ReadJSON reads the value that v points to from JSON and replaces all of it. It is for
// generated code.
func ReadJSON(text []byte, v any) error {
	r := newJSONReader(text)
	p := reflect.ValueOf(v).Elem()
	p.SetZero()
	r.fill(shapeOf(p.Type()), p)
	return r.Err()
}

// fill reads a value into its place. The place is empty, but for the defaults of a message.
func (r *jsonReader) fill(s *shape, v reflect.Value) {
	switch s.form {
	case boolForm:
		v.SetBool(r.Bool())
	case signedForm:
		v.SetInt(r.Int(s.bits))
	case unsignedForm:
		v.SetUint(r.Uint(s.bits))
	case floatForm:
		r.fillFloat(s, v)
	case timestampForm:
		*v.Addr().Interface().(*time.Time) = r.Timestamp()
	case durationForm:
		v.SetInt(int64(r.Duration()))
	case uuidForm:
		*v.Addr().Interface().(*UUID) = r.UUID()
	case enumForm:
		setNumber(v, r.Enum(s.enum))
	case strForm:
		v.SetString(r.String())
	case bytesForm:
		v.SetBytes(r.Bytes())
	case listForm, arrayForm, heapArrayForm:
		r.fillItems(s, v)
	case optionalForm, boxedForm:
		r.fillOptional(s, v)
	case mapForm:
		r.fillMap(s, v)
	case recordForm:
		r.fillRecord(s, v)
	case unionForm:
		r.fillUnion(s, v)
	}
}

// fillFloat keeps the bits of a NaN, which some machines change when they convert it.
func (r *jsonReader) fillFloat(s *shape, v reflect.Value) {
	if s.bits == 32 {
		*v.Addr().Interface().(*float32) = r.Float32()
	} else {
		v.SetFloat(r.Float64())
	}
}

func setNumber(v reflect.Value, n int64) {
	if v.CanInt() {
		v.SetInt(n)
	} else {
		v.SetUint(uint64(n))
	}
}

func (r *jsonReader) fillItems(s *shape, v reflect.Value) {
	switch s.form {
	case listForm:
		for r.Array(); r.Next(); {
			n := v.Len()
			if n == v.Cap() {
				v.Grow(1)
			}
			v.SetLen(n + 1)
			r.fill(s.elem, v.Index(n))
		}
		return
	case heapArrayForm:
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	for r.FixedArray(v.Len()); r.Next(); {
		r.fill(s.elem, v.Index(r.Index()))
	}
}

// fillOptional leaves nothing where null takes a default away.
func (r *jsonReader) fillOptional(s *shape, v reflect.Value) {
	switch {
	case r.Absent():
		v.SetZero()
		return
	case s.form == boxedForm:
		v.Set(reflect.New(v.Type().Elem()))
	default:
		v.Field(optionalPresent).SetBool(true)
	}
	held, _ := s.held(v)
	r.fill(s.elem, held)
}

func (r *jsonReader) fillMap(s *shape, v reflect.Value) {
	v.Set(reflect.MakeMap(v.Type()))
	for r.Map(); r.Next(); {
		key := reflect.New(v.Type().Key()).Elem()
		r.fillKey(s.key, key)
		if r.newKey(!v.MapIndex(key).IsValid()) {
			value := reflect.New(v.Type().Elem()).Elem()
			r.fill(s.elem, value)
			v.SetMapIndex(key, value)
		}
	}
}

func (r *jsonReader) fillKey(s *shape, v reflect.Value) {
	switch s.form {
	case strForm:
		v.SetString(r.Key())
	case enumForm:
		setNumber(v, r.KeyEnum(s.enum))
	case boolForm:
		v.SetBool(r.KeyBool())
	case signedForm:
		v.SetInt(r.KeyInt(s.bits))
	default:
		v.SetUint(r.KeyUint(s.bits))
	}
}

func (r *jsonReader) fillRecord(s *shape, v reflect.Value) {
	if message, ok := v.Addr().Interface().(messageValue); ok {
		message.SDPDefaults(2)
	}
	for r.Object(&s.object); r.Next(); {
		if i := r.Index(); i < len(s.members) {
			r.fill(s.members[i].shape, v.Field(s.members[i].index))
		} else {
			v.Addr().Interface().(keepingValue).SetUnknownFields(r.Bytes())
		}
	}
}

func (r *jsonReader) fillUnion(s *shape, v reflect.Value) {
	for r.Object(&s.object); r.Next(); {
		var a reflect.Value
		if i := r.Index(); i < len(s.members) {
			a = reflect.New(s.members[i].typ)
			if m := &s.members[i]; m.shape == nil {
				r.Null()
			} else {
				r.fill(m.shape, m.payload(a.Elem()))
			}
		} else {
			a = reflect.New(s.unknown)
			tag, payload := r.Unknown()
			a.Elem().Field(unknownNumber).SetUint(uint64(tag))
			a.Elem().Field(unknownPayload).SetBytes(payload)
		}
		v.Field(0).Set(a)
	}
}
