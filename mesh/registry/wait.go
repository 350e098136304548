package registry

// Waiter is told when agents that are asked for have changed.
type Waiter struct {
	cache   *Cache
	filter  Filter
	at      place
	changed chan struct{}
}

// Watch makes a waiter, which Stop ends. Changes between Watch and a later Find are told, too, so
// that nothing is missed.
func (c *Cache) Watch(f Filter) *Waiter {
	w := &Waiter{cache: c, filter: f, at: place{all, ""}, changed: make(chan struct{}, 1)}
	if at := f.places(); len(at) > 0 {
		w.at = at[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[w.at] == nil {
		c.waiting[w.at] = map[*Waiter]struct{}{}
	}
	c.waiting[w.at][w] = struct{}{}
	return w
}

// Changed has something after each change, or after several.
func (w *Waiter) Changed() <-chan struct{} { return w.changed }

// Stop ends it.
func (w *Waiter) Stop() {
	c := w.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting[w.at], w)
	if len(c.waiting[w.at]) == 0 {
		delete(c.waiting, w.at)
	}
}

// tell tells of an agent that was another before, or none, or is none now. The lock is held.
func (c *Cache) tell(older, now *Agent) {
	for _, a := range []*Agent{older, now} {
		if a == nil {
			continue
		}
		for at := range a.places() {
			for w := range c.waiting[at] {
				if w.filter.Matches(a) {
					w.tell()
				}
			}
		}
	}
}

func (w *Waiter) tell() {
	select {
	case w.changed <- struct{}{}:
	default: // it is told already
	}
}
