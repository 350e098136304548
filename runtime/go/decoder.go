package sdp

// Decoder is the state of one decode: its budgets and the memory that its
// strings are carved from. It is for generated code, which makes one on its
// stack for each decode.
//
// Its methods take what is left of the innermost window and return what is left
// behind the item, and whether the item was valid. They don't say what was wrong:
// when a decode fails, Explain walks the input again. The input is passed as a
// string, which is a word smaller than a slice and which nobody writes to.
type Decoder struct {
	// Depth is the deepest level allowed.
	Depth int
	// Exact asks messages to refuse missing segments and unknown tails.
	Exact bool

	alias     bool
	limited   bool // the budget of memory is the limit, which is below the bound
	starved   bool // the budget of memory ran out, with inputLeft bytes to come
	elements  int
	memory    int64
	inputLeft int
	// chunk is what is left of the memory that strings are carved from.
	chunk []byte
	// textLeft bounds what chunks are made for: all strings together are no
	// longer than the input.
	textLeft int
}

// memoryConstantBytes is the constant of the bound that a decode's memory keeps
// [WIRE-8.7]. The allocator's rounding and the naming of a refusal may take as
// much again, and the first refusal of a type what WIRE-8.9 allows.
const memoryConstantBytes = 32 << 10

// Start makes d ready to decode input of n bytes under the default limits. No
// valid input of that size asks for more than factor bytes for each of its bytes
// and a constant; what does is refused before it gets them. It sets fields of a
// zero Decoder in place: copying one would be a part of what small decodes cost.
func (d *Decoder) Start(n int, factor int64) {
	d.Depth, d.elements, d.textLeft = LimitDepth, LimitElements, n
	d.bound(n, factor, LimitMemoryBytes)
}

// StartWith is Start by options.
func (d *Decoder) StartWith(n int, factor int64, o *DecodeOptions) {
	l := o.Limits.filled()
	d.Depth, d.elements, d.textLeft = l.Depth, l.Elements, n
	d.Exact, d.alias = o.Exact, o.AliasInput
	d.bound(n, factor, int64(l.MemoryBytes))
}

func (d *Decoder) bound(n int, factor, limit int64) {
	d.memory = int64(n)*factor + memoryConstantBytes
	if d.memory > limit {
		d.memory, d.limited = limit, true
	}
}

// Explain names what is wrong with input that generated code refused. The layout
// is a constant of generated code: what is read of it is kept.
func (d *Decoder) Explain(layout string, input []byte, l Limits, mode Mode) error {
	return d.explain(layout, input, 0, l, mode)
}

// ExplainMessage is Explain for a payload in data, whose header was fine.
func (d *Decoder) ExplainMessage(layout string, data, payload []byte, l Limits) error {
	if err := d.explain(layout, payload, HeaderBytes, l, ModeWhole); err.Kind != ErrValueInvalid {
		return err
	}
	return &Error{Kind: ErrTrailingBytes, Offset: HeaderBytes + len(payload)}
}

// explain returns ErrValueInvalid, which no walk finds, where generated code
// refuses what the walk accepts: bytes behind a payload, or else a defect of one
// of the two. The input stays refused.
func (d *Decoder) explain(layout string, input []byte, base int, l Limits, mode Mode) *Error {
	memoryAt := -1
	if d.starved && d.limited {
		memoryAt = len(input) - d.inputLeft
	}
	if d.Exact {
		mode |= ModeExact
	}
	if table := keptLayout(layout); table != nil {
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
// of memory. s is what is left of the input.
func (d *Decoder) Allocate(s string, size int64) bool {
	if size > d.memory {
		d.starved, d.inputLeft = true, len(s)
		return false
	}
	d.memory -= size
	return true
}
