package jetstream

import (
	"context"
	"errors"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mesh/registry/jetstream/record"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// tries is how often a key is read and written anew that others write meanwhile.
const tries = 8

// contest bounds the rounds of a write that is refused as stale, to the time of one. Where the key
// has not changed since it was read, the refusal is for a write that the leader holds and can't
// finish, as one without the majority does: that is no answer about the name, and it is asked again.
type contest struct {
	context.Context
	writes int // of others
}

func newContest(ctx context.Context) (*contest, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	return &contest{Context: ctx}, cancel
}

// open reports whether another round is due.
func (c *contest) open() bool { return c.writes < tries && c.Err() == nil }

// round notes a refusal, and whether the key has changed since it was read.
func (c *contest) round(change bool) {
	if change {
		c.writes++
		return
	}
	select {
	case <-time.After(50 * time.Millisecond):
	case <-c.Done():
	}
}

// Register gives a name to a session.
func (d *Directory) Register(ctx context.Context, holder registry.Holder, r *registry.Registration) (registry.Lease, error) {
	if err := r.Check(); err != nil {
		return registry.Lease{}, err
	}
	if d.cache.Len() >= d.options.Bounds.Agents && d.cache.Get(r.Name) == nil {
		return registry.Lease{}, session.ErrLimitAgents
	}
	h, err := d.hold(ctx, r.Name)
	if err != nil {
		return registry.Lease{}, err
	}
	defer d.let(r.Name, h)
	entry := record.Entry{
		Name: r.Name, Capabilities: r.Capabilities, Addresses: r.Addresses, Services: r.Services,
		Lease: uint64(d.options.Bounds.Clamp(r.Lease).Microseconds()), Holder: d.holder(holder),
	}
	var last uint64
	d.mu.Lock()
	if h.is && h.entry.Holder.Session == holder.Session {
		last = h.revision // it is the session's own
	}
	d.mu.Unlock()
	contest, end := newContest(ctx)
	defer end()
	for contest.open() {
		begun := time.Now()
		revision, err := d.write(contest, &entry, last)
		if err == nil {
			entry.Epoch = revision
			return d.gained(ctx, h, entry, revision, begun)
		}
		if !errors.Is(err, errStale) {
			d.doubt(r.Name)
			return registry.Lease{}, err
		}
		there, revision, err := d.look(contest, r.Name)
		if err != nil {
			return registry.Lease{}, err
		}
		if there != nil && !d.may(holder, r, there, revision) {
			return registry.Lease{}, session.ErrAgentTaken
		}
		contest.round(revision != last)
		last = revision
	}
	if contest.writes < tries {
		return registry.Lease{}, session.ErrMeshUnavailable
	}
	return registry.Lease{}, session.ErrAgentTaken // as others have had it all the time
}

// may reports whether a registration may replace an entry.
func (d *Directory) may(holder registry.Holder, r *registry.Registration, there *record.Entry, revision uint64) bool {
	switch {
	case d.ours(&there.Holder) && there.Holder.Session == holder.Session:
		return true
	case r.Epoch != 0 && r.Epoch == there.Epoch && holder.Identity == there.Holder.Identity: // [MESH-2.4]
		return true
	}
	// The stream takes a key away some time after its lease; this node may have seen it end.
	known := d.cache.Get(r.Name)
	return known != nil && known.Revision == revision && time.Now().After(known.Until)
}

// gained notes that a session holds a name, unless the session or the node has ended meanwhile. A
// session that ends later finds it noted.
func (d *Directory) gained(ctx context.Context, h *holder, entry record.Entry, revision uint64, start time.Time) (registry.Lease, error) {
	lease := leaseOf(&entry)
	d.mu.Lock()
	h.is, h.entry, h.revision, h.until, h.written = true, entry, revision, start.Add(lease.Lasts), start
	gone := d.closed
	d.mu.Unlock()
	if gone || ctx.Err() != nil {
		d.drop(entry.Name, h)
		return registry.Lease{}, session.ErrMeshUnavailable
	}
	d.cache.Put(agentOf(&entry, revision, start.Add(lease.Lasts)))
	return lease, nil
}

// Heartbeat lets a lease last anew.
func (d *Directory) Heartbeat(ctx context.Context, holder registry.Holder, name string) (registry.Lease, error) {
	d.mu.Lock()
	is := d.holds(holder, name)
	d.mu.Unlock()
	if !is { // which no key is made for
		return registry.Lease{}, session.ErrAgentUnknown
	}
	h, err := d.hold(ctx, name)
	if err != nil {
		return registry.Lease{}, err
	}
	defer d.let(name, h)
	d.mu.Lock()
	is = d.holds(holder, name)
	entry, revision, until, written := h.entry, h.revision, h.until, h.written
	d.mu.Unlock()
	lease := leaseOf(&entry)
	switch now := time.Now(); {
	case !is:
		return registry.Lease{}, session.ErrAgentUnknown
	case !now.Before(until): // [MESH-2.5]
		d.drop(name, h)
		return registry.Lease{}, session.ErrAgentUnknown
	case now.Sub(written) < min(lease.Lasts/10, time.Second): // it is looked at, and not written anew
		there, _, err := d.look(ctx, name)
		if err != nil {
			return registry.Lease{}, err
		}
		if !continues(there, &entry) {
			d.lost(h)
			return registry.Lease{}, session.ErrAgentUnknown
		}
		lease.Lasts = until.Sub(now)
		return lease, nil
	}
	contest, end := newContest(ctx)
	defer end()
	for contest.open() {
		begun := time.Now()
		wrote, err := d.write(contest, &entry, revision)
		if err == nil {
			return d.gained(ctx, h, entry, wrote, begun)
		}
		if !errors.Is(err, errStale) {
			return registry.Lease{}, err // it may have been written: the next one looks
		}
		there, last, err := d.look(contest, name)
		if err != nil {
			return registry.Lease{}, err
		}
		if !continues(there, &entry) {
			d.lost(h)
			return registry.Lease{}, session.ErrAgentUnknown
		}
		contest.round(revision != last)
		revision = last // written by a heartbeat of which nothing was heard
	}
	return registry.Lease{}, session.ErrMeshUnavailable
}

// continues reports whether what is in the bucket is the lease of an entry.
func continues(there, entry *record.Entry) bool {
	return there != nil && there.Holder == entry.Holder && there.Epoch == entry.Epoch
}

// holds reports whether a session holds a name. The lock is held.
func (d *Directory) holds(holder registry.Holder, name string) bool {
	h := d.held[name]
	return h != nil && h.is && h.entry.Holder.Session == holder.Session
}

// lost notes that a name is another's now, or nobody's.
func (d *Directory) lost(h *holder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h.is = false
}
