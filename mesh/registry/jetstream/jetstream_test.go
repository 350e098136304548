package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/embedded"
	"github.com/serial-data-protocol/sdp/mesh/internal/port"
	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mesh/registry/jetstream"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

var bounds = registry.Bounds{LeaseMin: time.Second, LeaseMax: time.Hour, Agents: 100_000}

// member is a node's part of the registry.
type member struct {
	*jetstream.Directory
	server *embedded.Server
	stop   func()
}

// start starts a member, alone if it has no peers.
func start(t *testing.T, folder, name, at string, peers ...string) *member {
	t.Helper()
	server, err := embedded.Start(embedded.Options{Name: name, Folder: folder, Cluster: at, Peers: peers, Unsynced: true, Logger: logs(t)})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	directory, err := jetstream.Open(conn, jetstream.Options{Node: name, Version: "test", Bounds: bounds, Replicas: max(len(peers), 1), Logger: logs(t)})
	if err != nil {
		t.Fatal(err)
	}
	m := &member{directory, server, nil}
	m.stop = func() {
		closing, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		directory.Close(closing)
		conn.Close()
		server.Close()
	}
	t.Cleanup(func() { m.stop() })
	return m
}

// logs are shown where a test fails.
func logs(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// three are members of one mesh.
func three(t *testing.T) (members []*member) {
	t.Helper()
	peers := port.Free(t, 3)
	folder := t.TempDir()
	for i, at := range peers {
		name := fmt.Sprintf("n%d", i+1)
		members = append(members, start(t, filepath.Join(folder, name), name, at, peers...))
	}
	for _, m := range members {
		ready(t, m)
	}
	until(t, "the bucket has three replicas", func() bool {
		return members[0].Replicas() == 3 || members[1].Replicas() == 3 || members[2].Replicas() == 3
	})
	return members
}

func ready(t *testing.T, m *member) {
	t.Helper()
	select {
	case <-m.Ready():
	case <-time.After(30 * time.Second):
		t.Fatal("the directory is not ready")
	}
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came that %s", what)
		}
	}
}

func holder(session uint64) registry.Holder {
	return registry.Holder{Session: session, Identity: "uid:1"}
}

func wanted(name string) *registry.Registration {
	return &registry.Registration{Name: name, Capabilities: []string{"mix"}, Addresses: []string{"mxp+unix:///tmp/a.sock"}, Services: []string{"desk.Mixer"}, Lease: 10 * time.Second}
}

func refused(t *testing.T, err error, kind session.Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("it ended with %v, and not with %v", err, kind)
	}
}

// [MESH-2.2, MESH-2.3, MESH-2.4]
func TestANameHasOneOwnerAndEpochsThatGrow(t *testing.T) {
	m := start(t, t.TempDir(), "alone", "")
	ready(t, m)
	ctx := soon(t)
	first, err := m.Register(ctx, holder(1), wanted("mixer.one"))
	if err != nil || first.Epoch == 0 || first.Lasts != 10*time.Second {
		t.Fatalf("it has %+v, %v", first, err)
	}
	_, err = m.Register(ctx, holder(2), wanted("mixer.one"))
	refused(t, err, session.ErrAgentTaken)
	beat, err := m.Heartbeat(ctx, holder(1), "mixer.one")
	if err != nil || beat.Epoch != first.Epoch {
		t.Errorf("a heartbeat has %+v, %v", beat, err)
	}
	_, err = m.Heartbeat(ctx, holder(2), "mixer.one")
	refused(t, err, session.ErrAgentUnknown)
	_, err = m.Heartbeat(ctx, holder(1), "mixer.two")
	refused(t, err, session.ErrAgentUnknown)

	again, err := m.Register(ctx, holder(1), wanted("mixer.one"))
	if err != nil || again.Epoch <= first.Epoch {
		t.Errorf("registered again it has %+v, %v", again, err)
	}
	take := wanted("mixer.one")
	take.Epoch = first.Epoch
	_, err = m.Register(ctx, holder(2), take)
	refused(t, err, session.ErrAgentTaken)
	take.Epoch = again.Epoch
	_, err = m.Register(ctx, registry.Holder{Session: 2, Identity: "uid:2"}, take)
	refused(t, err, session.ErrAgentTaken)
	taken, err := m.Register(ctx, holder(2), take)
	if err != nil || taken.Epoch <= again.Epoch {
		t.Errorf("taken over it has %+v, %v", taken, err)
	}
	_, err = m.Heartbeat(ctx, holder(1), "mixer.one")
	refused(t, err, session.ErrAgentUnknown)
	until(t, "the new owner is found", func() bool {
		found := m.Cache().Find(registry.Filter{Capability: "mix", Service: "desk.Mixer"})
		return len(found) == 1 && found[0].Epoch == taken.Epoch && found[0].Session == 2
	})

	m.Release(2)
	until(t, "it is gone", func() bool { return m.Cache().Len() == 0 })
	last, err := m.Register(ctx, holder(3), wanted("mixer.one"))
	if err != nil || last.Epoch <= taken.Epoch {
		t.Errorf("after its release it has %+v, %v", last, err)
	}
}

