package interp

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Codec interprets one top-level type. It is immutable and may be used by
// several goroutines.
type Codec struct {
	program *plan.Program
	root    *ir.Type
}

// New makes the codec of a struct, message or union.
func New(program *plan.Program, d ir.Decl) (*Codec, error) {
	t := &ir.Type{Decl: d}
	switch d.(type) {
	case *ir.Struct:
		t.Kind = ir.StructKind
	case *ir.Message:
		t.Kind = ir.MessageKind
	case *ir.Union:
		t.Kind = ir.UnionKind
	default:
		return nil, fmt.Errorf("interp: %s is not a struct, message or union", ir.FullName(d))
	}
	return &Codec{program, t}, nil
}

// Decl is the type that the codec interprets.
func (c *Codec) Decl() ir.Decl { return c.root.Decl }

// typeID fails for a type that has no message mode.
func (c *Codec) typeID() (uint16, error) {
	id := ir.IDOf(c.root.Decl)
	if id == nil {
		return 0, fmt.Errorf("interp: %s has no type id", ir.FullName(c.root.Decl))
	}
	return id.Value, nil
}
