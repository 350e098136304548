package mxp

// itemBytes is what a chunk, an event, an answer or a batch is counted as beside its own
// bytes [MXP-15.2].
const itemBytes = 64
