package session

import (
	"maps"
	"math"
	"slices"
)

// Directory keeps agents by their names, while their leases are live
// [MXP-12.1]. One directory serves all sessions of a hub; an owner is a number
// that the hub has for each of them. It is not safe for use by several goroutines
// at once.
type Directory struct {
	limits DirectoryLimits
	agents map[string]*lease
	epoch  uint64 // that was given last
}

// DirectoryLimits bound a directory. A field that is 0 has its default; times are
// in microseconds.
type DirectoryLimits struct {
	Agents       int
	Capabilities int
	LeaseMin     uint64
	LeaseMax     uint64
}

// How many addresses and services an agent has at most.
const (
	agentAddresses = 16
	agentServices  = 64
)

type lease struct {
	owner                             uint64
	capabilities, addresses, services []string
	lasts                             uint64
	until                             uint64
	epoch                             uint64
}

// NewDirectory makes a directory without agents.
func NewDirectory(limits DirectoryLimits) *Directory {
	fill(&limits.Agents, Agents)
	fill(&limits.Capabilities, AgentCapabilities)
	fill(&limits.LeaseMin, LeaseMinUs)
	fill(&limits.LeaseMax, LeaseMaxUs)
	return &Directory{limits: limits, agents: map[string]*lease{}}
}

// Register gives a name to an owner, and returns how long the lease lasts
// [MXP-12.3].
func (d *Directory) Register(owner uint64, name string, capabilities []string, lasts, now uint64) (uint64, error) {
	given, err := d.Enter(owner, &Registration{Name: name, Capabilities: capabilities, Lease: lasts}, now)
	return given.Lease, err
}

// Enter is Register with all that a Registration says. The epoch that it says means
// nothing here: no owner takes a name over from another.
func (d *Directory) Enter(owner uint64, r *Registration, now uint64) (Lease, error) {
	if r.Name == "" || !distinct(r.Capabilities, d.limits.Capabilities) || !distinct(r.Addresses, agentAddresses) || !distinct(r.Services, agentServices) {
		return Lease{}, ErrAgentInvalid
	}
	d.expire(now)
	switch held := d.agents[r.Name]; {
	case held != nil && held.owner != owner:
		return Lease{}, ErrAgentTaken
	case held == nil && len(d.agents) >= d.limits.Agents:
		return Lease{}, ErrLimitAgents
	}
	lasts := min(max(r.Lease, d.limits.LeaseMin), d.limits.LeaseMax)
	d.epoch++
	d.agents[r.Name] = &lease{
		owner: owner, lasts: lasts, until: sum(now, lasts), epoch: d.epoch,
		capabilities: slices.Clone(r.Capabilities), addresses: slices.Clone(r.Addresses), services: slices.Clone(r.Services),
	}
	return Lease{Lease: lasts, Epoch: d.epoch}, nil
}

// distinct reports whether there are no more texts than can be, and none is empty or there twice.
func distinct(texts []string, most int) bool {
	if len(texts) > most {
		return false
	}
	seen := make(map[string]bool, len(texts))
	for _, c := range texts {
		if c == "" || seen[c] {
			return false
		}
		seen[c] = true
	}
	return true
}

// Heartbeat renews a lease, and returns how long it lasts [MXP-12.4].
func (d *Directory) Heartbeat(owner uint64, name string, now uint64) (uint64, error) {
	renewed, err := d.Renew(owner, name, now)
	return renewed.Lease, err
}

// Renew is Heartbeat, and returns the epoch too, which stays.
func (d *Directory) Renew(owner uint64, name string, now uint64) (Lease, error) {
	d.expire(now)
	held := d.agents[name]
	if held == nil || held.owner != owner {
		return Lease{}, ErrAgentUnknown
	}
	held.until = sum(now, held.lasts)
	return Lease{Lease: held.lasts, Epoch: held.epoch}, nil
}

// Discover gives the agents that have a capability, or all if it is empty, in the
// order of their names [MXP-12.5].
func (d *Directory) Discover(capability string, now uint64) []Agent {
	return d.Find(&Query{Capability: capability}, now)
}

// Find gives the agents that are all that a Query says, in the order of their names.
func (d *Directory) Find(q *Query, now uint64) []Agent {
	d.expire(now)
	var found []Agent
	for _, name := range slices.Sorted(maps.Keys(d.agents)) {
		held := d.agents[name]
		if has(held.capabilities, q.Capability) && has(held.services, q.Service) && (q.Name == "" || q.Name == name) {
			found = append(found, Agent{
				Name: name, Capabilities: held.capabilities, Lease: held.until - now,
				Addresses: held.addresses, Services: held.services, Epoch: held.epoch,
			})
		}
	}
	return found
}

// has reports whether a text is there, or nothing is asked about.
func has(texts []string, name string) bool { return name == "" || slices.Contains(texts, name) }

// Release ends all leases of an owner, whose session has ended [MXP-12.6].
func (d *Directory) Release(owner uint64) {
	maps.DeleteFunc(d.agents, func(_ string, l *lease) bool { return l.owner == owner })
}

// NextTimeout is the earliest end of a lease; ok is false if there is none.
func (d *Directory) NextTimeout() (time uint64, ok bool) {
	time = math.MaxUint64
	for _, held := range d.agents {
		time = min(time, held.until)
	}
	return time, len(d.agents) > 0
}

// expire ends the leases whose time has come.
func (d *Directory) expire(now uint64) {
	maps.DeleteFunc(d.agents, func(_ string, l *lease) bool { return l.until <= now })
}
