package sdp

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// checker walks a value to name the first thing in it that can't be encoded, and
// puts its path together on the way out.
type checker struct {
	// texts asks for strings to be UTF-8, which encoding trusts.
	texts bool
	// anyLength leaves lengths and counts alone, which JSON has no bounds for.
	anyLength bool
	// large asks for the size of each message, which only matters in a value that is
	// over the size of any.
	large bool
}

// Validate names the first thing in the value that v points to which encoding would
// refuse, and text that isn't UTF-8. It is for generated code.
func Validate(v any) error {
	if err := (checker{texts: true}).check(v); err != nil {
		return err
	}
	return nil
}

func (c checker) check(v any) *Error {
	p := reflect.ValueOf(v).Elem()
	return c.value(shapeOf(p.Type()), p, 0)
}

// value checks a value within so many structs, messages and unions.
func (c checker) value(s *shape, v reflect.Value, depth int) *Error {
	if !s.checked {
		return nil
	}
	switch s.form {
	case timestampForm:
		return invalidUnless(TimeValid(timestamp(v)))
	case enumForm:
		return invalidUnless(s.enum.known(enumNumber(v)))
	case strForm:
		return c.text(v.String(), s)
	case bytesForm:
		return c.length(v.Len(), s)
	case listForm:
		if err := c.length(v.Len(), s); err != nil {
			return err
		}
		return c.items(s, v, depth)
	case arrayForm, heapArrayForm:
		return c.items(s, s.array(v), depth)
	case optionalForm, boxedForm:
		if held, isThere := s.held(v); isThere {
			return c.value(s.elem, held, depth)
		}
	case mapForm:
		if err := c.length(v.Len(), s); err != nil {
			return err
		}
		return c.entries(s, v, depth)
	case recordForm:
		return c.record(s, v, depth+1)
	case unionForm:
		return c.union(s, v, depth+1)
	}
	return nil
}

func (c checker) items(s *shape, v reflect.Value, depth int) *Error {
	if !s.elem.checked {
		return nil
	}
	for i := range v.Len() {
		if err := c.value(s.elem, v.Index(i), depth); err != nil {
			return err.Index(i)
		}
	}
	return nil
}

func (c checker) entries(s *shape, v reflect.Value, depth int) *Error {
	if !s.key.checked && !s.elem.checked {
		return nil
	}
	i := 0
	for key, value := range entries(v) {
		if err := c.value(s.key, key, depth); err != nil {
			return err.Field("key").Index(i)
		}
		if err := c.value(s.elem, value, depth); err != nil {
			return err.Field("value").Index(i)
		}
		i++
	}
	return nil
}

func (c checker) record(s *shape, v reflect.Value, depth int) *Error {
	if depth > LimitDepth {
		return refuse(ErrLimitDepth)
	}
	for i := range s.members {
		m := &s.members[i]
		if err := c.value(m.shape, v.Field(m.index), depth); err != nil {
			return err.Field(m.name)
		}
	}
	if c.large && s.object.Kind == jsonMessage && tooLarge(v.Addr().Interface().(messageValue).SDPSize(new(Encoder), depth)) {
		return oversize()
	}
	return nil
}

func (c checker) union(s *shape, v reflect.Value, depth int) *Error {
	if depth > LimitDepth {
		return refuse(ErrLimitDepth)
	}
	a, m := s.chosen(v)
	switch {
	case !a.IsValid():
		return Invalid()
	case m == nil:
		tag := uint8(a.Field(unknownNumber).Uint())
		return invalidUnless(tag != 0 && !slices.Contains(s.object.Tags, tag))
	case m.shape == nil:
		return nil
	}
	if err := c.value(m.shape, m.payload(a), depth); err != nil {
		return err.Field(m.name)
	}
	return nil
}

func refuse(kind Kind) *Error { return &Error{Kind: kind, Offset: -1} }

// Invalid is the refusal of a value that has no encoding.
func Invalid() *Error { return refuse(ErrValueInvalid) }

// length refuses a length or count over its bound or its width.
func (c checker) length(n int, s *shape) *Error {
	switch {
	case c.anyLength:
		return nil
	case uint64(n) > uint64(s.bound):
		return boundError(s.bound)
	case uint64(n) > uint64(s.width):
		return refuse(ErrValueTooLarge)
	}
	return nil
}

// boundError tells a bound of @max from none, which is the largest number.
func boundError(bound uint32) *Error {
	if bound == math.MaxUint32 {
		return refuse(ErrValueTooLarge)
	}
	return refuse(ErrLimitMax)
}

func (c checker) text(text string, s *shape) *Error {
	if err := c.length(len(text), s); err != nil {
		return err
	}
	if c.texts && !utf8.ValidString(text) {
		return refuse(ErrUTF8Invalid)
	}
	return nil
}

func invalidUnless(ok bool) *Error {
	if ok {
		return nil
	}
	return Invalid()
}

// Field puts a field's name before the path.
func (e *Error) Field(name string) *Error {
	if e.Path != "" && e.Path[0] != '[' {
		name += "."
	}
	e.Path = name + e.Path
	return e
}

// Index puts an element's index before the path.
func (e *Error) Index(i int) *Error {
	index := "[" + strconv.Itoa(i) + "]"
	if e.Path != "" && e.Path[0] != '[' {
		index += "."
	}
	e.Path = index + e.Path
	return e
}

// tooLarge reports whether a value of n bytes has no encoding: no length takes more than four
// bytes.
func tooLarge(n int) bool { return uint64(n) > math.MaxUint32 }

// oversize is the refusal of a message whose length has no room in four bytes.
func oversize() *Error { return refuse(ErrValueTooLarge) }
