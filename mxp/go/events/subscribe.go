package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Pauses between attempts to subscribe.
const (
	pauseMin = 10 * time.Millisecond
	pauseMax = time.Second
)

// leaveTime is how long a subscription that is closed waits for the node to read its settlements: what
// the node does not know to be settled, it delivers again.
const leaveTime = time.Second

// Options are what a subscription is made with. The zero value hears events as they are published.
type Options struct {
	// Client is how the program's own node is reached.
	Client mxp.ClientOptions
	// Consumer makes the subscription durable: all who subscribe under this name share the durable
	// events, and each is delivered until a handler has taken it.
	Consumer string
	// Start is where a new consumer begins; at what is published from now on, if it is nil.
	Start mesh.StartAlternative
	// Unsettled is how many durable events are delivered at most before their handlers have returned;
	// 256 if it is 0. Deliveries is how often an event is before it goes to the dead letters; 5.
	Unsettled, Deliveries uint32
	// Dropped is told how many events the subscription was not sent, since it was read too slowly.
	Dropped func(n uint64)
	// Changed is told that the subscription is there, by nil, and that it is lost, by the reason.
	Changed func(why error)
}

// Subscription lets handlers take the events of a mesh.
type Subscription struct {
	services *mxp.Services
	options  Options
	subjects []mesh.Subject
	client   *mxp.Client
	stop     context.CancelFunc
	done     chan struct{}

	mu      sync.Mutex
	lost    error // why it is not there; nil while it is
	changed chan struct{}
}

// errNotYet is why a subscription is not there before the first attempt.
var errNotYet = errors.New("mxp: the subscription is not there yet")

// Subscribe lets the handlers of all events of services take the events that are published in the
// mesh, one after the other; it subscribes anew where the connection to the node is lost. Handlers
// have From. A durable event is delivered again where its handler fails, unless with
// session.StatusInvalidArgument, as for values that can't be decoded: those go to the dead letters.
func Subscribe(services *mxp.Services, options Options) (*Subscription, error) {
	s := &Subscription{services: services, options: options, done: make(chan struct{}), lost: errNotYet, changed: make(chan struct{})}
	for _, name := range services.Names() {
		methods, _, _ := services.Describe(name)
		for _, m := range methods {
			if m.Kind == mxp.KindEvent {
				s.subjects = append(s.subjects, mesh.Subject{Service: name, Method: m.Number})
			}
		}
	}
	if len(s.subjects) == 0 {
		return nil, errors.New("mxp: services that are to subscribe have no events")
	}
	if options.Start == nil {
		s.options.Start = &mesh.StartNew{}
	}
	reached := options.Client
	reached.Types = append(reached.Types[:len(reached.Types):len(reached.Types)], mesh.MeshTypes()...)
	client, err := mxp.Dial(mxp.NodeAddress(reached.Node), reached)
	if err != nil {
		return nil, err
	}
	s.client = client
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go s.run(ctx)
	return s, nil
}

// Ready waits until the subscription is there: the node delivers what is published to it from then
// on. When the context ends, it returns why it is not.
func (s *Subscription) Ready(ctx context.Context) error {
	for {
		s.mu.Lock()
		lost, changed := s.lost, s.changed
		s.mu.Unlock()
		if lost == nil {
			return nil
		}
		select {
		case <-changed:
		case <-s.done:
			return lost
		case <-ctx.Done():
			return lost
		}
	}
}

// Close ends the subscription, when the handler that runs has returned, whose context ends. An event whose
// handler fails then is delivered again. A durable consumer stays, and goes on for the next subscription
// by its name.
func (s *Subscription) Close() {
	s.stop()
	<-s.done
}

