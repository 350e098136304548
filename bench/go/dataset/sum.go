// Package dataset turns the benchmark's data files into plain Go values that every codec is fed from and
// compared with. It knows no codec, and nothing of time.
package dataset

import "math"

// Sum is the running checksum of a value that is read field by field. Its methods are small enough to be
// inlined, so that a benchmark of reading measures only reading.
type Sum uint64

// Uint adds an integer.
func (s *Sum) Uint(v uint64) { *s += Sum(v) }

// Float32 adds the bits of v.
func (s *Sum) Float32(v float32) { *s += Sum(math.Float32bits(v)) }

// Float64 adds the bits of v.
func (s *Sum) Float64(v float64) { *s += Sum(math.Float64bits(v)) }

// Bool adds 1 for true.
func (s *Sum) Bool(v bool) {
	if v {
		*s++
	}
}

// Text adds the length of v and its last byte, so that a reader must find the contents, not only the length.
func (s *Sum) Text(v string) {
	if n := len(v); n > 0 {
		*s += Sum(n) + Sum(v[n-1])
	}
}

// Bytes is Text for a reader that hands out byte slices.
func (s *Sum) Bytes(v []byte) {
	if n := len(v); n > 0 {
		*s += Sum(n) + Sum(v[n-1])
	}
}

// UUID adds the first and the last of 16 bytes.
func (s *Sum) UUID(v []byte) { *s += Sum(v[0]) + Sum(v[15]) }
