// Package events carries the events of services through a mesh: to all programs that subscribe to
// them, instead of to the peer of one connection. Publishers and subscribers use the same stubs as
// other clients and servers.
package events

import (
	"context"
	"crypto/rand"
	"slices"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// idKey is the key of the metadatum that an event's id is handed to the publisher by. It is not sent.
const idKey = "mxp-event-id"

// WithID names a durable event: one that is published again with the same id within ten minutes is
// kept once. Without it each event is given an id of its own, which holds for the repetitions that
// the client's retry policy makes.
func WithID(id string) mxp.Option { return mxp.WithMetadata(idKey, []byte(id)) }

// Publisher makes a client of the program's own node whose events go to all who subscribe. It is
// given to the stubs of any service. An event that is sent with mxp.WithAck is durable: it has been
// taken when a majority of its replicas have it on disk. Calls and streams are refused.
func Publisher(options mxp.ClientOptions) (*mxp.Client, error) {
	options.Types = append(slices.Clone(options.Types), mesh.MeshTypes()...)
	options.Interceptors = append(slices.Clone(options.Interceptors), publish)
	return mxp.Dial(mxp.NodeAddress(options.Node), options)
}

// publish hands an event to the node instead of to the service that it is of.
func publish(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
	if r.Kind != mxp.KindEvent {
		return mxp.Reply{}, mxp.Refuse(mxp.Failure{
			Status: session.StatusUnimplemented, Name: session.ErrMethodUnknown.String(), Text: "a " + r.Kind.String() + " has one receiver, and a mesh carries events to all who subscribe",
		})
	}
	p := mesh.Publication{Subject: mesh.Subject{Service: r.Service, Method: r.Method}, Value: r.Value, Durable: r.WantsAck()}
	if p.Durable {
		p.ID = rand.Text()
		if id, named := r.Get(idKey); named {
			p.ID = string(id)
		}
	}
	value, err := p.MarshalBinary()
	if err != nil {
		return mxp.Reply{}, err
	}
	sent := *r
	sent.Metadata = slices.DeleteFunc(slices.Clone(r.Metadata), func(m mxp.Metadatum) bool { return m.Key == idKey })
	sent.Service, sent.Value = mesh.MeshName, value
	if p.Durable {
		sent.Kind, sent.Method, sent.Name, sent.Idempotent = mxp.KindCall, mesh.MeshPublishMethod, "publish", true
	} else {
		sent.Method, sent.Name = mesh.MeshEmitMethod, "emit"
	}
	return next(ctx, &sent)
}
