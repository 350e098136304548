package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Fingerprints identify a type's layout: equal numbers mean equal bytes
// [EVO-6]. Names, bounds and what growing types hold are not part of them.
type Fingerprints struct {
	// Segments has one number for each segment of a message; a struct or union
	// has one segment.
	Segments []uint64
	// Cumulative has for each segment the number of it and all before it.
	Cumulative []uint64
}

// FingerprintsOf computes the fingerprints of a struct, message or union.
func FingerprintsOf(d ir.Decl) Fingerprints {
	var prints Fingerprints
	cumulative := sha256.New()
	for _, text := range FingerprintTexts(d) {
		cumulative.Write([]byte(text))
		prints.Segments = append(prints.Segments, hash(text))
		prints.Cumulative = append(prints.Cumulative, first(cumulative.Sum(nil)))
	}
	return prints
}

// SourceFingerprint identifies a file's schema, independent of its comments and layout of text.
func SourceFingerprint(pkg *ir.Package) uint64 { return hash(pkg.Canonical) }

// FingerprintTexts are the texts that the segment fingerprints are taken over.
func FingerprintTexts(d ir.Decl) []string {
	switch d := d.(type) {
	case *ir.Struct:
		return []string{segmentText(d, 1, d.Fields)}
	case *ir.Message:
		var texts []string
		for i, fields := range d.Segments() {
			texts = append(texts, segmentText(d, i+1, fields))
		}
		return texts
	case *ir.Union:
		e := newExpansion(d)
		e.text.WriteString("union" + flag(d.Closed, " closed") + "\n")
		e.alternatives(d, "\n")
		return []string{e.text.String() + "\n"}
	}
	return nil
}

func segmentText(root ir.Decl, number int, fields []*ir.Field) string {
	e := newExpansion(root)
	fmt.Fprintf(&e.text, "segment %d\n", number)
	for _, f := range fields {
		e.typ(f.Type)
		e.text.WriteByte('\n')
	}
	return e.text.String()
}

// expansion writes types. It knows the positions of the structs and closed
// unions that the text has written out in place so far, the root first. A type
// met again is referred to by its position, so that recursion ends and a text is
// no longer than the schema.
type expansion struct {
	text     strings.Builder
	position map[ir.Decl]int
}

func newExpansion(root ir.Decl) *expansion {
	return &expansion{position: map[ir.Decl]int{root: 0}}
}

// alternatives writes a union's tags and payloads by ascending tag.
func (e *expansion) alternatives(u *ir.Union, separator string) {
	sorted := slices.Clone(u.Alternatives)
	slices.SortFunc(sorted, func(a, b *ir.Alternative) int { return int(a.Tag) - int(b.Tag) })
	for i, a := range sorted {
		if i > 0 {
			e.text.WriteString(separator)
		}
		fmt.Fprint(&e.text, a.Tag)
		if a.Type != nil {
			e.text.WriteByte(' ')
			e.typ(a.Type)
		}
	}
}

func (e *expansion) typ(t *ir.Type) {
	switch t.Kind {
	case ir.MessageKind:
		e.text.WriteString("message")
	case ir.EnumKind:
		if t.Enum().Closed {
			fmt.Fprintf(&e.text, "enum %s closed { %s }", t.Enum().Base, strings.Join(sortedNumbers(t.Enum()), " "))
			return
		}
		e.text.WriteString(t.Enum().Base.String())
	case ir.StructKind:
		e.expand(t.Decl, "struct")
	case ir.UnionKind:
		if !t.Union().Closed {
			e.text.WriteString("union")
			return
		}
		e.expand(t.Decl, "union closed")
	default:
		e.text.WriteString(word(t, ""))
		for _, part := range parts(t) {
			e.text.WriteByte(' ')
			e.typ(part)
		}
	}
}

func (e *expansion) expand(d ir.Decl, kind string) {
	if i, known := e.position[d]; known {
		fmt.Fprintf(&e.text, "^%d", i)
		return
	}
	e.position[d] = len(e.position)
	e.text.WriteString(kind + " { ")
	switch d := d.(type) {
	case *ir.Struct:
		for i, f := range d.Fields {
			if i > 0 {
				e.text.WriteString(" ; ")
			}
			e.typ(f.Type)
		}
	case *ir.Union:
		e.alternatives(d, " ; ")
	}
	e.text.WriteString(" }")
}

// hash is the first 64 bits of SHA-256.
func hash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return first(sum[:])
}

func first(sum []byte) uint64 { return binary.BigEndian.Uint64(sum) }
