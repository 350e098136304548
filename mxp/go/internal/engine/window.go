package engine

import "github.com/serial-data-protocol/sdp/mxp/go/session"

// windowMessages is how many chunks may be on their way to a reader.
const windowMessages = 16 << 10

// Window is how much of a stream may be on its way to its reader.
type Window struct {
	Messages uint32
	Bytes    int
}

// WindowOf is that of a stream of a service: of events of the mesh there are few, since a node drops
// what is too much for a subscriber, and not its oldest where they are here [MESH-5.1].
func WindowOf(service string, bytes int) Window {
	if service == "mxp.mesh.Mesh" {
		return Window{session.SubscriptionMessages, bytes}
	}
	return Window{windowMessages, bytes}
}

// owes reports whether so much was taken that it is to be granted anew [MXP-8.7].
func (w Window) owes(messages, bytes int) bool {
	return messages >= int(w.Messages/2) || bytes >= w.Bytes/2
}
