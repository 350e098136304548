package interp_test

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

var eventNames = map[interp.EventKind]string{
	interp.MagicEvent: "magic", interp.TypeIDEvent: "type id", interp.PayloadBytesEvent: "payload bytes",
	interp.ScalarEvent: "scalar", interp.TextEvent: "text", interp.BlobEvent: "blob", interp.PresenceEvent: "presence",
	interp.ListEvent: "list", interp.ArrayEvent: "array", interp.MapEvent: "map", interp.StructEvent: "struct",
	interp.MessageEvent: "message", interp.UnionEvent: "union", interp.PayloadLengthEvent: "payload length",
	interp.UnknownEvent: "unknown", interp.TailEvent: "tail", interp.EndEvent: "end", interp.DamageEvent: "damage",
}

// trace writes the events of a walk, one a line, and how it ends.
func trace(c *interp.Codec, in *interp.Input) string {
	return traceWith(c, in, interp.Options{})
}

func traceWith(c *interp.Codec, in *interp.Input, opts interp.Options) string {
	var b strings.Builder
	n, err := c.Walk(in, opts, func(e *interp.Event) error {
		fmt.Fprintf(&b, "%d %s %q [%x] %d", e.Offset, eventNames[e.Kind], e.Path(), e.Raw, e.Count)
		if text := e.Text(); text != "" {
			b.WriteString(" " + text)
		}
		if e.Missing {
			b.WriteString(" missing")
		}
		b.WriteByte('\n')
		return nil
	})
	fmt.Fprintf(&b, "%d bytes, %v\n", n, err)
	return b.String()
}
