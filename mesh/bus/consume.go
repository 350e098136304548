package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	// settleTime is after which an event is delivered again of whose subscriber nothing is
	// heard: while one is there, its node says so.
	settleTime = 15 * time.Second
	// batch is how many events are asked for at a time, and batchTime how long for.
	batch     = 16
	batchTime = 2 * time.Second
	// againAfter is when an event is first delivered again that was settled so; later times are
	// twice as far apart, up to againMost.
	againAfter = 100 * time.Millisecond
	againMost  = 10 * time.Second
)

// Consume delivers durable events to one of the consumers under a name.
func (b *NATS) Consume(ctx context.Context, c *Consumer) (Deliverer, error) {
	if !registry.ValidName(c.Name) {
		return nil, &mxp.Failure{Status: session.StatusInvalidArgument, Name: "consumer_invalid", Text: "the name of a consumer has the form of names of agents"}
	}
	name := strings.ReplaceAll(c.Name, ".", "=")
	ctx, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	var filters []string
	for _, one := range c.Subjects {
		filters = append(filters, one.under(keptPrefix))
	}
	slices.Sort(filters)
	filters = slices.Compact(filters)
	wanted := c.config(name, filters)
	consumer, err := b.js.Consumer(ctx, stream, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		consumer, err = b.js.CreateConsumer(ctx, stream, wanted)
		if errors.Is(err, jetstream.ErrConsumerExists) { // with another start, by another at the same time
			consumer, err = b.js.Consumer(ctx, stream, name)
		}
	}
	if err != nil {
		return nil, b.unavailable(err)
	}
	is := consumer.CachedInfo().Config
	has := append([]string{}, is.FilterSubjects...)
	if is.FilterSubject != "" {
		has = []string{is.FilterSubject}
	}
	if slices.Sort(has); !slices.Equal(has, filters) {
		return nil, &mxp.Failure{Status: session.StatusFailedPrecondition, Name: "consumer_differs", Text: fmt.Sprintf("the consumer %s is there, and has other subjects", c.Name)}
	}
	d := &deliverer{bus: b, consumer: consumer, deliveries: c.Deliveries, unsettled: map[uint64]jetstream.Msg{}, events: make(chan jetstream.Msg)}
	d.context, d.end = context.WithCancel(b.context)
	d.running.Go(d.fetch)
	d.running.Go(d.hold)
	return d, nil
}

func (c *Consumer) config(name string, filters []string) jetstream.ConsumerConfig {
	config := jetstream.ConsumerConfig{
		Durable: name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: settleTime, MaxAckPending: c.Unsettled,
		FilterSubjects: filters, DeliverPolicy: jetstream.DeliverNewPolicy, MaxDeliver: -1,
	}
	switch {
	case c.Start.First:
		config.DeliverPolicy = jetstream.DeliverAllPolicy
	case c.Start.Number != 0:
		config.DeliverPolicy, config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, c.Start.Number
	case !c.Start.Time.IsZero():
		config.DeliverPolicy, config.OptStartTime = jetstream.DeliverByStartTimePolicy, &c.Start.Time
	}
	return config
}

// deliverer gives the events of a consumer to one subscriber.
type deliverer struct {
	bus        *NATS
	consumer   jetstream.Consumer
	deliveries int
	events     chan jetstream.Msg

	context context.Context // until Close
	end     context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	unsettled map[uint64]jetstream.Msg
}

// fetch asks for events, and gives back what nobody takes any more.
func (d *deliverer) fetch() {
	for d.context.Err() == nil {
		asking, done := context.WithTimeout(d.context, batchTime)
		messages, err := d.consumer.Fetch(batch, jetstream.FetchContext(asking))
		if err != nil {
			done()
			select {
			case <-time.After(200 * time.Millisecond):
			case <-d.context.Done():
			}
			continue
		}
		for m := range messages.Messages() {
			select {
			case d.events <- m:
			case <-d.context.Done():
				m.NakWithDelay(againAfter) // by when this one asks for no more
			}
		}
		done()
	}
}

// hold says of events that are not settled that their subscriber is there.
func (d *deliverer) hold() {
	tick := time.NewTicker(settleTime / 3)
	defer tick.Stop()
	for {
		select {
		case <-d.context.Done():
			return
		case <-tick.C:
			d.mu.Lock()
			for _, m := range d.unsettled {
				m.InProgress()
			}
			d.mu.Unlock()
		}
	}
}

// Next waits for the next event.
func (d *deliverer) Next(ctx context.Context) (*Event, error) {
	for {
		select {
		case m := <-d.events:
			if e := d.take(ctx, m); e != nil {
				return e, nil
			}
		case <-d.context.Done():
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take makes an event of a message, unless it is to be delivered no more.
func (d *deliverer) take(ctx context.Context, m jetstream.Msg) *Event {
	about, err := m.Metadata()
	subject, _, ok := subjectOf(m.Subject())
	if err != nil || !ok {
		m.Term()
		return nil
	}
	if int(about.NumDelivered) > d.deliveries {
		d.bury(ctx, m, subject)
		return nil
	}
	number := about.Sequence.Stream
	d.mu.Lock()
	d.unsettled[number] = m
	d.mu.Unlock()
	return &Event{Subject: subject, Value: m.Data(), Number: number, Deliveries: int(about.NumDelivered), At: about.Timestamp}
}

// bury publishes an event under its dead letters, and then lets it be delivered no more. A dead
// letter is only ended.
func (d *deliverer) bury(ctx context.Context, m jetstream.Msg, subject Subject) {
	if !strings.HasPrefix(subject.Service, DeadPrefix) {
		id := ""
		if about, err := m.Metadata(); err == nil { // so that it is there once, whoever buries it
			id = fmt.Sprintf("dead %s %d", d.consumer.CachedInfo().Name, about.Sequence.Stream)
		}
		dead := &Event{Subject: Subject{DeadPrefix + subject.Service, subject.Method}, Value: m.Data(), ID: id}
		if _, err := d.bus.Keep(ctx, dead); err != nil {
			m.NakWithDelay(againMost)
			return
		}
	}
	m.Term()
}

// settle gives the message of an event that was delivered, and not settled.
func (d *deliverer) settle(number uint64) jetstream.Msg {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.unsettled[number]
	delete(d.unsettled, number)
	return m
}

// Done says that an event was acted on.
func (d *deliverer) Done(number uint64) {
	if m := d.settle(number); m != nil {
		m.Ack()
	}
}

// Again lets an event be delivered again, later.
func (d *deliverer) Again(number uint64) {
	if m := d.settle(number); m != nil {
		after := againAfter
		if about, err := m.Metadata(); err == nil {
			after = min(againAfter<<min(about.NumDelivered-1, 10), againMost)
		}
		m.NakWithDelay(after)
	}
}

// Poison lets an event be delivered no more.
func (d *deliverer) Poison(number uint64) {
	m := d.settle(number)
	if m == nil {
		return
	}
	if subject, _, ok := subjectOf(m.Subject()); ok {
		d.bury(d.context, m, subject)
	}
}

// Close lets others have what is not settled.
func (d *deliverer) Close() {
	d.end()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.unsettled {
		m.NakWithDelay(againAfter)
	}
	clear(d.unsettled)
}
