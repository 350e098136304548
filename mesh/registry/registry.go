// Package registry keeps the agents of a mesh: the holder of each name, the end of its lease, and its
// description. Registry keeps it for all nodes; Cache is one node's copy of it, from which questions
// are answered. It knows neither MXP nor what addresses a program can reach.
package registry

import (
	"context"
	"time"
)

// Holder is the session of a program with this node, for which names are held.
type Holder struct {
	// Session is another one for each session that the node has had since it started.
	Session uint64
	// Identity is that of the program, as policies have it.
	Identity string
}

// Registration asks for a name.
type Registration struct {
	Name                              string
	Capabilities, Addresses, Services []string
	// Lease is how long it is to last without a heartbeat. The registry's bounds are kept.
	Lease time.Duration
	// Epoch is that of the name's live lease, which is to be taken over; 0 if there is none.
	Epoch uint64
}

// Lease is the result of a registration and of a heartbeat.
type Lease struct {
	// Lasts is the time in which a heartbeat is due.
	Lasts time.Duration
	// Epoch is greater than that of each lease of the name that was given before.
	Epoch uint64
}

// Registry keeps the names of a mesh for all its nodes. Its errors are session.Kind: ErrAgentInvalid,
// ErrAgentTaken, ErrAgentUnknown, ErrLimitAgents, and ErrMeshUnavailable where it can't be known
// whether something was done. Methods may be called by several goroutines at once.
type Registry interface {
	// Register gives a name that nobody holds, or that the holder itself has, or whose epoch
	// a holder of the same identity knows [MESH-2.2, MESH-2.4].
	Register(ctx context.Context, holder Holder, r *Registration) (Lease, error)
	// Heartbeat lets a lease last anew.
	Heartbeat(ctx context.Context, holder Holder, name string) (Lease, error)
	// Release ends the leases of a session that is gone. It returns at once.
	Release(session uint64)
	// Cache is what this node knows.
	Cache() *Cache
	// Close ends the leases of all sessions of this node, and returns when that is done, or
	// when the context ends.
	Close(ctx context.Context) error
}

// Bounds are what a registry gives at most and at least.
type Bounds struct {
	LeaseMin, LeaseMax time.Duration
	// Agents is how many there may be in the whole mesh.
	Agents int
}

// Clamp is the lease that is given where one is asked for.
func (b Bounds) Clamp(lease time.Duration) time.Duration {
	return min(max(lease, b.LeaseMin), b.LeaseMax)
}
