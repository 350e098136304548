package mxp

import (
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Directory answers agent requests of a server's peers instead of a directory of its own [MXP-12.2].
// Its methods are called in goroutines of their own. A context ends with the connection, when the
// request is cancelled, and, of Discover, when the connection begins to drain. An error that is a
// *Failure, or a session.Kind, is told as it is.
type Directory interface {
	Register(ctx context.Context, owner Owner, r *session.Registration) (session.Lease, error)
	Heartbeat(ctx context.Context, owner Owner, name string) (session.Lease, error)
	Discover(ctx context.Context, owner Owner, q *session.Query) (*session.Listing, error)
	// Release ends the leases of a connection that is gone.
	Release(owner Owner)
}

// Owner is the connection of a peer that asks a directory.
type Owner struct {
	// Number is another one for each connection of a server.
	Number uint64
	Peer   *Peer
}

func (c *conn) owner() Owner { return Owner{c.options.owner, c.options.who} }

// askDirectory lets the server's directory answer an agent request. The lock is held.
func (c *conn) askDirectory(event session.Incoming) {
	d, owner := c.options.directory, c.owner()
	switch in := event.(type) {
	case *session.Register:
		c.directed(in.ID, func(ctx context.Context, _ *Request) ([]byte, error) {
			lease, err := d.Register(ctx, owner, &in.Registration)
			return encodedLease(&lease, err)
		})
	case *session.Heartbeat:
		c.directed(in.ID, func(ctx context.Context, _ *Request) ([]byte, error) {
			lease, err := d.Heartbeat(ctx, owner, in.Name)
			return encodedLease(&lease, err)
		})
	case *session.Discover:
		c.directed(in.ID, func(ctx context.Context, r *Request) ([]byte, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if in.Version != 0 { // it may wait
				go func() {
					select {
					case <-r.Draining():
						cancel()
					case <-ctx.Done():
					}
				}()
			}
			listing, err := d.Discover(ctx, owner, &in.Query)
			if err != nil {
				return nil, err
			}
			return listing.AppendBinary(nil)
		})
	}
}

func encodedLease(lease *session.Lease, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return lease.AppendBinary(nil)
}

// directed answers an agent request in a goroutine of its own. The lock is held.
func (c *conn) directed(id uint64, answer func(ctx context.Context, r *Request) ([]byte, error)) {
	d := &directoryRequest{answer: answer, conn: c, id: id}
	d.take(&Request{Peer: c.options.who, conn: c}, 0, nil)
	c.Engine.Serve(id, d)
	d.Begin()
}

// directoryRequest is an agent request that a directory answers.
type directoryRequest struct {
	handlerContext
	answer func(ctx context.Context, r *Request) ([]byte, error)
	conn   *conn
	id     uint64
}

// Begin lets the directory answer.
func (d *directoryRequest) Begin() {
	go func() {
		value, err := d.answer(d, d.request)
		if err != nil {
			err = Refuse(failureOf(err)) // nobody has acted on what a directory refuses
		}
		d.conn.respond(d, d.id, engine.Target{}, Reply{Value: value}, err)
	}()
}

// RegisterBy makes this program known as a Registration says.
func (c *Client) RegisterBy(ctx context.Context, r *session.Registration) (session.Lease, error) {
	reply, err := c.agents(ctx, func(s *session.Session, now uint64) (uint64, error) { return s.RegisterBy(r, now) })
	if err != nil {
		return session.Lease{}, err
	}
	return understood(session.DecodeWholeLease(reply.Value))
}

// HeartbeatOf renews a lease, and returns all that is said of it.
func (c *Client) HeartbeatOf(ctx context.Context, name string) (session.Lease, error) {
	reply, err := c.agents(ctx, func(s *session.Session, now uint64) (uint64, error) { return s.Heartbeat(name, now) })
	if err != nil {
		return session.Lease{}, err
	}
	return understood(session.DecodeWholeLease(reply.Value))
}

// DiscoverBy finds the agents that are all that a Query says.
func (c *Client) DiscoverBy(ctx context.Context, q *session.Query) (session.Listing, error) {
	reply, err := c.agents(ctx, func(s *session.Session, now uint64) (uint64, error) { return s.DiscoverBy(q, now) })
	if err != nil {
		return session.Listing{}, err
	}
	return understood(session.DecodeListing(reply.Value))
}

// understood is an answer of the directory's; one that can't be decoded is a failure [MXP-13.5].
func understood[T any](answer T, err error) (T, error) {
	if err != nil {
		return answer, badResponse(err)
	}
	return answer, nil
}
