package mxp_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// meshed is a node, which is a server with a directory of its own here, and agents around it.
type meshed struct {
	t      *testing.T
	folder string
	places map[string]string
	node   *mxp.Server
}

func newMeshed(t *testing.T) *meshed {
	m := &meshed{t: t, folder: t.TempDir(), places: map[string]string{}}
	m.begin()
	return m
}

// begin runs the node.
func (m *meshed) begin() {
	m.t.Helper()
	m.node = mxp.NewServer(mxp.ServerOptions{Agents: true})
	m.listen(m.node, m.at("node"))
}

// at is where a program of that name is: the same at each call.
func (m *meshed) at(name string) string {
	if m.places[name] == "" {
		m.places[name] = places.Named(m.t, m.folder, name)
	}
	return m.places[name]
}

func (m *meshed) listen(server *mxp.Server, at string) {
	m.t.Helper()
	listener, err := server.Listen(at)
	if err != nil {
		m.t.Fatal(err)
	}
	go server.Serve(listener)
	m.t.Cleanup(server.Close)
}

// agent serves who.Am, which answers with its name, at an address of that name, and announces it.
func (m *meshed) agent(name, place string, before ...string) (*mxp.Server, *mxp.Announcement) {
	m.t.Helper()
	services := mxp.NewServices()
	services.Service("who.Am").Call(1, func(context.Context, *mxp.Request) ([]byte, error) { return []byte(place), nil })
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	m.listen(server, m.at(place))
	announced, err := mxp.Announce(session.Registration{
		Name: name, Capabilities: []string{"answers"}, Addresses: append(before, m.at(place)), Services: []string{"who.Am"}, Lease: 1_000_000,
	}, mxp.AnnounceOptions{Node: m.at("node")})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(announced.Close)
	if _, err := announced.Registered(within(m.t, 20*time.Second)); err != nil {
		m.t.Fatal(err)
	}
	return server, announced
}

func (m *meshed) client(at string) *mxp.Client {
	m.t.Helper()
	client, err := mxp.Dial(at, mxp.ClientOptions{Node: m.at("node"), ConnectTimeout: 20 * time.Second})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(client.Close)
	return client
}

