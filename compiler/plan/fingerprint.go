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
	sofar := ""
	for _, text := range FingerprintTexts(d) {
		sofar += text
		prints.Segments = append(prints.Segments, hash(text))
		prints.Cumulative = append(prints.Cumulative, hash(sofar))
	}
	return prints
}

// SourceFingerprint identifies a file's schema whatever its comments and
// layout of text.
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
		e := expansion{d}
		return []string{"union" + flag(d.Closed, " closed") + "\n" + strings.Join(e.alternatives(d), "\n") + "\n"}
	}
	return nil
}

func segmentText(root ir.Decl, number int, fields []*ir.Field) string {
	e := expansion{root}
	text := fmt.Sprintf("segment %d\n", number)
	for _, f := range fields {
		text += e.typ(f.Type) + "\n"
	}
	return text
}

// expansion lists the structs and closed unions that a text has written out in
// place so far, the root first. A type met again is referred to by its position,
// so that recursion ends and a text is no longer than the schema.
type expansion []ir.Decl

// alternatives are a union's tags and payloads by ascending tag.
func (e *expansion) alternatives(u *ir.Union) []string {
	sorted := slices.Clone(u.Alternatives)
	slices.SortFunc(sorted, func(a, b *ir.Alternative) int { return int(a.Tag) - int(b.Tag) })
	var texts []string
	for _, a := range sorted {
		text := fmt.Sprint(a.Tag)
		if a.Type != nil {
			text += " " + e.typ(a.Type)
		}
		texts = append(texts, text)
	}
	return texts
}

func (e *expansion) typ(t *ir.Type) string {
	switch t.Kind {
	case ir.MessageKind:
		return "message"
	case ir.EnumKind:
		if t.Enum().Closed {
			return fmt.Sprintf("enum %s closed { %s }", t.Enum().Base, strings.Join(sortedNumbers(t.Enum()), " "))
		}
		return t.Enum().Base.String()
	case ir.StructKind:
		return e.expand(t.Decl, "struct")
	case ir.UnionKind:
		if !t.Union().Closed {
			return "union"
		}
		return e.expand(t.Decl, "union closed")
	}
	return spell(t, "", e.typ)
}

func (e *expansion) expand(d ir.Decl, kind string) string {
	if i := slices.Index(*e, d); i >= 0 {
		return fmt.Sprintf("^%d", i)
	}
	*e = append(*e, d)
	var parts []string
	switch d := d.(type) {
	case *ir.Struct:
		for _, f := range d.Fields {
			parts = append(parts, e.typ(f.Type))
		}
	case *ir.Union:
		parts = e.alternatives(d)
	}
	return kind + " { " + strings.Join(parts, " ; ") + " }"
}

// hash is the first 64 bits of SHA-256.
func hash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:8])
}
