package node_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/authority"
	"github.com/serial-data-protocol/sdp/mesh/config"
	"github.com/serial-data-protocol/sdp/mesh/internal/place"
	"github.com/serial-data-protocol/sdp/mesh/internal/port"
	"github.com/serial-data-protocol/sdp/mesh/node"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// pair are two nodes of one mesh that carry bytes for each other.
func pair(t *testing.T) (nodes []*running) {
	t.Helper()
	d := founded(t)
	ports := port.Free(t, 4)
	folder := t.TempDir()
	for i, name := range []string{"n1", "n2"} {
		d.issue(t, authority.Request{Name: name, Node: true})
		c := config.Default()
		c.Name, c.Data, c.Socket, c.Unsynced = name, filepath.Join(folder, name), filepath.Join(folder, name+"s", "n.sock"), true
		c.Cluster, c.Join, c.Relay = ports[i], ports[:2], ports[2+i]
		c.Certificate, c.Key, c.Authority, c.Revoked = d.file(name+".pem"), d.file(name+".key"), d.file(authority.CertificateFile), d.file(authority.RevokedFile)
		n, err := node.Start(*c, "test", silent)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ending, cancel := contextOf(200 * time.Millisecond)
			defer cancel()
			n.Shutdown(ending)
		})
		nodes = append(nodes, &running{n, c.Address()})
	}
	return nodes
}

// [MESH-4.1]
func TestANodeLeadsToAnAgentOfAnotherMachine(t *testing.T) {
	nodes := pair(t)
	services := mxp.NewServices()
	services.Service("desk.Mixer").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	t.Cleanup(server.Close)
	at := place.Address(t.TempDir(), "agent.sock")
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	agent, asker := dial(t, nodes[0]), dial(t, nodes[1])
	until(t, "it is registered", func() bool {
		_, err := agent.RegisterBy(soon(t), &session.Registration{Name: "far", Lease: 3_600_000_000, Addresses: []string{at}})
		return err == nil
	})
	led := ""
	until(t, "another node leads to it", func() bool {
		found, err := asker.DiscoverBy(soon(t), &session.Query{Name: "far"})
		if err == nil && len(found.Agents) == 1 && len(found.Agents[0].Addresses) == 1 {
			led = found.Agents[0].Addresses[0]
		}
		return led != ""
	})
	if led == at || !strings.Contains(led, "n2s") {
		t.Fatalf("it is led to by %s", led)
	}
	client, err := mxp.Dial(led, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	value := bytes.Repeat([]byte("relay"), 200_000)
	answer, err := client.Call(soon(t), "desk.Mixer", 1, value)
	if err != nil || !bytes.Equal(answer.Value, value) {
		t.Errorf("the answer has %d bytes, %v", len(answer.Value), err)
	}
	if found, err := agent.DiscoverBy(soon(t), &session.Query{Name: "far"}); err != nil || found.Agents[0].Addresses[0] != at {
		t.Errorf("from its own machine it is %+v, %v", found, err)
	}
}

// A cluster on loopback without certificates has no relay, and says so when it starts.
func TestANodeWithoutARelaySaysWhatItCantDo(t *testing.T) {
	at := port.Free(t, 1)[0]
	var log strings.Builder
	c := config.Default()
	folder := t.TempDir()
	c.Name, c.Data, c.Socket, c.Unsynced = "n1", filepath.Join(folder, "data"), place.Local(filepath.Join(folder, "s"), "n.sock"), true
	c.Cluster, c.Join = at, []string{at}
	n, err := node.Start(*c, "test", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ending, cancel := contextOf(200 * time.Millisecond)
	defer cancel()
	n.Shutdown(ending)
	if !strings.Contains(log.String(), "give --relay") {
		t.Errorf("the log has %s", log.String())
	}
}
