package node_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/events"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
)

// heard are the values that a handler has taken.
type heard struct {
	mu     sync.Mutex
	values []string
}

func (h *heard) add(value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.values = append(h.values, value)
}

func (h *heard) are(want ...string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Equal(h.values, want)
}

// haveBeen is are, in any order: what is kept may overtake what is not.
func (h *heard) haveBeen(want ...string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Equal(slices.Sorted(slices.Values(h.values)), want)
}

// [MESH-5.3] Handlers take what a publisher's client sends, and durable events until they have.
func TestHandlersTakeEventsOfTheMesh(t *testing.T) {
	n := start(t)
	options := mxp.ClientOptions{Node: n.at}
	publisher, err := events.Publisher(options)
	if err != nil {
		t.Fatal(err)
	}
	defer publisher.Close()
	publish := func(value string, options ...mxp.Option) {
		t.Helper()
		if err := publisher.Event(soon(t), subject.Service, subject.Method, []byte(value), options...); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "durable events are kept", func() bool {
		ctx, cancel := contextOf(8 * time.Second)
		defer cancel()
		return publisher.Event(ctx, subject.Service, subject.Method, []byte("first"), mxp.WithAck(), events.WithID("first")) == nil
	})
	var live, kept, dead heard
	subscribed := func(h *heard, service string, o events.Options, fails func(value string) error) *events.Subscription {
		t.Helper()
		services := mxp.NewServices()
		services.Service(service).Event(subject.Method, func(_ context.Context, r *mxp.Request) error {
			h.add(string(r.Value))
			return fails(string(r.Value))
		})
		o.Client = options
		s, err := events.Subscribe(services, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		if err := s.Ready(soon(t)); err != nil {
			t.Fatal(err)
		}
		return s
	}
	fine := func(string) error { return nil }
	subscribed(&live, subject.Service, events.Options{}, fine)
	durable := events.Options{Consumer: "kept", Start: &mesh.StartFirst{}, Deliveries: 2}
	keeps := subscribed(&kept, subject.Service, durable, func(value string) error {
		if value == "refused" {
			return errors.New("not today")
		}
		return nil
	})
	subscribed(&dead, "dead."+subject.Service, events.Options{Consumer: "dead", Start: &mesh.StartFirst{}}, fine)
	publish("passes")
	publish("refused", mxp.WithAck())
	until(t, "what is refused is dead", func() bool { return dead.are("refused") })
	keeps.Close()
	publish("second", mxp.WithAck(), events.WithID("second"))
	subscribed(&kept, subject.Service, durable, fine)
	until(t, "the consumer goes on", func() bool { return kept.are("first", "refused", "refused", "second") })
	publish("second", mxp.WithAck(), events.WithID("second")) // which is kept already
	publish("third", mxp.WithAck())
	until(t, "the consumer goes on", func() bool { return kept.are("first", "refused", "refused", "second", "third") })
	until(t, "all that passes is heard", func() bool { return live.haveBeen("passes", "refused", "second", "second", "third") })
}
