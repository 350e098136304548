package sdp

// aggregate walks a struct, a message with its length, or a union, which is at
// the given depth.
func (w *walker) aggregate(b *layoutBlock, depth int) *refusal {
	if r := w.enter(depth); r != nil {
		return r
	}
	switch b.kind {
	case messageBlock:
		return w.message(b, depth)
	case unionBlock:
		return w.union(b, depth)
	}
	return w.structure(b, depth)
}

// structure walks a struct's fields. Structs that take no bytes can hold each
// other in ways whose number doubles with each level; nothing but the depth can
// be wrong with one, so it is walked only where that is.
func (w *walker) structure(b *layoutBlock, depth int) *refusal {
	if b.levels > 0 && int(b.levels) <= w.depthMax-depth+1 {
		return nil
	}
	for _, m := range w.layout.membersOf(b) {
		if r := w.value(m.typ, depth); r != nil {
			return r.within(m.name)
		}
	}
	return nil
}

// message walks a message inside another value.
func (w *walker) message(b *layoutBlock, depth int) *refusal {
	n, r := w.length(4, unbounded)
	if r != nil {
		return r
	}
	outer := w.narrow(n, ErrSegmentPartial)
	r = w.body(b, depth)
	w.widen(outer)
	return r
}

// body walks a message's body, which is the innermost window: segment 1, the
// later segments that are there, and the tail.
func (w *walker) body(b *layoutBlock, depth int) *refusal {
	segment := uint64(1)
	for _, m := range w.layout.membersOf(b) {
		if m.number != segment {
			segment = m.number
			if w.at == w.end {
				return w.missing()
			}
		}
		if r := w.value(m.typ, depth); r != nil {
			return r.within(m.name)
		}
	}
	return w.tail(b)
}

// missing stands where a body ends before a segment that the reader knows.
func (w *walker) missing() *refusal {
	if w.exact {
		return w.refuse(ErrSegmentPartial, w.at)
	}
	return nil
}

// tail passes what follows the segments that the reader knows.
func (w *walker) tail(b *layoutBlock) *refusal {
	at := w.at
	switch {
	case at == w.end:
		return nil
	case w.exact:
		return w.refuse(ErrTrailingBytes, at)
	}
	if b.keep {
		if r := w.ask(at); r != nil {
			return r
		}
	}
	w.at = w.end
	return nil
}

func (w *walker) union(b *layoutBlock, depth int) *refusal {
	at := w.at
	tag, r := w.number(1)
	if r != nil {
		return r
	}
	alternative := w.layout.alternative(b, tag)
	if tag == 0 || b.closed && alternative == nil {
		return w.refuse(ErrUnionUnknown, at)
	}
	if b.closed {
		if r := w.ask(at); r != nil {
			return r
		}
		return w.contents(alternative, depth)
	}
	return w.payload(alternative, depth)
}

// payload walks an open union's length and the window behind it. There is no
// alternative if the tag is unknown: then nothing of the payload is checked.
func (w *walker) payload(alternative *layoutMember, depth int) *refusal {
	n, r := w.length(4, unbounded)
	if r != nil {
		return r
	}
	if alternative == nil {
		w.at += n
		return nil
	}
	outer := w.narrow(n, ErrUnionLength)
	if r := w.contents(alternative, depth); r != nil {
		return r
	}
	if w.at < w.end {
		return w.refuse(ErrUnionLength, w.at)
	}
	w.widen(outer)
	return nil
}

func (w *walker) contents(alternative *layoutMember, depth int) *refusal {
	if alternative.typ == noType {
		return nil
	}
	if r := w.value(alternative.typ, depth); r != nil {
		return r.within(alternative.name)
	}
	return nil
}
