package sdp

import (
	"reflect"
	"strconv"
	"time"
)

// AppendJSON appends the canonical JSON of the value that v points to. An error leaves
// the length of b as it was. It is for generated code.
func AppendJSON(b []byte, v any) ([]byte, error) {
	if err := (checker{texts: true, anyLength: true}).check(v); err != nil {
		return b, err
	}
	p := reflect.ValueOf(v).Elem()
	return appendJSON(b, shapeOf(p.Type()), p), nil
}

// appendJSON appends the JSON of a value that was checked.
func appendJSON(b []byte, s *shape, v reflect.Value) []byte {
	switch s.form {
	case boolForm, signedForm, unsignedForm, floatForm:
		return appendJSONNumber(b, s, v)
	case timestampForm:
		return appendJSONTimestamp(b, timestamp(v))
	case durationForm:
		return appendJSONDuration(b, time.Duration(v.Int()))
	case uuidForm:
		return appendJSONUUID(b, UUID(v.Bytes()))
	case enumForm:
		return appendJSONEnum(b, enumNumber(v), s.enum)
	case strForm:
		return appendJSONString(b, v.String())
	case bytesForm:
		return appendJSONBytes(b, v.Bytes())
	case listForm, arrayForm, heapArrayForm:
		return appendJSONItems(b, s, v)
	case mapForm:
		return appendJSONMap(b, s, v)
	case recordForm:
		return appendJSONRecord(b, s, v)
	case unionForm:
		return appendJSONUnion(b, s, v)
	}
	if held, isThere := s.held(v); isThere {
		return appendJSON(b, s.elem, held)
	}
	return append(b, "null"...)
}

func appendJSONNumber(b []byte, s *shape, v reflect.Value) []byte {
	switch {
	case s.form == boolForm:
		return strconv.AppendBool(b, v.Bool())
	case s.form == floatForm && s.bits == 32:
		return AppendJSONFloat32(b, *v.Addr().Interface().(*float32))
	case s.form == floatForm:
		return AppendJSONFloat64(b, v.Float())
	case s.form == signedForm && s.bits < 64:
		return strconv.AppendInt(b, v.Int(), 10)
	case s.form == unsignedForm && s.bits < 64:
		return strconv.AppendUint(b, v.Uint(), 10)
	}
	return appendJSONKey(b, s, v)
}

// appendJSONKey appends what is a string as the key of a map is: not every reader of
// JSON keeps all digits of an integer of 64 bits as a number.
func appendJSONKey(b []byte, s *shape, v reflect.Value) []byte {
	switch s.form {
	case strForm:
		return appendJSONString(b, v.String())
	case enumForm:
		return appendJSONEnumKey(b, enumNumber(v), s.enum)
	}
	b = append(b, '"')
	switch s.form {
	case boolForm:
		b = strconv.AppendBool(b, v.Bool())
	case signedForm:
		b = strconv.AppendInt(b, v.Int(), 10)
	default:
		b = strconv.AppendUint(b, v.Uint(), 10)
	}
	return append(b, '"')
}

func appendJSONItems(b []byte, s *shape, v reflect.Value) []byte {
	if s.form != listForm {
		v = s.array(v)
	}
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, s.elem, v.Index(i))
	}
	return append(b, ']')
}

func appendJSONMap(b []byte, s *shape, v reflect.Value) []byte {
	b = append(b, '{')
	first := len(b)
	for key, value := range entries(v) {
		if len(b) > first {
			b = append(b, ',')
		}
		b = append(appendJSONKey(b, s.key, key), ':')
		b = appendJSON(b, s.elem, value)
	}
	return append(b, '}')
}

func appendJSONRecord(b []byte, s *shape, v reflect.Value) []byte {
	b = append(b, '{')
	first := len(b)
	for i := range s.members {
		m := &s.members[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, m.key...)
		b = appendJSON(b, m.shape, v.Field(m.index))
	}
	if keeping, ok := v.Addr().Interface().(keepingValue); ok && len(keeping.UnknownFields()) > 0 {
		if len(b) > first {
			b = append(b, ',')
		}
		b = append(b, `"`+unknownKey+`":`...)
		b = appendJSONBytes(b, keeping.UnknownFields())
	}
	return append(b, '}')
}

func appendJSONUnion(b []byte, s *shape, v reflect.Value) []byte {
	a, m := s.chosen(v)
	if m == nil {
		return appendJSONUnknown(b, uint8(a.Field(unknownNumber).Uint()), a.Field(unknownPayload).Bytes())
	}
	b = append(append(b, '{'), m.key...)
	if m.shape == nil {
		b = append(b, "null"...)
	} else {
		b = appendJSON(b, m.shape, m.payload(a))
	}
	return append(b, '}')
}
