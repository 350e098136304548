package interp

import "github.com/serial-data-protocol/sdp/compiler/ir"

// EventKind is the kind of a place that a walk reaches.
type EventKind uint8

// The kinds of events. Events that open a value are closed by an End.
const (
	MagicEvent         EventKind = iota + 1 // magic and version of a header
	TypeIDEvent                             // type id of a header
	PayloadBytesEvent                       // payload length of a header
	ScalarEvent                             // a leaf
	TextEvent                               // a str: its length and Content
	BlobEvent                               // bytes: their length and Content
	PresenceEvent                           // Count is 0 or 1; a value follows if 1
	ListEvent                               // opens: Count elements follow
	ArrayEvent                              // opens: Count elements follow; no bytes
	MapEvent                                // opens: Count times a key and a value follow
	StructEvent                             // opens: its fields follow; no bytes
	MessageEvent                            // opens: its body length, but for a top-level one
	UnionEvent                              // opens: its tag
	PayloadLengthEvent                      // payload length of an open union
	UnknownEvent                            // Content is the payload of an unknown tag
	TailEvent                               // Content is a message's unknown tail
	EndEvent                                // closes a value; no bytes
	DamageEvent                             // Refusal tells why the walk ends here
)

// Event is one step of a walk. It and its slices are valid during the visit
// only.
type Event struct {
	Kind   EventKind
	Role   Role // of the value that the event belongs to
	Offset int64
	// Raw is the bytes of the item, from Offset on; with a length, also what the
	// length counts. Of damage, it is up to 16 bytes from there on, or none.
	Raw     []byte
	Content []byte
	Count   uint64 // a count, length, presence, tag or type id
	// Type is that of the value, nil in a header. Of an optional's presence byte
	// it is the optional's.
	Type  *ir.Type
	Field *ir.Field // of the value, if its role is FieldRole
	// Alternative is set by a UnionEvent whose tag is known.
	Alternative *ir.Alternative
	// Missing is true for fields of a segment that the input doesn't have. They
	// get the events of the value that they take; Raw is no part of the input.
	Missing bool
	Refusal *Refusal

	path path
}

// Path is that of the value the event belongs to.
func (e *Event) Path() string { return e.path.String() }

// Text is a scalar or str as canonical JSON, and empty for all other events.
func (e *Event) Text() string {
	switch e.Kind {
	case ScalarEvent:
		return string(appendScalar(nil, e.Type, e.Raw))
	case TextEvent:
		return string(appendString(nil, e.Content))
	}
	return ""
}

// Visitor takes the events of a walk. An error ends the walk, which returns it.
type Visitor func(*Event) error
