package engine

const (
	// eventsMax is how many events of a connection wait for their handlers before
	// nothing more is read.
	eventsMax = 1024
	// turnsMax and turnBytes are how many requests, and of how many bytes, are taken at once.
	turnsMax  = 256
	turnBytes = 128 << 10
)

// ItemBytes is counted for a chunk, an event, an answer or a batch beside its own bytes [MXP-15.2].
const ItemBytes = 64

// Order has the requests of the peer's that wait for the events before them [MXP-7.10].
type Order struct {
	waits   []Sequence
	waiting int  // events among them
	begins  int  // what events are counted as that wait, or are with their handlers
	begun   int  // the part of it that is with them
	serving bool // somebody serves them
}

// Sequence is requests that begin one after the other: events, or a call or a stream.
type Sequence struct {
	Work   Work   // nil for events
	Events *Batch // those of one frame
	left   int    // of these, which are here
}

// Batch is the events of one frame whose handlers have not begun. Their values lie in one memory.
type Batch struct {
	Values Parcel
	Extra  int // what is counted beside the values: metadata
	Driver any // what the driver knows of them
}

// counts is the memory that the events count as, until the last has been served [MXP-15.2,
// MXP-17.8].
func (b *Batch) counts() int { return len(b.Values.data) + ItemBytes + b.Extra }

// Next takes the next event of the sequence, or its work, and reports whether that is the last.
func (o *Sequence) Next() (last bool) {
	o.left--
	return o.left <= 0
}

// events lets a batch be served after all that has come before it, and reports whether somebody
// has to begin to serve.
func (o *Order) events(b *Batch) (begins bool) {
	o.waits = append(o.waits, Sequence{Events: b, left: b.Values.Len()})
	o.waiting += b.Values.Len()
	o.begins += b.counts()
	begins = !o.serving
	o.serving = true
	return begins
}

// work lets a call or a stream wait for the events before it, and reports whether there are any.
func (o *Order) work(w Work) (waits bool) {
	if o.serving {
		o.waits = append(o.waits, Sequence{Work: w})
	}
	return o.serving
}

// Take takes all waiting requests, or a part of them, and reuses the memory of the requests taken
// before, which have been served. If nothing waits, nobody serves from then on.
func (o *Order) Take(old []Sequence) []Sequence {
	clear(old)
	o.begins -= o.begun
	o.begun = 0
	n, requests := 0, 0
	for n < len(o.waits) && requests < turnsMax && o.begun < turnBytes {
		one := &o.waits[n]
		if one.Work != nil {
			n, requests = n+1, requests+1
			continue
		}
		some := min(one.left, turnsMax-requests)
		o.waiting -= some
		requests += some
		if some < one.left {
			return o.split(n, some, old)
		}
		o.begun += one.Events.counts()
		n++
	}
	taken := o.waits[:n:n]
	switch {
	case n < len(o.waits):
		o.waits = o.waits[n:]
	case n > 0:
		o.waits = old[:0]
	default:
		o.waits, o.serving = nil, false
	}
	return taken
}

// split takes n whole sequences, and so many events of the next: its other events stay.
func (o *Order) split(n, values int, old []Sequence) []Sequence {
	taken := append(old[:0], o.waits[:n+1]...)
	taken[n].left = values
	o.waits[n].left -= values
	clear(o.waits[:n])
	o.waits = o.waits[n:]
	return taken
}

// Drop forgets what has not begun, and gives how many events that were.
func (o *Order) Drop() (events int) {
	events = o.waiting
	o.waits, o.begins, o.waiting = nil, o.begun, 0
	return events
}

// IsFull reports whether so many events wait that nothing more is read.
func (o *Order) IsFull() bool { return o.waiting > eventsMax }

// IsServed reports whether somebody serves what waits.
func (o *Order) IsServed() bool { return o.serving }

// Bytes is the memory that the events count as.
func (o *Order) Bytes() int { return o.begins }
