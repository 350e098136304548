package jetstream

import (
	"context"
	"time"
)

// spread lets as many nodes keep the bucket as there are, up to three. The first node that sees too
// few does it; the others find it done.
func (d *Directory) spread() {
	want := min(len(d.Nodes()), d.options.Replicas, replicasMax)
	if want == 2 { // of which each would be the majority's last
		want = 1
	}
	d.mu.Lock()
	has, busy := d.replica, d.spreading
	d.spreading = true
	d.mu.Unlock()
	if busy {
		return
	}
	if has >= want {
		d.spreads(has)
		return
	}
	d.running.Go(func() {
		ctx, cancel := context.WithTimeout(d.context, 10*time.Second)
		defer cancel()
		is, err := d.js.Stream(ctx, stream)
		if err == nil && is.CachedInfo().Config.Replicas >= want {
			d.spreads(is.CachedInfo().Config.Replicas)
			return
		}
		if err == nil {
			_, err = d.js.UpdateStream(ctx, d.config(want))
		}
		if err != nil {
			d.options.Logger.Debug("the directory can't be kept by more nodes yet", "replicas", want, "error", err)
			d.pause(time.Second)
			d.spreads(has)
			return
		}
		d.options.Logger.Info("the directory is kept by more nodes", "replicas", want)
		d.spreads(want)
	})
}

// spreads notes how many nodes keep the bucket.
func (d *Directory) spreads(replicas int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replica, d.spreading = replicas, false
}

// Replicas is how many nodes keep the bucket; 0 where it was not reached yet.
func (d *Directory) Replicas() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.replica
}
