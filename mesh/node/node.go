// Package node is a node of a mesh: an MXP server that answers agent requests out of the mesh's
// directory, and carries events, on a NATS server that it embeds or that is there.
package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/serial-data-protocol/sdp/mesh/authority"
	"github.com/serial-data-protocol/sdp/mesh/bus"
	"github.com/serial-data-protocol/sdp/mesh/config"
	"github.com/serial-data-protocol/sdp/mesh/embedded"
	"github.com/serial-data-protocol/sdp/mesh/node/admin"
	"github.com/serial-data-protocol/sdp/mesh/policy"
	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mesh/registry/jetstream"
	"github.com/serial-data-protocol/sdp/mesh/relay"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/health"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
)

// Node is one that runs.
type Node struct {
	config  config.Config
	version string
	logger  *slog.Logger

	trust    *authority.Trust // nil without certificates
	policy   *policy.Policy
	embedded *embedded.Server // nil where NATS is there
	conn     *nats.Conn
	registry *jetstream.Directory
	bus      *bus.NATS
	server   *mxp.Server
	health   *health.Reporter
	http     *http.Server
	relay    *relay.Relay // nil if it carries nothing
	meters   *meters

	drains  atomic.Bool
	ended   chan struct{} // closed when it is told to end
	once    sync.Once
	running sync.WaitGroup
}

// Start starts a node, which serves when Start returns.
func Start(c config.Config, version string, logger *slog.Logger) (n *Node, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	n = &Node{config: c, version: version, logger: logger, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			n.close(context.Background())
		}
	}()
	if n.policy, err = policy.Load(c.Policy); err != nil {
		return n, err
	}
	if c.Secured() {
		if n.trust, err = authority.Load(authority.Files{Certificate: c.Certificate, Key: c.Key, Authority: c.Authority, Revoked: c.Revoked}); err != nil {
			return n, err
		}
	}
	if err = n.connect(); err != nil {
		return n, err
	}
	n.registry, err = jetstream.Open(n.conn, jetstream.Options{
		Node: c.Name, Version: version, Relay: c.Relay, Logger: logger, Replicas: max(len(c.Join), 1),
		Bounds: registry.Bounds{LeaseMin: time.Duration(c.LeaseMin), LeaseMax: time.Duration(c.LeaseMax), Agents: c.Agents},
	})
	if err != nil {
		return n, err
	}
	n.meters = newMeters(n)
	n.bus, err = bus.Open(n.conn, bus.Options{
		Bytes: c.EventBytes, Age: time.Duration(c.EventAge), Replicas: max(len(c.Join), 1), Logger: logger,
		Nodes: func() int { return len(n.registry.Nodes()) }, Dropped: func(many int) { n.meters.dropped.Add(float64(many)) },
	})
	if err != nil {
		return n, err
	}
	return n, n.serve()
}

// connect reaches NATS.
func (n *Node) connect() (err error) {
	c := &n.config
	quiet := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond), nats.Name("sdp-mesh " + c.Name),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				n.logger.Warn("NATS is not reached", "error", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { n.logger.Debug("nats", "error", err) }),
	}
	if c.NATS != "" {
		if c.NATSCredentials != "" {
			quiet = append(quiet, nats.UserCredentials(c.NATSCredentials))
		}
		if c.NATSAuthority != "" {
			quiet = append(quiet, nats.RootCAs(c.NATSAuthority))
		}
		if n.conn, err = nats.Connect(c.NATS, quiet...); err != nil {
			return fmt.Errorf("NATS at %s: %w", c.NATS, err)
		}
		return nil
	}
	options := embedded.Options{Name: c.Name, Folder: c.Data, Cluster: c.Cluster, Peers: c.Join, Unsynced: c.Unsynced, Logger: n.logger}
	if n.trust != nil {
		options.TLS = n.trust.Nodes()
	}
	if n.embedded, err = embedded.Start(options); err != nil {
		return err
	}
	n.conn, err = n.embedded.Connect(quiet...)
	return err
}

