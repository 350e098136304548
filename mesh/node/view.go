package node

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/serial-data-protocol/sdp/mesh/registry"
)

// inboxPrefix is the beginning of a subject of answers. To any other nothing is sent: who may not
// publish on a subject could let the node do it.
const inboxPrefix = nats.InboxPrefix

// startView answers the requests by which tools of NATS ask for services, as ADR-32 of NATS has them,
// with the agents of this node. It is a view: calls of agents don't pass NATS.
func (n *Node) startView() error {
	_, err := n.conn.Subscribe(micro.APIPrefix+".>", func(m *nats.Msg) {
		if !strings.HasPrefix(m.Reply, inboxPrefix) {
			return
		}
		asked := strings.Split(m.Subject, ".")[1:]
		for _, a := range n.registry.Cache().Find(registry.Filter{}) {
			if answer := n.viewed(asked, a); answer != nil {
				if text, err := json.Marshal(answer); err == nil {
					m.Respond(text)
				}
			}
		}
	})
	return err
}

// viewed is the answer for an agent to a verb, a name and an id, of which the later may be missing; nil
// if it isn't asked for.
func (n *Node) viewed(protocols []string, a *registry.Agent) any {
	is := micro.ServiceIdentity{
		Name: word(a.Name), ID: fmt.Sprint(word(a.Name), "-", a.Epoch), Version: "0.0.0", // agents have none
		Metadata: map[string]string{"node": a.Node, "name": a.Name, "epoch": fmt.Sprint(a.Epoch), "capabilities": strings.Join(a.Capabilities, " ")},
	}
	if a.Node != n.config.Name || len(protocols) > 3 || len(protocols) > 1 && protocols[1] != is.Name || len(protocols) > 2 && protocols[2] != is.ID {
		return nil
	}
	switch protocols[0] {
	case micro.PingVerb.String():
		return micro.Ping{ServiceIdentity: is, Type: micro.PingResponseType}
	case micro.InfoVerb.String():
		info := micro.Info{ServiceIdentity: is, Type: micro.InfoResponseType, Description: "agent of the mesh, called by MXP", Endpoints: []micro.EndpointInfo{}}
		for _, service := range a.Services {
			info.Endpoints = append(info.Endpoints, micro.EndpointInfo{Name: word(service), Subject: service, Metadata: map[string]string{"protocol": "mxp"}})
		}
		return info
	case micro.StatsVerb.String(): // nobody but the agent knows how often it was called
		stats := micro.Stats{ServiceIdentity: is, Type: micro.StatsResponseType, Endpoints: []*micro.EndpointStats{}}
		for _, service := range a.Services {
			stats.Endpoints = append(stats.Endpoints, &micro.EndpointStats{Name: word(service), Subject: service})
		}
		return stats
	}
	return nil
}

// word is a name as services of NATS can have it, without dots.
func word(name string) string { return strings.ReplaceAll(name, ".", "_") }
