package sdp

// Optional is a T or nothing. The zero value is nothing.
type Optional[T any] struct {
	// Value counts only if Present.
	Value   T
	Present bool
}

// Some is an Optional that holds v.
func Some[T any](v T) Optional[T] { return Optional[T]{Value: v, Present: true} }

// None is an Optional that holds nothing.
func None[T any]() Optional[T] { return Optional[T]{} }

// Get returns the value and whether there is one.
func (o Optional[T]) Get() (T, bool) { return o.Value, o.Present }

// Or returns the value, or other where there is none.
func (o Optional[T]) Or(other T) T {
	if o.Present {
		return o.Value
	}
	return other
}

// Set makes o hold v.
func (o *Optional[T]) Set(v T) { *o = Some(v) }

// Clear makes o hold nothing.
func (o *Optional[T]) Clear() { *o = None[T]() }
