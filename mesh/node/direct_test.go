package node_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/mesh/config"
	"github.com/serial-data-protocol/sdp/mesh/internal/place"
	"github.com/serial-data-protocol/sdp/mesh/internal/port"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// natsBytes are what has passed between a node and NATS, as the node shows.
func natsBytes(t *testing.T, shown string) (sum float64) {
	t.Helper()
	answer, err := http.Get("http://" + shown + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && (name == "sdp_mesh_nats_in_bytes" || name == "sdp_mesh_nats_out_bytes") {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
			found++
		}
	}
	if found != 2 {
		t.Fatalf("it shows %q", text)
	}
	return sum
}

// Calls pass from program to program: of 50 MB of them, nothing passes NATS but pulses.
func TestCallsDoNotPassTheNode(t *testing.T) {
	shown := port.Free(t, 1)[0]
	n := start(t, func(c *config.Config) { c.HTTP = shown })
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
	announced, err := mxp.Announce(session.Registration{Name: "mixer", Addresses: []string{at}}, mxp.AnnounceOptions{Node: n.at})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(announced.Close)
	if epoch, err := announced.Registered(soon(t)); err != nil || epoch == 0 {
		t.Fatalf("its epoch is %d, %v", epoch, err)
	}
	client, err := mxp.Dial("mesh:///mixer", mxp.ClientOptions{Node: n.at})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	before, value, passed := natsBytes(t, shown), make([]byte, 50_000), 0
	for range 500 {
		answer, err := client.Call(soon(t), "desk.Mixer", 1, value)
		if err != nil {
			t.Fatal(err)
		}
		passed += len(value) + len(answer.Value)
	}
	if through := natsBytes(t, shown) - before; through > float64(passed)/1000 {
		t.Errorf("of %d bytes of calls, %v passed NATS", passed, through)
	}
	answer, err := http.Get("http://" + shown + "/healthz")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("it is not well: %v, %v", answer, err)
	}
	defer answer.Body.Close()
	var how struct {
		Age *float64 `json:"age_seconds"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&how); err != nil || how.Age == nil || *how.Age < 0 || *how.Age > 60 {
		t.Errorf("it does not say how many seconds old the directory is: %v, %v", how.Age, err)
	}
}
