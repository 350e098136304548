package events_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/events"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// fakeNode delivers what it is told to, keeps nothing, and notes what it is sent.
type fakeNode struct {
	mesh.UnimplementedMesh
	deliver chan mesh.Delivery
	refuse  error // of subscriptions
	hangs   bool  // when a subscriber leaves

	mu        sync.Mutex
	published []mesh.Publication
	asked     []mesh.Subscription
	settled   []mesh.Settlement
}

func (n *fakeNode) Emit(_ context.Context, p *mesh.Publication) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.published = append(n.published, *p)
	return nil
}

func (n *fakeNode) Publish(ctx context.Context, p *mesh.Publication) (*mesh.Published, error) {
	return &mesh.Published{Number: 7}, n.Emit(ctx, p)
}

func (n *fakeNode) Subscribe(ctx context.Context, requests *mxp.Receiver[mesh.Request], responses *mxp.Sender[mesh.Answer]) error {
	first, err := requests.Recv()
	if err != nil {
		return err
	}
	n.mu.Lock()
	refuse := n.refuse
	n.asked = append(n.asked, first.Value.(*mesh.RequestSubscribe).Value)
	n.mu.Unlock()
	if refuse != nil {
		return refuse
	}
	if err := responses.Send(&mesh.Answer{Value: &mesh.AnswerSubscribed{}}); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		if !n.hangs {
			defer close(ended)
		}
		for r, err := range requests.All() {
			if err != nil {
				return
			}
			n.mu.Lock()
			n.settled = append(n.settled, r.Value.(*mesh.RequestSettle).Value)
			n.mu.Unlock()
		}
	}()
	for {
		select {
		case d, more := <-n.deliver:
			if !more {
				return nil
			}
			if err := responses.Send(&mesh.Answer{Value: &mesh.AnswerEvent{Value: d}}); err != nil {
				return err
			}
		case <-ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (n *fakeNode) noted() (published []mesh.Publication, asked []mesh.Subscription, settled []mesh.Settlement) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.published, n.asked, n.settled
}

// run serves a node, at an address.
func run(t *testing.T, n *fakeNode, at string) (stop func()) {
	t.Helper()
	services := mxp.NewServices()
	mesh.RegisterMesh(services, n)
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return server.Close
}

func place(t *testing.T) string { return places.Free(t) }

func until(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come about")
		}
	}
}

// listener notes what its handlers are given.
type listener struct {
	shop.UnimplementedShop
	fails func(text string) error

	mu    sync.Mutex
	heard []string
}

func (l *listener) Noticed(ctx context.Context, n *shop.Notice) error {
	l.mu.Lock()
	d, text := events.FromContext(ctx), n.Value.(*shop.NoticeSold).Value.Name
	l.heard = append(l.heard, fmt.Sprint(text, " ", d.Number, " ", mxp.RequestFrom(ctx).Name))
	l.mu.Unlock()
	if l.fails != nil {
		return l.fails(text)
	}
	return nil
}

func (l *listener) Tidy(context.Context, *goods.Nothing) error { return nil }

func (l *listener) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

func notice(text string) *shop.Notice {
	return &shop.Notice{Value: &shop.NoticeSold{Value: goods.Item{Name: text}}}
}

