package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"
)

// types are the types of MXP-1.3, written down once more.
var types = []Type{
	0x01, 0x02, 0x03, 0x10, 0x11, 0x12, 0x20, 0x21, 0x22,
	0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0xF0, 0xF1,
}

// sample is a frame with a payload of n bytes that all differ from their neighbours.
func sample(n int) Frame {
	payload := make([]byte, n)
	for i := range payload {
		payload[i] = byte(i*7 + i>>8)
	}
	return Frame{Header{Call, Final, 0x0102030405060708, 0x1112131415161718}, payload}
}

func encoded(t testing.TB, f Frame, checksum Checksum) []byte {
	t.Helper()
	all, err := f.Append(nil, checksum)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// resealed gives bytes that were changed the checksum that they then have.
func resealed(all []byte) []byte {
	end := len(all) - TrailerSize
	binary.LittleEndian.PutUint64(all[end:], xxh3.Hash(all[:end]))
	return all
}

func same(a, b Frame) bool { return a.Header == b.Header && bytes.Equal(a.Payload, b.Payload) }

func wantRefusal(t *testing.T, what string, err error, kind Kind, offset int) {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) || r.Kind != kind || r.Offset != offset || !errors.Is(err, kind) {
		t.Errorf("%s: %v, want %v at offset %d", what, err, kind, offset)
	}
}

func TestKnownBytes(t *testing.T) {
	f := Frame{Header{Call, RequiresAck | Final, 1, 2}, []byte("hello")}
	want := []byte("\x31\x50\x58\x4d\x10\x0c\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00hello")
	if got := encoded(t, f, ChecksumOff); !bytes.Equal(got, append(want, make([]byte, 8)...)) {
		t.Errorf("% x", got)
	}
}

func TestEveryTypeAndFlag(t *testing.T) {
	are := map[Type]bool{}
	for _, one := range types {
		are[one] = true
	}
	for number := range 256 {
		f := Frame{Header{Type: Type(number)}, nil}
		all, err := f.Append(nil, ChecksumOn)
		if are[Type(number)] != (err == nil) {
			t.Fatalf("type %#x: %v", number, err)
		}
		if err != nil {
			wantRefusal(t, "type", err, ErrType, 4)
			all = encoded(t, Frame{Header{Type: Call}, nil}, ChecksumOn)
			all[4] = byte(number)
			_, err = Decode(resealed(all), Options{})
			wantRefusal(t, "type", err, ErrType, 4)
		} else if got, err := Decode(all, Options{}); err != nil || !same(got, f) {
			t.Errorf("type %#x: %v, %v", number, got, err)
		}
	}
	for number := range 256 {
		f := Frame{Header{Type: Event, Flags: Flags(number)}, []byte{1}}
		all, err := f.Append(nil, ChecksumOn)
		if (number < 16) != (err == nil) {
			t.Fatalf("flags %#x: %v", number, err)
		}
		if err != nil {
			wantRefusal(t, "flags", err, ErrFlags, 5)
			all = encoded(t, Frame{Header{Type: Event}, []byte{1}}, ChecksumOn)
			all[5] = byte(number)
			_, err = Decode(resealed(all), Options{})
			wantRefusal(t, "flags", err, ErrFlags, 5)
		} else if got, err := Decode(all, Options{}); err != nil || !same(got, f) {
			t.Errorf("flags %#x: %v, %v", number, got, err)
		}
	}
}

// TestChecksComeInOrder damages a frame from the last check to the first: each damage is reported
// before the earlier ones [MXP-3.1].
func TestChecksComeInOrder(t *testing.T) {
	all := append(encoded(t, sample(3), ChecksumOn), 0)
	decode := func() error { _, err := Decode(all, Options{}); return err }
	wantRefusal(t, "one more byte", decode(), ErrTrailing, 43)
	all[35]++
	wantRefusal(t, "another checksum", decode(), ErrChecksum, 35)
	all[24] = 4
	if err := decode(); !errors.Is(err, ErrChecksum) {
		t.Errorf("a payload that takes the trailer's first byte: %v", err)
	}
	all[24] = 5
	wantRefusal(t, "a payload that is not there", decode(), ErrTruncated, 44)
	all[31] = 1
	wantRefusal(t, "a payload of 2^56 bytes", decode(), ErrTooLarge, 24)
	all[7] = 1
	wantRefusal(t, "a reserved byte", decode(), ErrReserved, 6)
	all[5] = 16
	wantRefusal(t, "a flag", decode(), ErrFlags, 5)
	all[4] = 4
	wantRefusal(t, "a type", decode(), ErrType, 4)
	all[0] = 0
	wantRefusal(t, "a magic", decode(), ErrMagic, 0)
	all = all[:31]
	wantRefusal(t, "31 bytes", decode(), ErrTruncated, 31)
}

