package lint

import (
	"fmt"
	"regexp"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// positionalIDs reports a legacy file, whose structs are numbered by where they
// stand. The ids must be written in all together: with one attribute the file
// is a new one, in which no struct has an id by itself.
func (l *linter) positionalIDs() {
	var structs []*ir.Struct
	for _, d := range l.pkg.Decls {
		if s, ok := d.(*ir.Struct); ok && s.ID != nil && s.ID.Positional {
			structs = append(structs, s)
		}
	}
	if len(structs) == 0 {
		return
	}
	first := structs[0]
	d := l.warn(codePositionalID, nil, first.Span, "type ids are given by position")
	d.WithLabel("this is 1 because it is the first struct")
	var edits []diag.Edit
	for _, s := range structs {
		at := s.Full.File.Span(s.Full.Start, s.Full.Start)
		edits = append(edits, diag.Edit{Span: at, Text: fmt.Sprintf("@id(%d)\n%s", s.ID.Value, blanksBefore(at))})
	}
	if nested := nestedOption(structs); nested != nil {
		d.WithRelated(nested.Span, "an option in an option is an error once the file has ids")
		d.WithHelp(fmt.Sprintf("write one option for the two in `%s`, which are one already, then write the ids in", nested.Name))
		return
	}
	d.WithHelp("write the ids in: `@id(1)` before the first struct, and so on").WithFix("write the type ids in", edits...)
}

// nestedOptions matches what means one option in a legacy file and is refused
// in a new one. The ir has one option already, so the text is what tells.
var (
	nestedOptions = regexp.MustCompile(`(\?|\bOption\s*<)\s*(Box\s*<\s*)*(\?|\bOption\s*<)`)
	comments      = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
)

func nestedOption(structs []*ir.Struct) *ir.Field {
	for _, s := range structs {
		for _, f := range s.Fields {
			if nestedOptions.MatchString(comments.ReplaceAllString(f.Full.Text(), " ")) {
				return f
			}
		}
	}
	return nil
}

// fieldOrder reports where a field of varying size separates fields of fixed
// size, which would otherwise be one run with one check of the bounds. Files of
// 0.2.0 are left alone: their bytes are out in the world.
func (l *linter) fieldOrder() {
	if l.pkg.Legacy {
		return
	}
	for _, body := range l.program.Bodies(l.pkg) {
		for _, segment := range body.Segments {
			l.segmentOrder(body, segment)
		}
	}
}

func (l *linter) segmentOrder(body *plan.Body, segment *plan.Segment) {
	runs := 0
	for i, op := range segment.Ops {
		run, isRun := op.(*plan.Run)
		if !isRun || run.Bytes == 0 {
			// Nothing is read of fields without bytes.
			continue
		}
		runs++
		if runs != 2 {
			continue
		}
		late, varying := run.Items[0].Path[0], segment.Ops[i-1].OpField()
		l.warn(codeFieldOrder, append(around(body.Decl), &late.Meta), late.Span, "`%s` could be decoded together with the fields of fixed size before it", late.Name).
			WithLabel("of fixed size").
			WithRelated(varying.Span, "of varying size").
			WithHelp("if no bytes of this layout exist yet, put the fields of fixed size first; a released layout must stay as it is")
	}
}