// serve lets programs connect.
func (n *Node) serve() error {
	services := mxp.NewServices()
	mesh.RegisterMesh(services, events{node: n})
	admin.RegisterAdmin(services, administration{n})
	n.health = health.Serve(services)
	options := mxp.ServerOptions{Services: services, Directory: directory{n}, Admit: n.admit, Logger: n.logger}
	if n.trust != nil {
		options.TLS = n.trust.Programs()
	}
	n.server = mxp.NewServer(options)
	if err := n.listenLocal(); err != nil {
		return err
	}
	if n.config.Listen != "" {
		if err := n.listen("mxp+tls://" + n.config.Listen); err != nil {
			return err
		}
	}
	if n.config.HTTP != "" {
		if err := n.serveHTTP(n.config.HTTP); err != nil {
			return err
		}
	}
	switch {
	case n.config.Relay != "":
		if err := n.startRelay(); err != nil {
			return err
		}
	case n.config.Cluster != "":
		n.logger.Warn(noRelay)
	}
	if n.config.NATS != "" { // nobody else reaches one that is embedded
		if err := n.startView(); err != nil {
			return err
		}
	}
	n.running.Go(n.watchFiles)
	return nil
}

// noRelay is the warning of a cluster's node that has no relay.
const noRelay = "programs of other nodes can't call agents of this one that serve sockets of this machine alone: give --relay, which needs certificates (sdp-mesh ca)"

// listenLocal listens for programs of this machine. Where a policy names users, others can connect to the
// socket than the node's own, and are let in by their credentials. A pipe is for the node's own.
func (n *Node) listenLocal() error {
	at := n.config.Socket
	if config.HasPipes {
		return n.listen(n.config.Address())
	}
	socket, folder := os.FileMode(0o600), os.FileMode(0o700)
	if n.policy.File() != "" {
		socket, folder = 0o666, 0o755
	}
	if err := os.MkdirAll(filepath.Dir(at), folder); err != nil {
		return err
	}
	if err := n.listen(n.config.Address()); err != nil {
		return err
	}
	return os.Chmod(at, socket)
}

func (n *Node) listen(address string) error {
	listener, err := n.server.Listen(address)
	if err != nil {
		return err
	}
	n.running.Go(func() {
		if err := n.server.Serve(listener); !errors.Is(err, mxp.ErrServerClosed) {
			n.logger.Error("a listener has ended", "address", address, "error", err)
			n.end()
		}
	})
	n.logger.Info("listens", "address", address)
	return nil
}

// watchFiles reads certificates and the policy anew when their files change.
func (n *Node) watchFiles() {
	c := &n.config
	files := []string{c.Certificate, c.Key, c.Authority, c.Revoked, c.Policy}
	stamp := authority.Stamp(files...)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-n.ended:
			return
		case <-tick.C:
			if now := authority.Stamp(files...); now != stamp {
				stamp = now
				n.Reload()
			}
		}
	}
}

// Reload reads certificates and the policy anew. A broken file is logged, and its earlier content
// stays.
func (n *Node) Reload() {
	if n.trust != nil {
		if err := n.trust.Reload(); err != nil {
			n.logger.Error("certificates stay as they were", "error", err)
		} else {
			n.logger.Info("has read certificates anew")
		}
	}
	if n.policy.File() != "" {
		if err := n.policy.Reload(); err != nil {
			n.logger.Error("the policy stays as it was", "error", err)
		} else {
			n.logger.Info("has read the policy anew")
		}
	}
}

func (n *Node) end() { n.once.Do(func() { close(n.ended) }) }

// Ended is closed when the node was told to end, by Drain of its service.
func (n *Node) Ended() <-chan struct{} { return n.ended }

// Ready is closed when the node knows the directory.
func (n *Node) Ready() <-chan struct{} { return n.registry.Ready() }

// Shutdown lets what is in flight end, gives up what this node's programs hold, and ends the node,
// at the latest when the context ends.
func (n *Node) Shutdown(ctx context.Context) error {
	n.drains.Store(true)
	n.registry.Drain()
	n.end()
	return n.close(ctx)
}

// close ends what was started.
func (n *Node) close(ctx context.Context) (err error) {
	n.end()
	if n.server != nil {
		err = n.server.Shutdown(ctx)
	}
	if n.relay != nil {
		n.relay.Close()
	}
	if n.bus != nil {
		n.bus.Close()
	}
	if n.registry != nil {
		if failed := n.registry.Close(ctx); err == nil {
			err = failed
		}
	}
	if n.http != nil {
		n.http.Close()
	}
	if n.conn != nil {
		n.conn.Close()
	}
	if n.embedded != nil {
		n.embedded.Close()
	}
	n.running.Wait()
	return err
}
