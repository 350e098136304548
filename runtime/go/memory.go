package sdp

import (
	"encoding/binary"
	"strings"
	"unsafe"
)

// This file is the only one that uses unsafe. Each function says why it is
// sound. Byte order is decided here and nowhere else.

// number is what occupies the same bytes in memory and, on a little-endian
// machine, on the wire.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64
}

// head32 is the number in the first four bytes. At32 is the same without unsafe,
// but too long for the compiler to put it into functions that become part of
// generated code themselves.
func head32(s string) uint32 {
	return binary.LittleEndian.Uint32(unsafe.Slice(unsafe.StringData(s[:4]), 4))
}

// head64 is the number in the first eight bytes.
func head64(s string) uint64 {
	return binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(s[:8]), 8))
}

// aliasString is b as a string without a copy. It is sound as long as nobody
// changes b while the string is in use: callers pass chunks that only this
// package writes, once, or input whose owner chose DecodeOptions.AliasInput.
func aliasString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf is the memory of a string that a view handed out. It is sound for
// views, whose memory is the input's own, a slice that may be written; users are
// told not to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// uncleared returns n bytes, n > 0, with whatever they held before. Callers
// write every one of them before anyone else sees the slice. A strings.Builder
// is the standard library's way to memory that isn't cleared first; the written
// byte makes its string non-empty, so that its data pointer is defined.
func uncleared(n int) []byte {
	var builder strings.Builder
	builder.Grow(n)
	builder.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(builder.String()), n)
}

// room returns list with n elements, all of which the caller writes: the same
// memory where there is room, else memory that isn't cleared first. It is sound
// for types without pointers.
func room[T number | ~bool](d *Decoder, s string, list []T, n int) ([]T, bool) {
	if n <= cap(list) {
		return list[:n], true
	}
	size := sizeOf[T]()
	if !d.Allocate(s, int64(n)*int64(size)) {
		return list, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(uncleared(n*size)))), n), true
}

// memoryOf is the memory of numbers as bytes. It lives as long as the slice
// does, and any bit pattern is a valid number.
func memoryOf[T number](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[T]())
}

// sizeOf is the size of a T in memory.
func sizeOf[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// swapBytes reverses each group of width bytes.
func swapBytes(b []byte, width int) {
	for len(b) >= width {
		for i, j := 0, width-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		b = b[width:]
	}
}

// boolMemory is the memory of bools as bytes. Go's bools are 0 or 1 in one
// byte, which is their form on the wire; callers write nothing else to it.
func boolMemory[T ~bool](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
