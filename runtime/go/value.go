package sdp

import (
	"maps"
	"slices"
)

// CloneBytes is a copy of b; nil stays nil.
func CloneBytes(b []byte) []byte { return slices.Clone(b) }

// CloneSlice is a copy of s, whose elements are copied as they are; nil stays nil. By
// slices.Clone the code of each type of elements would be there twice.
func CloneSlice[T any](s []T) []T {
	if s == nil {
		return nil
	}
	return append([]T{}, s...)
}

// CloneMap is a copy of m, whose values are copied as they are.
func CloneMap[K comparable, V any](m map[K]V) map[K]V { return maps.Clone(m) }

// ClonePointer is a pointer to a copy of what p points at.
func ClonePointer[T any](p *T) *T {
	c := *p
	return &c
}

// ArrayOr is a large array, or one of zeros where it is nil.
func ArrayOr[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// NumbersEqual reports whether two lists have the same numbers, by their bits.
func NumbersEqual[T number](a, b []T) bool { return string(memoryOf(a)) == string(memoryOf(b)) }

// ListsEqual reports whether two lists are equal, whose elements are where same says so.
func ListsEqual[T any](a, b []T, same func(a, b *T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// MapsEqual is ListsEqual for the values of two maps.
func MapsEqual[K comparable, V any](a, b map[K]V, same func(a, b V) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, found := b[key]; !found || !same(value, other) {
			return false
		}
	}
	return true
}
