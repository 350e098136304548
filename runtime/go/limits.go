package sdp

// Limits bound what one decode may cost. A zero field means the default, which
// spec/limits.toml fixes for all languages.
type Limits struct {
	MessageBytes int // the longest slice or payload
	Elements     int // the sum of all counts of lists and maps
	Depth        int // nested structs, messages and unions; the top level is 1
	MemoryBytes  int // what decoding may allocate, cumulatively
}

// filled returns the limits with the defaults in place of zeros.
func (l Limits) filled() Limits {
	return Limits{
		MessageBytes: orDefault(l.MessageBytes, LimitMessageBytes),
		Elements:     orDefault(l.Elements, LimitElements),
		Depth:        orDefault(l.Depth, LimitDepth),
		MemoryBytes:  orDefault(l.MemoryBytes, LimitMemoryBytes),
	}
}

func orDefault(n, standard int) int {
	if n == 0 {
		return standard
	}
	return n
}

// DecodeOptions choose how a value is decoded. The zero value has the limits and modes of the plain
// functions.
type DecodeOptions struct {
	Limits Limits
	// AliasInput makes decoded strings and bytes refer to the input instead of
	// copies. It saves the copies and is for callers who own the input and never
	// change it while the value, or any string taken from it, is in use. A value
	// decoded so keeps aliasing: decoding into it again without this option keeps
	// strings whose bytes did not change.
	AliasInput bool
	// Exact refuses what would not encode to the same bytes again: missing
	// segments and unknown tails of messages. It is for values that are signed or hashed.
	Exact bool
}

// MessageBytes is the longest payload that the options allow.
func (o *DecodeOptions) MessageBytes() int {
	return orDefault(o.Limits.MessageBytes, LimitMessageBytes)
}
