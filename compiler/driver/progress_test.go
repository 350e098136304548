package driver

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestProgressIsShownToAPersonAndThenRemoved(t *testing.T) {
	cases := []struct {
		name   string
		person bool
		since  time.Duration
		total  int64
		want   string
	}{
		{"nobody watches", false, time.Minute, 4 * megabyte, ""},
		{"work is short", true, 0, 4 * megabyte, ""},
		{"the length is known", true, time.Second, 4 * megabyte, clearLine + "2 MB of 4 MB, 50 %, 2 MB/s" + clearLine},
		{"the length is not known", true, time.Second, 0, clearLine + "2 MB, 2 MB/s" + clearLine},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var shown strings.Builder
			tool := Tool{Err: &shown, Progress: c.person}
			p := tool.newProgress(strings.NewReader(strings.Repeat("x", 2*megabyte)), c.total)
			p.begun = p.begun.Add(-c.since)
			if _, err := io.ReadFull(p, make([]byte, 2*megabyte)); err != nil {
				t.Fatal(err)
			}
			p.end()
			if got := shown.String(); got != c.want {
				t.Errorf("shown is %q, want %q", got, c.want)
			}
		})
	}
}

func TestLongWorkIsShownToAPersonAndThenRemoved(t *testing.T) {
	for _, person := range []bool{false, true} {
		shown := make(writes, 2)
		tool := Tool{Err: shown, Progress: person}
		done := tool.working(0, "making much")
		if person {
			if got := <-shown; got != clearLine+"making much …" {
				t.Errorf("shown is %q", got)
			}
		}
		done()
		if person {
			if got := <-shown; got != clearLine {
				t.Errorf("what is removed is %q", got)
			}
		}
		if len(shown) > 0 {
			t.Errorf("more is shown: %q", <-shown)
		}
	}
	shown := make(writes, 1)
	(&Tool{Err: shown, Progress: true}).working(time.Hour, "making little")()
	if len(shown) > 0 {
		t.Errorf("short work is shown: %q", <-shown)
	}
}

// writes are what is written to it, one after another.
type writes chan string

func (w writes) Write(text []byte) (int, error) {
	w <- string(text)
	return len(text), nil
}
