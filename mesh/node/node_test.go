package node_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/config"
	"github.com/serial-data-protocol/sdp/mesh/internal/place"
	"github.com/serial-data-protocol/sdp/mesh/node"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// running is a node that runs, and the address of its socket.
type running struct {
	*node.Node
	at string
}

// start starts a node, whose configuration may be changed before.
func start(t *testing.T, change ...func(*config.Config)) *running {
	t.Helper()
	folder := t.TempDir()
	c := config.Default()
	c.Name, c.Data, c.Socket, c.Unsynced = "n1", filepath.Join(folder, "data"), place.Local(folder, "n.sock"), true
	for _, one := range change {
		one(c)
	}
	n, err := node.Start(*c, "test", slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ending, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		n.Shutdown(ending)
	})
	select {
	case <-n.Ready():
	case <-time.After(30 * time.Second):
		t.Fatal("the node does not get ready")
	}
	r := &running{n, c.Address()}
	client := dial(t, r)
	until(t, "it answers", func() bool { _, err := client.Discover(t.Context(), ""); return err == nil })
	return r
}

func dial(t *testing.T, to *running) *mxp.Client {
	t.Helper()
	client, err := mxp.Dial(to.at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came that %s", what)
		}
	}
}

var silent = slog.New(slog.DiscardHandler)

func contextOf(long time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), long)
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func refused(t *testing.T, err error, kind session.Kind) {
	t.Helper()
	var f *mxp.Failure
	if !errors.Is(err, kind) && (!errors.As(err, &f) || f.Name != kind.String()) {
		t.Errorf("it ended with %v, and not with %v", err, kind)
	}
}

var mixer = session.Registration{
	Name: "mixer", Capabilities: []string{"mix"}, Services: []string{"desk.Mixer"}, Lease: 30_000_000,
	Addresses: []string{"mxp+shm:///run/m.sock", "mxp+unix:///run/m.sock", "mxp+tls://desk.example:7000", "mxp+tcp://127.0.0.1:9"},
}

func TestAgentsRegisterAreFoundAndGoWithTheirConnection(t *testing.T) {
	n := start(t)
	agent, asker := dial(t, n), dial(t, n)
	lease, err := agent.RegisterBy(soon(t), &mixer)
	if err != nil || lease.Epoch == 0 || lease.Lease != mixer.Lease {
		t.Fatalf("it has %+v, %v", lease, err)
	}
	if beat, err := agent.HeartbeatOf(soon(t), "mixer"); err != nil || beat.Epoch != lease.Epoch {
		t.Errorf("a heartbeat has %+v, %v", beat, err)
	}
	_, err = asker.HeartbeatOf(soon(t), "mixer")
	refused(t, err, session.ErrAgentUnknown)
	_, err = asker.RegisterBy(soon(t), &mixer)
	refused(t, err, session.ErrAgentTaken)
	for _, q := range []session.Query{{}, {Capability: "mix"}, {Name: "mixer"}, {Service: "desk.Mixer"}, {Capability: "mix", Name: "mixer", Service: "desk.Mixer"}} {
		found, err := asker.DiscoverBy(soon(t), &q)
		if err != nil || len(found.Agents) != 1 || found.Agents[0].Epoch != lease.Epoch || len(found.Agents[0].Addresses) != 4 || found.Version == 0 {
			t.Errorf("%+v finds %+v, %v", q, found, err)
		}
	}
	for _, q := range []session.Query{{Capability: "desk.Mixer"}, {Name: "mix"}, {Service: "mix"}, {Capability: "mix", Name: "other"}} {
		if found, err := asker.DiscoverBy(soon(t), &q); err != nil || len(found.Agents) != 0 {
			t.Errorf("%+v finds %+v, %v", q, found, err)
		}
	}
	agent.Close()
	until(t, "the name is free", func() bool {
		_, err := asker.RegisterBy(soon(t), &mixer)
		return err == nil
	})
}

