package bus

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	stream   = "MXP_EVENTS"
	atHeader = "Mxp-At" // microseconds since 1970, of events that are not kept

	// againTime is how long events are known by their ids.
	againTime = 10 * time.Minute
	// keepTime is how long Keep waits for the disks.
	keepTime    = 5 * time.Second
	replicasMax = 3
)

// Options are what a bus is made with.
type Options struct {
	// Bytes and Age bound the durable events that are kept; the oldest go first.
	Bytes int64
	Age   time.Duration
	// Replicas is how many nodes keep durable events where there are as many, and Nodes how many
	// there are now.
	Replicas int
	Nodes    func() int
	// Dropped is told how many events subscribers were not given.
	Dropped func(n int)
	Logger  *slog.Logger
}

// NATS is a Bus of a connection to NATS: of its core, and of JetStream.
type NATS struct {
	options Options
	conn    *nats.Conn
	js      jetstream.JetStream

	context context.Context // until Close
	end     context.CancelFunc
	running sync.WaitGroup
}

var _ Bus = (*NATS)(nil)

// Open makes a bus of a connection, which it doesn't close. It returns at once: until the stream of
// durable events is reached, they are refused.
func Open(conn *nats.Conn, o Options) (*NATS, error) {
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(keepTime))
	if err != nil {
		return nil, err
	}
	b := &NATS{options: o, conn: conn, js: js}
	b.context, b.end = context.WithCancel(context.Background())
	b.running.Go(b.tend)
	return b, nil
}

// Close ends it.
func (b *NATS) Close() {
	b.end()
	b.running.Wait()
}

// tend makes the stream, and lets as many nodes keep it as there are, up to three.
func (b *NATS) tend() {
	pause := 100 * time.Millisecond
	for b.context.Err() == nil {
		if err := b.reach(); err != nil {
			b.options.Logger.Debug("durable events are not reached", "error", err)
			pause = 500 * time.Millisecond
		} else {
			pause = 2 * time.Second
		}
		select {
		case <-time.After(pause):
		case <-b.context.Done():
		}
	}
}

func (b *NATS) reach() error {
	ctx, cancel := context.WithTimeout(b.context, time.Second)
	defer cancel()
	want := min(b.options.Nodes(), b.options.Replicas, replicasMax)
	if want != replicasMax { // of two, each would be the majority's last
		want = 1
	}
	found, err := b.js.Stream(ctx, stream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		if b.options.Nodes() == 0 {
			return errors.New("no node is known yet")
		}
		_, err = b.js.CreateStream(ctx, b.config(want))
	case err == nil && found.CachedInfo().Config.Replicas < want:
		_, err = b.js.UpdateStream(ctx, b.config(want))
	}
	return err
}

func (b *NATS) config(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: stream, Description: "Durable events of sdp-mesh", Subjects: []string{keptPrefix + ">"},
		MaxBytes: b.options.Bytes, MaxAge: b.options.Age, Discard: jetstream.DiscardOld, Storage: jetstream.FileStorage,
		Replicas: replicas, Duplicates: min(againTime, b.options.Age),
	}
}

// Publish gives an event to its subscribers.
func (b *NATS) Publish(e *Event) error {
	if len(e.Value) > ValueBytesMax {
		return session.ErrMeshEventBytes
	}
	message := &nats.Msg{Subject: e.Subject.under(livePrefix), Data: e.Value, Header: nats.Header{}}
	message.Header.Set(atHeader, strconv.FormatInt(e.At.UnixMicro(), 10))
	if err := b.conn.PublishMsg(message); err != nil {
		return b.unavailable(err)
	}
	return nil
}

func (b *NATS) unavailable(err error) error {
	b.options.Logger.Debug("events do not pass", "error", err)
	return session.ErrMeshUnavailable
}

// Keep is Publish for a durable event.
func (b *NATS) Keep(ctx context.Context, e *Event) (uint64, error) {
	if len(e.Value) > ValueBytesMax {
		return 0, session.ErrMeshEventBytes
	}
	ctx, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	options := []jetstream.PublishOpt{jetstream.WithRetryAttempts(0), jetstream.WithExpectStream(stream)}
	if e.ID != "" {
		options = append(options, jetstream.WithMsgID(e.ID))
	}
	for {
		ack, err := b.js.PublishMsg(ctx, &nats.Msg{Subject: e.Subject.under(keptPrefix), Data: e.Value}, options...)
		switch {
		case err == nil:
			return ack.Sequence, nil
		case !errors.Is(err, jetstream.ErrNoStreamResponse) && !errors.Is(err, nats.ErrNoResponders): // which nobody has kept
			return 0, b.unavailable(err)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return 0, b.unavailable(err)
		}
	}
}

// Listen is given events of subjects, durable ones among them.
func (b *NATS) Listen(subjects []Subject) (*Listener, error) {
	l := newListener(b.options.Dropped)
	var all []*nats.Subscription
	l.end = func() {
		for _, one := range all {
			one.Unsubscribe()
		}
	}
	for _, subject := range subjects {
		for _, prefix := range []string{livePrefix, keptPrefix} {
			one, err := b.conn.Subscribe(subject.under(prefix), func(m *nats.Msg) {
				if e := eventOf(m); e != nil {
					l.put(e)
				}
			})
			if err != nil {
				l.Close()
				return nil, b.unavailable(err)
			}
			all = append(all, one)
		}
	}
	if err := b.conn.FlushTimeout(keepTime); err != nil { // from here on it hears them
		l.Close()
		return nil, b.unavailable(err)
	}
	return l, nil
}

// eventOf is the event of a message, as it is published.
func eventOf(m *nats.Msg) *Event {
	subject, _, ok := subjectOf(m.Subject)
	if !ok {
		return nil
	}
	at := time.Now()
	if us, err := strconv.ParseInt(m.Header.Get(atHeader), 10, 64); err == nil {
		at = time.UnixMicro(us)
	}
	return &Event{Subject: subject, Value: m.Data, At: at, Deliveries: 1}
}
