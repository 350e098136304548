package jetstream

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/serial-data-protocol/sdp/mesh/registry/jetstream/record"
)

// Node is one that has shown life lately.
type Node struct {
	Name, Version, Relay string
	Started              time.Time
	Agents               int
	Drains               bool
	// Seen is how long ago it has.
	Seen time.Duration
}

// nodes are the nodes of the mesh, as this one sees them.
type nodes struct {
	mu   sync.Mutex
	seen map[string]nodeState
}

type nodeState struct {
	pulse record.Pulse
	at    time.Time
}

func newNodes() *nodes { return &nodes{seen: map[string]nodeState{}} }

// Nodes are the nodes of the mesh that have shown life lately, in the order of their names.
func (d *Directory) Nodes() (list []Node) {
	d.nodes.mu.Lock()
	defer d.nodes.mu.Unlock()
	for name, one := range d.nodes.seen {
		since := time.Since(one.at)
		if since > nodeLasts {
			delete(d.nodes.seen, name)
			continue
		}
		list = append(list, Node{
			Name: name, Version: one.pulse.Version, Relay: one.pulse.Relay, Started: one.pulse.Started,
			Agents: int(one.pulse.Agents), Drains: one.pulse.Drains, Seen: since,
		})
	}
	slices.SortFunc(list, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Relay is the address at which a node carries bytes to agents of its machine; empty if it doesn't.
func (d *Directory) Relay(node string) string {
	d.nodes.mu.Lock()
	defer d.nodes.mu.Unlock()
	if one := d.nodes.seen[node]; time.Since(one.at) <= nodeLasts {
		return one.pulse.Relay
	}
	return ""
}

// beat notes the pulse of a node. If it is this one's own, nothing is missing that was written
// before it.
func (d *Directory) beat(name string, entry jetstream.KeyValueEntry) {
	if entry.Operation() != jetstream.KeyValuePut {
		return
	}
	var pulse record.Pulse
	if err := pulse.UnmarshalBinary(entry.Value()); err != nil {
		d.options.Logger.Error("the pulse of a node can't be read", "node", name, "error", err)
		return
	}
	d.nodes.mu.Lock()
	d.nodes.seen[name] = nodeState{pulse, time.Now()}
	d.nodes.mu.Unlock()
	if name != d.options.Node {
		return
	}
	if pulse.Run != d.run {
		if pulse.Run > d.run && time.Since(entry.Created()) < nodeLasts {
			d.options.Logger.Error("another node of the mesh has the same name: give each its own by --name", "name", name)
		}
		return
	}
	d.mu.Lock()
	one, ok := d.pulses[pulse.Number]
	for number := range d.pulses {
		if number <= pulse.Number {
			delete(d.pulses, number)
		}
	}
	d.mu.Unlock()
	if ok {
		d.cache.Know(one.begun)
	}
}

// pulse shows that this node lives. It waits for no answer.
func (d *Directory) pulse() {
	d.mu.Lock()
	d.number++
	number := d.number
	agents := 0
	for _, h := range d.held {
		if h.is {
			agents++
		}
	}
	if len(d.pulses) > 1000 { // none has come back for long
		clear(d.pulses)
	}
	d.pulses[number] = pulse{begun: time.Now()}
	drains := d.drains
	d.mu.Unlock()
	is := record.Pulse{
		Node: d.options.Node, Run: d.run, Number: number, Version: d.options.Version, Relay: d.options.Relay,
		Started: d.started, Agents: uint32(agents), Drains: drains,
	}
	value, err := is.AppendBinary(nil)
	if err != nil {
		d.options.Logger.Error("the pulse can't be written", "error", err)
		return
	}
	d.running.Go(func() {
		_, err := d.publish(d.context, nodeKey(d.options.Node), value, jetstream.WithMsgTTL(seconds(nodeLasts)))
		d.mu.Lock()
		defer d.mu.Unlock()
		if one, waits := d.pulses[number]; waits && err == nil {
			one.written = time.Now()
			d.pulses[number] = one
		}
	})
}

// pulse is one of this node's: when it was begun to be written, and when it was.
type pulse struct{ begun, written time.Time }

// stalls reports whether a pulse was written and has not come back: what watches the bucket was on
// a node that is gone. NATS itself finds that out some seconds later.
func (d *Directory) stalls() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.pulses {
		if !one.written.IsZero() && time.Since(one.written) > stallTime {
			clear(d.pulses)
			return true
		}
	}
	return false
}
