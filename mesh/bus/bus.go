// Package bus carries events between the nodes of a mesh: to all who listen at the time, or, if they
// are durable, into a stream out of which each consumer is delivered them until it has settled them.
// It knows neither MXP nor who may publish what.
package bus

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/registry"
)

// ValueBytesMax is the longest value of an event [MESH-5.2].
const ValueBytesMax = 1_000_000

// DeadPrefix stands before the service of an event that is delivered no more [MESH-5.4].
const DeadPrefix = "dead."

// Subject is where an event is heard.
type Subject struct {
	Service string
	Method  uint16
}

// Valid reports whether it is one.
func (s Subject) Valid() bool { return registry.ValidService(s.Service) }

// String is its service, a slash, and its method.
func (s Subject) String() string { return s.Service + "/" + strconv.Itoa(int(s.Method)) }

// Event is one that was published.
type Event struct {
	Subject Subject
	Value   []byte
	// ID names a durable event, so that it is kept once; empty if nothing does.
	ID string
	// Number is its place among the durable ones; 0 for one that is not kept.
	Number uint64
	// Deliveries is how often it has been delivered, this time included.
	Deliveries int
	// At is when a node took it.
	At time.Time
	// Dropped is how many the subscription was not given before it.
	Dropped uint64
}

// Start is the place where a new consumer begins: with the first event of at least a number, or of a
// time; with the oldest kept event; or, if it is zero, with events that are published from then on.
type Start struct {
	Number uint64
	Time   time.Time
	First  bool
}

// Consumer is a receiver of durable events.
type Consumer struct {
	Name     string
	Subjects []Subject
	Start    Start
	// Unsettled is how many events may be that were delivered, and not settled.
	Unsettled int
	// Deliveries is how often an event is delivered.
	Deliveries int
}

// Bus carries events. Its errors are session.Kind: ErrMeshEventBytes, ErrMeshUnavailable. Methods may
// be called by several goroutines at once.
type Bus interface {
	// Publish gives an event to its subscribers. It waits for nobody.
	Publish(e *Event) error
	// Keep is Publish for a durable event, and gives its number when it is on disks [MESH-5.3].
	Keep(ctx context.Context, e *Event) (number uint64, err error)
	// Listen is given events of subjects from now on.
	Listen(subjects []Subject) (*Listener, error)
	// Consume delivers durable events to one of the consumers under a name.
	Consume(ctx context.Context, c *Consumer) (Deliverer, error)
	Close()
}

// Deliverer gives the events of a consumer to one subscriber.
type Deliverer interface {
	// Next waits for the next event.
	Next(ctx context.Context) (*Event, error)
	// Done, Again and Poison settle an event that Next gave; a number that it didn't is passed over.
	Done(number uint64)
	Again(number uint64)
	Poison(number uint64)
	// Close lets others have what is not settled.
	Close()
}

const (
	livePrefix = "mxp.ev."
	keptPrefix = "mxp.kept."
)

func (s Subject) under(prefix string) string {
	return prefix + s.Service + "." + strconv.Itoa(int(s.Method))
}

// subjectOf reads the subject of a message.
func subjectOf(text string) (s Subject, durable, ok bool) {
	rest, durable := strings.CutPrefix(text, keptPrefix)
	if !durable {
		if rest, ok = strings.CutPrefix(text, livePrefix); !ok {
			return s, false, false
		}
	}
	at := strings.LastIndexByte(rest, '.')
	if at < 0 {
		return s, durable, false
	}
	method, err := strconv.ParseUint(rest[at+1:], 10, 16)
	return Subject{rest[:at], uint16(method)}, durable, err == nil
}
