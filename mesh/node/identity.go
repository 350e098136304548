package node

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"strings"

	"github.com/serial-data-protocol/sdp/mesh/policy"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// identityOf is that of a program [MESH-6.1]; empty if it has none.
func identityOf(peer *mxp.Peer) string {
	if user := userOf(peer.Process); user != "" || peer.Certificate == nil {
		return user
	}
	identity := commonName(peer.Certificate.Subject)
	if len(peer.Certificate.URIs) > 0 {
		identity = peer.Certificate.URIs[0]
	}
	if policy.IsLocal(identity) {
		return ""
	}
	return identity
}

// userOf is the identity of the user of a process of this machine; empty if it is not known.
func userOf(process *mxp.Process) string {
	switch {
	case process == nil:
		return ""
	case process.SID != "":
		return policy.LocalSID(process.SID)
	case process.User >= 0:
		return policy.Local(process.User)
	}
	return ""
}

// ownUser is the identity of the node's own user.
func ownUser() string {
	if number := os.Geteuid(); number >= 0 {
		return policy.Local(number)
	}
	own, err := user.Current() // which has a SID where users have no numbers
	if err != nil {
		return ""
	}
	return policy.LocalSID(own.Uid)
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
	local := userOf(peer.Process)
	switch {
	case local != "":
		if !n.policy.User(local, ownUser()) {
			return fmt.Errorf("the peer runs as %s, and no policy of this node names that user", local)
		}
	case identityOf(peer) == "":
		return fmt.Errorf("the peer has no identity: neither a user of this machine, nor a certificate with a name that can be one")
	}
	return nil
}