func TestLengthsThatWouldWrapAround(t *testing.T) {
	all := encoded(t, sample(64), ChecksumOn)
	for _, n := range []uint64{PayloadBytes + 1, math.MaxUint32, 1 << 32, math.MaxInt64 - 39, math.MaxInt64, 1 << 63, math.MaxUint64 - 39, math.MaxUint64} {
		binary.LittleEndian.PutUint64(all[24:], n)
		_, err := Decode(resealed(all), Options{})
		wantRefusal(t, "decode", err, ErrTooLarge, 24)
		_, _, err = Peek(all[:HeaderSize], Options{})
		wantRefusal(t, "peek", err, ErrTooLarge, 24)
		piece := all[:HeaderSize]
		_, _, err = NewReader(Options{}).Next(&piece)
		wantRefusal(t, "reader", err, ErrTooLarge, 24)
	}
}

func TestLimits(t *testing.T) {
	all := encoded(t, sample(100), ChecksumOn)
	for limit, fits := range map[int]bool{-1: true, 0: true, 99: false, 100: true, math.MaxInt: true} {
		_, err := Decode(all, Options{Limit: limit})
		if fits != (err == nil) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	largest := sample(PayloadBytes)
	if got, err := Decode(encoded(t, largest, ChecksumOn), Options{Limit: math.MaxInt}); err != nil || !same(got, largest) {
		t.Errorf("the largest frame: %v", err)
	}
	over := sample(PayloadBytes + 1)
	_, err := over.Append(nil, ChecksumOn)
	wantRefusal(t, "append", err, ErrTooLarge, 24)
	err = new(Envelope).Seal(over.Header, ChecksumOn, over.Payload[:1], over.Payload[1:])
	wantRefusal(t, "seal", err, ErrTooLarge, 24)
}

func TestDamageIsRefused(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 8, 63, 300} {
		all := encoded(t, sample(n), ChecksumOn)
		for bit := range len(all) * 8 {
			damaged := bytes.Clone(all)
			damaged[bit/8] ^= 1 << (bit % 8)
			if _, err := Decode(damaged, Options{}); err == nil {
				t.Fatalf("%d bytes: bit %d may differ", n, bit)
			}
		}
		for size := range all {
			_, err := Decode(all[:size], Options{})
			wantRefusal(t, "cut", err, ErrTruncated, size)
		}
		for range 10_000 {
			damaged := bytes.Clone(all)
			for range 2 + random.IntN(15) {
				bit := random.IntN(len(all) * 8)
				damaged[bit/8] ^= 1 << (bit % 8)
			}
			if _, err := Decode(damaged, Options{}); err == nil && !bytes.Equal(damaged, all) {
				t.Fatalf("%d bytes: % x is accepted", n, damaged)
			}
		}
	}
}

// TestLiesWithAChecksum changes headers and seals them again: what the checksum
// does not find, the other checks do.
func TestLiesWithAChecksum(t *testing.T) {
	all := encoded(t, sample(32), ChecksumOn)
	for _, lie := range []struct {
		at     int
		to     byte
		kind   Kind
		offset int
	}{
		{0, 0x30, ErrMagic, 0}, {3, 0, ErrMagic, 0}, {4, 0x13, ErrType, 4}, {4, 0, ErrType, 4}, {5, 0x80, ErrFlags, 5},
		{6, 1, ErrReserved, 6}, {7, 0xFF, ErrReserved, 6}, {24, 33, ErrTruncated, 72}, {24, 31, ErrChecksum, 63},
		{24, 0, ErrChecksum, 32}, {27, 2, ErrTooLarge, 24},
	} {
		damaged := bytes.Clone(all)
		damaged[lie.at] = lie.to
		_, err := Decode(resealed(damaged), Options{})
		wantRefusal(t, "lie", err, lie.kind, lie.offset)
	}
}

