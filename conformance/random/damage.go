package main

import (
	"math/rand/v2"
	"slices"
)

// damage gives a damaged copy of bytes: cut, lengthened, or with wrong ones in it.
// It may by chance be valid.
func damage(rng *rand.Rand, data []byte) []byte {
	b := slices.Clone(data)
	at := rng.IntN(len(b) + 1)
	if at == len(b) {
		return append(b, byte(rng.IntN(256)))
	}
	switch rng.IntN(8) {
	case 0:
		return b[:at]
	case 1:
		return slices.Delete(b, at, at+1)
	case 2:
		return slices.Insert(b, at, byte(rng.IntN(256)))
	case 3:
		b[at] ^= 1 << rng.IntN(8)
	case 4:
		b[at] = byte(rng.IntN(256))
	case 5:
		b[at] += byte(1 - 2*rng.IntN(2))
	case 6:
		for i := at; i < min(at+4, len(b)); i++ {
			b[i] = 0xff
		}
	default:
		other := rng.IntN(len(b))
		b[at], b[other] = b[other], b[at]
	}
	return b
}
