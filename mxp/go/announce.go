package mxp

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

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
	Changed func(epoch uint64, lost error)
	Logger  *slog.Logger
}

// leaseTime is that of a registration that asks for none.
const leaseTime = 10 * time.Second

// Announcement keeps a program registered at its node: it renews the lease, and registers anew,
// with the last epoch, where the connection to the node is another or the lease was lost
// [MXP-12.3] [MESH-3.4].
type Announcement struct {
	asked   session.Registration // with the last epoch
	node    *Client
	options AnnounceOptions
	stop    context.CancelFunc
	done    chan struct{}

	mu      sync.Mutex
	epoch   uint64 // 0 while the name is lost
	lost    error  // why
	changed chan struct{}
}

// Announce begins to keep a registration: a name, addresses that the program serves, the names of
// the services, what else it can do, and a lease of ten seconds if it asks for none. It refuses an
// address of the node, or a name, that can't be.
func Announce(r session.Registration, options AnnounceOptions) (*Announcement, error) {
	if r.Lease == 0 {
		r.Lease = uint64(leaseTime.Microseconds())
	}
	if !isMeshName(r.Name) {
		f := refusal(session.ErrAgentInvalid, false)
		f.Text = "the name has other characters than letters, digits, - and _ in parts with a dot between two, or is too long"
		return nil, &f
	}
	node, err := Dial(NodeAddress(options.Node), ClientOptions{TLS: options.TLS, Dial: options.Dial, Logger: options.Logger})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	a := &Announcement{asked: r, node: node, options: options, stop: stop, done: newSignal(), changed: newSignal()}
	go a.run(ctx)
	return a, nil
}

// Epoch is that of the name's lease; 0 while the name is lost, or not registered yet.
func (a *Announcement) Epoch() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.epoch
}

// Registered waits until the name is registered, and returns the epoch. When the context ends, it
// returns why it is not.
func (a *Announcement) Registered(ctx context.Context) (uint64, error) {
	for {
		a.mu.Lock()
		epoch, lost, changed := a.epoch, a.lost, a.changed
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
		asked, cancel := context.WithTimeout(ctx, leaseTime)
		lease, err := a.node.RegisterBy(asked, &a.asked)
		cancel()
		if err != nil {
			a.change(ctx, 0, err)
			pause(ctx, askAgain/2)
			continue
		}
		a.asked.Epoch = lease.Epoch
		a.change(ctx, max(lease.Epoch, 1), nil) // directories of 0.3 have none
		a.renew(ctx, lease.Lease)
	}
}

// renew keeps a lease, in microseconds, until it is lost or the connection is another. Whatever the
// node says, a heartbeat follows in no less than a third of the shortest lease.
func (a *Announcement) renew(ctx context.Context, lasts uint64) {
	lease := time.Duration(min(max(lasts, session.LeaseMinUs), session.LeaseMaxUs)) * time.Microsecond
	conn, _ := a.node.current(ctx)
	if conn == nil {
		return
	}
	until := time.Now().Add(lease)
	for {
		select {
		case <-conn.done:
			return
		case <-ctx.Done():
			return
		case <-time.After(lease / 3):
		}
		asked, cancel := context.WithDeadline(ctx, until)
		sent := time.Now()
		_, err := a.node.HeartbeatOf(asked, a.asked.Name)
		cancel()
		switch {
		case err == nil:
			until = sent.Add(lease)
		case errors.Is(err, session.ErrAgentUnknown) || !time.Now().Before(until):
			a.change(ctx, 0, err)
			return
		}
	}
}

// change tells of the state of the name, if it is another.
func (a *Announcement) change(ctx context.Context, epoch uint64, lost error) {
	a.mu.Lock()
	was, first := a.epoch, a.lost == nil && lost != nil && a.epoch == 0
	a.epoch, a.lost = epoch, lost
	close(a.changed)
	a.changed = newSignal()
	a.mu.Unlock()
	if ctx.Err() == nil && a.options.Changed != nil && (epoch != was || first) {
		a.options.Changed(epoch, lost)
	}
}
