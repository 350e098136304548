package node

import (
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mesh/relay"
)

// startRelay lets other nodes carry bytes to agents of this machine, and programs of this machine
// reach agents of others.
func (n *Node) startRelay() (err error) {
	n.relay, err = relay.Listen(n.config.Relay, relay.Options{
		TLS: n.trust.Nodes(), Folder: filepath.Dir(n.config.Socket), Logger: n.logger,
		Carried: func(bytes int) { n.meters.relayed.Add(float64(bytes)) },
		Local: func(agent string) string {
			if a := n.registry.Cache().Get(agent); a != nil && a.Node == n.config.Name {
				return socketOf(a)
			}
			return ""
		},
		Remote: func(agent string) string {
			a := n.registry.Cache().Get(agent)
			if a == nil || a.Node == n.config.Name {
				return ""
			}
			return n.registry.Relay(a.Node)
		},
	})
	if err == nil {
		n.logger.Info("carries bytes for other nodes", "address", n.relay.Address())
	}
	return err
}

// socketOf is the path of the first socket of an agent; empty if it has none.
func socketOf(a *registry.Agent) string {
	for _, address := range a.Addresses {
		for _, scheme := range []string{"mxp+unix://", "mxp+shm://"} { // whose socket takes plain connections, too
			if path, ok := strings.CutPrefix(address, scheme); ok && filepath.IsAbs(path) {
				return path
			}
		}
	}
	return ""
}

// relayTo is an address of this machine that leads to an agent of another; empty if there is none.
func (n *Node) relayTo(a *registry.Agent) string {
	if n.relay == nil || a.Node == n.config.Name || socketOf(a) == "" || n.registry.Relay(a.Node) == "" {
		return ""
	}
	if path := n.relay.Exit(a.Name); path != "" {
		return "mxp+unix://" + path
	}
	return ""
}