func TestChecksumOff(t *testing.T) {
	f := sample(10)
	all := encoded(t, f, ChecksumOff)
	if _, err := Decode(all, Options{}); !errors.Is(err, ErrChecksum) {
		t.Errorf("a trailer of 0 is taken for a checksum: %v", err)
	}
	all[len(all)-1] = 0xAA // it is not looked at
	if got, err := Decode(all, Options{Checksum: ChecksumOff}); err != nil || !same(got, f) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestEncodeIntoABuffer(t *testing.T) {
	f := sample(10)
	want := encoded(t, f, ChecksumOn)
	buffer := bytes.Repeat([]byte{7}, len(want)+3)
	n, err := f.Encode(buffer, ChecksumOn)
	if err != nil || !bytes.Equal(buffer[:n], want) || !bytes.Equal(buffer[n:], []byte{7, 7, 7}) {
		t.Errorf("%v, % x", err, buffer)
	}
	short := bytes.Repeat([]byte{7}, len(want)-1)
	_, err = f.Encode(short, ChecksumOn)
	wantRefusal(t, "a short buffer", err, ErrBufferTooSmall, -1)
	if bytes.Count(short, []byte{7}) != len(short) {
		t.Error("a buffer that is too short is written to")
	}
	again, err := f.Append([]byte("front"), ChecksumOn)
	if err != nil || string(again[:5]) != "front" || !bytes.Equal(again[5:], want) {
		t.Errorf("%v, % x", err, again)
	}
}

// TestEnvelopesMakeTheSameBytes wraps payloads in one piece and in several, on
// both sides of where hashing in steps begins.
func TestEnvelopesMakeTheSameBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 17, 240, 241, gathered - 1, gathered, gathered + 1, 5000, 100_000} {
		for _, checksum := range []Checksum{ChecksumOn, ChecksumOff} {
			f := sample(n)
			want := encoded(t, f, checksum)
			one, two := random.IntN(n+1), random.IntN(n+1)
			one, two = min(one, two), max(one, two)
			for _, pieces := range [][][]byte{{f.Payload}, {f.Payload[:one], f.Payload[one:two], nil, f.Payload[two:]}} {
				var e Envelope
				if err := e.Seal(f.Header, checksum, pieces...); err != nil {
					t.Fatal(err)
				}
				got := append(append(bytes.Clone(e.Header[:]), f.Payload...), e.Trailer[:]...)
				if !bytes.Equal(got, want) {
					t.Errorf("%d bytes in %d pieces: another frame", n, len(pieces))
				}
			}
		}
	}
	wantRefusal(t, "seal", new(Envelope).Seal(Header{Type: 0x7F}, ChecksumOn), ErrType, 4)
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Frame{
			Header{
				Type:      rapid.SampledFrom(types).Draw(t, "type"),
				Flags:     Flags(rapid.IntRange(0, 15).Draw(t, "flags")),
				MessageID: rapid.Uint64().Draw(t, "id"),
				TraceID:   rapid.Uint64().Draw(t, "trace"),
			},
			rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "payload"),
		}
		all, err := f.Append(nil, ChecksumOn)
		if err != nil || len(all) != f.Size() {
			t.Fatal(err)
		}
		rest := rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "rest")
		got, n, err := DecodePrefix(append(all, rest...), Options{})
		if err != nil || n != len(all) || !same(got, f) {
			t.Fatalf("%v, %v", got, err)
		}
		h, payload, err := Peek(all[:HeaderSize], Options{})
		if err != nil || h != f.Header || payload != len(f.Payload) {
			t.Fatalf("%v, %v", h, err)
		}
	})
}

func TestNothingIsAllocated(t *testing.T) {
	for _, n := range []int{0, 64, gathered, 16384} {
		f := sample(n)
		buffer := encoded(t, f, ChecksumOn)
		all := bytes.Clone(buffer)
		third := n / 3
		var e Envelope
		var got Frame
		reader := NewReader(Options{})
		for what, do := range map[string]func() error{
			"append": func() (err error) { buffer, err = f.Append(buffer[:0], ChecksumOn); return err },
			"encode": func() error { _, err := f.Encode(buffer, ChecksumOn); return err },
			"seal":   func() error { return e.Seal(f.Header, ChecksumOn, f.Payload[:third], f.Payload[third:]) },
			"decode": func() (err error) { got, err = Decode(all, Options{}); return err },
			"reader": func() (err error) { piece := all; got, _, err = reader.Next(&piece); return err },
		} {
			if count := testing.AllocsPerRun(100, func() {
				if err := do(); err != nil {
					t.Fatal(err)
				}
			}); count != 0 {
				t.Errorf("%s of %d bytes: %v allocations", what, n, count)
			}
		}
		if !same(got, f) {
			t.Error("another frame")
		}
	}
}

func TestErrorsSayWhatAndWhere(t *testing.T) {
	for want, err := range map[string]error{
		"frame_type at offset 4": refuse(ErrType, 4),
		"frame_buffer_too_small": refuse(ErrBufferTooSmall, -1),
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err.Error(), want)
		}
	}
	if Call.String() != "Call" || Type(0x7F).String() != "0x7f" || Kind(3).String() != "unknown_refusal" || Kind(200).String() != "unknown_refusal" {
		t.Errorf("%v %v %v", Call, Type(0x7F), Kind(3))
	}
}
