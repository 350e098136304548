package shm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/corpus"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// sides are memory of two sides, and the direction from the first to the second.
func sides() (own, peers memory, s sender, r receiver) {
	own, peers = make(memory, headBytes+ringLeast), make(memory, headBytes+ringLeast)
	return own, peers, newSender(own, peers), newReceiver(peers, own)
}

// Bytes come out as they went in, for all sizes and all places of the ring's end. [MXP-18.7]
func TestRingKeepsBytesInOrder(t *testing.T) {
	_, _, s, r := sides()
	var sent, came []byte
	next, buffer := byte(0), make([]byte, 5000)
	for n := range 2000 {
		data := buffer[:n*37%len(buffer)]
		for at := range data {
			data[at] = next
			next++
		}
		put, err := s.put(data)
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, data[:put]...)
		if put < len(data) {
			next = data[put]
		}
		into := make([]byte, 1+n*61%len(buffer))
		took, _, ended, err := r.take(into)
		if err != nil || ended {
			t.Fatal(ended, err)
		}
		came = append(came, into[:took]...)
	}
	rest := make([]byte, ringLeast)
	took, left, _, err := r.take(rest)
	if came = append(came, rest[:took]...); err != nil || left != 0 || !bytes.Equal(came, sent) {
		t.Errorf("%d bytes came of %d, %d are left, %v", len(came), len(sent), left, err)
	}
}

// A ring is as full as it is large, and no fuller. [MXP-18.7]
func TestRingTakesWhatItHasRoomFor(t *testing.T) {
	_, _, s, r := sides()
	data := make([]byte, 3*ringLeast)
	for _, step := range []struct{ take, put int }{{0, ringLeast}, {0, 0}, {1, 1}, {ringLeast / 2, ringLeast / 2}, {ringLeast, ringLeast}} {
		if _, _, _, err := r.take(data[:step.take]); err != nil {
			t.Fatal(err)
		}
		if n, err := s.put(data); n != step.put || err != nil {
			t.Errorf("it takes %d bytes, and not %d: %v", n, step.put, err)
		}
	}
}

// Numbers that can't be right are refused, and nothing is read or written by them. [MXP-18.7]
func TestNonsenseNumbersAreRefused(t *testing.T) {
	const passed = 3 * ringLeast / 2 // was written and taken before
	for name, written := range map[string]uint64{
		"less than was taken": passed - 1, "none": 0, "more than the ring has": passed + ringLeast + 1, "all": 1<<64 - 1,
	} {
		own, _, s, r := sides()
		pass(t, &s, &r, passed)
		*own.long(atWritten) = written
		if n, _, _, err := r.take(make([]byte, ringLeast)); n != 0 || !errors.Is(err, session.ErrShmIndex) {
			t.Errorf("written is %s: %d bytes, %v", name, n, err)
		}
	}
	for name, taken := range map[string]uint64{
		"more than was written": passed + 1, "all": 1<<64 - 1, "less by more than the ring has": passed - ringLeast - 1, "none": 0,
	} {
		_, peers, s, r := sides()
		pass(t, &s, &r, passed)
		*peers.long(atTaken) = taken
		if n, err := s.put(make([]byte, ringLeast)); n != 0 || !errors.Is(err, session.ErrShmIndex) {
			t.Errorf("taken is %s: %d bytes, %v", name, n, err)
		}
	}
	_, peers, s, r := sides()
	pass(t, &s, &r, 5) // to which so large a number is near, where numbers wrap
	*peers.long(atTaken) = 1<<64 - 1
	if n, err := s.put(make([]byte, ringLeast)); n != 0 || !errors.Is(err, session.ErrShmIndex) {
		t.Errorf("all were taken of little: %d bytes, %v", n, err)
	}
}

// pass lets so many bytes go from one side to the other.
func pass(t *testing.T, s *sender, r *receiver, bytes int) {
	t.Helper()
	for bytes > 0 {
		data := make([]byte, min(bytes, ringLeast))
		put, err := s.put(data)
		took, _, _, failed := r.take(data)
		if err != nil || failed != nil || put != took {
			t.Fatal(put, err, took, failed)
		}
		bytes -= put
	}
}

