package interp

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// windowKind is the kind of the innermost window [WIRE-3.1].
type windowKind uint8

const (
	sliceWindow windowKind = iota
	bodyWindow
	payloadWindow
)

// endKind is the refusal of an item that a window's end cuts [WIRE-3.3].
var endKind = [...]Kind{
	sliceWindow:   ErrTruncated,
	bodyWindow:    ErrSegmentPartial,
	payloadWindow: ErrUnionLength,
}

type window struct {
	kind windowKind
	end  int64
}

// walker is one walk.
type walker struct {
	program  *plan.Program
	in       *Input
	visit    Visitor
	exact    bool
	window   window
	path     path
	depth    int // levels that may still be entered
	elements int64
	missing  bool
	event    Event
	key      []byte // the last leaf's bytes or string's content, until the next read
}

// Walk reads one value and hands every item to visit. It returns how many bytes
// the value took. The error is a *Refusal, an error of visit, or one of the
// input's reader.
func (c *Codec) Walk(input *Input, opts Options, visit Visitor) (int64, error) {
	limits := opts.limits()
	w := &walker{
		program: c.program, in: input, visit: visit, exact: opts.Exact,
		depth: limits.Depth, elements: limits.Elements,
	}
	start := input.pos
	var err error
	if opts.Mode == MessageMode {
		err = w.message(c, limits, opts.Salvage)
	} else {
		err = w.slice(c, limits, opts.Prefix)
	}
	return input.pos - start, err
}

// slice reads a value in byte mode [WIRE-2].
func (w *walker) slice(c *Codec, limits Limits, prefix bool) error {
	size := w.in.size()
	if size > limits.MessageBytes {
		return w.refuse(nil, ErrLimitMessageBytes, w.in.pos, "%d bytes, and the limit is %d", size, limits.MessageBytes)
	}
	w.window.end = w.in.pos + size
	if err := w.top(c.root); err != nil || prefix {
		return err
	}
	return w.noTrailing()
}

// message reads a header and a value behind it [WIRE-10].
func (w *walker) message(c *Codec, limits Limits, salvage bool) error {
	id, err := c.typeID()
	if err != nil {
		return err
	}
	peeked, err := w.in.peek(min(HeaderBytes, w.in.size()))
	if err != nil {
		return err
	}
	header := Header(peeked)
	refusal := header.check()
	if refusal == nil && header.TypeID() != id {
		refusal = refuseHeader(ErrTypeIDMismatch, TypeIDOffset, "%d, not the %d of %s",
			header.TypeID(), id, ir.FullName(c.root.Decl))
	}
	if err := w.header(header, refusal, limits); err != nil {
		return err
	}
	short := w.in.size() < w.window.end-w.in.pos
	if short {
		refusal = refuseHeader(ErrPayloadLength, payloadOffset, "%d bytes, and %d are left",
			w.window.end-w.in.pos, w.in.size())
		if !salvage {
			return w.damage(nil, refusal)
		}
	}
	if err := w.top(c.root); err != nil {
		return err
	}
	if short {
		return w.damage(nil, refusal)
	}
	if err := w.noTrailing(); err != nil {
		return err
	}
	w.window.end = w.in.pos + w.in.size()
	return w.noTrailing()
}

// header reports the parts of a header that come before its refusal, if it has
// one, and makes the payload the window.
func (w *walker) header(header Header, refusal *Refusal, limits Limits) error {
	if refusal == nil && header.Payload() > limits.MessageBytes {
		refusal = refuseHeader(ErrLimitMessageBytes, payloadOffset, "%d bytes, and the limit is %d",
			header.Payload(), limits.MessageBytes)
	}
	parts := []struct {
		kind        EventKind
		offset, end int64
		count       func() uint64
	}{
		{MagicEvent, 0, TypeIDOffset, func() uint64 { return 0 }},
		{TypeIDEvent, TypeIDOffset, payloadOffset, func() uint64 { return uint64(header.TypeID()) }},
		{PayloadBytesEvent, payloadOffset, HeaderBytes, func() uint64 { return uint64(header.Payload()) }},
	}
	for _, p := range parts {
		if refusal != nil && refusal.Offset < p.end {
			return w.damage(nil, refusal)
		}
		if err := w.emit(Event{Kind: p.kind, Raw: header[p.offset:p.end], Count: p.count()}); err != nil {
			return err
		}
	}
	w.window.end = w.in.pos + header.Payload()
	return nil
}

// top reads the top-level value. A message there has no length of its own: its
// body is the window.
func (w *walker) top(t *ir.Type) error {
	if t.Kind != ir.MessageKind {
		return w.value(t)
	}
	if err := w.enter(t); err != nil {
		return err
	}
	w.window.kind = bodyWindow
	if err := w.emit(Event{Kind: MessageEvent, Type: t}); err != nil {
		return err
	}
	if err := w.body(t); err != nil {
		return err
	}
	return w.leave(t)
}

func (w *walker) noTrailing() error {
	if left := w.rest(); left > 0 {
		return w.refuse(nil, ErrTrailingBytes, w.in.pos, "%d bytes are left", left)
	}
	return nil
}

func (w *walker) rest() int64 { return w.window.end - w.in.pos }

// present is the part of rest that is there. It is all of it, unless an input
// is salvaged that is shorter than its header says: then counts and the lengths
// of messages and unions are held against what was sent, and only what is
// missing itself is refused.
func (w *walker) present() int64 { return min(w.rest(), w.in.size()) }

// emit reports an item whose bytes are the next ones, and consumes them.
func (w *walker) emit(e Event) error {
	e.Offset = w.in.pos
	if err := w.report(e); err != nil {
		return err
	}
	return w.in.skip(int64(len(e.Raw)))
}

// report fills in what all events have.
func (w *walker) report(e Event) error {
	last := w.path.last()
	e.Role, e.Field, e.path, e.Missing = last.role, last.field, w.path, w.missing
	w.event = e
	return w.visit(&w.event)
}

// damageBytesMax is how much of the input a DamageEvent shows.
const damageBytesMax = 16

// refuse ends the walk at an item of type t.
func (w *walker) refuse(t *ir.Type, kind Kind, offset int64, format string, args ...any) error {
	return w.damage(t, &Refusal{
		Kind: kind, Offset: offset, Path: w.path.String(), Detail: fmt.Sprintf(format, args...),
	})
}

func (w *walker) damage(t *ir.Type, refusal *Refusal) error {
	e := Event{Kind: DamageEvent, Offset: refusal.Offset, Type: t, Refusal: refusal}
	if ahead := refusal.Offset - w.in.pos; ahead >= 0 {
		raw, err := w.in.peek(min(ahead+damageBytesMax, w.in.size()))
		if err != nil {
			return err
		}
		e.Raw = raw[min(ahead, int64(len(raw))):]
	}
	if err := w.report(e); err != nil {
		return err
	}
	return refusal
}
