package interp

// Mode says what stands before a value.
type Mode uint8

// The modes.
const (
	ByteMode    Mode = iota // nothing
	MessageMode             // the header with type id and payload length
)

// Limits bounds one decode.
type Limits struct {
	MessageBytes int64
	Elements     int64
	MemoryBytes  int64 // of decoding to values; a walk holds one item
	Depth        int
}

// DefaultLimits are the limits of the specification.
func DefaultLimits() Limits {
	return Limits{LimitMessageBytes, LimitElements, LimitMemoryBytes, LimitDepth}
}

// Options says how to read bytes. The zero value is byte mode, the whole input,
// with the default limits.
type Options struct {
	Mode Mode
	// Exact also refuses messages with missing segments or unknown tails.
	Exact bool
	// Prefix accepts bytes behind a struct or union in byte mode.
	Prefix bool
	// Salvage shows what is there of a message-mode input that is shorter than
	// its header says: the refusal is then that of the first item that isn't
	// there, or payload_length if there is none. Decoders don't set it; inspection
	// does.
	Salvage bool
	// Limits replaces the default limits.
	Limits *Limits
}

func (o Options) limits() Limits {
	if o.Limits != nil {
		return *o.Limits
	}
	return DefaultLimits()
}