// [MESH-2.5]
func TestALeaseEndsAtMostASecondAfterItsTime(t *testing.T) {
	m := start(t, t.TempDir(), "alone", "")
	ready(t, m)
	r := wanted("brief")
	r.Lease = 1200 * time.Millisecond
	begun := time.Now()
	first, err := m.Register(soon(t), holder(1), r)
	if err != nil {
		t.Fatal(err)
	}
	done := time.Now()
	until(t, "it is gone", func() bool { return m.Cache().Len() == 0 })
	if lasted := time.Since(begun); lasted < r.Lease {
		t.Errorf("it was gone after %v", lasted)
	}
	if lasted := time.Since(done); lasted > r.Lease+time.Second {
		t.Errorf("it was there for %v", lasted)
	}
	_, err = m.Heartbeat(soon(t), holder(1), "brief")
	refused(t, err, session.ErrAgentUnknown)
	r.Epoch = first.Epoch // of a lease that has ended
	second, err := m.Register(soon(t), holder(2), r)
	if err != nil || second.Epoch <= first.Epoch {
		t.Errorf("registered after its end it has %+v, %v", second, err)
	}
}

func TestEpochsGrowOverARestart(t *testing.T) {
	folder := t.TempDir()
	m := start(t, folder, "alone", "")
	ready(t, m)
	first, err := m.Register(soon(t), holder(1), wanted("a"))
	if err != nil {
		t.Fatal(err)
	}
	m.stop()
	m.stop = func() {}
	m = start(t, folder, "alone", "")
	ready(t, m)
	second, err := m.Register(soon(t), holder(1), wanted("a"))
	if err != nil || second.Epoch <= first.Epoch {
		t.Errorf("it has %+v after %+v, %v", second, first, err)
	}
}

func TestThreeNodesShareADirectory(t *testing.T) {
	members := three(t)
	lease, err := members[0].Register(soon(t), holder(1), wanted("mixer"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		until(t, "all see it", func() bool { return m.Cache().Len() == 1 })
		if a := m.Cache().Get("mixer"); a.Epoch != lease.Epoch || a.Node != "n1" {
			t.Errorf("a node knows %+v", a)
		}
		until(t, "all nodes see each other", func() bool { return len(m.Nodes()) == 3 })
	}
	_, err = members[1].Register(soon(t), holder(1), wanted("mixer"))
	refused(t, err, session.ErrAgentTaken)
	take := wanted("mixer")
	take.Epoch = lease.Epoch
	taken, err := members[2].Register(soon(t), holder(7), take)
	if err != nil || taken.Epoch <= lease.Epoch {
		t.Fatalf("taken over it has %+v, %v", taken, err)
	}
	_, err = members[0].Heartbeat(soon(t), holder(1), "mixer")
	refused(t, err, session.ErrAgentUnknown)
}

// [MESH-2.6]
func TestAMinorityRefusesAndSaysHowOldItsAnswersAre(t *testing.T) {
	members := three(t)
	if _, err := members[0].Register(soon(t), holder(1), wanted("mixer")); err != nil {
		t.Fatal(err)
	}
	until(t, "all see it", func() bool { return members[0].Cache().Len() == 1 })
	for _, m := range members[1:] {
		m.stop()
		m.stop = func() {}
	}
	_, err := members[0].Register(soon(t), holder(1), wanted("other"))
	refused(t, err, session.ErrMeshUnavailable)
	_, err = members[0].Heartbeat(soon(t), holder(1), "mixer")
	refused(t, err, session.ErrMeshUnavailable)
	until(t, "its knowledge is old", func() bool { age, ok := members[0].Cache().Age(); return ok && age > time.Second })
	if members[0].Cache().Get("mixer") == nil {
		t.Error("what it knew is gone")
	}
}
