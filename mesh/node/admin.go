package node

import (
	"context"

	"github.com/serial-data-protocol/sdp/mesh/node/admin"
	"github.com/serial-data-protocol/sdp/mesh/policy"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// administration tells the node's own user, and root, how it is.
type administration struct{ node *Node }

func (a administration) allowed(ctx context.Context) error {
	if user := userOf(mxp.RequestFrom(ctx).Peer.Process); user != "" && (user == ownUser() || user == policy.Local(0)) {
		return nil
	}
	return mxp.Refuse(mxp.Failure{Status: session.StatusPermissionDenied, Name: session.ErrMeshDenied.String(), Text: "only the node's own user, and root, may ask that, on its socket"})
}

// Status is the state of the node, and its view of others.
func (a administration) Status(ctx context.Context, _ *admin.Ask) (*admin.Status, error) {
	if err := a.allowed(ctx); err != nil {
		return nil, err
	}
	n := a.node
	age, ok := n.available()
	status := &admin.Status{
		Name: n.config.Name, Version: n.version, Available: ok, Age: uint64(age.Microseconds()),
		Agents: uint32(n.registry.Cache().Len()), Replicas: uint32(n.registry.Replicas()),
	}
	for _, one := range n.registry.Nodes() {
		status.Nodes = append(status.Nodes, admin.Node{
			Name: one.Name, Version: one.Version, Relay: one.Relay, Started: one.Started, Agents: uint32(one.Agents),
			Drains: one.Drains, Seen: uint64(one.Seen.Microseconds()),
		})
	}
	return status, nil
}

// Drain ends the node, once what is in flight has ended.
func (a administration) Drain(ctx context.Context, _ *admin.Ask) (*admin.Drained, error) {
	if err := a.allowed(ctx); err != nil {
		return nil, err
	}
	a.node.end()
	return &admin.Drained{}, nil
}
