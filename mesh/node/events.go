package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/bus"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Bounds of a subscription.
const (
	subjectsMax       = 256
	unsettledDefault  = 256
	unsettledMax      = 4096
	deliveriesDefault = 5
	deliveriesMax     = 1000
)

// events serves mxp.mesh.Mesh: it is what programs publish by, and subscribe to.
type events struct {
	mesh.UnimplementedMesh
	node *Node
}

func invalid(format string, values ...any) error {
	return mxp.Refuse(mxp.Failure{Status: session.StatusInvalidArgument, Name: "subscription_invalid", Text: fmt.Sprintf(format, values...)})
}

func (s events) identity(ctx context.Context) string { return identityOf(mxp.RequestFrom(ctx).Peer) }

// event is the event of a publication, if its program may publish it.
func (s events) event(ctx context.Context, p *mesh.Publication) (*bus.Event, error) {
	e := &bus.Event{Subject: bus.Subject{Service: p.Subject.Service, Method: p.Subject.Method}, Value: p.Value, ID: p.ID, At: time.Now()}
	if !e.Subject.Valid() {
		return nil, invalid("%q is no full name of a service", p.Subject.Service)
	}
	if err := s.node.policy.Publish(s.identity(ctx), p.Subject.Service, p.Subject.Method); err != nil {
		return nil, mxp.Refuse(*refusalOf(err).(*mxp.Failure))
	}
	return e, nil
}

func (s events) publish(ctx context.Context, p *mesh.Publication) (number uint64, err error) {
	e, err := s.event(ctx, p)
	if err != nil {
		return 0, err
	}
	if p.Durable {
		number, err = s.node.bus.Keep(ctx, e)
	} else {
		err = s.node.bus.Publish(e)
	}
	if err == nil {
		s.node.meters.events.WithLabelValues("published", fmt.Sprint(p.Durable)).Inc()
	}
	return number, refusalOf(err)
}

// Publish publishes an event, and says where it is kept.
func (s events) Publish(ctx context.Context, p *mesh.Publication) (*mesh.Published, error) {
	number, err := s.publish(ctx, p)
	if err != nil {
		return nil, err
	}
	return &mesh.Published{Number: number}, nil
}

// Emit publishes an event.
func (s events) Emit(ctx context.Context, p *mesh.Publication) error {
	_, err := s.publish(ctx, p)
	return err
}

// Subscribe delivers events of subjects until the program ends the stream, or the node drains.
func (s events) Subscribe(ctx context.Context, requests *mxp.Receiver[mesh.Request], responses *mxp.Sender[mesh.Answer]) error {
	first, err := requests.Recv()
	if err != nil {
		return err
	}
	asked, ok := first.Value.(*mesh.RequestSubscribe)
	if !ok {
		return invalid("what comes first is a Subscription")
	}
	source, err := s.source(ctx, &asked.Value)
	if err != nil {
		return refusalOf(err)
	}
	defer source.Close()
	if err := responses.Send(&mesh.Answer{Value: &mesh.AnswerSubscribed{}}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { cancel(s.settle(requests, source)) }()
	draining := mxp.RequestFrom(ctx).Draining()
	go func() {
		select {
		case <-draining:
			cancel(io.EOF)
		case <-ctx.Done():
		}
	}()
	for {
		e, err := source.Next(ctx)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			if errors.Is(err, io.EOF) || errors.Is(err, bus.ErrClosed) {
				return nil
			}
			return err
		}
		err = responses.Send(&mesh.Answer{Value: &mesh.AnswerEvent{Value: mesh.Delivery{
			Subject: mesh.Subject{Service: e.Subject.Service, Method: e.Subject.Method}, Value: e.Value,
			Number: e.Number, Deliveries: uint32(e.Deliveries), At: e.At, Dropped: e.Dropped,
		}}})
		if err != nil {
			return err
		}
		s.node.meters.events.WithLabelValues("delivered", fmt.Sprint(e.Number != 0)).Inc()
	}
}

// listener is a source of events that are not settled.
type listener struct{ *bus.Listener }

func (listener) Done(uint64)   {}
func (listener) Again(uint64)  {}
func (listener) Poison(uint64) {}

// source is the deliverer of a subscription.
func (s events) source(ctx context.Context, subscription *mesh.Subscription) (bus.Deliverer, error) {
	if n := len(subscription.Subjects); n == 0 || n > subjectsMax {
		return nil, invalid("%d subjects, and it can have 1 to %d", n, subjectsMax)
	}
	var subjects []bus.Subject
	identity := s.identity(ctx)
	for _, one := range subscription.Subjects {
		subject := bus.Subject{Service: one.Service, Method: one.Method}
		if !subject.Valid() {
			return nil, invalid("%q is no full name of a service", one.Service)
		}
		if err := s.node.policy.Subscribe(identity, one.Service, one.Method); err != nil {
			return nil, err
		}
		subjects = append(subjects, subject)
	}
	if subscription.Consumer == "" {
		live, err := s.node.bus.Listen(subjects)
		if err != nil {
			return nil, err
		}
		return listener{live}, nil
	}
	c := &bus.Consumer{
		Name: subscription.Consumer, Subjects: subjects, Unsettled: bounded(subscription.Unsettled, unsettledDefault, unsettledMax),
		Deliveries: bounded(subscription.Deliveries, deliveriesDefault, deliveriesMax),
	}
	switch start := subscription.Start.Value.(type) {
	case *mesh.StartNew:
	case *mesh.StartFirst:
		c.Start.First = true
	case *mesh.StartNumber:
		c.Start.Number = start.Value
	case *mesh.StartTime:
		c.Start.Time = start.Value
	default:
		return nil, invalid("a start that this node does not know")
	}
	return s.node.bus.Consume(ctx, c)
}

func bounded(wish uint32, usual, most int) int {
	if wish == 0 {
		return usual
	}
	return int(min(wish, uint32(most)))
}

// settle settles what the program says, until it says no more: then the subscription ends, too.
func (s events) settle(requests *mxp.Receiver[mesh.Request], source bus.Deliverer) error {
	for {
		r, err := requests.Recv()
		if err != nil {
			return err
		}
		one, ok := r.Value.(*mesh.RequestSettle)
		if !ok {
			return invalid("what comes behind the Subscription is Settlements")
		}
		switch one.Value.Outcome {
		case mesh.OutcomeDone:
			source.Done(one.Value.Number)
		case mesh.OutcomePoison:
			source.Poison(one.Value.Number)
		default:
			source.Again(one.Value.Number)
		}
	}
}
