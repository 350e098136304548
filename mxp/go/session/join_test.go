package session_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// batching is echo that takes batches.
var batching = session.Config{Services: []string{"demo.Echo"}, OfferBatches: true}

// flowing is a pair with a stream of A's on which A may send so much.
func flowing(t *testing.T, a, b session.Config, messages uint32, bytes uint64) (*pair, uint64) {
	t.Helper()
	p := readyPair(t, a, b)
	id, err := p.a.Open(session.Request{}, messages, bytes, nil, false, p.now)
	if err != nil {
		t.Fatal(err)
	}
	p.run()
	if err := p.b.Grant(id, messages, bytes, p.now); err != nil {
		t.Fatal(err)
	}
	p.run()
	p.atA, p.atB = nil, nil
	return p, id
}

// values are the values of the chunks and Events that were told, in order.
func values(events []session.Incoming) (all [][]byte) {
	for _, in := range events {
		switch in := in.(type) {
		case *session.Chunk:
			all = append(all, in.Value)
		case *session.Event:
			all = append(all, in.Value)
		case *session.Chunks:
			for _, value := range in.All() {
				all = append(all, value)
			}
		case *session.Events:
			for _, value := range in.All() {
				all = append(all, value)
			}
		}
	}
	return all
}

func TestSmallMessagesTakeFewBytes(t *testing.T) {
	p, id := flowing(t, batching, batching, 20_000, 1<<30)
	value := func(i int) []byte { return binary.LittleEndian.AppendUint64(bytes.Repeat([]byte{7}, 56), uint64(i)) }
	before := p.a.Stats()
	for i := range 10_000 {
		number, err := p.a.Chunk(id, value(i), false, false, p.now)
		if err == session.ErrLimitQueueBytes {
			p.run()
			number, err = p.a.Chunk(id, value(i), false, false, p.now)
		}
		if err != nil || number != uint64(i+1) {
			t.Fatal(i, number, err)
		}
	}
	p.run()
	for i, got := range values(p.atB) {
		if !bytes.Equal(got, value(i)) {
			t.Fatalf("chunk %d is %x", i, got)
		}
	}
	stats := p.a.Stats()
	took := stats.Out.Of(frame.StreamChunks)
	if len(values(p.atB)) != 10_000 || took.Bytes > 670_000 || stats.Out.Of(frame.StreamChunk).Frames != before.Out.Of(frame.StreamChunk).Frames {
		t.Errorf("%d chunks took %d bytes in %d frames", len(values(p.atB)), took.Bytes, took.Frames)
	}
}

// A side that takes no batches is talked to as releases are that don't know them.
func TestOldPeersGetNoBatches(t *testing.T) {
	for _, sides := range [][2]session.Config{{batching, echo}, {echo, batching}, {echo, echo}} {
		p, id := flowing(t, sides[0], sides[1], 100, 1000)
		for range 3 {
			if _, err := p.a.Chunk(id, []byte("x"), false, false, p.now); err != nil {
				t.Fatal(err)
			}
			if _, err := p.a.Event(session.Request{}, []byte("y"), false, session.Refuse, p.now); err != nil {
				t.Fatal(err)
			}
			if _, err := p.a.Event(session.Request{}, []byte("z"), false, session.Refuse, p.now); err != nil {
				t.Fatal(err)
			}
		}
		p.run()
		stats := p.b.Stats()
		if stats.In.Of(frame.StreamChunk).Frames != 3 || stats.In.Of(frame.Event).Frames != 6 || len(values(p.atB)) != 9 {
			t.Errorf("%d chunks, %d Events, %d values", stats.In.Of(frame.StreamChunk).Frames, stats.In.Of(frame.Event).Frames, len(values(p.atB)))
		}
	}
}