func (s *Subscription) run(ctx context.Context) {
	defer close(s.done)
	defer s.client.Close()
	pause := time.Duration(0)
	for ctx.Err() == nil {
		err := s.subscribed(ctx)
		if s.change(err) {
			pause = 0
		}
		pause = min(max(2*pause, pauseMin), pauseMax)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// change notes that the subscription is there, or why it is not, and reports whether it was.
func (s *Subscription) change(why error) (was bool) {
	s.mu.Lock()
	was, first := s.lost == nil, s.lost == errNotYet
	s.lost = why
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if s.options.Changed != nil && (why == nil || was || first) {
		s.options.Changed(why)
	}
	return was
}

// subscribed subscribes once, and takes what is delivered until that ends.
func (s *Subscription) subscribed(ctx context.Context) error {
	reading, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	t := &turns{ctx: ctx}
	defer context.AfterFunc(ctx, func() { t.leave(cancel) })()
	stream, err := mesh.NewMeshClient(s.client).Subscribe(reading)
	if err != nil {
		return err
	}
	defer stream.Close()
	t.begin(stream)
	err = stream.Send(&mesh.Request{Value: &mesh.RequestSubscribe{Value: mesh.Subscription{
		Subjects: s.subjects, Consumer: s.options.Consumer, Start: mesh.Start{Value: s.options.Start},
		Unsettled: s.options.Unsettled, Deliveries: s.options.Deliveries,
	}}})
	for err == nil {
		var answer *mesh.Answer
		if answer, err = stream.Recv(); err != nil {
			break
		}
		switch one := answer.Value.(type) {
		case *mesh.AnswerSubscribed:
			s.change(nil)
		case *mesh.AnswerEvent:
			err = s.take(t, &one.Value)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("mxp: the node has ended the subscription")
	}
	return err
}

// turns lets either a handler run and its event be settled, or the stream be ended behind that.
type turns struct {
	ctx    context.Context // ends when the subscription is closed
	mu     sync.Mutex
	stream *mxp.BidiStream[mesh.Request, mesh.Answer]
}

// begin notes the stream that is open.
func (t *turns) begin(stream *mxp.BidiStream[mesh.Request, mesh.Answer]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream = stream
}

// leave ends this side of the stream, so that the node ends its own when it has read all settlements. Where it
// does not do that in time, or there is no stream, the reading is cancelled.
func (t *turns) leave(cancel context.CancelFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stream == nil || t.stream.CloseSend() != nil {
		cancel()
		return
	}
	time.AfterFunc(leaveTime, cancel)
}

// take lets the handler of an event take it, and settles it. Events behind the close stay unsettled.
func (s *Subscription) take(t *turns, d *mesh.Delivery) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return nil
	}
	if d.Dropped > 0 && s.options.Dropped != nil {
		s.options.Dropped(d.Dropped)
	}
	err := s.handle(context.WithValue(t.ctx, deliveryKey{}, d), d)
	if err != nil && t.ctx.Err() != nil {
		return nil // the close may be the reason
	}
	outcome := mesh.OutcomeDone
	if err != nil {
		s.log(err, d)
		outcome = mesh.OutcomeAgain
		if f := (*mxp.Failure)(nil); errors.As(err, &f) && f.Status == session.StatusInvalidArgument {
			outcome = mesh.OutcomePoison
		}
	}
	if s.options.Consumer == "" {
		return nil
	}
	return t.stream.Send(&mesh.Request{Value: &mesh.RequestSettle{Value: mesh.Settlement{Number: d.Number, Outcome: outcome}}})
}

// handle runs a handler. A handler that panics has failed, unless a panic is to end the program.
func (s *Subscription) handle(ctx context.Context, d *mesh.Delivery) (err error) {
	if !s.options.Client.CrashOnPanic {
		defer func() {
			if what := recover(); what != nil {
				err = fmt.Errorf("the handler panicked: %v\n%s", what, debug.Stack())
			}
		}()
	}
	_, err = s.services.Handle(ctx, &mxp.Request{Service: d.Subject.Service, Method: d.Subject.Method, Kind: mxp.KindEvent, Value: d.Value})
	return err
}

func (s *Subscription) log(err error, d *mesh.Delivery) {
	if s.options.Client.Logger != nil {
		s.options.Client.Logger.Warn("mxp: event handler", slog.String("service", d.Subject.Service), slog.Int("method", int(d.Subject.Method)),
			slog.Uint64("number", d.Number), slog.String("error", err.Error()))
	}
}

type deliveryKey struct{}

// FromContext gives the delivery of the event that a handler with this context takes: the time at which it was
// published, its number, how often it has been delivered. It is nil for an event that came by a connection.
func FromContext(ctx context.Context) *mesh.Delivery {
	d, _ := ctx.Value(deliveryKey{}).(*mesh.Delivery)
	return d
}

// From gives the delivery of an event.
//
// Deprecated: use FromContext.
func From(ctx context.Context) *mesh.Delivery { return FromContext(ctx) }
