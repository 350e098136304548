package driver

import (
	"context"
	"errors"
	"sync"
)

// ErrInterrupted says that a signal has ended a command before its work was done,
// and that the user has been told what that means.
var ErrInterrupted = errors.New("interrupted")

// interrupts ends a command that wants to be told, instead of being cut off.
type interrupts struct {
	mu  sync.Mutex
	end context.CancelFunc // nil while there is nobody to tell
}

// Interrupt tells the command that runs to end, and reports whether it has been
// told. It says no to a command that can be cut off, and to one that was told
// before. It may be called while a command runs.
func (t *Tool) Interrupt() bool {
	t.interrupts.mu.Lock()
	defer t.interrupts.mu.Unlock()
	if t.interrupts.end == nil {
		return false
	}
	t.interrupts.end()
	t.interrupts.end = nil
	return true
}

// interruptible gives a context that Interrupt ends, until done is called.
func (t *Tool) interruptible() (ctx context.Context, finish func()) {
	ctx, cancel := context.WithCancel(context.Background())
	t.interrupts.mu.Lock()
	defer t.interrupts.mu.Unlock()
	t.interrupts.end = cancel
	return ctx, func() {
		t.interrupts.mu.Lock()
		defer t.interrupts.mu.Unlock()
		t.interrupts.end = nil
		cancel()
	}
}
