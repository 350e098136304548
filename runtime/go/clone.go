package sdp

import (
	"maps"
	"slices"
)

// CloneBytes is a copy of b; nil stays nil.
func CloneBytes(b []byte) []byte { return slices.Clone(b) }

// CloneSlice is a copy of s, whose elements are copied as they are.
func CloneSlice[T any](s []T) []T { return slices.Clone(s) }

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