func encoded(t *testing.T, text string) []byte {
	t.Helper()
	value, err := notice(text).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

var noticed = mesh.Subject{Service: shop.ShopName, Method: shop.ShopNoticedMethod}

func TestEventsOfStubsArePublications(t *testing.T) {
	n, at := &fakeNode{}, place(t)
	run(t, n, at)
	client, err := events.Publisher(mxp.ClientOptions{Node: at})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	stub := shop.NewShopClient(client)
	ctx := t.Context()
	if err := stub.Noticed(ctx, notice("one")); err != nil {
		t.Fatal(err)
	}
	if sent, err := stub.NoticedBatch(ctx, []shop.Notice{*notice("two"), *notice("three")}); sent != 2 || err != nil {
		t.Fatalf("%d, %v", sent, err)
	}
	until(t, func() bool { published, _, _ := n.noted(); return len(published) == 3 })
	for range 2 {
		if err := stub.Noticed(ctx, notice("kept"), mxp.WithAck()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stub.Noticed(ctx, notice("named"), mxp.WithAck(), events.WithID("n-1"), mxp.WithMetadata("other", nil)); err != nil {
		t.Fatal(err)
	}
	published, _, _ := n.noted()
	for i, want := range []string{"one", "two", "three", "kept", "kept", "named"} {
		p := &published[i]
		if p.Subject != noticed || !reflect.DeepEqual(p.Value, encoded(t, want)) || p.Durable != (i >= 3) {
			t.Errorf("publication %d is %+v", i, p)
		}
	}
	if a, b, c := published[3].ID, published[4].ID, published[5].ID; a == "" || b == "" || a == b || c != "n-1" || published[0].ID != "" {
		t.Errorf("ids are %q, %q and %q, and of what is not kept %q", a, b, c, published[0].ID)
	}
	if _, err := stub.Find(ctx, &shop.Article{}); !errors.Is(err, session.ErrMethodUnknown) {
		t.Errorf("a call: %v", err)
	}
	if s, err := stub.Deliver(ctx); !errors.Is(err, session.ErrMethodUnknown) {
		t.Errorf("a stream: %v, %v", s, err)
	}
}

// [MESH-5.3]
func TestHandlersTakeWhatIsDeliveredAndSettleIt(t *testing.T) {
	n, at := &fakeNode{deliver: make(chan mesh.Delivery)}, place(t)
	run(t, n, at)
	l := &listener{fails: func(text string) error {
		switch text {
		case "later":
			return errors.New("not now")
		case "never":
			return &mxp.Failure{Status: session.StatusInvalidArgument, Name: "never"}
		case "panics":
			panic(text)
		}
		return nil
	}}
	services := mxp.NewServices()
	shop.RegisterShop(services, l)
	var dropped uint64
	s, err := events.Subscribe(services, events.Options{
		Client: mxp.ClientOptions{Node: at}, Consumer: "c", Start: &mesh.StartNumber{Value: 3}, Unsettled: 8, Deliveries: 2,
		Dropped: func(n uint64) { dropped += n },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"good", "later", "never", "panics"} {
		n.deliver <- mesh.Delivery{Subject: noticed, Value: encoded(t, text), Number: uint64(i + 1), Dropped: 2}
	}
	n.deliver <- mesh.Delivery{Subject: noticed, Value: []byte{1, 2, 3}, Number: 5}                                   // no Notice
	n.deliver <- mesh.Delivery{Subject: mesh.Subject{Service: "x.Y", Method: 1}, Number: 6}                           // not subscribed to
	n.deliver <- mesh.Delivery{Subject: mesh.Subject{Service: shop.ShopName, Method: shop.ShopFindMethod}, Number: 7} // a call
	want := []mesh.Settlement{
		{Number: 1, Outcome: mesh.OutcomeDone}, {Number: 2, Outcome: mesh.OutcomeAgain}, {Number: 3, Outcome: mesh.OutcomePoison},
		{Number: 4, Outcome: mesh.OutcomeAgain}, {Number: 5, Outcome: mesh.OutcomePoison}, {Number: 6, Outcome: mesh.OutcomeAgain}, {Number: 7, Outcome: mesh.OutcomeAgain},
	}
	until(t, func() bool { _, _, settled := n.noted(); return len(settled) == len(want) })
	_, asked, settled := n.noted()
	if !reflect.DeepEqual(settled, want) {
		t.Errorf("settled is\n%+v, and not\n%+v", settled, want)
	}
	if heard := l.all(); !reflect.DeepEqual(heard, []string{"good 1 noticed", "later 2 noticed", "never 3 noticed", "panics 4 noticed"}) {
		t.Errorf("heard is %q", heard)
	}
	tidy := mesh.Subject{Service: shop.ShopName, Method: shop.ShopTidyMethod}
	wanted := mesh.Subscription{Subjects: []mesh.Subject{tidy, noticed}, Consumer: "c", Start: mesh.Start{Value: &mesh.StartNumber{Value: 3}}, Unsettled: 8, Deliveries: 2}
	if len(asked) != 1 || !asked[0].Equal(&wanted) {
		t.Errorf("asked is %+v", asked)
	}
	s.Close()
	if dropped != 8 {
		t.Errorf("%d dropped", dropped)
	}
}

// Events that a handler has taken are settled, however soon the subscription is closed behind it.
func TestClosedSubscriptionsHaveSettled(t *testing.T) {
	n, at := &fakeNode{deliver: make(chan mesh.Delivery)}, place(t)
	run(t, n, at)
	for i := range 30 {
		begun, release := make(chan struct{}), make(chan error)
		services := mxp.NewServices()
		shop.RegisterShop(services, &listener{fails: func(string) error {
			close(begun)
			return <-release
		}})
		s, err := events.Subscribe(services, events.Options{Client: mxp.ClientOptions{Node: at}, Consumer: "c"})
		if err != nil {
			t.Fatal(err)
		}
		n.deliver <- mesh.Delivery{Subject: noticed, Value: encoded(t, "x"), Number: uint64(i + 1)}
		select {
		case <-begun:
		case <-time.After(10 * time.Second):
			t.Fatalf("event %d is not heard", i+1)
		}
		closed := make(chan struct{})
		go func() { s.Close(); close(closed) }()
		if i%3 == 0 { // else both at once
			time.Sleep(time.Millisecond)
		}
		if i%10 == 9 {
			release <- context.Canceled // given up, and delivered again
		} else {
			release <- nil
		}
		start := time.Now()
		<-closed
		if took := time.Since(start); took > 500*time.Millisecond {
			t.Errorf("the close took %v", took)
		}
		_, _, settled := n.noted()
		isSettled := len(settled) > 0 && settled[len(settled)-1].Number == uint64(i+1)
		isDone := isSettled && settled[len(settled)-1].Outcome == mesh.OutcomeDone
		if isGivenUp := i%10 == 9; isDone == isGivenUp {
			t.Errorf("event %d: done is %t", i+1, isDone)
		}
	}
}

// A node that does not end its side is left all the same.
func TestSubscriptionsLeaveANodeThatHangs(t *testing.T) {
	n, at := &fakeNode{deliver: make(chan mesh.Delivery), hangs: true}, place(t)
	run(t, n, at)
	services := mxp.NewServices()
	shop.RegisterShop(services, &listener{})
	s, err := events.Subscribe(services, events.Options{Client: mxp.ClientOptions{Node: at}, Consumer: "c"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	s.Close()
	if took := time.Since(start); took < 900*time.Millisecond || took > 5*time.Second {
		t.Errorf("the close took %v", took)
	}
}

// [MESH-5.5] A subscription that the node ends, or refuses, or that is lost with it, is made anew.
func TestSubscriptionsAreMadeAnew(t *testing.T) {
	n, at := &fakeNode{deliver: make(chan mesh.Delivery)}, place(t)
	l := &listener{}
	services := mxp.NewServices()
	shop.RegisterShop(services, l)
	told := make(chan error, 100)
	s, err := events.Subscribe(services, events.Options{
		Client:  mxp.ClientOptions{Node: at, ConnectTimeout: 50 * time.Millisecond},
		Changed: func(lost error) { told <- lost },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := <-told; !errors.Is(err, session.ErrNotConnected) {
		t.Errorf("without a node: %v", err)
	}
	if err := s.Ready(soonOver(t)); !errors.Is(err, session.ErrNotConnected) {
		t.Errorf("without a node: %v", err)
	}
	stop := run(t, n, at)
	if err := <-told; err != nil {
		t.Errorf("with a node: %v", err)
	}
	n.deliver <- mesh.Delivery{Subject: noticed, Value: encoded(t, "a")}
	n.deliver <- mesh.Delivery{Subject: noticed, Value: encoded(t, "b")} // the handler of the first has returned
	until(t, func() bool { return len(l.all()) == 2 })
	stop()
	if err := <-told; err == nil {
		t.Error("the node is gone")
	}
	denied := &fakeNode{refuse: mxp.Refuse(mxp.Failure{Status: session.StatusPermissionDenied, Name: "mesh_denied"})}
	stop = run(t, denied, at)
	until(t, func() bool { return errors.Is(s.Ready(soonOver(t)), session.ErrMeshDenied) })
	stop()
	n.deliver = make(chan mesh.Delivery)
	run(t, n, at)
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	n.deliver <- mesh.Delivery{Subject: noticed, Value: encoded(t, "c")}
	until(t, func() bool { return len(l.all()) == 3 })
	close(n.deliver) // the node ends it
	until(t, func() bool { return s.Ready(soonOver(t)) != nil })
	s.Close()
	if _, _, settled := n.noted(); len(settled) != 0 {
		t.Errorf("settled without a consumer: %+v", settled)
	}
}

func soonOver(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func TestWhatCannotSubscribe(t *testing.T) {
	services := mxp.NewServices()
	services.Service("a.B").Call(1, func(context.Context, *mxp.Request) ([]byte, error) { return nil, io.EOF })
	if _, err := events.Subscribe(services, events.Options{}); err == nil {
		t.Error("without events")
	}
	services.Service("a.B").Event(2, func(context.Context, *mxp.Request) error { return nil })
	if _, err := events.Subscribe(services, events.Options{Client: mxp.ClientOptions{Node: "nowhere"}}); !errors.Is(err, session.ErrAddressInvalid) {
		t.Errorf("at a node that can't be: %v", err)
	}
	if d := events.FromContext(t.Context()); d != nil {
		t.Errorf("%+v", d)
	}
}
