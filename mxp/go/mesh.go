package mxp

import (
	"context"
	"errors"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
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

// NodeAddress is the address of a program's own node [MESH-1.3]: the given address, or else the
// environment's MXP_MESH, or else the socket in XDG_RUNTIME_DIR, or in /run; on Windows the pipe sdp-mesh.
func NodeAddress(address string) string {
	if address == "" {
		address = os.Getenv("MXP_MESH")
	}
	if address != "" {
		return address
	}
	if runtime.GOOS == "windows" {
		return addressOf(pipeScheme, "sdp-mesh")
	}
	folder := os.Getenv("XDG_RUNTIME_DIR")
	if folder == "" {
		folder = "/run"
	}
	return addressOf(unixTransport.Scheme, path.Join(folder, "sdp-mesh", "node.sock"))
}

// agentFollower keeps a client connected to the agents that a node knows of [MESH-3.2].
type agentFollower struct {
	client *Client
	node   *Client
	query  session.Query

	agents map[string][]*endpoint // by name
	roster engine.Roster          // under the client's lock
}

// follow makes the client one of agents.
func (c *Client) follow(address string) error {
	query, err := meshQuery(address)
	if err != nil {
		return err
	}
	node, err := Dial(NodeAddress(c.options.Node), ClientOptions{
		TLS: c.options.TLS, Dial: c.options.Dial, Logger: c.options.Logger, ConnectTimeout: c.options.ConnectTimeout,
	})
	if err != nil {
		return err
	}
	c.at = address
	c.following = &agentFollower{client: c, node: node, query: query, agents: map[string][]*endpoint{}}
	return nil
}

// run asks the node again and again, until the client is closed.
func (f *agentFollower) run() {
	defer f.client.running.Done()
	defer f.node.Close()
	ctx := f.client.context
	for f.client.asks.Err() == nil {
		var rest time.Duration
		if listing, err := f.node.DiscoverBy(ctx, &f.query); err != nil {
			rest = f.failed(err)
		} else {
			rest = f.take(listing)
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

// failed notes that the node has not answered, and gives the pause before it is asked again.
func (f *agentFollower) failed(err error) time.Duration {
	why := new(Failure)
	if !errors.As(err, &why) {
		why = engine.Unavailable(err.Error(), f.client.at)
	}
	c := f.client
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.change()
	return f.roster.Fail(why)
}

// take makes the endpoints follow the agents that the node knows of, and gives the pause before it
// is asked again.
func (f *agentFollower) take(listing session.Listing) time.Duration {
	there := make(map[string][]Address, len(listing.Agents))
	texts := make(map[string][]string, len(listing.Agents))
	for i := range listing.Agents {
		agent := &listing.Agents[i]
		for _, place := range placesOf(agent) {
			there[agent.Name] = append(there[agent.Name], place)
			texts[agent.Name] = append(texts[agent.Name], place.String())
		}
	}
	c := f.client
	c.mu.Lock()
	gone, added, rest := f.roster.List(texts, listing.Version, c.at, draw.Part)
	f.query.Version = listing.Version
	c.mu.Unlock()
	for _, name := range gone {
		for _, e := range f.agents[name] {
			e.retire()
		}
		delete(f.agents, name)
	}
	for _, name := range added {
		f.agents[name] = f.enter(there[name])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change()
	return rest
}

// placesOf are the addresses of an agent that the program has a transport for.
func placesOf(agent *Agent) (places []Address) {
	for _, text := range agent.Addresses {
		if place, err := ParseAddress(text); err == nil {
			places = append(places, place)
		}
	}
	return places
}

// enter connects to an agent.
func (f *agentFollower) enter(places []Address) (endpoints []*endpoint) {
	for range max(f.client.options.Connections, 1) {
		e := f.client.endpoint(places[0].String(), places[0])
		e.places = places
		endpoints = append(endpoints, e)
		f.client.join(e)
	}
	return endpoints
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

// retire asks nothing more on an endpoint. Requests in flight go on, and then the connection ends.
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
		conn.Drain("the agent is gone")
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
	e.place, e.Address = e.places[0], e.places[0].String()
	e.common.Peer = e.Address
	e.common.Config.OfferChecksumOff = e.place.Transport.Protects.bytes()
}
