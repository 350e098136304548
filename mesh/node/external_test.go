package node_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/serial-data-protocol/sdp/mesh/config"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// outside is a NATS server that is there without a node.
func outside(t *testing.T) *server.Server {
	t.Helper()
	there, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	there.Start()
	t.Cleanup(func() { there.Shutdown(); there.WaitForShutdown() })
	if !there.ReadyForConnections(20 * time.Second) {
		t.Fatal("NATS does not start")
	}
	return there
}

// A node uses a NATS server that is there, and others that use it are of the same mesh.
func TestNodesOfANATSServerThatIsThereAreOneMesh(t *testing.T) {
	there := outside(t)
	one := start(t, func(c *config.Config) { c.NATS = there.ClientURL() })
	two := start(t, func(c *config.Config) { c.NATS, c.Name = there.ClientURL(), "n2" })
	lease, err := dial(t, one).RegisterBy(soon(t), &mixer)
	if err != nil {
		t.Fatal(err)
	}
	asker := dial(t, two)
	until(t, "the other node knows it", func() bool {
		found, err := asker.DiscoverBy(soon(t), &session.Query{Name: "mixer"})
		return err == nil && len(found.Agents) == 1 && found.Agents[0].Epoch == lease.Epoch
	})
	number := publish(t, dial(t, one), mesh.Publication{Value: []byte("kept"), Durable: true})
	stream := subscribe(t, asker, mesh.Subscription{Consumer: "c"})
	if d := next(t, stream); d.Number != number || string(d.Value) != "kept" {
		t.Errorf("it is %+v", d)
	}
}
