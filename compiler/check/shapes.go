package check

import (
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// shapes refuses types whose values cannot exist or cannot be read safely:
// endless, too deep, too large, or with elements of no bytes.
func (u *unit) shapes() {
	var decls []ir.Decl
	for _, s := range u.declared {
		if s.decl == nil {
			continue
		}
		decls = append(decls, s.decl)
		if d, ok := s.decl.(*ir.Union); ok {
			for _, a := range d.Alternatives {
				if a.Inline != nil {
					decls = append(decls, a.Inline)
				}
			}
		}
	}
	u.measures.depth.solve(decls)
	u.endless(decls)
	u.measures.size.solve(decls)
	for _, d := range decls {
		u.deepOrLarge(d)
		if m, ok := d.(*ir.Message); ok {
			u.segmentSizes(m)
		}
	}
	for _, a := range u.arrays {
		u.elementSize(a)
	}
}

// hold is a declaration that holds another one by value.
type hold struct {
	decl ir.Decl
	// by is the field or alternative.
	by syntax.Span
	// next is the declaration that it holds.
	next ir.Decl
}

// endless reports each cycle of declarations that have no finite value. Declarations that only lead
// to a cycle are fine once the cycle is.
func (u *unit) endless(decls []ir.Decl) {
	number := map[ir.Decl]int{}
	for i, start := range decls {
		var trail []hold
		at := start
		for at != nil && number[at] == 0 {
			if _, finite := u.measures.depth.known[at]; finite {
				break
			}
			number[at] = i + 1
			h := u.endlessHold(at)
			trail = append(trail, h)
			at = h.next
		}
		if at == nil || number[at] != i+1 {
			continue
		}
		for trail[0].decl != at {
			trail = trail[1:]
		}
		u.reportEndless(trail)
	}
}

// endlessHold finds the first part of a declaration that has no finite value.
// A part of another file was reported there; next is nil then, and for a
// broken union without alternatives.
func (u *unit) endlessHold(d ir.Decl) hold {
	parts, _ := depthParts(d)
	for i, t := range parts {
		next := heldByValue(t)
		if next == nil {
			continue
		}
		if _, finite := u.measures.depth.known[next]; finite {
			continue
		}
		if next.DeclPackage() != u.pkg {
			next = nil
		}
		return hold{decl: d, by: partSpan(d, i), next: next}
	}
	return hold{decl: d}
}

func partSpan(d ir.Decl, i int) syntax.Span {
	switch d := d.(type) {
	case *ir.Struct:
		return d.Fields[i].Span
	case *ir.Message:
		return d.Fields[i].Span
	case *ir.Union:
		return d.Alternatives[i].Span
	}
	return syntax.Span{}
}

func (u *unit) reportEndless(cycle []hold) {
	first := cycle[0].decl
	d := u.problems.Error(codeInfinite, first.DeclMeta().Span, "every value of %s would be endless", quote(first.DeclName()))
	for i, h := range cycle {
		text := "by way of this"
		if i == 0 {
			text = "it holds another"
		}
		if i == len(cycle)-1 && i > 0 {
			text = "which holds " + quote(first.DeclName()) + " again"
		}
		d.WithRelated(h.by, text)
	}
	d.WithHelp("let the circle end: `?T`, `[]T`, a map, or a union with an alternative that does not lead back")
}

// deepOrLarge reports a declaration whose values nest too deeply or are too
// large, unless a part of it is that already.
func (u *unit) deepOrLarge(d ir.Decl) {
	meta := d.DeclMeta()
	if u.measures.depth.known[d] == aggregatesMax+1 {
		u.problems.Error(codeValueDepth, meta.Span, "every value of %s nests more than %d structs, messages and unions", quote(d.DeclName()), aggregatesMax).
			WithHelp("decoders refuse such values; flatten the types")
	}
	if u.measures.size.known[d] <= smallestBytesMax {
		return
	}
	parts, _ := sizeParts(d)
	for _, t := range parts {
		if u.measures.sizeOf(t) > smallestBytesMax {
			return
		}
	}
	u.tooLarge(meta.Span, "every value of "+quote(d.DeclName()))
}

func (u *unit) tooLarge(span syntax.Span, subject string) *diag.Diagnostic {
	return u.problems.Error(codeTooLarge, span, "%s takes more than 128 MiB", subject).
		WithHelp("decoders refuse such values; use a list instead of an array")
}

// segmentSizes refuses later segments of no bytes, whose presence nobody could
// see [LANG-7.2].
func (u *unit) segmentSizes(m *ir.Message) {
	for start := 0; start < len(m.Fields); {
		end, size, unknown := start, uint64(0), false
		for ; end < len(m.Fields) && m.Fields[end].Since == m.Fields[start].Since; end++ {
			t := m.Fields[end].Type
			unknown = unknown || !u.sized(t)
			size = addSaturated(size, u.measures.sizeOf(t))
		}
		if f := m.Fields[start]; f.Since > 1 && size == 0 && !unknown {
			u.problems.Error(codeSegmentEmpty, f.Span, "segment %d occupies no bytes", f.Since).
				WithHelp("a reader could not tell whether it is there; add a field of a byte or more")
		}
		start = end
	}
}

// sized tells whether a type's smallest size is known.
func (u *unit) sized(t *ir.Type) bool {
	if t == nil {
		return false
	}
	d := sizedByDecl(t)
	if d == nil {
		return true
	}
	_, known := u.measures.size.known[d]
	return known
}

// elementSize checks a list or array where it is spelled.
func (u *unit) elementSize(a arraySpelling) {
	elem := u.measures.sizeOf(a.typ.Elem)
	if elem == 0 && u.sized(a.typ.Elem) {
		u.problems.Error(codeEmptyElement, a.span, "the elements of %s occupy no bytes", quote(a.span.Text())).
			WithHelp("a count that costs nothing could be anything; give the elements a field, or keep the count as a number")
	}
	if a.typ.Kind == ir.ArrayKind && elem <= smallestBytesMax && u.measures.sizeOf(a.typ) > smallestBytesMax {
		u.tooLarge(a.span, "every value of "+quote(a.span.Text()))
	}
}
