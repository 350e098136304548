package jetstream

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Release ends the leases of a session that is gone.
func (d *Directory) Release(session uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, h := range d.held {
		if h.is && h.entry.Holder.Session == session {
			d.drops(name, h)
		}
	}
}

// releaseAll ends the leases of all sessions, and the leases that are about to be given.
func (d *Directory) releaseAll(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	var dropping sync.WaitGroup
	for name, h := range d.held {
		if h.is {
			revision := h.revision
			h.is = false
			dropping.Go(func() { d.eraseSoon(ctx, name, revision) })
		}
	}
	d.mu.Unlock()
	done := make(chan struct{})
	go func() { dropping.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drop ends a lease that this node holds.
func (d *Directory) drop(name string, h *holder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h.is {
		d.drops(name, h)
	}
}

// drops is drop, for callers with the lock.
func (d *Directory) drops(name string, h *holder) {
	h.is = false
	revision := h.revision
	d.running.Go(func() { d.eraseSoon(d.context, name, revision) })
}

// eraseSoon ends a key that is as the revision says, or whose holder is a session of this run that
// no longer holds it. Where the bucket can't be reached, the lease ends it.
func (d *Directory) eraseSoon(ctx context.Context, name string, revision uint64) {
	for n := range tries {
		err := d.erase(ctx, name, revision)
		if err == nil {
			return
		}
		if errors.Is(err, errStale) {
			there, last, err := d.look(ctx, name)
			if err == nil && (there == nil || !d.forsaken(name, there.Holder.Node, there.Holder.Run, there.Holder.Session)) {
				return
			}
			if err == nil {
				revision = last
				continue
			}
		}
		select {
		case <-time.After(100 * time.Millisecond << n):
		case <-ctx.Done():
			return
		}
	}
}

// forsaken reports whether an entry is of this node, and of a session that doesn't hold it: of an
// earlier run, or one whose registration was given up before its answer came.
func (d *Directory) forsaken(name, node string, run, session uint64) bool {
	if node != d.options.Node {
		return false
	}
	if run != d.run {
		return run < d.run
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.held[name]
	switch {
	case h == nil:
		return true
	case h.is:
		return h.entry.Holder.Session != session
	}
	return len(h.busy) > 0 // else somebody is about to hold it
}

// doubt looks after a registration of which it isn't known whether it was written.
func (d *Directory) doubt(name string) {
	d.running.Go(func() {
		for n := range tries {
			d.pause(100 * time.Millisecond << n)
			if d.context.Err() != nil {
				return
			}
			if there, revision, err := d.look(d.context, name); err == nil {
				if there != nil && d.forsaken(name, there.Holder.Node, there.Holder.Run, there.Holder.Session) {
					d.eraseSoon(d.context, name, revision)
				}
				return
			}
		}
	})
}
