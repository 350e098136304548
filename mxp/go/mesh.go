package mxp

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// meshPrefix is what addresses begin with that name agents instead of places.
const meshPrefix = "mesh:///"

// nameBytes is how long a name in the mesh is at most.
const nameBytes = 128

// meshQuery reads an address of the mesh: mesh:///name, or mesh:///?capability=c&service=s
// [MESH-3.1].
func meshQuery(text string) (q session.Query, err error) {
	rest := strings.TrimPrefix(text, meshPrefix)
	words, asks := strings.CutPrefix(rest, "?")
	if !asks {
		words = "name=" + rest
	}
	for _, word := range strings.Split(words, "&") {
		key, value, _ := strings.Cut(word, "=")
		place := map[string]*string{"capability": &q.Capability, "service": &q.Service, "name": &q.Name}[key]
		switch {
		case place == nil:
			return q, invalid("%q asks for %q, which is none of capability, service and name", text, key)
		case *place != "":
			return q, invalid("%q has two of %s", text, key)
		case !isMeshName(value):
			return q, invalid("%q has %q as %s, which is no name: parts of letters, digits, - and _, with a dot between two, up to %d bytes", text, value, key, nameBytes)
		}
		*place = value
	}
	return q, nil
}

// CheckAddress refuses what Dial does not take, with a *Failure that is session.ErrAddressInvalid.
func CheckAddress(text string) error {
	if strings.HasPrefix(text, meshPrefix) {
		_, err := meshQuery(text)
		return err
	}
	_, err := ParseAddress(text)
	return err
}

// isMeshName reports whether a text can be a name, or a capability [MESH-2.1].
func isMeshName(text string) bool {
	if len(text) > nameBytes {
		return false
	}
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	return !slices.ContainsFunc(strings.Split(text, "."), func(part string) bool { return part == "" || strings.ContainsFunc(part, odd) })
}

// NodeAddress is where a program's own node is [MESH-1.3]: what it was told, or what the
// environment's MXP_MESH says, or the socket in XDG_RUNTIME_DIR, or in /run.
func NodeAddress(told string) string {
	if told == "" {
		told = os.Getenv("MXP_MESH")
	}
	if told != "" {
		return told
	}
	folder := os.Getenv("XDG_RUNTIME_DIR")
	if folder == "" {
		folder = "/run"
	}
	return addressOf(unixTransport.Scheme, filepath.Join(folder, "sdp-mesh", "node.sock"))
}

// following keeps a client connected to the agents that a node knows of [MESH-3.2].
type following struct {
	client *Client
	node   *Client
	query  session.Query

	agents map[string]*agentAt // by name

	// Under the client's lock, while there are no endpoints.
	failure *Failure // of the last question, or nil
	unknown bool     // the node knows of no such agent, which is what failure says
}

// agentAt is an agent that the client has a connection for, or will have.
type agentAt struct {
	places    []Address
	endpoints []*endpoint
}

// follow makes the client one of agents.
func (c *Client) follow(at string) error {
	query, err := meshQuery(at)
	if err != nil {
		return err
	}
	node, err := Dial(NodeAddress(c.options.Node), ClientOptions{
		TLS: c.options.TLS, Dial: c.options.Dial, Logger: c.options.Logger, ConnectTimeout: c.options.ConnectTimeout,
	})
	if err != nil {
		return err
	}
	c.at = at
	c.following = &following{client: c, node: node, query: query, agents: map[string]*agentAt{}}
	return nil
}

// askAgain is how long the client waits where the node does not wait with its answer.
const askAgain = time.Second

// run asks the node again and again, until the client is closed.
func (f *following) run() {
	defer f.client.running.Done()
	defer f.node.Close()
	ctx := f.client.context
	for ctx.Err() == nil && !f.client.leaving.Load() {
		known := f.query.Version
		listing, err := f.node.DiscoverBy(ctx, &f.query)
		if err != nil {
			f.failed(err)
			pause(ctx, askAgain/4)
			continue
		}
		f.take(listing.Agents)
		rest := session.AskingPauseUs * time.Microsecond
		if f.query.Version = listing.Version; listing.Version == 0 || listing.Version == known {
			rest = askAgain
		}
		pause(ctx, rest)
	}
}

// pause waits for so long, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// failed notes that the node has not answered. The agents that are known stay.
func (f *following) failed(err error) {
	why := new(Failure)
	if !errors.As(err, &why) {
		why = notConnected(session.StatusUnavailable, err.Error(), f.client.at)
	}
	c := f.client
	c.mu.Lock()
	defer c.mu.Unlock()
	f.failure, f.unknown = why, false
	c.change()
}

// take makes the endpoints those of the agents that the node knows of, and of no more than
// session.FollowedAgents of them: the ones that are known already, and others at random.
func (f *following) take(agents []Agent) {
	c := f.client
	there := make(map[string][]Address, len(agents))
	for i := range agents {
		if places := placesOf(&agents[i]); len(places) > 0 {
			there[agents[i].Name] = places
		}
	}
	for name, agent := range f.agents {
		if !slices.Equal(there[name], agent.places) {
			agent.retire()
			delete(f.agents, name)
		}
	}
	names := slices.Collect(maps.Keys(there))
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		if f.agents[name] == nil && len(f.agents) < session.FollowedAgents {
			f.agents[name] = f.enter(there[name])
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	unknown := refusal(session.ErrAgentUnknown, false)
	unknown.Text, unknown.Peer = "the node knows of no such agent that can be reached", c.at
	f.failure, f.unknown = &unknown, true
	c.change()
}

// placesOf are those of an agent's addresses that the program has a transport for.
func placesOf(agent *Agent) (places []Address) {
	for _, text := range agent.Addresses {
		if place, err := ParseAddress(text); err == nil {
			places = append(places, place)
		}
	}
	return places
}

// enter connects to an agent.
func (f *following) enter(places []Address) *agentAt {
	made := &agentAt{places: places}
	for range max(f.client.options.Connections, 1) {
		e := f.client.endpoint(places[0].String(), places[0])
		e.places = places
		made.endpoints = append(made.endpoints, e)
		f.client.join(e)
	}
	return made
}

// retire lets nothing more be asked of an agent.
func (a *agentAt) retire() {
	for _, e := range a.endpoints {
		e.retire()
	}
}

// join lets requests be made on an endpoint, once it is connected.
func (c *Client) join(e *endpoint) {
	e.context, e.stop = context.WithCancel(c.context)
	c.mu.Lock()
	c.endpoints = append(c.endpoints, e)
	c.change()
	c.mu.Unlock()
	c.running.Add(1) // whoever joins one runs, and is counted
	go e.run()
}

// retire asks nothing more on an endpoint. What is in flight goes on, and then the connection
// ends.
func (e *endpoint) retire() {
	c := e.client
	e.stop()
	c.mu.Lock()
	conn := e.conn
	e.conn = nil
	c.endpoints = slices.DeleteFunc(slices.Clone(c.endpoints), func(one *endpoint) bool { return one == e })
	c.change()
	c.mu.Unlock()
	if conn != nil {
		conn.drain("the agent is gone")
	}
}

// elsewhere takes the agent's next address after an attempt that has failed.
func (e *endpoint) elsewhere() {
	if len(e.places) < 2 {
		return
	}
	e.places = append(slices.Clone(e.places[1:]), e.places[0])
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.address, e.at = e.places[0], e.places[0].String()
	e.common.peer = e.at
	e.common.config.OfferChecksumOff = e.address.Transport.Protects.bytes()
}
