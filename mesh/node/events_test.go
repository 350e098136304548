package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

var subject = mesh.Subject{Service: "desk.Mixer", Method: 7}

type subscription struct {
	*mxp.BidiStream[mesh.Request, mesh.Answer]
	stands bool
}

// Recv gives the next event. The first message says that the subscription is there.
func (s *subscription) Recv() (*mesh.Delivery, error) {
	for {
		answer, err := s.BidiStream.Recv()
		if err != nil {
			return nil, err
		}
		switch one := answer.Value.(type) {
		case *mesh.AnswerSubscribed:
			if s.stands {
				return nil, errors.New("it says twice that the subscription is there")
			}
			s.stands = true
		case *mesh.AnswerEvent:
			if !s.stands {
				return nil, errors.New("an event comes before the subscription is there")
			}
			return &one.Value, nil
		}
	}
}

func subscribe(t *testing.T, client *mxp.Client, s mesh.Subscription) *subscription {
	t.Helper()
	ctx, cancel := contextOf(4 * time.Minute)
	t.Cleanup(cancel)
	stream, err := mesh.NewMeshClient(client).Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Close)
	if s.Start.Value == nil {
		s.Start.Value = &mesh.StartFirst{}
	}
	if s.Subjects == nil {
		s.Subjects = []mesh.Subject{subject}
	}
	if err := stream.Send(&mesh.Request{Value: &mesh.RequestSubscribe{Value: s}}); err != nil {
		t.Fatal(err)
	}
	return &subscription{BidiStream: stream}
}

func publish(t *testing.T, client *mxp.Client, p mesh.Publication) uint64 {
	t.Helper()
	p.Subject = subject
	answer, err := mesh.NewMeshClient(client).Publish(soon(t), &p)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Number
}

func settle(t *testing.T, stream *subscription, number uint64, outcome mesh.Outcome) {
	t.Helper()
	if err := stream.Send(&mesh.Request{Value: &mesh.RequestSettle{Value: mesh.Settlement{Number: number, Outcome: outcome}}}); err != nil {
		t.Fatal(err)
	}
}

