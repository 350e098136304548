package interp_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

// TestSpoolBehavesLikeASlice compares it with bytes in memory through random writes, patches and
// cuts, before and within the part that it keeps in memory.
func TestSpoolBehavesLikeASlice(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} { // which Windows has
		t.Setenv(name, folder)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var s interp.Spool
	var want []byte
	for step := range 400 {
		chunk := make([]byte, rng.IntN(100_000))
		for i := range chunk {
			chunk[i] = byte(step + i)
		}
		switch at := rng.IntN(len(want) + 1); {
		case step%10 == 9 && at+len(chunk) <= len(want):
			copy(want[at:], chunk)
			if _, err := s.WriteAt(chunk, int64(at)); err != nil {
				t.Fatal(err)
			}
		case step%100 == 99:
			want = want[:at]
			s.Truncate(int64(at))
		default:
			want = append(want, chunk...)
			if _, err := s.Write(chunk); err != nil {
				t.Fatal(err)
			}
		}
		if s.Len() != int64(len(want)) {
			t.Fatalf("step %d: %d bytes, want %d", step, s.Len(), len(want))
		}
	}
	if got, err := io.ReadAll(s.Reader()); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes, %v, and they differ from the %d that were written", len(got), err, len(want))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

func TestSpoolRefusesPatchesOutsideItsBytes(t *testing.T) {
	var s interp.Spool
	if _, err := s.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{-1, 2, 4} {
		if _, err := s.WriteAt([]byte("xy"), at); err == nil {
			t.Errorf("a patch at %d is taken", at)
		}
	}
	if n, err := s.ReadAt(make([]byte, 4), 1); n != 2 || err != io.EOF {
		t.Errorf("read %d, %v", n, err)
	}
}
