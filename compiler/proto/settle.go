package proto

import (
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// Settle returns the output in which each name that some target language can't use has another one
// there by @name. It tells whether it changed anything: then the schema that it was told is no more
// that of the texts.
func Settle(output []Output, schema *ir.Schema) bool {
	given := map[*source.File]map[int]map[string]bool{} // the targets, by the offset of a name
	for _, r := range []*names.Rules{names.Go, names.Rust, names.Cpp, names.TypeScript} {
		for _, pkg := range schema.Packages {
			_, problems := r.Check(pkg, names.Extras{Services: true})
			for _, d := range problems.Sorted() {
				file := d.Span.File
				if given[file] == nil {
					given[file] = map[int]map[string]bool{}
				}
				if given[file][d.Span.Start] == nil {
					given[file][d.Span.Start] = map[string]bool{}
				}
				given[file][d.Span.Start][r.Target] = true
			}
		}
	}
	changed := false
	for file, targets := range given {
		at := slices.IndexFunc(output, func(o Output) bool { return o.Text == file.Text() })
		if at < 0 {
			continue
		}
		text := renamed(file, targets)
		changed = changed || text != output[at].Text
		output[at].Text = text
	}
	return changed
}

// renamed is the text of a file with further names for what stands at some offsets.
func renamed(file *source.File, targets map[int]map[string]bool) string {
	var problems diag.List
	tree := syntax.Parse(file.Name(), file.Text(), &problems)
	var edits []diag.Edit
	look := func(h *syntax.Head, suffix string) {
		wanted := targets[h.Name.Span.Start]
		at := attributeOf(h.Attributes, markName)
		if wanted == nil || at == nil {
			return
		}
		// A further round means that the name was taken, too.
		old := attributeOf(h.Attributes, "name")
		args := map[string]string{}
		if old != nil {
			for _, arg := range old.Args {
				if arg.Name != nil {
					args[arg.Name.Text] = arg.Value.Text
				}
			}
		}
		for target := range wanted {
			name := h.Name.Text + suffix
			if before := args[target]; before != "" {
				round, _ := strconv.Atoi(strings.TrimPrefix(before, name))
				name += strconv.Itoa(max(round, 1) + 1)
			}
			args[target] = name
		}
		var list []string
		for target, name := range args {
			list = append(list, target+" = "+quote(name))
		}
		slices.Sort(list)
		text := "@name(" + strings.Join(list, ", ") + ")"
		if old != nil {
			edits = append(edits, diag.Edit{Span: file.Span(old.Span.Start, old.Span.End), Text: text})
		} else {
			edits = append(edits, diag.Edit{Span: file.Span(at.Span.End, at.Span.End), Text: " " + text})
		}
	}
	heads(tree, look)
	text, err := diag.Apply(file, edits)
	if err != nil {
		panic("proto: " + file.Name() + ": " + err.Error())
	}
	return format.File(syntax.Parse(file.Name(), text, &problems))
}

// heads visits what has a name in a file, with what tells it apart from another of the name.
func heads(tree *syntax.File, visit func(h *syntax.Head, suffix string)) {
	for _, d := range tree.Declarations {
		switch d := d.(type) {
		case *syntax.Struct:
			visit(&d.Head, "Message")
			for _, f := range d.Fields {
				visit(&f.Head, "_field")
			}
		case *syntax.Union:
			visit(&d.Head, "Union")
			for _, a := range d.Alternatives {
				visit(&a.Head, "Case")
			}
		case *syntax.Enum:
			visit(&d.Head, "Enum")
			for _, m := range d.Members {
				visit(&m.Head, "Member")
			}
		case *syntax.Service:
			visit(&d.Head, "Service")
			for _, m := range d.Methods {
				visit(&m.Head, "_method")
			}
		}
	}
}