// Values are the same for all pieces in which batches are given out.
func TestBatchesAreSealedHoweverTheyAreGivenOut(t *testing.T) {
	for _, give := range []func(*session.Session, *session.Batch) []byte{
		func(s *session.Session, b *session.Batch) []byte { s.PollAll(b, 0); return slices.Concat(b.Pieces...) },
		func(s *session.Session, b *session.Batch) (all []byte) {
			for s.Poll(b, 100, 0) {
				all = append(all, slices.Concat(b.Pieces...)...)
			}
			return all
		},
	} {
		p, id := flowing(t, batching, batching, 1000, 100_000)
		other, err := p.a.Open(session.Request{}, 1, 1, nil, false, p.now)
		if err != nil {
			t.Fatal(err)
		}
		var want [][]byte
		for i := range 40 {
			value := bytes.Repeat([]byte{byte(i)}, i*5)
			want = append(want, value)
			if _, err := p.a.Chunk(id, value, false, false, p.now); err != nil {
				t.Fatal(err)
			}
			if i == 20 { // frames before it leave the queue
				p.a.Cancel(other, p.now)
			}
		}
		all := give(p.a, new(session.Batch))
		for in, ok := p.b.Receive(&all, p.now); ok; in, ok = p.b.Receive(&all, p.now) {
			p.atB = append(p.atB, kept(in))
		}
		if got := values(p.atB); !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("got %d values: %x", len(got), got)
		}
	}
}

// A batch of as many values as there can be is told at once, and allocates for none of them.
func TestManyEmptyRecordsAllocateNothing(t *testing.T) {
	p, id := flowing(t, batching, batching, 1<<30, 1<<40)
	f := frame.Frame{Header: frame.Header{Type: frame.StreamChunks, MessageID: id}, Payload: make([]byte, session.BatchBytes)}
	all, err := f.Append(nil, frame.ChecksumOn)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if took := testing.AllocsPerRun(10, func() {
		piece := all
		in, ok := p.b.Receive(&piece, p.now)
		chunks, is := in.(*session.Chunks)
		if !ok || !is {
			t.Fatal(in)
		}
		for _, value := range chunks.All() {
			n += 1 + len(value)
		}
	}); took > 0 || n != 11*32_768 {
		t.Errorf("%d values, %v allocations", n, took)
	}
}

func TestJoiningAllocatesNothing(t *testing.T) {
	p, id := flowing(t, batching, batching, 1<<30, 1<<40)
	value := make([]byte, 64)
	var b session.Batch
	for range 3 { // buffers grow
		for range 200 {
			p.a.Chunk(id, value, false, false, p.now)
		}
		p.a.PollAll(&b, p.now)
	}
	if took := testing.AllocsPerRun(20, func() {
		for range 200 {
			if _, err := p.a.Chunk(id, value, false, false, p.now); err != nil {
				t.Fatal(err)
			}
		}
		p.a.PollAll(&b, p.now)
	}); took > 0 {
		t.Errorf("%v allocations", took)
	}
}

// Chunks that join one by one, or many at once, are in the same frames as chunks of which each asks
// to be sent, for all grants and all times of polling.
func TestChunksThatJoinAreInTheSameFrames(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		limits := batching
		limits.Limits.BulkBytes = 1 + random.IntN(100_000)
		limits.Limits.QueueBytes = 200_000
		peer := batching
		peer.PayloadBytes = 1000 + random.IntN(100_000)
		messages, bytes := uint32(1+random.IntN(300)), uint64(1+random.IntN(200_000))
		plain, id := flowing(t, limits, peer, messages, bytes)
		one, _ := flowing(t, limits, peer, messages, bytes)
		many, _ := flowing(t, limits, peer, messages, bytes)
		longest := []int{1, 100, session.BatchedBytes + 2}[random.IntN(3)]
		for range 20 {
			var records []byte
			for range random.IntN(100) {
				value := make([]byte, random.IntN(longest))
				records = append(binary.LittleEndian.AppendUint16(records, uint16(len(value))), value...)
			}
			want := sendEach(plain.a, id, records, nil)
			if got := sendEach(one.a, id, records, (*session.Session).JoinChunk); got != want {
				t.Fatalf("seed %d: %d chunks joined one by one, want %d", seed, got, want)
			}
			if got := sendMany(many.a, id, records); got != want {
				t.Fatalf("seed %d: %d chunks joined at once, want %d", seed, got, want)
			}
			if random.IntN(3) > 0 {
				continue
			}
			frames := polled(plain.a)
			if !slices.Equal(polled(one.a), frames) || !slices.Equal(polled(many.a), frames) {
				t.Fatalf("seed %d: chunks that join are in other frames", seed)
			}
		}
	}
}

