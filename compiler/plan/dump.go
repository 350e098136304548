package plan

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Dump prints the plan of a package's types for people.
func (p *Program) Dump(pkg *ir.Package) string {
	d := dumper{}
	for _, body := range p.Bodies(pkg) {
		d.body(body)
	}
	return d.text.String()
}

type dumper struct{ text strings.Builder }

func (d *dumper) line(depth int, format string, args ...any) {
	d.text.WriteString(strings.Repeat("  ", depth) + fmt.Sprintf(format, args...) + "\n")
}

func (d *dumper) body(b *Body) {
	kind := map[bool]string{true: " recursive"}[b.Recursive]
	d.line(0, "%s %s%s", ir.FullName(b.Decl), b.Size, kind)
	for _, s := range b.Segments {
		d.line(1, "segment %d %s", s.Number, s.Size)
		for _, op := range s.Ops {
			d.op(2, "", op)
		}
	}
	for _, a := range b.Alternatives {
		d.line(1, "%d %s %s", a.Alt.Tag, a.Alt.Name, a.Size)
		if a.Op != nil {
			d.op(2, "", a.Op)
		}
	}
}

func (d *dumper) op(depth int, role string, op Op) {
	if f := op.OpField(); f != nil {
		role = f.Name + ": "
	}
	size := op.OpSize()
	switch op := op.(type) {
	case *Run:
		d.run(depth, role, op)
	case *Text:
		d.line(depth, "%sstr length %s max %d, %s", role, LengthName(op.Type), LengthMax(op.Type), size)
	case *Blob:
		d.line(depth, "%sbytes length %s max %d, %s", role, LengthName(op.Type), LengthMax(op.Type), size)
	case *List:
		d.line(depth, "%slist count %s max %d, %s", role, LengthName(op.Type), LengthMax(op.Type), size)
		d.op(depth+1, "", op.Elem)
	case *Array:
		d.line(depth, "%sarray of %d, %s", role, op.Type.N, size)
		d.op(depth+1, "", op.Elem)
	case *Optional:
		d.line(depth, "%soptional, %s", role, size)
		d.op(depth+1, "", op.Elem)
	case *Map:
		d.line(depth, "%smap count %s max %d, %s", role, LengthName(op.Type), LengthMax(op.Type), size)
		d.op(depth+1, "key: ", op.Key)
		d.op(depth+1, "value: ", op.Value)
	case *NestedType:
		d.line(depth, "%s%s %s, %s", role, op.Type.Kind, ir.FullName(op.Body.Decl), size)
	}
}

func (d *dumper) run(depth int, role string, r *Run) {
	note := ""
	if r.Checked {
		note += ", checked"
	}
	if r.Levels > 0 {
		note += fmt.Sprintf(", depth +%d", r.Levels)
	}
	if r.Elements > 0 {
		note += fmt.Sprintf(", %d elements", r.Elements)
	}
	d.line(depth, "%srun of %d bytes%s", role, r.Bytes, note)
	for _, item := range r.Items {
		var path []string
		for _, f := range item.Path {
			path = append(path, f.Name)
		}
		d.line(depth+1, "+%d %s %s", item.Offset, orElement(strings.Join(path, ".")), itemType(item.Type))
		if item.Elem != nil && item.Type.Elem.Scalar() == 0 {
			d.op(depth+2, "", item.Elem)
		}
	}
}

func orElement(path string) string {
	if path == "" {
		return "(element)"
	}
	return path
}

func itemType(t *ir.Type) string {
	if t.Kind == ir.ArrayKind {
		return fmt.Sprintf("[%d]%s", t.N, itemType(t.Elem))
	}
	if t.Decl != nil {
		return ir.FullName(t.Decl)
	}
	return t.Kind.String()
}

// String is "12 bytes", "4..70 bytes" or "4.. bytes".
func (s Size) String() string {
	switch {
	case s.Fixed:
		return fmt.Sprintf("%d bytes", s.Min)
	case s.Bounded:
		return fmt.Sprintf("%d..%d bytes", s.Min, s.Max)
	}
	return fmt.Sprintf("%d.. bytes", s.Min)
}
