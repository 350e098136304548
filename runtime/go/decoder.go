package sdp

// Decoder is the state of one decode: its budgets and the memory that its
// strings are carved from. It is for generated code, which makes one on its
// stack for each decode.
//
// Its methods take the rest of the innermost window and return the rest behind the item. A refusal
// leaves an empty rest, from which nothing can be read. Generated code therefore goes on behind each
// item with a length or a count, and looks for a refusal only at the end. No method names the fault:
// when a decode fails, Explain walks the input again. The input is passed as a string, which is a
// word smaller than a slice and is never written to.
type Decoder struct {
	// Depth is the deepest level allowed.
	Depth int
	// Exact asks messages to refuse missing segments and unknown tails.
	Exact bool
	// Refused is set once something was refused.
	Refused bool

	alias     bool
	limited   bool // the budget of memory is the limit, which is below the bound
	starved   bool // the budget of memory ran out, with inputLeft bytes to come
	elements  int
	memory    int64
	inputLeft int
	// chunk is the unused memory from which strings are carved.
	chunk []byte
	// textLeft bounds what chunks are made for: all strings together are no
	// longer than the input.
	textLeft int
}

// memoryConstantBytes is the constant of the bound that a decode's memory keeps
// [WIRE-8.7]. The allocator's rounding and the naming of a refusal may take as
// much again, and the first refusal of a type what WIRE-8.9 allows.
const memoryConstantBytes = 32 << 10

// Start makes d ready to decode data under the default limits, and returns data as
// SDPDecode takes it. No valid input of its size asks for more than factor bytes for
// each of its bytes and a constant; what does is refused before it gets them. It sets
// fields of a zero Decoder in place: copying one would be a part of what small
// decodes cost.
func (d *Decoder) Start(data []byte, factor int64) string {
	d.Depth, d.elements, d.textLeft = LimitDepth, LimitElements, len(data)
	return d.bound(data, factor, LimitMessageBytes, LimitMemoryBytes)
}

// StartWith is Start by options.
func (d *Decoder) StartWith(data []byte, factor int64, o *DecodeOptions) string {
	l := o.Limits.filled()
	d.Depth, d.elements, d.textLeft = l.Depth, l.Elements, len(data)
	d.Exact, d.alias = o.Exact, o.AliasInput
	return d.bound(data, factor, l.MessageBytes, l.MemoryBytes)
}

// bound leaves data that is too long no level to be decoded at.
func (d *Decoder) bound(data []byte, factor int64, bytes, memory int) string {
	d.memory = int64(len(data))*factor + memoryConstantBytes
	if d.memory > int64(memory) {
		d.memory, d.limited = int64(memory), true
	}
	if len(data) > bytes {
		d.Depth = 0
	}
	return aliasString(data)
}

// Refuse notes that the input is refused, and returns what is left of it then.
func (d *Decoder) Refuse() string {
	d.Refused = true
	return ""
}

// End is the error of decoding data, all of which should be a value: rest is what
// SDPDecode returned. The layout of the value's type is kept.
func (d *Decoder) End(of Described, data []byte, rest string) error {
	if !d.Refused && len(rest) == 0 {
		return nil
	}
	return d.explain(of, data, 0, Limits{}, ModeWhole)
}

// EndWith is End by options.
func (d *Decoder) EndWith(of Described, data []byte, o *DecodeOptions, rest string) error {
	if !d.Refused && len(rest) == 0 {
		return nil
	}
	return d.explain(of, data, 0, o.Limits, ModeWhole)
}

// EndPrefix is EndWith for data that starts with a value, of which it returns the
// size.
func (d *Decoder) EndPrefix(of Described, data []byte, o *DecodeOptions, rest string) (int, error) {
	if !d.Refused {
		return len(data) - len(rest), nil
	}
	return 0, d.explain(of, data, 0, o.Limits, ModePrefix)
}

// EndMessage is End for a payload in data, whose header was fine.
func (d *Decoder) EndMessage(of Described, data, payload []byte, l Limits, rest string) error {
	if !d.Refused && len(rest) == 0 && len(data) == HeaderBytes+len(payload) {
		return nil
	}
	if err := d.explain(of, payload, HeaderBytes, l, ModeWhole); err.Kind != ErrValueInvalid {
		return err
	}
	return &Error{Kind: ErrTrailingBytes, Offset: HeaderBytes + len(payload)}
}

// explain returns ErrValueInvalid, a kind that no walk returns, if generated code refuses an input
// that the walk accepts: bytes follow a payload, or the walk or the generated code has a defect.
// The input stays refused.
func (d *Decoder) explain(of Described, input []byte, base int, l Limits, mode Mode) *Error {
	memoryAt := -1
	if d.starved && d.limited {
		memoryAt = len(input) - d.inputLeft
	}
	if d.Exact {
		mode |= ModeExact
	}
	if table := layoutOf(of).table(); table != nil {
		if err := explain(table, input, base, mode, l, memoryAt); err != nil {
			return err
		}
	}
	return &Error{Kind: ErrValueInvalid, Offset: base}
}

// Elements takes n from the budget of elements.
func (d *Decoder) Elements(n int) bool {
	d.elements -= n
	return d.elements >= 0
}

// Allocate takes size bytes, which are about to be allocated, from the budget
// of memory. s is the rest of the input.
func (d *Decoder) Allocate(s string, size int64) bool {
	if size > d.memory {
		d.starved, d.inputLeft = true, len(s)
		return false
	}
	d.memory -= size
	return true
}
