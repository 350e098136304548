package random

import (
	"math"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

func (g *Generator) scalar(t *ir.Type) interp.Value {
	if t.Kind == ir.EnumKind {
		return g.enum(t.Enum())
	}
	switch t.Kind.Class() {
	case ir.BoolClass:
		return g.one(2)
	case ir.FloatClass:
		if t.Kind.Bytes() == 4 {
			return interp.F32(g.float32())
		}
		return interp.F64(g.float64())
	case ir.UUIDClass:
		return interp.UUID(g.bytes(16))
	case ir.TimestampClass, ir.DurationClass:
		return g.time()
	case ir.UnsignedClass, ir.SignedClass:
		return integer(t.Kind, g.bits())
	}
	panic("random: " + t.Kind.String() + " is no scalar")
}

// integer is the value of some kind that the low bits make.
func integer(kind ir.Kind, bits uint64) interp.Value {
	unused := 64 - 8*kind.Bytes()
	if kind.IsSigned() {
		return int64(bits<<unused) >> unused
	}
	return bits << unused >> unused
}

// bits prefers numbers at an end of some integer's range.
func (g *Generator) bits() uint64 {
	if g.one(2) {
		return g.rng.Uint64() >> g.rng.IntN(64)
	}
	edge := uint64(1) << g.rng.IntN(64)
	return edge + uint64(g.rng.IntN(3)) - 1
}

// time prefers whole seconds, and fractions that end in zeros.
func (g *Generator) time() int64 {
	n := int64(g.bits())
	for _, unit := range []int64{1, 1000, 1e8, 1e9} {
		if g.one(2) {
			return n - n%unit
		}
	}
	return n
}

func (g *Generator) enum(e *ir.Enum) interp.Value {
	if !e.Closed && g.one(4) {
		g.saw("enum number at random")
		return integer(e.Base, g.bits())
	}
	return integer(e.Base, uint64(e.Members[g.rng.IntN(len(e.Members))].Number))
}

var floats32 = []uint32{
	0, 1 << 31, 1, 0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff, // zeros, subnormals, 1, largest
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc00001, 0x7f800001, 0xffffffff, // infinities, NaNs
	0x60ad78ec, 0x60ad78eb, 0x358637bd, 0x358637bc, // around 1e20 and 1e-6
}

var floats64 = []uint64{
	0, 1 << 63, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0x7fefffffffffffff,
	0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000000001,
	0x7ff0000000000001, 0xffffffffffffffff,
	0x444b1ae4d6e2ef50, 0x444b1ae4d6e2ef4f, 0x3eb0c6f7a0b5ed8d, 0x3eb0c6f7a0b5ed8c, // around 1e21 and 1e-6
}

func (g *Generator) float32() uint32 {
	switch g.rng.IntN(3) {
	case 0:
		return floats32[g.rng.IntN(len(floats32))]
	case 1:
		return math.Float32bits(float32(g.rng.IntN(2000)-1000) / 8)
	}
	return g.rng.Uint32()
}

func (g *Generator) float64() uint64 {
	switch g.rng.IntN(3) {
	case 0:
		return floats64[g.rng.IntN(len(floats64))]
	case 1:
		return math.Float64bits(float64(g.rng.IntN(2000)-1000) / 10)
	}
	return g.rng.Uint64()
}

func (g *Generator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.rng.Uint32())
	}
	return b
}

// alphabet has runes of each length, runes at the ends of the lengths, and runes that JSON escapes.
var alphabet = []rune("aZ09 _\"\\/\b\f\n\r\t\x00\x1f\x7f<&" + "\u0080é\u07ff" + "\u0800€漢\u2028\ufeff\ufffd\uffff" + "\U00010000😀\U0010ffff")

// text makes a string of n bytes.
func (g *Generator) text(n int) string {
	plain := g.one(2)
	var b []byte
	for len(b) < n {
		r := rune('a' + g.rng.IntN(26))
		if !plain {
			r = alphabet[g.rng.IntN(len(alphabet))]
		}
		if len(b)+utf8.RuneLen(r) <= n {
			b = utf8.AppendRune(b, r)
		}
	}
	if !plain && n > 0 {
		g.saw("text beyond ASCII letters")
	}
	return string(b)
}
