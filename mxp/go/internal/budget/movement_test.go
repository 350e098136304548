package budget

import (
	"testing"
	"time"
)

func TestMovementIsOfTheLastSecond(t *testing.T) {
	var m movement
	at := time.Unix(1000, 0)
	expect := func(after time.Duration, want int64) {
		t.Helper()
		if got := m.bytes(at.Add(after)); got != want {
			t.Errorf("%d bytes after %v, want %d", got, after, want)
		}
	}
	expect(0, 0)
	m.add(10, at)
	m.add(5, at.Add(900*time.Millisecond))
	expect(950*time.Millisecond, 15)
	expect(1900*time.Millisecond, 15)
	m.add(7, at.Add(1500*time.Millisecond))
	expect(1900*time.Millisecond, 22)
	expect(2*time.Second, 7)
	expect(3*time.Second, 0)
	m.add(1, at.Add(9*time.Second))
	expect(9*time.Second, 1)
}

// A connection can't let go of memory that waits for unread bytes.
func TestPauseCountsForATenthOfASecond(t *testing.T) {
	var m movement
	at := time.Unix(1000, 0)
	after := func(seconds float64) time.Time { return at.Add(time.Duration(seconds * float64(time.Second))) }
	m.add(5, at)
	m.pause(after(0.1))
	if got := m.bytes(after(60)); got != 5 {
		t.Errorf("%d bytes in a long pause", got)
	}
	m.resume(after(60))
	m.add(7, after(60.7))
	for _, one := range []struct {
		after float64
		want  int64
	}{{60.7, 12}, {61.7, 12}, {61.9, 0}} {
		if got := m.bytes(after(one.after)); got != one.want {
			t.Errorf("%d bytes after %g s, want %d", got, one.after, one.want)
		}
	}
}

// A connection that lets go of memory is ended after connections that don't; otherwise the
// connection that holds most is ended. [MXP-15.4]
func TestThoseThatMoveAreEndedLast(t *testing.T) {
	b := New(64 << 20)
	all := []*Share{{}, {}, {}, {}}
	for i, c := range all {
		c.counted.Store(int64(i+1) * smallBytes / 2)
		c.Enter(b, silent{})
	}
	all[3].letGo.add(8*smallBytes, time.Now())
	all[1].letGo.add(4*smallBytes-1, time.Now())
	for _, want := range []*Share{all[2], all[1], all[3], nil} {
		got := b.largest()
		if got != want {
			t.Fatalf("%p is ended, not %p", got, want)
		}
		if got != nil {
			got.End()
		}
	}
}
