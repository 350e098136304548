package mxp

import (
	"context"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Agent is an agent whose lease is live; the lease is in microseconds.
type Agent = session.Agent

// agents is a directory that the connections of a server share.
type agents struct {
	mu        sync.Mutex
	born      time.Time
	directory *session.Directory
}

func newAgents() *agents {
	return &agents{born: time.Now(), directory: session.NewDirectory(session.DirectoryLimits{})}
}

// answer answers an agent request. The connection's lock is held.
func (a *agents) answer(c *conn, event session.Incoming) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := uint64(time.Since(a.born).Microseconds())
	var id uint64
	var lease session.Lease
	var err error
	switch in := event.(type) {
	case *session.Register:
		id = in.ID
		lease, err = a.directory.Enter(c.options.owner, &in.Registration, now)
	case *session.Heartbeat:
		id = in.ID
		lease, err = a.directory.Renew(c.options.owner, in.Name, now)
	case *session.Discover:
		if err := c.Engine.Session.RespondAgents(in.ID, a.directory.Find(&in.Query, now), c.Now()); err != nil {
			c.fail(in.ID, engine.Target{}, err)
		}
		return
	}
	if err == nil {
		err = c.Engine.Session.RespondLease(id, lease, c.Now())
	}
	if err != nil {
		c.fail(id, engine.Target{}, err)
	}
}

// release ends the leases of a connection that is gone.
func (a *agents) release(owner uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.directory.Release(owner)
}

// Register makes this program known by a name, with its capabilities, and returns how long the
// lease lasts. It ends with the connection.
func (c *Client) Register(ctx context.Context, name string, capabilities []string, lease time.Duration) (time.Duration, error) {
	got, err := c.RegisterBy(ctx, &session.Registration{Name: name, Capabilities: capabilities, Lease: uint64(lease.Microseconds())})
	return time.Duration(got.Lease) * time.Microsecond, err
}

// Heartbeat renews a lease, and returns how long it lasts.
func (c *Client) Heartbeat(ctx context.Context, name string) (time.Duration, error) {
	got, err := c.HeartbeatOf(ctx, name)
	return time.Duration(got.Lease) * time.Microsecond, err
}

// Discover finds the agents that can do something, or all if it is empty.
func (c *Client) Discover(ctx context.Context, capability string) ([]Agent, error) {
	listing, err := c.DiscoverBy(ctx, &session.Query{Capability: capability})
	return listing.Agents, err
}

func (c *Client) agents(ctx context.Context, make func(*session.Session, uint64) (uint64, error)) (reply Reply, err error) {
	err = c.with(ctx, &repetition{}, func(conn *conn) error {
		reply, err = conn.ask(ctx, engine.Small, func(now uint64) (uint64, error) { return make(conn.Engine.Session, now) })
		return err
	})
	return reply, engine.Located(err, engine.Target{}, c.at)
}
