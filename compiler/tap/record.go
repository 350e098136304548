package tap

import "time"

// Direction is which way bytes go.
type Direction uint8

// The directions.
const (
	ToServer Direction = iota
	ToClient
)

// back is the other direction.
func (d Direction) back() Direction { return 1 - d }

// String is an arrow; the client is on the left.
func (d Direction) String() string {
	if d == ToServer {
		return "→"
	}
	return "←"
}

// Kind is the kind of a record.
type Kind uint8

// The kinds of records.
const (
	Opened Kind = iota // a connection is there
	Passed             // a frame has passed
	Unread             // bytes have passed that are not read
	Ended              // a direction has ended
)

// Record is something that has happened on a connection. It is valid while it is
// handed over; what keeps it copies it.
type Record struct {
	Kind       Kind
	At         time.Time
	Connection uint32 // counted from 1
	Direction  Direction
	// Bytes are the bytes of a frame, from the magic to the trailer, or bytes that are not read.
	Bytes []byte
	// Why is the name of the refusal of bytes that are not read, and how a direction
	// has ended; empty if that was in order.
	Why            string
	Listen, Target string // of a connection
	// BytesAt is where Bytes begin in the capture that the record is from.
	BytesAt int64
}
