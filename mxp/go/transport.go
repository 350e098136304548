package mxp

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
)

// Transport carries the bytes of connections: in both directions, in order, each once, or the
// connection is lost [MXP-16.2]. The library's transports are there from the start; a program adds
// others by RegisterTransport. The functions may be called by several goroutines at once.
type Transport struct {
	// Scheme stands in addresses between "mxp+" and "://": small letters and digits.
	Scheme string
	// Form is that of its places, as messages show it: "host:port".
	Form string
	// Protects lists the protections of a connection.
	Protects Protection
	// Socket is the scheme by which the same places are reached over a socket, which carries the
	// bytes, where they otherwise pass by another way; else it is empty.
	Socket string
	// Check says why what follows "://" is no place of the transport; its error is said behind
	// the address, as in: "mxp+tcp://x" has no host and port. Without it, any but none is one.
	Check func(place string) error
	// Dial connects to a place, until the context ends. An error that is a *Failure, or wraps
	// one, has its status, its text, and its name if it has one; any other is StatusUnavailable, after which a later
	// attempt may succeed [MXP-14.3].
	Dial func(ctx context.Context, place string, options ClientOptions) (net.Conn, error)
	// Listen makes the listener of a place. Its address, without a network, is the place as a
	// client would name it.
	Listen func(place string, options ServerOptions) (net.Listener, error)
	// Accept finishes a connection that a listener has given, before anything is read, until
	// the context ends: a handshake, for instance. A connection that fails is closed. It may be
	// nil.
	Accept func(ctx context.Context, network net.Conn) error
	// Identify fills in the known facts about the other end of a connection that is made: the
	// address is there already, and is that of the connection's other side. An error keeps a peer
	// out, unless ServerOptions lets it in. It may be nil.
	Identify func(network net.Conn, peer *Peer) error

	// finish is what Accept is where another connection goes on than the listener's.
	finish func(ctx context.Context, network net.Conn) (net.Conn, error)
	// owns says that a connection is the transport's whose addresses name another network.
	owns func(network net.Conn) bool
}

// String is what addresses of the transport begin with: "mxp+tcp".
func (t *Transport) String() string { return addressPrefix + t.Scheme }

// Protection lists the protections that a transport gives a connection [MXP-16.4]. Where it is of
// any kind, both sides may leave out the hashes of frames.
type Protection struct {
	// PeerCredentials: the bytes stay within the machine, whose system says which process is at
	// the other end. Where there is no ServerOptions.Admit, a peer of another user is not let in.
	PeerCredentials bool
	// Encryption: only the peers can read the bytes, and nobody can change them unseen.
	Encryption bool
}

// bytes reports whether the bytes arrive as they were sent, so that no hash is needed [MXP-6.7].
func (p Protection) bytes() bool { return p.PeerCredentials || p.Encryption }

// registry has the transports, in the order in which messages list them.
var registry = struct {
	sync.RWMutex
	transports []*Transport
}{transports: append([]*Transport{&unixTransport, &tcpTransport, &tlsTransport, &shmTransport}, systemTransports...)}

// RegisterTransport makes a transport known to Dial, Listen and ParseAddress of this program.
// Its listeners' and connections' addresses have the scheme as their network: it is how a
// connection is known to be the transport's, also where a listener of the user's has wrapped
// it. A scheme that can be none, or that is registered already, panics, as does a transport
// that can't both dial and listen.
func RegisterTransport(t Transport) {
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	if t.Scheme == "" || strings.ContainsFunc(t.Scheme, odd) {
		panic(fmt.Sprintf("mxp: %q can be no scheme: it is of small letters and digits", t.Scheme))
	}
	if t.Dial == nil || t.Listen == nil {
		panic(fmt.Sprintf("mxp: the transport %s has no Dial, or no Listen", t.Scheme))
	}
	registry.Lock()
	defer registry.Unlock()
	if slices.ContainsFunc(registry.transports, func(rival *Transport) bool { return rival.Scheme == t.Scheme }) {
		panic(fmt.Sprintf("mxp: a transport %s is registered already", t.Scheme))
	}
	registry.transports = append(registry.transports, &t)
}

// Transports are the registered transports. A caller only reads them.
func Transports() []*Transport {
	registry.RLock()
	defer registry.RUnlock()
	return slices.Clone(registry.transports)
}

// transportOf is a connection's transport, or nil if none is known, and the name that it has
// in either case.
func transportOf(network net.Conn) (*Transport, string) {
	name := ""
	if at := network.LocalAddr(); at != nil {
		name = at.Network()
	}
	var named *Transport
	for _, t := range Transports() {
		switch {
		case t.owns != nil && t.owns(network):
			return t, t.Scheme
		case t.Scheme == name:
			named = t
		}
	}
	return named, name
}
