package main

import (
	"context"
	"errors"

	"github.com/serial-data-protocol/sdp/examples/mesh/rack"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// effect makes blocks half as loud.
type effect struct {
	rack.UnimplementedEffect
	name string
}

func (e effect) Process(_ context.Context, b *rack.Block) (*rack.Block, error) {
	for i := range b.Samples {
		b.Samples[i] /= 2
	}
	b.Effect = e.name
	return b, nil
}

// plugin serves an effect at an address, and announces it, until the context ends.
func plugin(ctx context.Context, name, address string) error {
	services := mxp.NewServices()
	rack.RegisterEffect(services, effect{name: name})
	announced, err := mxp.Announce(session.Registration{
		Name: name, Capabilities: []string{"effect"}, Services: []string{rack.EffectName}, Addresses: []string{address},
	}, mxp.AnnounceOptions{})
	if err != nil {
		return err
	}
	defer announced.Close()
	err = mxp.NewServer(mxp.ServerOptions{Services: services}).ListenAndServe(ctx, address)
	if errors.Is(err, mxp.ErrServerClosed) {
		return nil
	}
	return err
}