func (m *meshed) ask(client *mxp.Client) string {
	m.t.Helper()
	reply, err := client.Call(within(m.t, 20*time.Second), "who.Am", 1, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(reply.Value)
}

// [MESH-3.1]
func TestAddressesOfTheMeshAreNamesOrWords(t *testing.T) {
	for _, wrong := range []string{
		"mesh:///", "mesh:///?", "mesh:///a b", "mesh:///a..b", "mesh:///.", "mesh:///a.", "mesh:///*", "mesh:///>", "mesh:///a\x00", "mesh:///" + strings.Repeat("n", 129),
		"mesh:///" + strings.Repeat("n", 255), "mesh:///?capability=", "mesh:///?capability=a&capability=b", "mesh:///?colour=red", "mesh:///?name=*", "mesh:///ä", "mesh://host/name",
	} {
		client, err := mxp.Dial(wrong, mxp.ClientOptions{Node: "mxp+tcp://127.0.0.1:1"})
		if !errors.Is(err, session.ErrAddressInvalid) {
			t.Errorf("%q: %v", wrong, err)
		}
		if client != nil {
			client.Close()
		}
	}
	if _, err := mxp.DialAny([]string{"mesh:///a", "mesh:///b"}, mxp.ClientOptions{}); !errors.Is(err, session.ErrAddressInvalid) {
		t.Errorf("two: %v", err)
	}
	for _, right := range []string{"mesh:///a", "mesh:///studio.reverb-2_x", "mesh:///?capability=c&service=a.B&name=n", "mesh:///" + strings.Repeat("n", 128)} {
		client, err := mxp.Dial(right, mxp.ClientOptions{Node: "mxp+tcp://127.0.0.1:1"})
		if err != nil {
			t.Errorf("%q: %v", right, err)
			continue
		}
		client.Close()
	}
}

// [MESH-1.3]
func TestOwnNodeIsWhereItIsToldOrTheEnvironmentSays(t *testing.T) {
	t.Setenv("MXP_MESH", "")
	for folder, want := range map[string]string{"": "mxp+unix:///run/sdp-mesh/node.sock", "/run/user/7": "mxp+unix:///run/user/7/sdp-mesh/node.sock"} {
		t.Setenv("XDG_RUNTIME_DIR", folder)
		if runtime.GOOS == "windows" {
			want = "mxp+pipe://sdp-mesh"
		}
		if at := mxp.NodeAddress(""); at != want {
			t.Error(at)
		}
	}
	t.Setenv("MXP_MESH", "mxp+unix:///n")
	if at := mxp.NodeAddress(""); at != "mxp+unix:///n" {
		t.Error(at)
	}
	if at := mxp.NodeAddress("mxp+unix:///told"); at != "mxp+unix:///told" {
		t.Error(at)
	}
}

// [MESH-3.2]
func TestClientsOfTheMeshFollowAgents(t *testing.T) {
	m := newMeshed(t)
	first, announced := m.agent("first", "one")
	byName, byService := m.client("mesh:///first"), m.client("mesh:///?service=who.Am&capability=answers")
	if got := m.ask(byName); got != "one" {
		t.Errorf("by name: %q", got)
	}
	m.agent("second", "two")
	eventually(t, func() bool { return m.ask(byService) == "two" })
	eventually(t, func() bool { return m.ask(byService) == "one" })

	// The first is gone, and then has another address, of which nothing listens at the first.
	announced.Close()
	eventually(t, func() bool {
		for range 20 {
			if m.ask(byService) == "one" {
				return false
			}
		}
		return true
	})
	first.Close()
	m.agent("first", "three", m.at("nobody"))
	eventually(t, func() bool { return m.ask(byService) == "three" })
	if got := m.ask(byName); got != "three" {
		t.Errorf("by name: %q", got)
	}
}

// [MESH-3.2] Calls in flight when an agent goes are answered.
func TestCallsInFlightOutliveTheRegistration(t *testing.T) {
	m := newMeshed(t)
	began, answer := make(chan struct{}), make(chan struct{})
	services := mxp.NewServices()
	services.Service("slow.S").Call(1, func(context.Context, *mxp.Request) ([]byte, error) {
		close(began)
		<-answer
		return []byte("late"), nil
	})
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	m.listen(server, m.at("slow"))
	announced, err := mxp.Announce(session.Registration{Name: "slow", Addresses: []string{m.at("slow")}}, mxp.AnnounceOptions{Node: m.at("node")})
	if err != nil {
		t.Fatal(err)
	}
	defer announced.Close()
	client, done := m.client("mesh:///slow"), make(chan error, 1)
	go func() {
		_, err := client.Call(within(t, 20*time.Second), "slow.S", 1, nil)
		done <- err
	}()
	<-began
	announced.Close()
	eventually(t, func() bool {
		_, err := client.Call(within(t, 300*time.Millisecond), "slow.S", 2, nil)
		return errors.Is(err, session.ErrAgentUnknown) || errors.Is(err, session.ErrDeadlineExceeded)
	})
	close(answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// [MESH-3.3]
func TestAgentsAreAskedOnWhileTheNodeIsGone(t *testing.T) {
	m := newMeshed(t)
	_, announced := m.agent("a", "one")
	client, nobody := m.client("mesh:///a"), m.client("mesh:///nobody")
	m.ask(client)
	m.node.Close()
	for range 50 {
		m.ask(client)
		time.Sleep(5 * time.Millisecond)
	}
	epoch := announced.Epoch()
	m.begin()
	eventually(t, func() bool {
		reply, err := m.client("mesh:///a").Call(within(t, 20*time.Second), "who.Am", 1, nil)
		return err == nil && string(reply.Value) == "one"
	})
	if announced.Epoch() == 0 {
		t.Errorf("the name is not registered anew; its epoch was %d", epoch)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := nobody.Call(ctx, "who.Am", 1, nil); !errors.Is(err, session.ErrAgentUnknown) {
		t.Errorf("of nobody: %v", err)
	}
}

// [MESH-3.4]
func TestAnnouncementTellsOfItsNameAndItsLoss(t *testing.T) {
	m := newMeshed(t)
	holder, err := mxp.Announce(session.Registration{Name: "n", Addresses: []string{m.at("x")}}, mxp.AnnounceOptions{Node: m.at("node")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Registered(within(t, 20*time.Second)); err != nil {
		t.Fatal(err)
	}
	var told atomic.Value
	next, err := mxp.Announce(session.Registration{Name: "n", Addresses: []string{m.at("y")}}, mxp.AnnounceOptions{
		Node: m.at("node"), Changed: func(epoch uint64, lost error) {
			told.Store(fmt.Sprint(epoch, " ", errors.Is(lost, session.ErrAgentTaken)))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	eventually(t, func() bool { return told.Load() == "0 true" })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := next.Registered(ctx); !errors.Is(err, session.ErrAgentTaken) {
		t.Errorf("taken: %v", err)
	}
	holder.Close()
	epoch, err := next.Registered(within(t, 20*time.Second))
	if err != nil || epoch < 2 {
		t.Errorf("epoch %d, %v", epoch, err)
	}
	for _, name := range []string{"", "a b", "*", ">", ".", "a\x00", strings.Repeat("n", 255)} {
		if _, err := mxp.Announce(session.Registration{Name: name}, mxp.AnnounceOptions{Node: m.at("node")}); !errors.Is(err, session.ErrAgentInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestClientsOfTheMeshLeaveNothing(t *testing.T) {
	m := newMeshed(t)
	m.agent("a", "one")
	before := runtime.NumGoroutine()
	for range 10 {
		client, err := mxp.Dial("mesh:///a", mxp.ClientOptions{Node: m.at("node")})
		if err != nil {
			t.Fatal(err)
		}
		m.ask(client)
		client.Close()
	}
	eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 })
}
