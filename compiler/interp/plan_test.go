package interp_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/interp/random"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// layoutReader reads an encoding by the ops of its plan alone, as generated code
// does, and notes where it finds each leaf, string, length, tag and presence
// byte. The walk, which doesn't know ops, must find the same.
type layoutReader struct {
	b     []byte
	pos   int
	found []string
}

func (r *layoutReader) note(offset, bytes int, path string) {
	r.found = append(r.found, fmt.Sprintf("%d+%d %s", offset, bytes, strings.TrimPrefix(path, ".")))
}

func (r *layoutReader) number(width int) int {
	var wide [8]byte
	copy(wide[:], r.b[r.pos:r.pos+width])
	r.pos += width
	return int(binary.LittleEndian.Uint64(wide[:]))
}

func (r *layoutReader) op(op plan.Op, path string) {
	if f := op.OpField(); f != nil {
		path += "." + f.Name
	}
	start := r.pos
	switch op := op.(type) {
	case *plan.Run:
		r.run(op, r.pos, path)
		r.pos += int(op.Bytes)
	case *plan.Text:
		r.pos += r.number(op.Type.LenBytes)
		r.note(start, r.pos-start, path)
	case *plan.Blob:
		r.pos += r.number(op.Type.LenBytes)
		r.note(start, r.pos-start, path)
	case *plan.List:
		n := r.number(op.Type.LenBytes)
		r.note(start, op.Type.LenBytes, path)
		r.elements(op.Elem, n, path)
	case *plan.Array:
		r.elements(op.Elem, int(op.Type.N), path)
	case *plan.Optional:
		r.note(start, 1, path)
		if r.number(1) == 1 {
			r.op(op.Elem, path)
		}
	case *plan.Map:
		n := r.number(op.Type.LenBytes)
		r.note(start, op.Type.LenBytes, path)
		for i := range n {
			r.op(op.Key, fmt.Sprintf("%s[%d].key", path, i))
			r.op(op.Value, fmt.Sprintf("%s[%d].value", path, i))
		}
	case *plan.NestedType:
		r.nested(op, path)
	}
	r.checkSize(op, r.pos-start, path)
}

// checkSize holds a size that was read against the bounds of the plan.
func (r *layoutReader) checkSize(op plan.Op, n int, path string) {
	size := op.OpSize()
	if uint64(n) < size.Min || size.Bounded && uint64(n) > size.Max {
		r.found = append(r.found, fmt.Sprintf("%s takes %d bytes, and the plan says %s", path, n, size))
	}
}

func (r *layoutReader) elements(elem plan.Op, n int, path string) {
	for i := range n {
		r.op(elem, fmt.Sprintf("%s[%d]", path, i))
	}
}

func (r *layoutReader) nested(op *plan.NestedType, path string) {
	end := 0
	if op.Type.Kind == ir.MessageKind {
		start := r.pos
		end = r.number(4)
		r.note(start, 4, path)
		end += r.pos
	}
	r.body(op.Body, path, end)
}

// body reads up to end, if the body is a message's.
func (r *layoutReader) body(body *plan.Body, path string, end int) {
	for _, segment := range body.Segments {
		for _, op := range segment.Ops {
			r.op(op, path)
		}
	}
	switch d := body.Decl.(type) {
	case *ir.Union:
		r.union(body, d, path)
	case *ir.Message:
		if r.pos < end {
			r.note(r.pos, end-r.pos, path)
			r.pos = end
		}
	}
}

func (r *layoutReader) union(body *plan.Body, u *ir.Union, path string) {
	r.note(r.pos, 1, path)
	tag := r.number(1)
	payload := 0
	if !u.Closed {
		r.note(r.pos, 4, path)
		payload = r.number(4)
	}
	for _, a := range body.Alternatives {
		if int(a.Alt.Tag) != tag {
			continue
		}
		if a.Op != nil {
			r.op(a.Op, path+"."+a.Alt.Name)
		}
		return
	}
	r.note(r.pos, payload, path)
	r.pos += payload
}

// run notes the items of a run that starts at base.
func (r *layoutReader) run(run *plan.Run, base int, path string) {
	for _, item := range run.Items {
		at, path := base+int(item.Offset), path
		for _, f := range item.Path {
			path += "." + f.Name
		}
		switch {
		case item.Body != nil:
			outer := r.pos
			r.pos = at
			r.body(item.Body, path, 0)
			r.pos = outer
		case item.Elem != nil:
			for i := range int(item.Type.N) {
				r.run(item.Elem, at+i*int(item.Elem.Bytes), fmt.Sprintf("%s[%d]", path, i))
			}
		case item.Type.Kind == ir.ArrayKind:
			width := item.Type.Elem.Scalar().Bytes()
			for i := range int(item.Type.N) {
				r.note(at+i*width, width, fmt.Sprintf("%s[%d]", path, i))
			}
		default:
			r.note(at, item.Type.Scalar().Bytes(), path)
		}
	}
}

func TestPlanAgreesWithTheWalk(t *testing.T) {
	program := compile(t, everything)
	for i, d := range tops(program) {
		t.Run(d.DeclName(), func(t *testing.T) {
			c, g := codecOf(t, program, d.DeclName()), random.New(program, uint64(i))
			for range valuesPerType {
				encoded, err := c.Append(nil, g.Value(d), interp.ByteMode)
				if err != nil {
					t.Fatal(err)
				}
				checkLayout(t, program, c, encoded)
			}
		})
	}
}

func checkLayout(t *testing.T, program *plan.Program, c *interp.Codec, encoded []byte) {
	t.Helper()
	r := &layoutReader{b: encoded}
	r.body(program.Body(c.Decl()), "", len(encoded))
	var walked []string
	_, err := c.Walk(interp.FromBytes(encoded), interp.Options{}, func(e *interp.Event) error {
		if len(e.Raw) > 0 || e.Kind == interp.UnknownEvent {
			walked = append(walked, fmt.Sprintf("%d+%d %s", e.Offset, len(e.Raw), e.Path()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want, got := strings.Join(walked, "\n"), strings.Join(r.found, "\n")
	if got != want {
		t.Fatalf("by the plan:\n%s\nby the walk:\n%s", got, want)
	}
}

func TestRunsCountDepthAndElements(t *testing.T) {
	program := compile(t, everything)
	grid := program.Body(declOf(t, program, "Grid")).Segments[0]
	run := grid.Ops[0].(*plan.Run)
	if run.Levels != 1 || run.Elements != 2 || !run.Checked || run.Bytes != 2*18+3 {
		t.Errorf("depth %d, elements %d, checked %t, %d bytes", run.Levels, run.Elements, run.Checked, run.Bytes)
	}
}
