// Package jetstream keeps the names of a mesh in a bucket of NATS JetStream. A name is a key, which
// is only written where it is as it was read; the number of a registration in the stream is its
// epoch; and a lease is the time after which the stream itself takes the key away. Each node sees
// all writes in the same order, its own pulse among them: when that comes back, nothing written
// before is missing.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mesh/registry/jetstream/record"
)

const (
	bucket        = "mesh"
	stream        = "KV_" + bucket
	subjectPrefix = "$KV." + bucket + "."

	// pulseEvery is how often a node shows that it lives, and finds out what it has missed. A
	// lease is over at most that long, and a round trip, after its time.
	pulseEvery = 500 * time.Millisecond
	// nodeLasts is how long a node is listed that shows no life.
	nodeLasts = 3 * time.Second
	// writeTime is how long a write waits for the bucket's leader: as long as an election takes,
	// and some more.
	writeTime = 4 * time.Second
	// askTime is how long one that leads has for its answer, before it is asked again who leads.
	askTime = 500 * time.Millisecond
	// stallTime is after which a pulse that was written has to have come back.
	stallTime = time.Second
	// markerLasts is how long a name stays in the bucket as one that nobody holds.
	markerLasts = 30 * time.Second
	// replicasMax is how many nodes keep the bucket.
	replicasMax = 3
	// aloneAfter is how long a new mesh waits for as many nodes as are to keep the bucket.
	aloneAfter = 10 * time.Second
	// bytesMax bounds the bucket.
	bytesMax = 1 << 30
)

// Options are what a directory is made with.
type Options struct {
	// Node is the name of this node, and another one for each of a mesh.
	Node string
	// Version is the program's, and Relay the address at which it carries bytes; others are told.
	Version, Relay string
	Bounds         registry.Bounds
	// Replicas is how many nodes are to keep the bucket where there are as many, up to 3.
	Replicas int
	Logger   *slog.Logger
}

// Directory is a registry.Registry.
type Directory struct {
	options Options
	conn    *nats.Conn
	js      jetstream.JetStream
	run     uint64
	started time.Time
	cache   *registry.Cache
	nodes   *nodes

	context context.Context // until Close
	end     context.CancelFunc
	running sync.WaitGroup
	ready   chan struct{} // closed when the bucket was read once

	mu        sync.Mutex
	held      map[string]*holder
	drains    bool
	closed    bool
	number    uint64           // of the last pulse
	pulses    map[uint64]pulse // those that have not come back
	replica   int              // that the bucket has
	spreading bool             // it is about to have others
}

var _ registry.Registry = (*Directory)(nil)

// Open makes a directory of a connection to NATS, which it doesn't close. It returns at once: until
// the bucket is reached, requests are refused with ErrMeshUnavailable.
func Open(conn *nats.Conn, o Options) (*Directory, error) {
	if !registry.ValidName(o.Node) {
		return nil, fmt.Errorf("%q can't be the name of a node: %w", o.Node, &registry.Invalid{Text: "it has the form of names of agents"})
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(writeTime))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	d := &Directory{
		options: o, conn: conn, js: js, run: uint64(now.UnixNano()), started: now, cache: registry.NewCache(), nodes: newNodes(),
		ready: make(chan struct{}), held: map[string]*holder{}, pulses: map[uint64]pulse{},
	}
	d.context, d.end = context.WithCancel(context.Background())
	d.running.Add(1)
	go d.follow()
	return d, nil
}

// Ready is closed when the directory has read what is in the bucket.
func (d *Directory) Ready() <-chan struct{} { return d.ready }

// Cache is what this node knows.
func (d *Directory) Cache() *registry.Cache { return d.cache }

// config is that of the bucket's stream. Values are read from its leader alone: an older one could
// let a name that is free seem to be held.
func (d *Directory) config(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: stream, Description: "Names of agents, and nodes, of sdp-mesh", Subjects: []string{subjectPrefix + ">"},
		MaxMsgsPerSubject: 1, MaxBytes: bytesMax, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
		Replicas: replicas, AllowRollup: true, DenyDelete: true, AllowMsgTTL: true,
		SubjectDeleteMarkerTTL: markerLasts, Duplicates: 2 * time.Minute,
	}
}

// follow reaches the bucket, and reads all that is written to it, until the end.
func (d *Directory) follow() {
	defer d.running.Done()
	for d.context.Err() == nil {
		if err := d.reach(); err != nil {
			d.options.Logger.Debug("directory not reached", "error", err)
			d.pause(200 * time.Millisecond)
			continue
		}
		d.watch()
	}
}

func (d *Directory) pause(long time.Duration) {
	select {
	case <-time.After(long):
	case <-d.context.Done():
	}
}

// reach makes the bucket if it isn't there.
func (d *Directory) reach() error {
	ctx, cancel := context.WithTimeout(d.context, time.Second) // what nobody leads yet answers nothing
	defer cancel()
	found, err := d.js.Stream(ctx, stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		replicas := min(max(d.options.Replicas, 1), replicasMax)
		if time.Since(d.started) > aloneAfter { // as many as there are: others may come later
			replicas = 1
		}
		found, err = d.js.CreateStream(ctx, d.config(replicas))
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replica = found.CachedInfo().Config.Replicas
	return nil
}

// Close ends the leases of all sessions, and the directory's work.
func (d *Directory) Close(ctx context.Context) error {
	err := d.releaseAll(ctx)
	d.end()
	d.running.Wait()
	return err
}

// Drain says to other nodes that this one takes no more programs.
func (d *Directory) Drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drains = true
}

func (d *Directory) holder(h registry.Holder) record.Holder {
	return record.Holder{Identity: h.Identity, Node: d.options.Node, Run: d.run, Session: h.Session}
}
