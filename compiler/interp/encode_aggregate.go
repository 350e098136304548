package interp

import (
	"encoding/binary"
	"math"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// enter goes one level down, into an aggregate of type t [WIRE-9.4].
func (e *encoder) enter(t *ir.Type) *encodeRefusal {
	if e.depth == 0 {
		return e.refuse(ErrLimitDepth, "%s is nested too deeply", t.Decl.DeclName())
	}
	e.depth--
	return nil
}

func (e *encoder) structure(t *ir.Type, v Value) *encodeRefusal {
	if refusal := e.enter(t); refusal != nil {
		return refusal
	}
	defer func() { e.depth++ }()
	s, ok := v.(Struct)
	if !ok {
		return e.mismatch(t, v)
	}
	return e.fields(t, t.Struct().Fields, s)
}

func (e *encoder) fields(t *ir.Type, fields []*ir.Field, values []Value) *encodeRefusal {
	if len(values) != len(fields) {
		return e.refuse(ErrValueInvalid, "%d fields, but %s has %d", len(values), t.Decl.DeclName(), len(fields))
	}
	for i, f := range fields {
		if refusal := e.within(fieldStep(f), f.Type, values[i]); refusal != nil {
			return refusal
		}
	}
	return nil
}

func (e *encoder) body(t *ir.Type, v Value) *encodeRefusal {
	if refusal := e.enter(t); refusal != nil {
		return refusal
	}
	defer func() { e.depth++ }()
	m, ok := v.(Message)
	if !ok {
		return e.mismatch(t, v)
	}
	if len(m.Tail) > 0 && !t.Message().KeepUnknown {
		return e.refuse(ErrValueInvalid, "%s keeps no unknown tail", t.Decl.DeclName())
	}
	if refusal := e.fields(t, t.Message().Fields, m.Fields); refusal != nil {
		return refusal
	}
	e.out = append(e.out, m.Tail...)
	return nil
}

func (e *encoder) nestedMessage(t *ir.Type, v Value) *encodeRefusal {
	at := e.hole()
	if refusal := e.body(t, v); refusal != nil {
		return refusal
	}
	return e.patch(at, "body")
}

// hole leaves room for a u32 length that patch fills in.
func (e *encoder) hole() int {
	e.out = append(e.out, make([]byte, plan.WindowBytes)...)
	return len(e.out) - plan.WindowBytes
}

func (e *encoder) patch(offset int, subject string) *encodeRefusal {
	n := len(e.out) - offset - plan.WindowBytes
	if uint64(n) > math.MaxUint32 {
		return e.refuse(ErrValueTooLarge, "a %s of %d bytes", subject, n)
	}
	binary.LittleEndian.PutUint32(e.out[offset:], uint32(n))
	return nil
}

func (e *encoder) union(t *ir.Type, v Value) *encodeRefusal {
	if refusal := e.enter(t); refusal != nil {
		return refusal
	}
	defer func() { e.depth++ }()
	u := t.Union()
	switch v := v.(type) {
	case Union:
		alternative := alternativeOf(u, v.Tag)
		if alternative == nil {
			return e.refuse(ErrValueInvalid, "%s has no alternative %d", u.Name, v.Tag)
		}
		return e.alternative(u, alternative, v.Value)
	case Unknown:
		if u.Closed || v.Tag == 0 || alternativeOf(u, v.Tag) != nil {
			return e.refuse(ErrValueInvalid, "%d is no unknown alternative of %s", v.Tag, u.Name)
		}
		e.out = append(e.out, v.Tag)
		at := e.hole()
		e.out = append(e.out, v.Payload...)
		return e.patch(at, "payload")
	}
	return e.mismatch(t, v)
}

func (e *encoder) alternative(u *ir.Union, a *ir.Alternative, v Value) *encodeRefusal {
	e.out = append(e.out, a.Tag)
	var at int
	if !u.Closed {
		at = e.hole()
	}
	switch {
	case a.Type != nil:
		if refusal := e.within(step{role: PayloadRole, name: a.Name}, a.Type, v); refusal != nil {
			return refusal
		}
	case v != nil:
		return e.refuse(ErrValueInvalid, "%s has no payload", a.Name)
	}
	if u.Closed {
		return nil
	}
	return e.patch(at, "payload")
}
