package sdp

import "strconv"

// Mode says whether bytes may follow a value, and whether its messages may lack segments or have
// unknown tails. It is for generated code, which passes it to Explain. Modes are combined by |.
type Mode uint8

// ModeWhole is for a value that takes all of its input.
const ModeWhole Mode = 0

const (
	// ModePrefix: bytes may follow a struct or union [WIRE-2.4].
	ModePrefix Mode = 1 << iota
	// ModeExact: no message lacks a segment or has an unknown tail [WIRE-7.7]
	// [WIRE-7.8].
	ModeExact
)

// Explain names the refusal of input that generated code would not take: it
// walks the input item by item, as WIRE-1.7 says, and stops at the first check
// that fails. Layout is the layout text of the value's type, input the value's
// bytes, and base what comes before them in the caller's slice: 0, or the size
// of a header. Zero limits are the defaults.
//
// MemoryAt is -1 unless the decoder ran out of memory; then it is the place in
// input of the length or count that asked for it, or the place behind that.
// Refusals of earlier items come first.
//
// The walk decodes nothing. It takes time linear in layout and input, and memory
// for the layout and the path: Explain keeps nothing of a layout, which may be any
// text. It returns nil if it finds nothing wrong or can't read the layout, which
// only a defect of the generated code explains.
func Explain(layout string, input []byte, base int, mode Mode, l Limits, memoryAt int) *Error {
	table, err := parseLayout(layout)
	if err != nil {
		return nil
	}
	return explain(table, input, base, mode, l, memoryAt)
}

// explain is Explain by a layout that was read.
func explain(table *layoutTable, input []byte, base int, mode Mode, l Limits, memoryAt int) *Error {
	l = l.filled()
	if len(input) > l.MessageBytes {
		return &Error{Kind: ErrLimitMessageBytes, Offset: base}
	}
	if memoryAt < 0 {
		memoryAt = len(input) + 1
	}
	w := walker{
		layout:   table,
		input:    input,
		end:      len(input),
		over:     ErrTruncated,
		exact:    mode&ModeExact != 0,
		depthMax: l.Depth,
		elements: uint64(max(l.Elements, 0)),
		memoryAt: memoryAt,
	}
	r := w.top(mode)
	if r == nil && memoryAt <= len(input) {
		r = w.refuse(ErrLimitMemoryBytes, memoryAt)
	}
	if r == nil {
		return nil
	}
	return &Error{Kind: r.kind, Offset: base + r.at, Path: r.path()}
}

// walker is where a walk stands.
type walker struct {
	layout *layoutTable
	input  []byte
	at     int // the next byte
	end    int // of the innermost window
	// over is the refusal of an item that goes beyond end [WIRE-3.3].
	over     Kind
	exact    bool
	depthMax int
	elements uint64 // what is left of the budget
	memoryAt int
}

// refusal is the fault that a walk found. Its path grows while the walk returns, from the refused
// value outwards, so that a walk that finds nothing spends nothing on it.
type refusal struct {
	kind  Kind
	at    int
	steps []step
}

// step is a name, or if that is empty the index of an element.
type step struct {
	name  string
	index uint64
}

func (w *walker) refuse(kind Kind, at int) *refusal { return &refusal{kind: kind, at: at} }

// within says that the refused value lies in a member.
func (r *refusal) within(name string) *refusal {
	r.steps = append(r.steps, step{name: name})
	return r
}

// withinElement says that the refused value lies in element i.
func (r *refusal) withinElement(i uint64) *refusal {
	r.steps = append(r.steps, step{index: i})
	return r
}

// path is the steps from the outside in, as WIRE-1.5 spells them.
func (r *refusal) path() string {
	var path []byte
	for i := len(r.steps) - 1; i >= 0; i-- {
		switch s := r.steps[i]; {
		case s.name == "":
			path = append(path, '[')
			path = strconv.AppendUint(path, s.index, 10)
			path = append(path, ']')
		case len(path) > 0:
			path = append(path, '.')
			fallthrough
		default:
			path = append(path, s.name...)
		}
	}
	return string(path)
}

// top walks the root type.
func (w *walker) top(mode Mode) *refusal {
	root := &w.layout.blocks[0]
	if root.kind == messageBlock {
		if r := w.enter(1); r != nil {
			return r
		}
		w.over = ErrSegmentPartial
		return w.body(root, 1)
	}
	if r := w.aggregate(root, 1); r != nil {
		return r
	}
	if w.at < w.end && mode&ModePrefix == 0 {
		return w.refuse(ErrTrailingBytes, w.at)
	}
	return nil
}

// enter checks the depth of an aggregate before any byte of it is read.
func (w *walker) enter(depth int) *refusal {
	if depth > w.depthMax {
		return w.refuse(ErrLimitDepth, w.at)
	}
	return nil
}

// rest is how many bytes the innermost window has left.
func (w *walker) rest() int { return w.end - w.at }

// item passes an item of n bytes.
func (w *walker) item(n int) *refusal {
	if n > w.rest() {
		return w.refuse(w.over, w.at)
	}
	w.at += n
	return nil
}

// number passes an item that is a number and returns its bits.
func (w *walker) number(width uint8) (uint64, *refusal) {
	at := w.at
	if r := w.item(int(width)); r != nil {
		return 0, r
	}
	return bitsOf(w.input[at:w.at]), nil
}

// bitsOf reads a number of up to eight bytes.
func bitsOf(b []byte) uint64 {
	n := uint64(0)
	for i := len(b) - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}

// ask stands where a decoder may ask for memory: behind the checks of the item
// that starts at the given place.
func (w *walker) ask(at int) *refusal {
	if w.at >= w.memoryAt {
		return w.refuse(ErrLimitMemoryBytes, at)
	}
	return nil
}

// length passes a length and makes its checks in the order of WIRE-3.4. The bytes that it counts
// are left to be read.
func (w *walker) length(width uint8, bound uint64) (int, *refusal) {
	at := w.at
	n, r := w.number(width)
	switch {
	case r != nil:
		return 0, r
	case n > bound:
		return 0, w.refuse(ErrLimitMax, at)
	case n > uint64(w.rest()):
		return 0, w.refuse(ErrLengthExceedsInput, at)
	}
	return int(n), w.ask(at)
}

// window is an outer window, kept while an inner one is walked.
type window struct {
	end  int
	over Kind
}

// narrow makes the next n bytes, which are there, the innermost window.
func (w *walker) narrow(n int, over Kind) window {
	outer := window{w.end, w.over}
	w.end, w.over = w.at+n, over
	return outer
}

// widen goes back to the outer window.
func (w *walker) widen(outer window) { w.end, w.over = outer.end, outer.over }
