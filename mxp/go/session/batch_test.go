package session

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Batches of a size hold the same frames as frames given out one by one; they stay valid while
// others are made, and no batch has more than a frame beyond its size.
func TestBatchesOfASizeHaveTheSameFrames(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	ready := func() *Session {
		limits := Limits{QueueBytes: 1 << 30, BulkBytes: 1 << 30}
		s, peer := New(Config{Role: Opener, Limits: limits}, 0), New(Config{Role: Acceptor, Services: []string{"a"}}, 0)
		var b Batch
		peer.PollAll(&b, 0)
		for _, piece := range b.Pieces {
			s.Receive(&piece, 0)
		}
		s.PollAll(&b, 0)
		return s
	}
	for _, most := range []int{1, 100, 1000, 20_000, 1 << 20} {
		one, other := ready(), ready()
		made := func() {
			value := make([]byte, []int{0, 10, 500, 9000, 30_000}[random.IntN(5)])
			for i := range value {
				value[i] = byte(random.Uint32())
			}
			for _, s := range []*Session{one, other} {
				if _, err := s.Event(Request{}, value, false, Refuse, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 300 {
			made()
		}
		var want, got []byte
		var b Batch
		for left := 100; other.Poll(&b, most, 0); left-- {
			if left > 0 {
				made()
			}
			n := 0
			for _, piece := range b.Pieces {
				got = append(got, piece...)
				n += len(piece)
			}
			if n >= most+30_100 {
				t.Fatalf("a batch of %d has %d bytes", most, n)
			}
		}
		for f, ok := one.PollFrame(0); ok; f, ok = one.PollFrame(0) {
			want = append(append(append(want, f.Head...), f.Value...), f.Trailer...)
		}
		if !bytes.Equal(got, want) || len(got) == 0 {
			t.Errorf("in batches of %d, %d bytes are not the %d that there are", most, len(got), len(want))
		}
	}
}
