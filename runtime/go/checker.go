package sdp

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Checker walks values to name what can't be encoded. It is for generated code,
// which puts the path together on the way out.
type Checker struct {
	// Texts asks for strings to be UTF-8, which encoding trusts.
	Texts bool
	// AnyLength leaves lengths and counts alone, which JSON has no bounds for.
	AnyLength bool
	// Large asks for the size of each nested message, which only matters in a value
	// that is over the size of any.
	Large bool
}

func refuse(kind Kind) *Error { return &Error{Kind: kind, Offset: -1} }

// Invalid is the refusal of a value that has no encoding.
func Invalid() *Error { return refuse(ErrValueInvalid) }

// Enter refuses a value that is nested too deep.
func (Checker) Enter(depth int) *Error {
	if depth > LimitDepth {
		return refuse(ErrLimitDepth)
	}
	return nil
}

// Length refuses a length or count over its bound or its width.
func (c Checker) Length(n int, bound, width uint32) *Error {
	switch {
	case c.AnyLength:
		return nil
	case uint64(n) > uint64(bound):
		return boundError(bound)
	case uint64(n) > uint64(width):
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

// Text refuses a string over its bound or width, and if asked to one that isn't
// UTF-8.
func (c Checker) Text(s string, bound, width uint32) *Error {
	if err := c.Length(len(s), bound, width); err != nil {
		return err
	}
	if c.Texts && !utf8.ValidString(s) {
		return refuse(ErrUTF8Invalid)
	}
	return nil
}

// Time refuses a time that the wire can't hold.
func (Checker) Time(t time.Time) *Error { return invalidUnless(TimeValid(t)) }

// Known refuses a closed enum's number that no member has.
func (Checker) Known(known bool) *Error { return invalidUnless(known) }

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

// TooLarge reports whether a value of n bytes has no encoding: a message's
// payload has a length of four bytes, and so has whatever could be as long.
func TooLarge(n int) bool { return uint64(n) > math.MaxUint32 }

// Oversize is the refusal of a message whose length has no room in four bytes.
func Oversize() *Error { return refuse(ErrValueTooLarge) }

// Refusal is the error of an encoder that could not go on: what the check
// found, or where it finds nothing that the whole is too large.
func Refusal(found *Error) error {
	if found == nil {
		return Oversize()
	}
	return found
}
