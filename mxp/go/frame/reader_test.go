package frame

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/corpus"
)

// read hands pieces to a reader, and returns the frames, copied, and how the
// stream has ended.
func read(pieces [][]byte, options Options) (frames []Frame, err error) {
	r := NewReader(options)
	for _, piece := range pieces {
		for {
			f, ok, err := r.Next(&piece)
			if err != nil {
				return frames, err
			}
			if !ok {
				break
			}
			frames = append(frames, Frame{f.Header, bytes.Clone(f.Payload)})
		}
	}
	return frames, r.End()
}

// inARow decodes frame after frame, and reports what a reader should.
func inARow(all []byte, options Options) (frames []Frame, err error) {
	for len(all) > 0 {
		f, n, err := DecodePrefix(all, options)
		if err != nil && !begins(all) {
			// A reader looks at each byte of the magic as it comes [MXP-4.2].
			_, _, err = DecodePrefix(make([]byte, HeaderSize), options)
		}
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
		all = all[n:]
	}
	return frames, nil
}

// cut cuts bytes at random places; some pieces are empty.
func cut(all []byte, random *rand.Rand, longest int) (pieces [][]byte) {
	for len(all) > 0 {
		n := min(random.IntN(longest+1), len(all))
		pieces = append(pieces, all[:n])
		all = all[n:]
	}
	return pieces
}

func wantSame(t *testing.T, what string, frames []Frame, err error, want []Frame, wantErr error) {
	t.Helper()
	if len(frames) != len(want) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Fatalf("%s: %d frames, %v; want %d, %v", what, len(frames), err, len(want), wantErr)
	}
	for i := range want {
		if !same(frames[i], want[i]) {
			t.Fatalf("%s: frame %d differs", what, i)
		}
	}
}

func stream(t testing.TB, sizes ...int) (all []byte) {
	for _, n := range sizes {
		all = append(all, encoded(t, sample(n), ChecksumOn)...)
	}
	return all
}

func TestReaderTakesAnyCuts(t *testing.T) {
	good := stream(t, 0, 5, 100, 0, 41)
	damaged := bytes.Clone(good)
	damaged[HeaderSize+TrailerSize+HeaderSize] ^= 1
	noMagic := append(bytes.Clone(good), "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"...)
	for _, all := range [][]byte{nil, good, damaged, noMagic, good[:len(good)-1], good[:len(good)-60]} {
		want, wantErr := inARow(all, Options{})
		for at := range len(all) + 1 {
			frames, err := read([][]byte{all[:at], all[at:]}, Options{})
			wantSame(t, "two pieces", frames, err, want, wantErr)
		}
		for longest := 1; longest < 60; longest += 7 {
			random := rand.New(rand.NewPCG(5, uint64(longest)))
			for range 20 {
				frames, err := read(cut(all, random, longest), Options{})
				wantSame(t, "pieces", frames, err, want, wantErr)
			}
		}
	}
}

func TestReaderRepeatsItsRefusal(t *testing.T) {
	r := NewReader(Options{})
	piece := bytes.Repeat([]byte{0}, HeaderSize)
	_, _, err := r.Next(&piece)
	wantRefusal(t, "no magic", err, ErrMagic, 0)
	piece = stream(t, 3)
	_, ok, err := r.Next(&piece)
	wantRefusal(t, "after it", err, ErrMagic, 0)
	wantRefusal(t, "at the end", r.End(), ErrMagic, 0)
	if ok {
		t.Error("a frame is returned after a refusal")
	}
}

// TestReaderTakesNoMemoryForAPromise sends a header that announces the largest
// payload, and then one byte after the other.
func TestReaderTakesNoMemoryForAPromise(t *testing.T) {
	all := stream(t, 1<<20)
	binary.LittleEndian.PutUint64(all[24:], PayloadBytes)
	r := NewReader(Options{})
	for i := range all {
		piece := all[i : i+1]
		if _, _, err := r.Next(&piece); err != nil {
			t.Fatal(err)
		}
		received := i + 1
		if most, n := received+received/8+64<<10, cap(r.buffer)+len(r.segments)*step; n > most {
			t.Fatalf("%d bytes are kept after %d", n, received)
		}
	}
	wantRefusal(t, "the end", r.End(), ErrTruncated, len(all))
}

func TestReaderGivesLargeBuffersBack(t *testing.T) {
	all := stream(t, 1<<20, 10)
	frames, err := read(cut(all, rand.New(rand.NewPCG(7, 7)), 9000), Options{})
	want, _ := inARow(all, Options{})
	wantSame(t, "a large frame", frames, err, want, nil)

	r := NewReader(Options{})
	for _, piece := range [][]byte{all[:100], all[100:], nil} {
		for ok := true; ok; {
			if _, ok, err = r.Next(&piece); err != nil {
				t.Fatal(err)
			}
		}
	}
	if cap(r.buffer) > step {
		t.Errorf("a buffer of %d bytes is kept", cap(r.buffer))
	}
}

func TestKeptFramesStayAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		payload, cut int
		kept         bool
	}{{1 << 20, 100, true}, {1 << 20, 1<<20 - 1, true}, {1 << 20, 0, false}, {1000, 100, false}, {50 << 10, 100, false}} {
		all := stream(t, c.payload, c.payload, c.payload)
		want, _ := inARow(bytes.Clone(all), Options{})
		r := NewReader(Options{})
		var kept []Frame
		first := all[:c.cut]
		r.Next(&first)
		for piece := all[c.cut:]; len(kept) < len(want); {
			f, ok, err := r.Next(&piece)
			if !ok || err != nil {
				t.Fatalf("%d frames, %v", len(kept), err)
			}
			if keeps := r.Keep(); keeps != (c.kept && len(kept) == 0) {
				t.Errorf("a frame of %d bytes that was cut at %d: kept %t", c.payload, c.cut, keeps)
			}
			if r.Keep() {
				t.Error("it is kept twice")
			}
			kept = append(kept, f)
		}
		wantSame(t, "frames that are kept", kept[:1], nil, want[:1], nil)
	}
}

// TestReaderChecksHeadersAtOnce refuses a length before any payload is there.
func TestReaderChecksHeadersAtOnce(t *testing.T) {
	all := stream(t, 200)
	r := NewReader(Options{Limit: 199})
	for i := range HeaderSize {
		piece := all[i : i+1]
		_, _, err := r.Next(&piece)
		if i < HeaderSize-1 {
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		wantRefusal(t, "header", err, ErrTooLarge, 24)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(stream(f, 0), uint8(0))
	f.Add(stream(f, 5, 0, 300), uint8(3))
	f.Add(stream(f, 70)[:50], uint8(1))
	for _, input := range corpus.Inputs(f, "frames") {
		if len(input) > 1 {
			f.Add(input[2:], input[0])
			f.Add(input[2:], 1^input[0])
		}
	}
	f.Fuzz(func(t *testing.T, all []byte, how uint8) {
		checksum := Checksum(how & 1)
		options := Options{Checksum: checksum, Limit: int(how>>1) * 8}
		if got, err := Decode(all, options); err == nil && checksum == ChecksumOn {
			again, err := got.Append(nil, checksum)
			if err != nil || !bytes.Equal(again, all) {
				t.Fatalf("% x comes back as % x: %v", all, again, err)
			}
		}
		want, wantErr := inARow(all, options)
		pieces := cut(all, rand.New(rand.NewPCG(uint64(how), uint64(len(all)))), 1+int(how))
		frames, err := read(pieces, options)
		wantSame(t, "reader", frames, err, want, wantErr)
	})
}
