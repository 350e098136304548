package backend

import "github.com/serial-data-protocol/sdp/compiler/lower"

// Piece is what one group of statements reads or writes.
type Piece = lower.Piece

// Segment is the fields and pieces of one segment of a message, or of a struct.
type Segment = lower.Segment

// Segments groups the fields of a struct or message.
var Segments = lower.Segments
