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
}

// DirectoryLimits bound a directory. A field that is 0 has its default; times are
// in microseconds.
type DirectoryLimits struct {
	Agents       int
	Capabilities int
	LeaseMin     uint64
	LeaseMax     uint64
}

type lease struct {
	owner        uint64
	capabilities []string
	lasts        uint64
	until        uint64
}

// NewDirectory makes a directory without agents.
func NewDirectory(limits DirectoryLimits) *Directory {
	fill(&limits.Agents, Agents)
	fill(&limits.Capabilities, AgentCapabilities)
	fill(&limits.LeaseMin, LeaseMinUs)
	fill(&limits.LeaseMax, LeaseMaxUs)
	return &Directory{limits, map[string]*lease{}}
}

// Register gives a name to an owner, and returns how long the lease lasts
// [MXP-12.3].
func (d *Directory) Register(owner uint64, name string, capabilities []string, lasts, now uint64) (uint64, error) {
	if name == "" || len(capabilities) > d.limits.Capabilities || !distinct(capabilities) {
		return 0, ErrAgentInvalid
	}
	d.expire(now)
	switch held := d.agents[name]; {
	case held != nil && held.owner != owner:
		return 0, ErrAgentTaken
	case held == nil && len(d.agents) >= d.limits.Agents:
		return 0, ErrLimitAgents
	}
	lasts = min(max(lasts, d.limits.LeaseMin), d.limits.LeaseMax)
	d.agents[name] = &lease{owner, slices.Clone(capabilities), lasts, sum(now, lasts)}
	return lasts, nil
}

// distinct reports whether no capability is empty or there twice.
func distinct(capabilities []string) bool {
	seen := make(map[string]bool, len(capabilities))
	for _, c := range capabilities {
		if c == "" || seen[c] {
			return false
		}
		seen[c] = true
	}
	return true
}

// Heartbeat renews a lease, and returns how long it lasts [MXP-12.4].
func (d *Directory) Heartbeat(owner uint64, name string, now uint64) (uint64, error) {
	d.expire(now)
	held := d.agents[name]
	if held == nil || held.owner != owner {
		return 0, ErrAgentUnknown
	}
	held.until = sum(now, held.lasts)
	return held.lasts, nil
}

// Discover gives the agents that have a capability, or all if it is empty, in the
// order of their names [MXP-12.5].
func (d *Directory) Discover(capability string, now uint64) []Agent {
	d.expire(now)
	var found []Agent
	for _, name := range slices.Sorted(maps.Keys(d.agents)) {
		held := d.agents[name]
		if capability == "" || slices.Contains(held.capabilities, capability) {
			found = append(found, Agent{Name: name, Capabilities: held.capabilities, Lease: held.until - now})
		}
	}
	return found
}

// Release ends all leases of an owner, whose session has ended [MXP-12.6].
func (d *Directory) Release(owner uint64) {
	maps.DeleteFunc(d.agents, func(_ string, held *lease) bool { return held.owner == owner })
}

// NextTimeout is the earliest end of a lease; ok is false if there is none.
func (d *Directory) NextTimeout() (at uint64, ok bool) {
	at = math.MaxUint64
	for _, held := range d.agents {
		at = min(at, held.until)
	}
	return at, len(d.agents) > 0
}

// expire ends the leases whose time has come.
func (d *Directory) expire(now uint64) {
	maps.DeleteFunc(d.agents, func(_ string, held *lease) bool { return held.until <= now })
}
