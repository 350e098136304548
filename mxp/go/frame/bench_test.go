package frame

import (
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"
)

var sizes = []int{0, 64, 256, 1024, 4096, 16384}

func each(b *testing.B, do func(b *testing.B, f Frame, all []byte)) {
	for _, n := range sizes {
		f := sample(n)
		all := encoded(b, f, ChecksumOn)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			do(b, f, all)
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	each(b, func(b *testing.B, f Frame, all []byte) {
		for b.Loop() {
			all, _ = f.Append(all[:0], ChecksumOn)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	each(b, func(b *testing.B, f Frame, _ []byte) {
		var e Envelope
		for b.Loop() {
			_ = e.Seal(f.Header, ChecksumOn, f.Payload)
		}
	})
}

// BenchmarkSealInSteps is what Seal would take without copying small payloads.
func BenchmarkSealInSteps(b *testing.B) {
	each(b, func(b *testing.B, f Frame, _ []byte) {
		var e Envelope
		for b.Loop() {
			f.put(&e.Header, len(f.Payload))
			_ = e.hashInSteps([][]byte{f.Payload})
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	each(b, func(b *testing.B, _ Frame, all []byte) {
		for b.Loop() {
			_, _ = Decode(all, Options{})
		}
	})
}

// BenchmarkHash is the hash alone, of the bytes that a frame of the size hashes.
func BenchmarkHash(b *testing.B) {
	each(b, func(b *testing.B, f Frame, all []byte) {
		for b.Loop() {
			_ = xxh3.Hash(all[:len(all)-TrailerSize])
		}
	})
}

// BenchmarkCopy is what copying a payload takes.
func BenchmarkCopy(b *testing.B) {
	each(b, func(b *testing.B, f Frame, all []byte) {
		for b.Loop() {
			copy(all, f.Payload)
		}
	})
}
