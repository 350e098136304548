package node_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/serial-data-protocol/sdp/mesh/config"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// asked are the answers to a request of tools, until there are so many, or no more for a while.
func asked[T any](t *testing.T, conn *nats.Conn, inbox, subject string, many int) (all []T) {
	t.Helper()
	answers, err := conn.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Unsubscribe()
	if err := conn.PublishRequest(subject, inbox, nil); err != nil {
		t.Fatal(err)
	}
	wait := 10 * time.Second
	if many == 0 {
		wait = 200 * time.Millisecond
	}
	for {
		m, err := answers.NextMsg(wait)
		if err != nil {
			return all
		}
		var one T
		if err := json.Unmarshal(m.Data, &one); err != nil {
			t.Fatalf("%s: %v", m.Data, err)
		}
		if all = append(all, one); len(all) >= many {
			wait = 100 * time.Millisecond // for one too many
		}
	}
}

// Tools of NATS see the agents of all nodes as services, each once, and can do nothing but look.
func TestToolsOfNATSSeeTheAgents(t *testing.T) {
	there := outside(t)
	one := start(t, func(c *config.Config) { c.NATS = there.ClientURL() })
	two := start(t, func(c *config.Config) { c.NATS, c.Name = there.ClientURL(), "n2" })
	agent := dial(t, one)
	lease, err := agent.RegisterBy(soon(t), &mixer)
	if err != nil {
		t.Fatal(err)
	}
	other := dial(t, two)
	if _, err := other.RegisterBy(soon(t), &session.Registration{Name: "studio.tone", Lease: 30_000_000}); err != nil {
		t.Fatal(err)
	}
	until(t, "each knows both", func() bool {
		for _, client := range []*mxp.Client{agent, other} {
			if l, err := client.DiscoverBy(soon(t), &session.Query{}); err != nil || len(l.Agents) != 2 {
				return false
			}
		}
		return true
	})
	conn, err := nats.Connect(there.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)

	pings := map[string]micro.Ping{}
	for _, p := range asked[micro.Ping](t, conn, conn.NewInbox(), "$SRV.PING", 2) {
		if _, twice := pings[p.Name]; twice || p.Type != "io.nats.micro.v1.ping_response" {
			t.Errorf("it answers %+v", p)
		}
		pings[p.Name] = p
	}
	id := fmt.Sprint("mixer-", lease.Epoch)
	if p := pings["mixer"]; len(pings) != 2 || p.ID != id || p.Metadata["node"] != "n1" || p.Metadata["capabilities"] != "mix" || pings["studio_tone"].Metadata["name"] != "studio.tone" {
		t.Errorf("they answer %+v", pings)
	}
	infos := asked[micro.Info](t, conn, conn.NewInbox(), "$SRV.INFO.mixer", 1)
	if len(infos) != 1 || infos[0].Type != "io.nats.micro.v1.info_response" || len(infos[0].Endpoints) != 1 || infos[0].Endpoints[0].Subject != "desk.Mixer" {
		t.Errorf("they answer %+v", infos)
	}
	stats := asked[micro.Stats](t, conn, conn.NewInbox(), "$SRV.STATS.mixer."+id, 1)
	if len(stats) != 1 || stats[0].Type != "io.nats.micro.v1.stats_response" || len(stats[0].Endpoints) != 1 || stats[0].Endpoints[0].Name != "desk_Mixer" {
		t.Errorf("they answer %+v", stats)
	}
	for _, subject := range []string{"$SRV.PING.nobody", "$SRV.INFO.mixer.another", "$SRV.STATS.mixer." + id + ".more", "$SRV.REGISTER"} {
		if got := asked[any](t, conn, conn.NewInbox(), subject, 0); len(got) > 0 {
			t.Errorf("%s is answered with %v", subject, got)
		}
	}
	// A node isn't let do what the asker may not: it publishes on no other subjects.
	if got := asked[any](t, conn, "desk.orders", "$SRV.PING", 0); len(got) > 0 {
		t.Errorf("it answers %v", got)
	}
}