// [MESH-2.8]
func TestAQueryThatKnowsTheAnswerWaitsForAnother(t *testing.T) {
	n := start(t)
	agent, asker := dial(t, n), dial(t, n)
	known, err := asker.DiscoverBy(soon(t), &session.Query{Capability: "mix"})
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		listing session.Listing
		err     error
	}
	answers := make(chan answer, 1)
	ask := func(version uint64) {
		listing, err := asker.DiscoverBy(soon(t), &session.Query{Capability: "mix", Version: version})
		answers <- answer{listing, err}
	}
	go ask(known.Version)
	other := session.Registration{Name: "other", Lease: 30_000_000}
	if _, err := agent.RegisterBy(soon(t), &other); err != nil {
		t.Fatal(err)
	}
	select {
	case a := <-answers:
		t.Fatalf("it answered with %+v, %v, where nothing has changed that was asked for", a.listing, a.err)
	case <-time.After(50 * time.Millisecond):
	}
	lease, err := agent.RegisterBy(soon(t), &mixer)
	if err != nil {
		t.Fatal(err)
	}
	first := <-answers
	if first.err != nil || len(first.listing.Agents) != 1 || first.listing.Version == known.Version {
		t.Fatalf("it answered %+v, %v", first.listing, first.err)
	}
	go ask(first.listing.Version)
	if _, err := agent.HeartbeatOf(soon(t), "mixer"); err != nil {
		t.Fatal(err)
	}
	again, err := agent.RegisterBy(soon(t), &mixer) // with another epoch
	if err != nil || again.Epoch <= lease.Epoch {
		t.Fatalf("it has %+v, %v", again, err)
	}
	second := <-answers
	if second.err != nil || second.listing.Version == first.listing.Version || second.listing.Agents[0].Epoch != again.Epoch {
		t.Errorf("it answered %+v, %v", second.listing, second.err)
	}
	go ask(second.listing.Version)
	agent.Close()
	if last := <-answers; last.err != nil || len(last.listing.Agents) != 0 || last.listing.Version != known.Version {
		t.Errorf("it answered %+v, %v", last.listing, last.err)
	}
}

// [MESH-2.1]
func TestHostileNamesAreRefused(t *testing.T) {
	n := start(t)
	agent := dial(t, n)
	long := strings.Repeat("a", 129)
	names := []string{"", ".", "..", "a.", ".a", "a..b", "*", ">", "a.*", "a.>", "a b", " a", "a\x00", "a\nb", "a/b", "a=b", "ä", "$SYS", strings.Repeat("n", 255), long}
	for _, name := range names {
		r := mixer
		r.Name = name
		_, err := agent.RegisterBy(soon(t), &r)
		refused(t, err, session.ErrAgentInvalid)
		if name != "" {
			r = mixer
			r.Capabilities = []string{name}
			_, err = agent.RegisterBy(soon(t), &r)
			refused(t, err, session.ErrAgentInvalid)
		}
	}
	for _, address := range []string{"", "x", "tcp://a:1", "mxp+tcp://", "mxp+://a", "mxp+TCP://a:1", "mxp+tcp:a:1", "mxp+tcp://a\x00:1", "mxp+tcp://" + strings.Repeat("a", 1024)} {
		r := mixer
		r.Addresses = []string{address}
		_, err := agent.RegisterBy(soon(t), &r)
		refused(t, err, session.ErrAgentInvalid)
	}
	many := mixer
	for i := range 17 {
		many.Addresses = append(many.Addresses, "mxp+tcp://h:"+strings.Repeat("1", i+1))
	}
	_, err := agent.RegisterBy(soon(t), &many)
	refused(t, err, session.ErrAgentInvalid)
	if found, err := agent.DiscoverBy(soon(t), &session.Query{}); err != nil || len(found.Agents) != 0 {
		t.Errorf("there are %+v, %v", found, err)
	}
	r := mixer
	r.Name = strings.Repeat("n.", 63) + "nn"
	if _, err := agent.RegisterBy(soon(t), &r); err != nil {
		t.Errorf("a name of %d bytes, of many parts: %v", len(r.Name), err)
	}
}
