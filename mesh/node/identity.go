package node

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/serial-data-protocol/sdp/mesh/policy"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// identityOf is that of a program [MESH-6.1]; empty if it has none.
func identityOf(peer *mxp.Peer) string {
	switch {
	case peer.Process != nil && peer.Process.User >= 0:
		return policy.Local(peer.Process.User)
	case peer.Certificate == nil:
		return ""
	}
	identity := commonName(peer.Certificate.Subject)
	if len(peer.Certificate.URIs) > 0 {
		identity = peer.Certificate.URIs[0]
	}
	if strings.HasPrefix(identity, policy.Local(0)[:len("uid:")]) {
		return "" // which is what users of this machine are called
	}
	return identity
}

// commonName is that of a distinguished name, as RFC 4514 writes it.
func commonName(subject string) string {
	var part strings.Builder
	for rest := subject; ; {
		at := strings.IndexAny(rest, `,+\`)
		if at >= 0 && rest[at] == '\\' && at+1 < len(rest) {
			part.WriteString(rest[:at])
			part.WriteByte(rest[at+1])
			rest = rest[at+2:]
			continue
		}
		end := at < 0
		if end {
			at = len(rest)
		}
		part.WriteString(rest[:at])
		if name, ok := strings.CutPrefix(part.String(), "CN="); ok {
			return name
		}
		if end {
			return ""
		}
		part.Reset()
		rest = rest[at+1:]
	}
}

// admit lets programs in, or says why it doesn't [MESH-6.2].
func (n *Node) admit(_ context.Context, peer *mxp.Peer) error {
	switch {
	case peer.Process != nil && peer.Process.User >= 0:
		if !n.policy.User(peer.Process.User, os.Geteuid()) {
			return fmt.Errorf("the peer runs as user %d, and no policy of this node names that user", peer.Process.User)
		}
	case identityOf(peer) == "":
		return fmt.Errorf("the peer has no identity: neither a user of this machine, nor a certificate with a name that can be one")
	}
	return nil
}
