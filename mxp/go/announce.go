package mxp

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// AnnounceOptions are what a registration is kept with. The zero value is useful.
type AnnounceOptions struct {
	// Node is the address of the program's own node; if it is empty, NodeAddress says where that is.
	Node string
	TLS  *tls.Config // of a client, for a node at mxp+tls
	// Dial is that of ClientOptions.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Changed is told each epoch that the name is given, and each loss, by an epoch of 0 and the
	// reason. It is called by one goroutine, which renews the lease meanwhile no further.
	Changed func(epoch uint64, why error)
	Logger  *slog.Logger
}

// Announcement keeps a program registered at its node: it renews the lease, and registers anew,
// with the last epoch, where the connection to the node is another or the lease was lost
// [MXP-12.3] [MESH-3.4].
type Announcement struct {
	node    *Client
	options AnnounceOptions
	stop    context.CancelFunc
	done    chan struct{}

	mu      sync.Mutex
	lease   engine.Lease
	changed chan struct{}
}

// Announce begins to keep a registration: a name, addresses that the program serves, the names of
// the services, what else it can do, and a lease of ten seconds if it asks for none. It refuses an
// address of the node, or a name, that can't be.
func Announce(r session.Registration, options AnnounceOptions) (*Announcement, error) {
	if !isMeshName(r.Name) {
		f := engine.Refusal(session.ErrAgentInvalid, false)
		f.Text = "the name has other characters than letters, digits, - and _ in parts with a dot between two, or is too long"
		return nil, &f
	}
	node, err := Dial(NodeAddress(options.Node), ClientOptions{TLS: options.TLS, Dial: options.Dial, Logger: options.Logger})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	a := &Announcement{lease: engine.NewLease(r), node: node, options: options, stop: stop, done: newSignal(), changed: newSignal()}
	go a.run(ctx)
	return a, nil
}

// Epoch is that of the name's lease; 0 while the name is lost, or not registered yet.
func (a *Announcement) Epoch() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease.Epoch
}

// Registered waits until the name is registered, and returns the epoch. When the context ends, it
// returns why it is not.
func (a *Announcement) Registered(ctx context.Context) (uint64, error) {
	for {
		a.mu.Lock()
		epoch, lost, changed := a.lease.Epoch, a.lease.Lost, a.changed
		a.mu.Unlock()
		if epoch != 0 {
			return epoch, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if lost == nil {
				lost = ctx.Err()
			}
			return 0, lost
		}
	}
}

// Close gives the name up.
func (a *Announcement) Close() {
	a.stop()
	<-a.done
}

func (a *Announcement) run(ctx context.Context) {
	defer close(a.done)
	defer a.node.Close()
	for ctx.Err() == nil {
		asked, cancel := context.WithTimeout(ctx, a.lease.RegisterWithin())
		lease, err := a.node.RegisterBy(asked, &a.lease.Asked)
		cancel()
		if err != nil {
			a.change(ctx, func(l *engine.Lease) bool { return l.Lose(err) })
			pause(ctx, a.lease.RegisterAfter())
			continue
		}
		a.change(ctx, func(l *engine.Lease) bool { return l.Registered(lease, time.Now()) })
		a.renew(ctx)
	}
}

// renew keeps the lease until it is lost or the connection is another.
func (a *Announcement) renew(ctx context.Context) {
	conn, _ := a.node.current(ctx)
	if conn == nil {
		return
	}
	for {
		select {
		case <-conn.Done():
			return
		case <-ctx.Done():
			return
		case <-time.After(a.lease.HeartbeatAfter()):
		}
		asked, cancel := context.WithDeadline(ctx, a.lease.Until())
		sent := time.Now()
		_, err := a.node.HeartbeatOf(asked, a.lease.Asked.Name)
		cancel()
		if a.lease.Heartbeat(err, sent, time.Now()) {
			a.change(ctx, func(l *engine.Lease) bool { return l.Lose(err) })
			return
		}
	}
}

// change changes the standing of the name, and tells of it if it is another.
func (a *Announcement) change(ctx context.Context, do func(*engine.Lease) bool) {
	a.mu.Lock()
	news := do(&a.lease)
	epoch, lost := a.lease.Epoch, a.lease.Lost
	close(a.changed)
	a.changed = newSignal()
	a.mu.Unlock()
	if ctx.Err() == nil && a.options.Changed != nil && news {
		a.options.Changed(epoch, lost)
	}
}
