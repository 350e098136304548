package driver

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// progressAfter is how long work is quiet; most is done by then.
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
	// clearLine moves to the start of a terminal's line and empties it.
	clearLine = "\r\x1b[K"
	megabyte  = 1_000_000
)

// progress passes a stream on and shows a person how much of it has passed.
type progress struct {
	in        io.Reader
	to        io.Writer // nil shows nothing
	read      int64
	total     int64 // 0 where it is not known
	begun     time.Time
	lastShown time.Time
}

func (t *Tool) newProgress(r io.Reader, total int64) *progress {
	p := &progress{in: r, total: total, begun: time.Now()}
	if t.Progress {
		p.to = t.Err
	}
	return p
}

// Read passes bytes on.
func (p *progress) Read(buffer []byte) (int, error) {
	n, err := p.in.Read(buffer)
	p.read += int64(n)
	if now := time.Now(); p.to != nil && now.Sub(p.begun) > progressAfter && now.Sub(p.lastShown) > progressEvery {
		p.lastShown = now
		rate := float64(p.read) / megabyte / now.Sub(p.begun).Seconds()
		share := ""
		if p.total > 0 {
			share = fmt.Sprintf(" of %d MB, %d %%", p.total/megabyte, 100*p.read/p.total)
		}
		fmt.Fprintf(p.to, "%s%d MB%s, %.0f MB/s", clearLine, p.read/megabyte, share, rate)
	}
	return n, err
}

// end removes what was shown.
func (p *progress) end() {
	if !p.lastShown.IsZero() {
		fmt.Fprint(p.to, clearLine)
	}
}

// longAfter is how long work without a known length is quiet.
const longAfter = time.Second

// working shows a person what takes long, once it does; the result ends that.
func (t *Tool) working(pause time.Duration, subject string) (finish func()) {
	if !t.Progress {
		return func() {}
	}
	var shown sync.Mutex
	isShown, isDone := false, false
	timer := time.AfterFunc(pause, func() {
		shown.Lock()
		defer shown.Unlock()
		if isShown = !isDone; isShown {
			fmt.Fprint(t.Err, clearLine, subject, " …")
		}
	})
	return func() {
		timer.Stop()
		shown.Lock()
		defer shown.Unlock()
		if isDone = true; isShown {
			fmt.Fprint(t.Err, clearLine)
		}
	}
}
