package sdp

import "sync"

// keptLayouts are the layouts that refusals were named by or that were shown, by
// Described. A program has no more of them than types, so that this doesn't grow
// with what peers send; reading a layout for each refusal would cost memory that
// does [WIRE-8.9].
var keptLayouts sync.Map

// keptLayout is a layout, each part of which is made when it is first asked for.
type keptLayout struct {
	text func() string
	// table is nil for a text that describes no type.
	table func() *layoutTable
}

// LayoutText returns the canonical layout text of a type. It is for generated
// code.
func LayoutText(of Described) string { return layoutOf(of).text() }

func layoutOf(root Described) *keptLayout {
	kept, known := keptLayouts.Load(root)
	if !known {
		text := sync.OnceValue(func() string { return joinLayout(root) })
		table := sync.OnceValue(func() *layoutTable {
			table, _ := parseLayout(text())
			return table
		})
		kept, _ = keptLayouts.LoadOrStore(root, &keptLayout{text, table})
	}
	return kept.(*keptLayout)
}
