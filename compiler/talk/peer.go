package talk

import (
	"context"
	"crypto/tls"
	"errors"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/health"
	"github.com/serial-data-protocol/sdp/mxp/go/reflection"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Peer is a program that is asked about itself: what it serves, and whether it can be
// asked. No schema is needed for that.
type Peer struct {
	Address  string // that of a peer, or of agents of a mesh
	TLS      *tls.Config
	Metadata []session.Metadatum
}

// Health is the state of a service of the peer's; of the empty name, that of the peer
// as a whole. An error of the connection or the peer is a *mxp.Failure.
func (p *Peer) Health(ctx context.Context, service string) (health.State, error) {
	client, err := connect(ctx, p.Address, health.HealthTypes(), p.TLS)
	if err != nil {
		return health.StateUnknown, err
	}
	defer leave(client)
	report, err := health.NewHealthClient(client).Check(ctx, &health.Request{Service: service}, metadataOptions(p.Metadata)...)
	if err != nil {
		return health.StateUnknown, err
	}
	return report.State, nil
}

// Listing is the services of a peer.
type Listing struct {
	// Services are in the order of the peer's Hello. Of services without a description only the
	// name is known.
	Services []*reflection.Service `json:"services"`
	// Reflection says that the peer serves what describes them.
	Reflection bool `json:"reflection"`
}

// Services lists what the peer serves. Where the peer serves reflection and does not
// describe all, the error says why, beside the listing. It is a *mxp.Failure.
func (p *Peer) Services(ctx context.Context) (*Listing, error) {
	client, err := connect(ctx, p.Address, reflection.ReflectionTypes(), p.TLS)
	if err != nil {
		return nil, err
	}
	defer leave(client)
	options := metadataOptions(p.Metadata)
	asked := reflection.NewReflectionClient(client)
	list, unlisted := asked.List(ctx, &reflection.ListRequest{}, options...)
	if unlisted != nil {
		names, err := hello(ctx, p.Address, p.TLS)
		if err != nil {
			return nil, err
		}
		if errors.Is(unlisted, session.ErrServiceUnknown) {
			return &Listing{Services: named(names)}, nil
		}
		return &Listing{named(names), true}, unlisted
	}
	services := named(list.Names)
	var undescribed error
	for i, service := range services {
		described, err := asked.Describe(ctx, &reflection.DescribeRequest{Service: service.Name}, options...)
		if err == nil {
			services[i] = described
		} else if undescribed == nil {
			undescribed = err
		}
	}
	return &Listing{services, true}, undescribed
}

// named are services of which only the names are known.
func named(names []string) []*reflection.Service {
	services := make([]*reflection.Service, len(names))
	for i, name := range names {
		services[i] = &reflection.Service{Name: name}
	}
	return services
}

// connect makes a client whose peer is ready. An attempt that fails is for the user to
// repeat.
func connect(ctx context.Context, address string, types []session.Type, secure *tls.Config) (*mxp.Client, error) {
	client, err := mxp.Dial(address, mxp.ClientOptions{Types: types, TLS: secure})
	if err != nil {
		return nil, err
	}
	if err := client.Ready(ctx); err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

// Dial makes a client for requests to all services of a catalog, which connects when it has
// one, and again when a connection is lost.
func Dial(catalog *Catalog, address string, options mxp.ClientOptions) (*mxp.Client, error) {
	options.Types = catalog.Types(catalog.Services()...)
	return mxp.Dial(address, options)
}

func metadataOptions(metadata []session.Metadatum) []mxp.Option {
	var options []mxp.Option
	for _, m := range metadata {
		options = append(options, mxp.WithMetadata(m.Key, m.Value))
	}
	return options
}
