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
// others themselves.
func head32(s string) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Pointer(unsafe.StringData(s[:4])))[:])
}

// head64 is the number in the first eight bytes.
func head64(s string) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Pointer(unsafe.StringData(s[:8])))[:])
}

// aliasString is b as a string without a copy. It is sound as long as nobody
// changes b while the string is in use: callers pass chunks that only this
// package writes, once, or input whose owner chose DecodeOptions.AliasInput.
func aliasString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf is the memory of a string that a view handed out. It is sound for
// views, whose memory is the input's own, a slice that may be written; users are
// told not to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// uncleared returns n bytes, n > 0, that still hold earlier contents of the memory. Callers write
// every byte before any other code sees the slice. A strings.Builder is the standard library's way
// to memory that isn't cleared first; the written byte makes its string non-empty, so that its data
// pointer is defined.
func uncleared(n int) []byte {
	var builder strings.Builder
	builder.Grow(n)
	builder.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(builder.String()), n)
}

// room makes list n elements long, all of which the caller writes: the same memory
// where there is room, else memory that isn't cleared first. It is sound for types
// without pointers.
func room[T number | ~bool](d *Decoder, s string, list *[]T, n int) bool {
	if n <= cap(*list) {
		*list = (*list)[:n]
		return true
	}
	size := sizeOf[T]()
	if !d.Allocate(s, int64(n)*int64(size)) {
		return false
	}
	*list = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(uncleared(n*size)))), n)
	return true
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

// PutText4 writes a string behind its length of four bytes at p, and returns the position
// behind it. Most strings are a few bytes long, for which a call to copy takes longer than
// the copying: one of 8 bytes or more is its first and its last words, which may overlap,
// and so on down. It is sound because the slice expression has checked that all bytes are
// there, and no word reaches outside of the n bytes of either side.
func PutText4(b []byte, p int, s string) int {
	n := len(s)
	end := p + 4 + n
	b = b[p:end]
	binary.LittleEndian.PutUint32(b, uint32(n))
	dst, src := unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), 4), unsafe.Pointer(unsafe.StringData(s))
	if !wordsAnywhere {
		copy(b[4:], s)
		return end
	}
	if n >= 8 {
		if n > 32 {
			copy(b[4:], s)
			return end
		}
		x, last := at[uint64](src, 0), at[uint64](src, n-8)
		if n > 16 {
			y, z := at[uint64](src, 8), at[uint64](src, n-16)
			put(dst, 8, y)
			put(dst, n-16, z)
		}
		put(dst, 0, x)
		put(dst, n-8, last)
		return end
	}
	if n >= 4 {
		x, last := at[uint32](src, 0), at[uint32](src, n-4)
		put(dst, 0, x)
		put(dst, n-4, last)
		return end
	}
	if n > 0 {
		x, y, last := at[byte](src, 0), at[byte](src, n>>1), at[byte](src, n-1)
		put(dst, 0, x)
		put(dst, n>>1, y)
		put(dst, n-1, last)
	}
	return end
}

// at loads a word from memory that PutText4 has checked.
func at[T byte | uint32 | uint64](p unsafe.Pointer, i int) T { return *(*T)(unsafe.Add(p, i)) }

// put stores a word to memory that PutText4 has checked.
func put[T byte | uint32 | uint64](p unsafe.Pointer, i int, x T) { *(*T)(unsafe.Add(p, i)) = x }
