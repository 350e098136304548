package interp

import (
	"math"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// enter goes one level down, into an aggregate of type t [WIRE-8.1].
func (w *walker) enter(t *ir.Type) error {
	if w.depth == 0 {
		return w.refuse(t, ErrLimitDepth, w.in.pos, "%s is nested too deeply", t.Decl.DeclName())
	}
	w.depth--
	return nil
}

// leave closes the aggregate that enter opened.
func (w *walker) leave(t *ir.Type) error {
	w.depth++
	return w.emit(Event{Kind: EndEvent, Type: t})
}

func (w *walker) structure(t *ir.Type) error {
	if err := w.enter(t); err != nil {
		return err
	}
	if err := w.emit(Event{Kind: StructEvent, Type: t}); err != nil {
		return err
	}
	if err := w.fields(t.Struct().Fields); err != nil {
		return err
	}
	return w.leave(t)
}

func (w *walker) fields(fields []*ir.Field) error {
	for _, f := range fields {
		if err := w.within(fieldStep(f), f.Type); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) nestedMessage(t *ir.Type) error {
	if err := w.enter(t); err != nil {
		return err
	}
	raw, err := w.item(t, plan.WindowBytes)
	if err != nil {
		return err
	}
	n := loadLength(raw)
	if err := w.fits(t, n, plan.WindowBytes, w.rest()); err != nil {
		return err
	}
	if err := w.emit(Event{Kind: MessageEvent, Type: t, Raw: raw, Count: n}); err != nil {
		return err
	}
	outer := w.window
	w.window = window{bodyWindow, w.in.pos + int64(n)}
	if err := w.body(t); err != nil {
		return err
	}
	w.window = outer
	return w.leave(t)
}

// body reads a message's segments and what lies behind them. The window is the
// body.
func (w *walker) body(t *ir.Type) error {
	segments := t.Message().Segments()
	for k, fields := range segments {
		if k > 0 && w.rest() == 0 {
			return w.missingSegments(t, segments[k:])
		}
		if err := w.fields(fields); err != nil {
			return err
		}
	}
	left := w.rest()
	if left == 0 {
		return nil
	}
	if w.exact {
		return w.refuse(t, ErrTrailingBytes, w.in.pos, "%d bytes behind the last known segment", left)
	}
	raw, err := w.in.peek(w.present())
	if err != nil {
		return err
	}
	return w.emit(Event{Kind: TailEvent, Type: t, Raw: raw, Content: raw, Count: uint64(left)})
}

// missingSegments reports the values that fields take whose segments the body
// doesn't have: it walks the bytes that those values would have had.
func (w *walker) missingSegments(t *ir.Type, segments [][]*ir.Field) error {
	if w.exact {
		return w.refuse(t, ErrSegmentPartial, w.in.pos, "%d known segments are missing", len(segments))
	}
	for _, fields := range segments {
		for _, f := range fields {
			if err := w.missingField(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) missingField(f *ir.Field) error {
	bytes, refusal := appendMissing(f)
	if refusal != nil {
		return refusal
	}
	filler := *w
	filler.in = &Input{buffer: bytes}
	filler.window = window{sliceWindow, int64(len(bytes))}
	filler.depth, filler.elements = LimitDepth, math.MaxInt64
	filler.missing = true
	filler.visit = func(e *Event) error {
		e.Offset = w.in.pos
		return w.visit(e)
	}
	return filler.within(fieldStep(f), f.Type)
}

func (w *walker) union(t *ir.Type) error {
	if err := w.enter(t); err != nil {
		return err
	}
	u := t.Union()
	raw, err := w.item(t, plan.TagBytes)
	if err != nil {
		return err
	}
	tag := raw[0]
	alternative := alternativeOf(u, tag)
	if tag == 0 || alternative == nil && u.Closed {
		return w.refuse(t, ErrUnionUnknown, w.in.pos, "%s has no alternative %d", u.Name, tag)
	}
	if err := w.emit(Event{Kind: UnionEvent, Type: t, Raw: raw, Count: uint64(tag), Alternative: alternative}); err != nil {
		return err
	}
	if u.Closed {
		err = w.payload(alternative)
	} else {
		err = w.framedPayload(t, tag, alternative)
	}
	if err != nil {
		return err
	}
	return w.leave(t)
}

// framedPayload reads the payload of an open union with its length.
func (w *walker) framedPayload(t *ir.Type, tag uint8, alternative *ir.Alternative) error {
	raw, err := w.item(t, plan.WindowBytes)
	if err != nil {
		return err
	}
	n := loadLength(raw)
	if err := w.fits(t, n, plan.WindowBytes, w.rest()); err != nil {
		return err
	}
	if err := w.emit(Event{Kind: PayloadLengthEvent, Type: t, Raw: raw, Count: n}); err != nil {
		return err
	}
	if alternative == nil {
		raw, err := w.in.peek(min(int64(n), w.present()))
		if err != nil {
			return err
		}
		return w.emit(Event{Kind: UnknownEvent, Type: t, Raw: raw, Content: raw, Count: uint64(tag)})
	}
	outer := w.window
	w.window = window{payloadWindow, w.in.pos + int64(n)}
	if err := w.payload(alternative); err != nil {
		return err
	}
	if left := w.rest(); left > 0 {
		return w.refuse(t, ErrUnionLength, w.in.pos, "%d bytes behind %s", left, alternative.Name)
	}
	w.window = outer
	return nil
}

func (w *walker) payload(alternative *ir.Alternative) error {
	if alternative.Type == nil {
		return nil
	}
	return w.within(step{role: PayloadRole, name: alternative.Name}, alternative.Type)
}

func alternativeOf(u *ir.Union, tag uint8) *ir.Alternative {
	for _, a := range u.Alternatives {
		if a.Tag == tag {
			return a
		}
	}
	return nil
}