// A side's own numbers are not read from its memory, which may hold any numbers. [MXP-18.7]
func TestOwnNumbersAreKeptElsewhere(t *testing.T) {
	own, peers, s, r := sides()
	pass(t, &s, &r, 100)
	*own.long(atWritten), *peers.long(atTaken) = 7, 100
	if n, err := s.put([]byte("more")); n != 4 || err != nil || *own.long(atWritten) != 104 {
		t.Errorf("%d, %v: written is %d", n, err, *own.long(atWritten))
	}
	*peers.long(atTaken) = 7
	if n, _, _, err := r.take(make([]byte, 4)); n != 4 || err != nil || *peers.long(atTaken) != 104 {
		t.Errorf("%d, %v: taken is %d", n, err, *peers.long(atTaken))
	}
}

// A direction is at its end when its sender has ended and all was taken. [MXP-18.10]
func TestDirectionEndsBehindItsLastByte(t *testing.T) {
	own, _, s, r := sides()
	if _, err := s.put([]byte("last")); err != nil {
		t.Fatal(err)
	}
	*own.word(atEnded) = 1
	if n, _, _, err := r.take(make([]byte, 2)); n != 2 || err != nil {
		t.Error(n, err)
	}
	if n, left, ended, err := r.take(make([]byte, 2)); n != 2 || left != 0 || !ended || err != nil {
		t.Error(n, left, ended, err)
	}
	if n, _, ended, err := r.take(make([]byte, 2)); n != 0 || !ended || err != nil {
		t.Error(n, ended, err)
	}
}

// FuzzShmRing lets a peer write any numbers between steps: taken bytes never reach outside the
// ring, put bytes never go beyond the declared room, and impossible numbers are refused.
func FuzzShmRing(f *testing.F) {
	f.Add([]byte{0, 8, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0, 0, 16, 0, 0, 0, 0, 0, 0, 1, 16, 0, 0, 0, 0, 0})
	f.Add(bytes.Repeat([]byte{0xff}, 32))
	f.Add([]byte{1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	for _, input := range corpus.Inputs(f, "shm_ring") {
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		own, peers := make(memory, headBytes+ringLeast), make(memory, headBytes+ringLeast)
		s, r := newSender(own, peers), newReceiver(own, peers)
		buffer := make([]byte, ringLeast+1)
		for ; len(steps) >= 8; steps = steps[8:] {
			number := binary.LittleEndian.Uint64(steps)
			size := 1 + int(steps[1])*16
			*peers.long(atWritten), *peers.long(atTaken) = number, number>>8
			before := r.taken
			n, left, _, err := r.take(buffer[:size])
			if right := number-before <= ringLeast; right != (err == nil) || n > size || n+left > ringLeast || r.taken != before+uint64(n) {
				t.Fatalf("%d were taken, %d written: %d and %d left, %v", before, number, n, left, err)
			}
			if err != nil && !errors.Is(err, session.ErrShmIndex) {
				t.Fatal(err)
			}
			under, known := s.written, s.known
			put, err := s.put(buffer[:size])
			if put > size || s.written-max(known, s.known) > ringLeast || s.written != under+uint64(put) || err != nil && !errors.Is(err, session.ErrShmIndex) {
				t.Fatalf("%d were written, %d taken: %d, %v", under, number>>8, put, err)
			}
		}
	})
}

// FuzzShmOffer reads any bytes as an Offer: what is one is written as it was read.
func FuzzShmOffer(f *testing.F) {
	f.Add(offer{ring: ringLeast}.bytes(), true)
	f.Add(offer{ring: ringMost}.bytes(), false)
	f.Add(offer{verdict: overSocket}.bytes(), false)
	f.Add(offer{verdict: connectionRefused}.bytes(), false)
	f.Add(offer{ring: ringLeast}.bytes()[:31], true)
	for _, input := range corpus.Inputs(f, "shm_offer") {
		f.Add(input, true)
		f.Add(input, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, opener bool) {
		data = data[:min(len(data), offerBytes)]
		o, err := parseOffer(data, opener)
		switch {
		case err != nil && !errors.Is(err, session.ErrShmHandover):
			t.Error(err)
		case err == nil && !bytes.Equal(o.bytes(), data):
			t.Errorf("%x is %+v", data, o)
		case err == nil && opener && o.verdict != memoryTaken:
			t.Errorf("an opener says %d", o.verdict)
		}
	})
}
