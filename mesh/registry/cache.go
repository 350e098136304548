package registry

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// Agent is a name that somebody holds, as a node knows it. It isn't changed once it is there.
type Agent struct {
	Name                              string
	Capabilities, Addresses, Services []string
	Epoch                             uint64
	Identity                          string
	// Node is the name of the node that its holder has a session with, which it had in its run as
	// its session of that number.
	Node         string
	Run, Session uint64
	// Lease is how long it lasts after each heartbeat, Until when that is over by this node's
	// clock. Revision is the number of the last write.
	Lease    time.Duration
	Until    time.Time
	Revision uint64
}

// same reports whether questions for the agent would have the same answer.
func (a *Agent) same(o *Agent) bool {
	return a.Epoch == o.Epoch && a.Node == o.Node && slices.Equal(a.Capabilities, o.Capabilities) &&
		slices.Equal(a.Addresses, o.Addresses) && slices.Equal(a.Services, o.Services)
}

// Filter chooses agents: agents that match all fields that are not empty.
type Filter struct{ Name, Capability, Service string }

// Matches reports whether an agent is asked for.
func (f Filter) Matches(a *Agent) bool {
	return (f.Name == "" || f.Name == a.Name) &&
		(f.Capability == "" || slices.Contains(a.Capabilities, f.Capability)) &&
		(f.Service == "" || slices.Contains(a.Services, f.Service))
}

// kinds of lists that a cache has of its agents.
const (
	byName = iota
	byCapability
	byService
	all
)

// place is a list of a cache: of one kind, under one name.
type place struct {
	kind int
	name string
}

// places are the lists that an agent is in.
func (a *Agent) places() iter.Seq[place] {
	return func(yield func(place) bool) {
		if !yield(place{all, ""}) || !yield(place{byName, a.Name}) {
			return
		}
		for _, one := range a.Capabilities {
			if !yield(place{byCapability, one}) {
				return
			}
		}
		for _, one := range a.Services {
			if !yield(place{byService, one}) {
				return
			}
		}
	}
}

// Cache is a node's knowledge of the agents of the mesh. It is safe for use by several goroutines.
type Cache struct {
	mu sync.RWMutex
	// lists have agents in the order of their names.
	lists map[place][]*Agent
	// waiting are told of each change of an agent that is in a list, or was.
	waiting map[place]map[*Waiter]struct{}
	// known is when it was last sure that nothing was missing; zero before that was so.
	known time.Time
}

// NewCache makes a cache that knows nothing.
func NewCache() *Cache {
	return &Cache{lists: map[place][]*Agent{}, waiting: map[place]map[*Waiter]struct{}{}}
}

func find(list []*Agent, name string) (int, bool) {
	return slices.BinarySearchFunc(list, name, func(a *Agent, name string) int { return strings.Compare(a.Name, name) })
}

// Get is the agent of a name, or nil.
func (c *Cache) Get(name string) *Agent {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.get(name)
}

func (c *Cache) get(name string) *Agent {
	if list := c.lists[place{byName, name}]; len(list) > 0 {
		return list[0]
	}
	return nil
}

// Len is how many agents there are.
func (c *Cache) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.lists[place{all, ""}])
}

// Put makes an agent known, and returns the agent that had the name before, or nil.
func (c *Cache) Put(a *Agent) *Agent {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.get(a.Name)
	if before != nil && before.Revision > a.Revision {
		return before
	}
	if before != nil && before.same(a) { // a heartbeat changes no list
		for at := range a.places() {
			i, _ := find(c.lists[at], a.Name)
			c.lists[at][i] = a
		}
		return before
	}
	if before != nil {
		c.take(before)
	}
	for at := range a.places() {
		list := c.lists[at]
		i, _ := find(list, a.Name)
		c.lists[at] = slices.Insert(list, i, a)
	}
	c.tell(before, a)
	return before
}

// Remove forgets the agent of a name if nothing newer than a revision was written of it, and
// returns it; nil if there is none.
func (c *Cache) Remove(name string, revision uint64) *Agent {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.get(name)
	if before == nil || before.Revision > revision {
		return nil
	}
	c.take(before)
	c.tell(before, nil)
	return before
}

func (c *Cache) take(a *Agent) {
	for at := range a.places() {
		list := c.lists[at]
		if i, found := find(list, a.Name); found {
			list = slices.Delete(list, i, i+1)
		}
		if c.lists[at] = list; len(list) == 0 {
			delete(c.lists, at)
		}
	}
}

// Know says that nothing was missing at a time. Leases that were over by then are ended: a
// heartbeat would have been seen.
func (c *Cache) Know(since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !since.After(c.known) {
		return
	}
	c.known = since
	var over []*Agent
	for _, a := range c.lists[place{all, ""}] {
		if a.Until.Before(since) {
			over = append(over, a)
		}
	}
	for _, a := range over {
		c.take(a)
		c.tell(a, nil)
	}
}

// Age is how long ago it was sure that nothing was missing; ok is false if it never was.
func (c *Cache) Age() (age time.Duration, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return max(time.Since(c.known), 0), !c.known.IsZero()
}

// Find gives the agents that are asked for, in the order of their names.
func (c *Cache) Find(f Filter) []*Agent {
	c.mu.RLock()
	defer c.mu.RUnlock()
	list := c.lists[place{all, ""}]
	for _, at := range f.places() {
		if one := c.lists[at]; len(one) <= len(list) {
			list = one
		}
	}
	found := make([]*Agent, 0, len(list))
	for _, a := range list {
		if f.Matches(a) {
			found = append(found, a)
		}
	}
	return found
}

// places are the lists in each of which all agents are that are asked for.
func (f Filter) places() (at []place) {
	for kind, name := range []string{byName: f.Name, byCapability: f.Capability, byService: f.Service} {
		if name != "" {
			at = append(at, place{kind, name})
		}
	}
	return at
}
