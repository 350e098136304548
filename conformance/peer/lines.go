package peer

import (
	"sync"
	"time"
)

// lines are the results of a client that its case has not read, however many these are.
type lines struct {
	mu    sync.Mutex
	there []string
	ended bool
	moved chan struct{} // is closed when there is more
}

func newLines() *lines { return &lines{moved: make(chan struct{})} }

func (l *lines) add(more ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.there = append(l.there, more...)
	close(l.moved)
	l.moved = make(chan struct{})
}

// end says that no more come.
func (l *lines) end() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.add()
}

// next is the next line, if one comes within a time; open says whether more can come.
func (l *lines) next(within time.Duration) (line string, came, open bool) {
	for late := time.After(within); ; {
		l.mu.Lock()
		there, ended, moved := l.there, l.ended, l.moved
		if len(there) > 0 {
			l.there = there[1:]
		}
		l.mu.Unlock()
		if len(there) > 0 {
			return there[0], true, true
		}
		if ended {
			return "", false, false
		}
		select {
		case <-moved:
		case <-late:
			return "", false, true
		}
	}
}