// Events that join, or are sent many at once, are in the same frames as events of which each asks
// to be sent.
func TestEventsThatJoinAreInTheSameFrames(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		limits, peer := batching, batching
		limits.Limits.QueueBytes = 1 + random.IntN(50_000)
		peer.PayloadBytes = 1000 + random.IntN(5_000)
		plain, one, many := readyPair(t, limits, peer), readyPair(t, limits, peer), readyPair(t, limits, peer)
		longest := []int{1, 100, session.BatchedBytes + 2}[random.IntN(3)]
		for range 20 {
			r := session.Request{Method: uint16(random.IntN(2)), Deadline: uint64(random.IntN(2))}
			full := session.Full(random.IntN(3))
			var records []byte
			for range random.IntN(60) {
				value := make([]byte, random.IntN(longest))
				records = append(binary.LittleEndian.AppendUint16(records, uint16(len(value))), value...)
			}
			want, wrong := 0, error(nil)
			for rest := records; len(rest) > 0 && wrong == nil; {
				var value []byte
				value, rest = session.CutRecord(rest)
				if _, wrong = plain.a.Event(r, value, false, full, 0); wrong == nil {
					want++
				}
				if joins := one.a.JoinEvent(r, value); !joins {
					one.a.Event(r, value, false, full, 0)
				}
			}
			if got, err := many.a.Events(r, records, full, 0); got != want || err != wrong {
				t.Fatalf("seed %d: %d Events are sent at once, %v; want %d, %v", seed, got, err, want, wrong)
			}
			if random.IntN(3) > 0 {
				continue
			}
			frames := polled(plain.a)
			if !slices.Equal(polled(one.a), frames) || !slices.Equal(polled(many.a), frames) {
				t.Fatalf("seed %d: Events that join are in other frames", seed)
			}
		}
		if a, b := plain.a.Stats().Dropped, many.a.Stats().Dropped; a != b || a != one.a.Stats().Dropped {
			t.Fatalf("seed %d: %d were dropped at once, want %d", seed, b, a)
		}
	}
}

// sendEach sends records one by one, by join where it can, until one is refused, and gives how
// many were sent.
func sendEach(s *session.Session, id uint64, records []byte, join func(*session.Session, uint64, []byte) bool) (sent int) {
	for len(records) > 0 {
		var value []byte
		value, records = session.CutRecord(records)
		if most, _ := s.LargestChunk(id); uint64(len(value)) > most {
			return sent
		}
		if join == nil || !join(s, id, value) {
			if _, err := s.Chunk(id, value, false, false, 0); err != nil {
				return sent
			}
		}
		sent++
	}
	return sent
}

// sendMany is sendEach for as many at once as can be.
func sendMany(s *session.Session, id uint64, records []byte) (sent int) {
	for len(records) > 0 {
		n := s.JoinChunks(id, records)
		for range n {
			_, records = session.CutRecord(records)
		}
		if sent += n; n > 0 || len(records) == 0 {
			continue
		}
		value, rest := session.CutRecord(records)
		if most, _ := s.LargestChunk(id); uint64(len(value)) > most {
			return sent
		}
		if _, err := s.Chunk(id, value, false, false, 0); err != nil {
			return sent
		}
		records = rest
		sent++
	}
	return sent
}

// polled are the bytes of all frames that wait.
func polled(s *session.Session) (all []byte) {
	for f, ok := s.PollFrame(0); ok; f, ok = s.PollFrame(0) {
		all = append(append(append(all, f.Head...), f.Value...), f.Trailer...)
	}
	return all
}
