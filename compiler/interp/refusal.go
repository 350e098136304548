package interp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Refusal is why an input or a value was refused. Kind, Offset and Path are what
// the specification fixes for every language; Detail is for people.
type Refusal struct {
	Kind Kind
	// Offset is counted from the first byte of the input; it is -1 where there
	// are no bytes to point into.
	Offset int64
	// Line and Column are the place in a text, counted from 1 and in code points;
	// 0 where the input is none.
	Line, Column int
	Path         string
	Detail       string // may be empty
	// Name is an unknown name in a text, and Known are the names that are known there.
	Name  string
	Known []string
}

// Error is the kind, and then where and why as far as that is known.
func (r *Refusal) Error() string {
	text := r.Kind.String()
	if r.Offset >= 0 {
		text += fmt.Sprintf(" at byte %d", r.Offset)
	}
	if r.Path != "" {
		text += " in " + r.Path
	}
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	return text
}

// Unwrap returns the kind, so that errors.Is(err, ErrTruncated) holds.
func (r *Refusal) Unwrap() error { return r.Kind }

// Role is the role of a value in the value around it.
type Role uint8

// The roles.
const (
	RootRole    Role = iota
	FieldRole        // of a struct, message or inline alternative
	ElementRole      // of a list or array
	KeyRole          // of a map's entry
	ValueRole        // of a map's entry
	PayloadRole      // of a union
)

// step is one part of a path.
type step struct {
	role  Role
	name  string // of a field or alternative
	index int    // of an element or entry
	field *ir.Field
}

func fieldStep(f *ir.Field) step { return step{role: FieldRole, name: f.Name, field: f} }

// path leads from the top level to a value [WIRE-1.5].
type path []step

func (p path) String() string {
	var b strings.Builder
	for _, s := range p {
		switch s.role {
		case FieldRole, PayloadRole:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		default:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			b.WriteString(map[Role]string{KeyRole: ".key", ValueRole: ".value"}[s.role])
		}
	}
	return b.String()
}

func (p *path) push(s step) { *p = append(*p, s) }

func (p *path) pop() { *p = (*p)[:len(*p)-1] }

// last is the step to the value that the path leads to.
func (p path) last() step {
	if len(p) == 0 {
		return step{}
	}
	return p[len(p)-1]
}

// encodeRefusal is a refusal of a value: it keeps its path in steps, because a
// map's entries get their places only when the map is complete.
type encodeRefusal struct {
	kind   Kind
	path   path
	detail string
	place  place // where its value begins in a text; zero where there is none
}

func refuseValue(kind Kind, p path, format string, args ...any) *encodeRefusal {
	return &encodeRefusal{kind: kind, path: slices.Clone(p), detail: fmt.Sprintf(format, args...)}
}

func (r *encodeRefusal) refusal() *Refusal {
	return &Refusal{Kind: r.kind, Offset: -1, Line: r.place.line, Column: r.place.column, Path: r.path.String(), Detail: r.detail}
}
