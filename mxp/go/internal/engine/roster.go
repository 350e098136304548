package engine

import (
	"slices"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// askAgain is how long a client waits where the node does not wait with its answer.
const askAgain = time.Second

// Roster is the agents of the mesh that a client follows [MESH-3.2], with their addresses.
type Roster struct {
	Failure *Failure // of the last question, or that the node knows of no agent; nil before the first
	unknown bool     // it is the latter
	version uint64
	agents  map[string][]string
}

// Version is that of the last answer.
func (r *Roster) Version() uint64 { return r.version }

// Fail notes that the node has not answered, and gives the pause before it is asked again. The
// agents that are known stay.
func (r *Roster) Fail(f *Failure) time.Duration {
	r.Failure, r.unknown = f, false
	return askAgain / 4
}

// List notes the agents that the node knows of, with the addresses that the client has a transport
// for. It gives the agents that are gone, or have other addresses; new agents at random, no more
// than session.FollowedAgents with the known ones; and the pause before the node is asked again.
func (r *Roster) List(there map[string][]string, version uint64, peer string, draw Draw) (removed, fresh []string, pause time.Duration) {
	for name, addresses := range r.agents {
		if !slices.Equal(there[name], addresses) {
			removed = append(removed, name)
			delete(r.agents, name)
		}
	}
	if r.agents == nil {
		r.agents = map[string][]string{}
	}
	var names []string
	for name := range there {
		if r.agents[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names) // so that the draws alone decide
	for len(names) > 0 && len(r.agents) < session.FollowedAgents {
		i := draw.below(len(names))
		name := names[i]
		names = slices.Delete(names, i, i+1)
		r.agents[name] = there[name]
		fresh = append(fresh, name)
	}
	unknown := Refusal(session.ErrAgentUnknown, false)
	unknown.Text, unknown.Peer = "the node knows of no such agent that can be reached", peer
	r.Failure, r.unknown = &unknown, true
	pause = session.AskingPauseUs * time.Microsecond
	if version == 0 || version == r.version {
		pause = askAgain
	}
	r.version = version
	return removed, fresh, pause
}

// Hopeless reports whether the node is not worth waiting for, while no agent is known. One may
// come at any time, as a server may.
func (r *Roster) Hopeless(passes func(*Failure) bool) bool {
	why := r.Failure
	if r.unknown {
		why = Unavailable("", "")
	}
	return why != nil && !passes(why)
}

// Because is why no agent is known.
func (r *Roster) Because(peer string) *Failure {
	if r.Failure == nil {
		return Unavailable("the node has not answered yet", peer)
	}
	why := *r.Failure
	return &why
}