func next(t *testing.T, stream *subscription) *mesh.Delivery {
	t.Helper()
	d, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// listens waits until subscriptions are there.
func listens(t *testing.T, streams ...*subscription) {
	t.Helper()
	for _, stream := range streams {
		answer, err := stream.BidiStream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if _, stream.stands = answer.Value.(*mesh.AnswerSubscribed); !stream.stands {
			t.Fatalf("%+v comes first", answer)
		}
	}
}

// [MESH-5.1]
func TestEventsGoToAllWhoListen(t *testing.T) {
	n := start(t)
	publisher := dial(t, n)
	one, two := subscribe(t, dial(t, n), mesh.Subscription{}), subscribe(t, dial(t, n), mesh.Subscription{})
	other := subscribe(t, dial(t, n), mesh.Subscription{Subjects: []mesh.Subject{{Service: "desk.Mixer", Method: 8}}})
	listens(t, one, two)
	for i := range 20 {
		publish(t, publisher, mesh.Publication{Value: []byte{byte(i)}})
	}
	for _, stream := range []*subscription{one, two} {
		for i := range 20 {
			d := next(t, stream)
			if d.Value[0] != byte(i) || d.Number != 0 || d.Subject != subject || time.Since(d.At) > time.Minute {
				t.Fatalf("event %d is %+v", i, d)
			}
		}
	}
	other.CloseSend()
	if d, err := other.Recv(); err == nil {
		t.Errorf("a subscriber of another subject got %+v", d)
	}
}

// [MESH-5.2]
func TestAnEventThatIsTooLongIsRefused(t *testing.T) {
	n := start(t)
	client := mesh.NewMeshClient(dial(t, n))
	for _, durable := range []bool{false, true} {
		if _, err := client.Publish(soon(t), &mesh.Publication{Subject: subject, Durable: durable, Value: make([]byte, 1_000_000)}); err != nil {
			t.Errorf("1,000,000 bytes: %v", err)
		}
		_, err := client.Publish(soon(t), &mesh.Publication{Subject: subject, Durable: durable, Value: make([]byte, 1_000_001)})
		refused(t, err, session.ErrMeshEventBytes)
	}
	_, err := client.Publish(soon(t), &mesh.Publication{Subject: mesh.Subject{Service: "desk.>", Method: 1}})
	if f, ok := err.(*mxp.Failure); !ok || f.Name != "subscription_invalid" {
		t.Errorf("a wildcard is published to: %v", err)
	}
}

// [MESH-5.1]
func TestASlowSubscriberHearsFewOldEventsAndIsToldOfTheRest(t *testing.T) {
	n := start(t)
	slow := subscribe(t, dial(t, n), mesh.Subscription{})
	listens(t, slow)
	const many, onTheirWay, waiting = 20000, session.SubscriptionMessages, 1024
	publisher := mesh.NewMeshClient(dial(t, n))
	for i := range many {
		for publisher.Emit(t.Context(), &mesh.Publication{Subject: subject, Value: fmt.Append(nil, i)}) != nil {
			time.Sleep(time.Millisecond) // its own queue is full
		}
	}
	if _, err := publisher.Publish(soon(t), &mesh.Publication{Subject: subject, Value: fmt.Append(nil, many)}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // the last has come to the subscriber's place
	old, heard, dropped := 0, 0, 0
	for last := -1; last < many; heard++ {
		d := next(t, slow)
		if dropped += int(d.Dropped); dropped == 0 {
			old++
		}
		number, err := strconv.Atoi(string(d.Value))
		if err != nil || number != last+1+int(d.Dropped) {
			t.Fatalf("%d comes behind %d, with %d dropped", number, last, d.Dropped)
		}
		last = number
	}
	if old > onTheirWay+1 || heard > onTheirWay+1+waiting || heard+dropped != many+1 {
		t.Errorf("of %d events it hears %d, of which %d are old, and is told of %d", many+1, heard, old, dropped)
	}
}

// [MESH-5.1]
func TestASubscriberThatStopsReadingLosesTheOldestAndHoldsNobodyUp(t *testing.T) {
	n := start(t)
	publisher := dial(t, n)
	slow, quick := subscribe(t, dial(t, n), mesh.Subscription{}), subscribe(t, dial(t, n), mesh.Subscription{})
	listens(t, slow, quick)
	const many = 8000
	go func() { // which wants to hear of each
		for i := range many {
			p := mesh.Publication{Subject: subject, Value: append(fmt.Appendf(nil, "%d", i), bytes.Repeat([]byte{0}, 4000)...)}
			mesh.NewMeshClient(publisher).Publish(t.Context(), &p)
		}
	}()
	heard := 0
	for last := false; !last; heard++ {
		d := next(t, quick)
		heard += int(d.Dropped)
		last = bytes.HasPrefix(d.Value, fmt.Appendf(nil, "%d\x00", many-1))
	}
	if heard < many {
		t.Errorf("the quick one has heard of %d", heard)
	}
	got, dropped := 0, 0
	for last := false; !last; got++ {
		d := next(t, slow)
		dropped += int(d.Dropped)
		last = bytes.HasPrefix(d.Value, fmt.Appendf(nil, "%d\x00", many-1))
	}
	if dropped == 0 || got+dropped < many {
		t.Errorf("the slow one got %d, and was told of %d that were dropped", got, dropped)
	}
}

// [MESH-5.3, MESH-5.5]
func TestADurableConsumerIsDeliveredWhatIsNotSettledAndKeepsItsPlace(t *testing.T) {
	n := start(t)
	publisher := dial(t, n)
	first := publish(t, publisher, mesh.Publication{Value: []byte("0"), Durable: true, ID: "zero"})
	if again := publish(t, publisher, mesh.Publication{Value: []byte("0"), Durable: true, ID: "zero"}); again != first || first == 0 {
		t.Errorf("published twice, it is %d and %d", first, again)
	}
	for _, value := range []string{"1", "2", "3"} {
		publish(t, publisher, mesh.Publication{Value: []byte(value), Durable: true})
	}
	ledger := mesh.Subscription{Consumer: "ledger.one"}
	stream := subscribe(t, dial(t, n), ledger)
	for i := range 4 {
		d := next(t, stream)
		if string(d.Value) != fmt.Sprint(i) || d.Number != first+uint64(i) || d.Deliveries != 1 {
			t.Fatalf("event %d is %+v", i, d)
		}
		if i < 2 {
			settle(t, stream, d.Number, mesh.OutcomeDone)
		}
	}
	settle(t, stream, 1000, mesh.OutcomeDone) // which it was not sent
	settle(t, stream, first+2, mesh.OutcomeAgain)
	if d := next(t, stream); string(d.Value) != "2" || d.Deliveries != 2 {
		t.Errorf("again it is %+v", d)
	}
	settle(t, stream, first+2, mesh.OutcomeDone)
	stream.CloseSend()
	stream.Recv()
	publish(t, publisher, mesh.Publication{Value: []byte("4"), Durable: true})
	stream = subscribe(t, dial(t, n), ledger)
	seen := map[string]bool{}
	for len(seen) < 2 {
		d := next(t, stream)
		seen[string(d.Value)] = true
		settle(t, stream, d.Number, mesh.OutcomeDone)
	}
	if !seen["3"] || !seen["4"] {
		t.Errorf("it goes on with %v", seen)
	}
	other := subscribe(t, dial(t, n), mesh.Subscription{Consumer: "other", Start: mesh.Start{Value: &mesh.StartNumber{Value: first + 3}}})
	if d := next(t, other); string(d.Value) != "3" {
		t.Errorf("from a number it begins with %+v", d)
	}
	wrong := subscribe(t, dial(t, n), mesh.Subscription{Consumer: "other", Subjects: []mesh.Subject{{Service: "x.Y", Method: 1}}})
	if _, err := wrong.Recv(); err == nil || err.(*mxp.Failure).Name != "consumer_differs" {
		t.Errorf("with other subjects it ends with %v", err)
	}
}

// [MESH-5.4]
func TestPoisonAndWhatWasDeliveredTooOftenGoToTheDeadLetters(t *testing.T) {
	n := start(t)
	publisher := dial(t, n)
	for _, value := range []string{"poison", "tired"} {
		publish(t, publisher, mesh.Publication{Value: []byte(value), Durable: true})
	}
	stream := subscribe(t, dial(t, n), mesh.Subscription{Consumer: "c", Deliveries: 2})
	deliveries := map[string]int{}
	for range 3 {
		d := next(t, stream)
		deliveries[string(d.Value)]++
		outcome := mesh.OutcomeAgain
		if string(d.Value) == "poison" {
			outcome = mesh.OutcomePoison
		}
		settle(t, stream, d.Number, outcome)
	}
	if deliveries["poison"] != 1 || deliveries["tired"] != 2 {
		t.Errorf("they were delivered %v", deliveries)
	}
	dead := subscribe(t, dial(t, n), mesh.Subscription{Consumer: "undertaker", Subjects: []mesh.Subject{{Service: "dead.desk.Mixer", Method: 7}}})
	found := map[string]bool{}
	for range 2 {
		d := next(t, dead)
		found[string(d.Value)] = true
		settle(t, dead, d.Number, mesh.OutcomeDone)
	}
	if !found["poison"] || !found["tired"] {
		t.Errorf("dead are %v", found)
	}
}
