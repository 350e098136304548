package jetstream

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mesh/registry/jetstream/record"
)

// watch reads what is in the bucket, and then all that is written to it, until the end or until it
// can't go on.
func (d *Directory) watch() {
	ctx, cancel := context.WithCancel(d.context)
	defer cancel()
	values, err := d.js.KeyValue(ctx, bucket)
	if err != nil {
		d.pause(200 * time.Millisecond)
		return
	}
	watcher, err := values.WatchAll(ctx)
	if err != nil {
		d.options.Logger.Warn("the directory can't be watched", "error", err)
		d.pause(200 * time.Millisecond)
		return
	}
	defer func() {
		watcher.Stop()
		go func() { // whoever is about to tell of a write would wait for ever
			for range watcher.Updates() {
			}
		}()
	}()
	seen := map[string]bool{} // until all that was there has come
	pulse := time.NewTicker(pulseEvery)
	defer pulse.Stop()
	d.pulse()
	for {
		select {
		case <-d.context.Done():
			return
		case <-pulse.C:
			if d.stalls() {
				d.options.Logger.Info("the directory is watched anew")
				return
			}
			d.pulse()
			d.spread()
		case entry, ok := <-watcher.Updates():
			switch {
			case !ok:
				return
			case entry == nil:
				d.begun(seen)
				seen = nil
			default:
				if seen != nil {
					seen[entry.Key()] = true
				}
				d.wrote(entry)
			}
		}
	}
}

// begun notes that all that was in the bucket has come. Agents that were known before and are not
// in it are gone.
func (d *Directory) begun(visited map[string]bool) {
	for _, a := range d.cache.Find(registry.Filter{}) {
		if !visited[agentKey(a.Name)] {
			d.cache.Remove(a.Name, a.Revision)
		}
	}
	select {
	case <-d.ready:
	default:
		close(d.ready)
	}
}

// wrote notes what somebody has written.
func (d *Directory) wrote(entry jetstream.KeyValueEntry) {
	if name, ok := nameOf(entry.Key(), nodePrefix); ok {
		d.beat(name, entry)
		return
	}
	name, ok := nameOf(entry.Key(), agentPrefix)
	if !ok {
		return
	}
	if entry.Operation() != jetstream.KeyValuePut {
		d.cache.Remove(name, entry.Revision())
		d.taken(name, entry.Revision(), nil)
		return
	}
	var agent record.Entry
	if err := agent.UnmarshalBinary(entry.Value()); err != nil || agent.Name != name {
		d.options.Logger.Error("the directory has an entry that can't be read", "key", entry.Key(), "error", err)
		return
	}
	if agent.Epoch == 0 {
		agent.Epoch = entry.Revision()
	}
	d.cache.Put(agentOf(&agent, entry.Revision(), time.Now().Add(leaseOf(&agent).Lasts)))
	d.taken(name, entry.Revision(), &agent.Holder)
	if h := agent.Holder; d.forsaken(name, h.Node, h.Run, h.Session) {
		d.running.Go(func() { d.eraseSoon(d.context, name, entry.Revision()) })
	}
}

// taken notes that a session of this node has lost a name, to another or to nobody, by a later
// write.
func (d *Directory) taken(name string, revision uint64, holder *record.Holder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.held[name]
	if h == nil || !h.is || h.revision >= revision || holder != nil && *holder == h.entry.Holder {
		return
	}
	h.is = false
	if len(h.busy) > 0 { // nobody asks about it
		delete(d.held, name)
	}
}

func agentOf(e *record.Entry, revision uint64, deadline time.Time) *registry.Agent {
	return &registry.Agent{
		Name: e.Name, Capabilities: e.Capabilities, Addresses: e.Addresses, Services: e.Services, Epoch: e.Epoch,
		Identity: e.Holder.Identity, Node: e.Holder.Node, Run: e.Holder.Run, Session: e.Holder.Session,
		Lease: leaseOf(e).Lasts, Until: deadline, Revision: revision,
	}
}
