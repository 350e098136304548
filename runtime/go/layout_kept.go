package sdp

import "sync"

// keptLayouts are the tables of the layout texts that refusals were named by. A
// program has no more texts than types, so that this doesn't grow with what peers
// send; reading a text for each refusal would cost memory that does [WIRE-8.9].
var keptLayouts struct {
	sync.RWMutex
	tables map[string]*layoutTable
}

// keptLayout returns the table of a layout text and reads it the first time. It
// is nil, and not kept, for a text that describes no type.
func keptLayout(text string) *layoutTable {
	keptLayouts.RLock()
	table := keptLayouts.tables[text]
	keptLayouts.RUnlock()
	if table != nil {
		return table
	}
	keptLayouts.Lock()
	defer keptLayouts.Unlock()
	if table := keptLayouts.tables[text]; table != nil {
		return table
	}
	table, err := parseLayout(text)
	if err != nil {
		return nil
	}
	if keptLayouts.tables == nil {
		keptLayouts.tables = make(map[string]*layoutTable)
	}
	keptLayouts.tables[text] = table
	return table
}
