package session

import (
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/registry"
)

// Registration asks for a name.
type Registration = registry.Registration

// Query asks for agents.
type Query = registry.Query

// Lease answers a Registration, and a heartbeat.
type Lease = registry.Lease

// Listing answers a Query.
type Listing = registry.Agents

// RegisterBy is Register with all that a Registration has.
func (s *Session) RegisterBy(r *Registration, now uint64) (id uint64, err error) {
	return s.agents(frame.AgentRegister, r, now)
}

// DiscoverBy is Discover with all that a Query has.
func (s *Session) DiscoverBy(q *Query, now uint64) (id uint64, err error) {
	return s.agents(frame.AgentDiscover, q, now)
}

// DecodeWholeLease reads the value of a Response to Register or Heartbeat.
func DecodeWholeLease(value []byte) (lease Lease, err error) {
	err = registry.DecodeLease(&lease, value)
	return lease, err
}

// DecodeListing reads the value of a Response to Discover.
func DecodeListing(value []byte) (listing Listing, err error) {
	err = registry.DecodeAgents(&listing, value)
	return listing, err
}
