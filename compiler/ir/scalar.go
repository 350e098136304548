package ir

import "fmt"

// scalar is a row of spec/scalars.toml.
type scalar struct {
	name   string
	bytes  int
	class  Class
	key    bool
	base   bool
	legacy bool
}

// Class says how the values of a scalar behave. Scalars of one class differ in
// width alone, so that code which asks for the class and the width knows every
// scalar.
type Class uint8

// The classes.
const (
	BoolClass      Class = iota + 1 // false and true
	UnsignedClass                   // integers from 0
	SignedClass                     // integers in two's complement
	FloatClass                      // numbers of IEEE 754
	TimestampClass                  // nanoseconds since the Unix epoch, UTC, signed
	DurationClass                   // nanoseconds, signed
	UUIDClass                       // bytes in the order of RFC 9562
)

// row is the scalar's row; that of another kind is empty.
func (k Kind) row() scalar {
	if int(k) < len(scalars) {
		return scalars[k]
	}
	return scalar{}
}

// Scalars are the kinds of all built-in scalars, in the order of the
// specification.
func Scalars() []Kind {
	kinds := make([]Kind, 0, len(scalars)-1)
	for k := range scalars[1:] {
		kinds = append(kinds, Kind(k+1))
	}
	return kinds
}

// Class is the class of a built-in scalar, and 0 for all other kinds.
func (k Kind) Class() Class { return k.row().class }

// Bytes is the width of a built-in scalar, and 0 for all other kinds.
func (k Kind) Bytes() int { return k.row().bytes }

// IsInteger reports whether k is an integer: timestamps and durations are not.
func (k Kind) IsInteger() bool {
	return k.Class() == UnsignedClass || k.Class() == SignedClass
}

// IsSigned reports whether k is a signed integer.
func (k Kind) IsSigned() bool { return k.Class() == SignedClass }

// IsFloat reports whether k is a floating-point number.
func (k Kind) IsFloat() bool { return k.Class() == FloatClass }

// IsKey reports whether a map's key can be of this built-in scalar.
func (k Kind) IsKey() bool { return k.row().key }

// IsEnumBase reports whether an enum can have k as its base.
func (k Kind) IsEnumBase() bool { return k.row().base }

// IsLegacy reports whether k is a built-in scalar that SDP 0.2.0 had.
func (k Kind) IsLegacy() bool { return k.row().legacy }

// PerScalar has a row for each built-in scalar: how a language spells it, for
// instance.
type PerScalar[T any] struct{ rows []T }

// MustPerScalar makes a table. It panics where a scalar has no row, so that a
// package which forgets one does not even start.
func MustPerScalar[T any](rows map[Kind]T) PerScalar[T] {
	table := PerScalar[T]{make([]T, len(scalars))}
	for _, k := range Scalars() {
		row, found := rows[k]
		if !found {
			panic(fmt.Sprintf("ir: a table has no row for the scalar %s", k))
		}
		table.rows[k] = row
	}
	return table
}

// Of is the row of a built-in scalar. It panics for any other kind.
func (p PerScalar[T]) Of(k Kind) T {
	if k.Bytes() == 0 {
		panic(fmt.Sprintf("ir: %s is no scalar", k))
	}
	return p.rows[k]
}
